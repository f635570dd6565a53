import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { useBuiltProgram } from '../../../support/built-program.js';
import { atDepth } from '../../../support/depth.js';
import { scaled } from '../../../support/machine.js';
import { emailsOf, people, useImporting, withoutProgress } from '../support/importing.js';
import { expectAllAccounts, expectWholeLedger } from '../support/running.js';

const count = 1500;
const rejected = 2;

describe('An import that is killed with SIGKILL', function () {
  this.timeout(scaled(60_000));
  const importing = useImporting();
  const program = useBuiltProgram();
  let processes: ChildProcess[] = [];
  afterEach(() => {
    for (const one of processes) one.kill('SIGKILL');
    processes = [];
  });
  const progress = async () => (await importing.context.database.models.Import.findAll({ raw: true }))[0];

  /** Runs the import in a process of its own, as from a shell. */
  function start(file: string): ChildProcess {
    const argv = [path.join(program.path, 'bin', 'coursectl.js'), 'users', 'import', file, '--yes', '--quiet'];
    const env = { PATH: process.env.PATH, ...importing.env };
    const started = spawn(process.execPath, argv, { cwd: importing.folder, env, stdio: 'ignore' });
    processes.push(started);
    return started;
  }

  /** Starts or resumes the import and kills it some milliseconds later. @returns its progress */
  async function killAfter(file: string, milliseconds: number): Promise<string> {
    const before = JSON.stringify(await progress());
    const running = start(file);
    const ended = once(running, 'exit');
    while (running.exitCode === null && JSON.stringify(await progress()) === before) await sleep(10);
    await sleep(milliseconds);
    running.kill('SIGKILL');
    await ended;
    const { rowsDone, credentialsBytes } = (await progress()) ?? {};
    return `killed ${milliseconds} ms after its start, ${rowsDone} rows and ${credentialsBytes} bytes far`;
  }

  /** Frees the lease of the killed process immediately. */
  const expireLease = () =>
    importing.context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name LIKE 'import:%'");

  async function expectToEndWell(moments: string[], id: string, exitCode: number): Promise<void> {
    try {
      expect(exitCode).to.equal(3);
      await expectWholeLedger(importing, id, count + rejected);
      await expectAllAccounts(importing, emailsOf(count), `${importing.folder}/people.credentials.csv`);
      expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.csv', 'people.rejected.csv']);
      expect(importing.read('people.rejected.csv').split('\n')).to.have.length(1 + rejected + 1);
    } catch (error) {
      throw new Error(`After an import that was ${moments.join(', then ')}:`, { cause: error });
    }
  }

  const writePeople = () =>
    importing.write('people.csv', `${people(count).replace('\n', '\nA,B,nobody,\n')}A,B,nobody,\n`);

  for (let round = 1; round <= atDepth(1, 2); round += 1) {
    it(`twice, at random moments, ends like an uninterrupted one (${round})`, async () => {
      const file = writePeople();
      const moments = [await killAfter(file, Math.random() * 300)];
      await expireLease();
      moments.push(await killAfter(file, Math.random() * 300));
      await expireLease();
      const { id, exitCode } = await importing.json(file);
      await expectToEndWell(moments, id, exitCode);
    });
  }

  it('is resumed as soon as its lease expires; the operator sees what it waits for', async () => {
    const file = writePeople();
    const moment = await killAfter(file, Math.random() * 200);
    const { rowsDone = 0 } = (await progress()) ?? {};
    const since = Date.now();
    const { exitCode, stderr } = await importing.run(file, '--yes');
    expect(Date.now() - since).to.be.lessThan(scaled(25_000));
    const waits = 'Another run of this file is active, or was just interrupted: waiting for it.\n';
    const resumes = `An import of this file was interrupted and is resumed: ${rowsDone.toLocaleString('en')} rows done, ${(count + 2 - rowsDone).toLocaleString('en')} left.\n`;
    expect(withoutProgress(stderr)).to.equal(rowsDone > 0 ? `${waits}${resumes}` : waits);
    await expectToEndWell([moment], (await progress())?.id ?? '', exitCode);
  });
});
