import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/config/config.js';
import { createLogger } from '../../../../src/logger.js';
import { type Context, createContext } from '../../../../src/services/context.js';
import { operator } from '../../../../src/services/core.js';
import { createPasswordHasher } from '../../../../src/services/credentials/passwords.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { failureOf } from '../../../db/support/failure.js';
import { runCli } from '../../../support/run-cli.js';
import { whileRunning } from '../../../support/until.js';
import { emailsOf, people, recordsOf, useImporting, withoutColumns, withoutProgress } from '../support/importing.js';
import {
  applyOptions,
  batchRows,
  expectAllAccounts,
  expectWholeLedger,
  importFile,
  importFirstBatch,
} from '../support/running.js';

const count = 120;

/** A program that stops before a certain password, as if its process was paused. */
interface PausingProgram {
  context: Context;
  /** Settles when the program blocks. */
  paused: Promise<void>;
  goOn(): void;
}

/** Expires the lease, as if a process was paused for too long. */
const expireLease = ({ database }: Context) =>
  database.sequelize.query("UPDATE leases SET owner = 'paused', expires_at = 0 WHERE name LIKE 'import:%'");

/** A context that reads a ledger, but returns it only after `goOn` is called. */
function pausingContext(context: Context): PausingProgram {
  let [stop, goOn] = [() => {}, () => {}];
  const paused = new Promise<void>((resolve) => (stop = resolve));
  const released = new Promise<void>((resolve) => (goOn = resolve));
  async function read<T>(query: () => Promise<T>): Promise<T> {
    const result = await context.database.read(query);
    const [first] = Array.isArray(result) ? (result as unknown[]) : [];
    if (typeof first === 'object' && first !== null && 'undoJson' in first) {
      stop();
      await released;
    }
    return result;
  }
  return { context: { ...context, database: { ...context.database, read } }, paused, goOn };
}

describe('An import whose process is paused', () => {
  const importing = useImporting();
  const { models } = importing;
  let program: PausingProgram;
  let file: string;

  async function pauseAt(row: number): Promise<void> {
    const hasher = await createPasswordHasher();
    let [hashed, stop, goOn] = [0, () => {}, () => {}];
    const paused = new Promise<void>((resolve) => (stop = resolve));
    const released = new Promise<void>((resolve) => (goOn = resolve));
    const pausing = {
      ...hasher,
      async hash(password: string, cost: number) {
        hashed += 1;
        if (hashed >= row) {
          stop();
          await released;
        }
        return hasher.hash(password, cost);
      },
    };
    const silent = createLogger('silent', { write: () => undefined });
    const config = loadConfig({ env: importing.env, cwd: importing.folder });
    program = { context: await createContext(config, silent, { hasher: pausing }), paused, goOn };
  }
  beforeEach(() => {
    file = importing.write('people.csv', people(count));
  });
  afterEach(async () => {
    program.goOn();
    await program.context.close();
  });

  /** Starts an import that is paused, lets `successor` resume it, and returns the result of the paused process. */
  async function overtake(row: number, successor: () => Promise<unknown>) {
    await pauseAt(row);
    const overtaken = failureOf(() => importFile(program.context, file));
    await whileRunning(overtaken, program.paused);
    // The next batch is prepared while one is written: the pause begins after all batches before it are prepared.
    const written = Math.floor((row - 1) / batchRows) * batchRows;
    while (((await models().Import.findOne())?.rowsDone ?? 0) < written) await sleep(5);
    await expireLease(importing.context);
    await successor();
    const before = await importing.contents();
    const files = importing.files().map((name) => importing.read(name));
    program.goOn();
    const failure = await overtaken;
    expect(await importing.contents()).to.equal(before);
    expect(importing.files().map((name) => importing.read(name))).to.deep.equal(files);
    return failure;
  }

  it('commits and writes nothing after another process has resumed it', async () => {
    const failure = await overtake(batchRows + 20, async () => {
      const { exitCode, stderr } = await importing.run(file, '--yes');
      expect({ exitCode, stderr: withoutProgress(stderr) }).to.deep.equal({
        exitCode: 0,
        stderr: 'An import of this file was interrupted and is resumed: 50 rows done, 70 left.\n',
      });
    });
    expect(failure.code).to.equal('IMPORT_CONFLICT');
    expect(failure.message).to.match(/^The import 1 was taken over by another process\.$/);
    const [record, ...others] = await models().Import.findAll();
    expect(others).to.deep.equal([]);
    await expectWholeLedger(importing, record?.id ?? '', count);
    await expectAllAccounts(importing, emailsOf(count), `${importing.folder}/people.credentials.csv`);
  });

  it("doesn't end the import if the process that resumed it was interrupted, too", async () => {
    await overtake(2 * batchRows + 1, () => importFile(importing.context, file, { signal: AbortSignal.abort() }));
    const [record] = await models().Import.findAll();
    expect(record).to.include({ status: 'interrupted', rowsDone: 2 * batchRows });
    const { credentialsFile } = await importFile(importing.context, file);
    await expectAllAccounts(importing, emailsOf(count), credentialsFile);
  });

  it('makes another run of the same file wait until Ctrl-C', async () => {
    await pauseAt(batchRows + 1);
    const running = importFile(program.context, file);
    await whileRunning(running, program.paused);
    const interrupt = new AbortController();
    const waiting = await runCli(['users', 'import', file, '--yes'], {
      env: importing.env,
      cwd: importing.folder,
      signal: interrupt.signal,
      onStderr: (written) => written.includes('waiting for it') && interrupt.abort(),
    });
    expect(withoutColumns(waiting)).to.deep.equal({
      exitCode: 130,
      stdout: '',
      stderr: 'Another run of this file is active, or was just interrupted: waiting for it.\nerror: Interrupted.\n',
    });
    program.goOn();
    const { counts, credentialsFile } = await running;
    expect(counts).to.include({ rows: count, created: count });
    expect(recordsOf(credentialsFile)).to.have.length(count);
  });
});

describe('An import whose process is paused while it resumes its files', () => {
  const importing = useImporting();

  it("doesn't touch the files of its successor", async () => {
    const file = importing.write('people.csv', people(count));
    const { id, credentialsFile } = await importFirstBatch(importing.context, file);
    const plan = await importing.plan(file);
    const pausing = pausingContext(importing.context);
    const overtaken = failureOf(() => applyImport(pausing.context, operator, plan, applyOptions()));
    await whileRunning(overtaken, pausing.paused);
    await expireLease(importing.context);
    await importFile(importing.context, file);
    pausing.goOn();
    expect((await overtaken).code).to.equal('IMPORT_CONFLICT');
    await expectWholeLedger(importing, id, count);
    await expectAllAccounts(importing, emailsOf(count), credentialsFile);
    expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.csv']);
  });
});
