import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { breakAt } from '../support/fault.js';
import {
  emailsOf,
  hashedPeople,
  type ImportJson,
  people,
  recordsOf,
  useImporting,
  withoutProgress,
} from '../support/importing.js';
import {
  applyOptions,
  batchRows,
  expectAllAccounts,
  expectWholeLedger,
  importFile,
  importFirstBatch,
} from '../support/running.js';

/** Three batches. The last one isn't full, and each has rejected rows. */
const good = 120;
const bad = ['A,King,nobody,1', 'Bob,King,p00001@example.org,2'];
const lines = people(good).trimEnd().split('\n');
const mixed = `${[lines[0], bad[0], ...lines.slice(1), ...bad].join('\n')}\n`;
const rows = good + 3;
const emails = emailsOf(good);

describe('An interrupted import', () => {
  const importing = useImporting();
  const { models } = importing;

  it("is mentioned by the plan of its file with other options or content, which doesn't resume it", async () => {
    const file = importing.write('people.csv', mixed);
    await importFirstBatch(importing.context, file);
    const dryRun = async (...args: string[]) => (await importing.run(file, '--dry-run', ...args)).stdout;
    const resume = 'To resume it instead: coursectl imports resume 1';
    const others = `Import 1 of this file with other options is interrupted after 50 rows. ${resume}`;
    expect(await dryRun('--role', 'trainer')).to.include(`\n  ${others}\n`);
    expect(JSON.parse(await dryRun('--role', 'trainer', '--json')).plan.interrupted).to.deep.equal({
      number: 1,
      rowsDone: batchRows,
    });
    const same = await dryRun();
    expect(same).not.to.include('Import 1');
    expect(same).to.include(
      '  An earlier import of this file was interrupted and will be resumed: 50 rows done, 73 left\n',
    );
    expect((await importing.plan(file)).unfinished).to.include({ rowsDone: 50 });

    importing.write('people.csv', `${mixed}Ada,King,ada@example.org,+1 9\n`);
    const changed = `Import 1 of an earlier version of this file is interrupted after 50 rows (passwords: ${importing.folder}/people.credentials.csv, keep it).`;
    expect(await dryRun()).to.include(`\n  ${changed}\n`);
    const { stderr } = await importing.run(file, '--yes', '--role', 'trainer');
    expect(stderr).to.include(`${changed} It has other options: coursectl imports show 1\n`);
    // The last import of the file is complete.
    const text = await dryRun('--role', 'trainee');
    expect(text, text).not.to.include('interrupted');
  });

  it('is resumed where it stopped, with the result of an uninterrupted import', async () => {
    const file = importing.write('people.csv', mixed);
    const { id } = await importFirstBatch(importing.context, file);
    const resumed: number[] = [];
    const result = await importFile(importing.context, file, { onResume: (done) => resumed.push(done) });
    expect(resumed).to.deep.equal([batchRows]);
    expect(result).to.deep.include({ id, status: 'completed' });
    expect(result.counts).to.include({ rows, created: good, skipped: 0, rejected: 3 });
    expect(await models().Import.count()).to.equal(1);
    await expectWholeLedger(importing, id, rows);
    await expectAllAccounts(importing, emails, result.credentialsFile);
    expect(recordsOf(result.rejectsFile).map(({ line, code }) => `${line} ${code}`)).to.deep.equal([
      '2 NAME_INVALID',
      `${rows} NAME_INVALID`,
      `${rows + 1} DUPLICATE_IN_FILE`,
    ]);
    expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.csv', 'people.rejected.csv']);
  });

  for (const [what, options, ...args] of [
    ['if --map maps the same columns in another spelling', { map: ['phone=phone'] }, '--map', 'phone = PHONE'],
    ['without its original --encoding if the same encoding is detected', { encoding: 'utf-8' }],
  ] as const)
    it(`is resumed ${what}`, async () => {
      const file = importing.write('people.csv', mixed);
      await importFirstBatch(importing.context, file, {}, options);
      const again = await importing.json(file, ...args);
      expect(again).to.include({ number: 1, status: 'completed' });
      await expectWholeLedger(importing, again.id, rows);
    });

  it('reports the reasons of all its rows, like an uninterrupted import', async () => {
    await buildUser(importing.context, { email: 'known@example.org' });
    const [header, ...others] = people(good).trimEnd().split('\n');
    const odd = [
      ',King,nobody,1,',
      'A,King,a@example.org,4.41E+11,',
      'Cy,King,known@example.org,3,',
      'Di,King,di@example.org,4,No course',
    ];
    const text = [`${header},course`, ...odd, ...bad, ...others, ...odd.slice(0, 3), ...bad];
    const file = importing.write('people.csv', `${text.join('\n')}\n`);
    const { reasons } = await importing.plan(file);
    expect(reasons.flatMap(({ code, otherCodes }) => [code, ...otherCodes])).to.include.members([
      'NAME_MISSING',
      'PHONE_MANGLED',
      'COURSE_UNKNOWN',
      'ALREADY_EXISTS',
    ]);
    // A decided row asks no question about its course.
    const decided = reasons.map((reason) => ({ ...reason, courseQuestion: null }));
    await importFirstBatch(importing.context, file);
    expect((await importing.plan(file)).reasons).to.deep.equal(decided);
    expect((await importFile(importing.context, file)).reasons).to.deep.equal(decided);
  });

  it('can be resumed even if the bad row that should have stopped it has become good', async () => {
    const user = await buildUser(importing.context, { email: 'p00010@example.org' });
    const file = importing.write('people.csv', hashedPeople(good));
    const options = { onExisting: 'fail', onError: 'stop' };
    const plan = await importing.plan(file, options);
    expect(plan.stopsAtLine).to.equal(11);
    await user.destroy();
    const breaking = new AbortController();
    const run = applyOptions({ signal: breaking.signal, onProgress: () => breaking.abort() });
    const { status, counts } = await applyImport(importing.context, operator, plan, run);
    expect({ status, rows: counts.rows }).to.deep.equal({ status: 'interrupted', rows: batchRows });
    const { id } = await importFile(importing.context, file, {}, options);
    await expectWholeLedger(importing, id, good);
  });

  it('can be interrupted any number of times', async () => {
    const file = importing.write('people.csv', mixed);
    await importFirstBatch(importing.context, file);
    const breaking = new AbortController();
    const again = await importFile(importing.context, file, {
      signal: breaking.signal,
      onProgress: () => breaking.abort(),
    });
    expect(again.counts.rows).to.equal(2 * batchRows);
    const atOnce = await importFile(importing.context, file, { signal: breaking.signal });
    expect(atOnce).to.deep.equal(again);
    const { id, credentialsFile } = await importFile(importing.context, file);
    await expectWholeLedger(importing, id, rows);
    await expectAllAccounts(importing, emails, credentialsFile);
  });

  describe('on the command line', () => {
    /** Runs the command until this number of rows is done, then interrupts it. */
    async function interruptAfter(rowsDone: number, ...args: string[]) {
      const interrupt = new AbortController();
      const running = runCli(['users', 'import', ...args], {
        env: importing.env,
        cwd: importing.folder,
        signal: interrupt.signal,
      });
      const watch = setInterval(async () => {
        const [record] = await models().Import.findAll();
        if (record && record.rowsDone >= rowsDone) interrupt.abort();
      }, 5);
      try {
        return await running;
      } finally {
        clearInterval(watch);
      }
    }

    it('exits with 130 and says how to resume', async () => {
      const file = importing.write('people.csv', people(400));
      const { exitCode, stdout } = await interruptAfter(batchRows, file, '--yes');
      expect(exitCode).to.equal(130);
      const done = Number(
        /^Interrupted after (\d+) rows\. Run the same command again to resume, or: coursectl imports resume \S+$/m.exec(
          stdout,
        )?.[1],
      );
      expect(done % batchRows).to.equal(0);
      expect(stdout).to.include(`\n  ${done} accounts created, 0 rows skipped, 0 rejected\n`);
      expect(stdout).not.to.include('delete');
      const again = await importing.run(file, '--yes');
      expect(again.exitCode).to.equal(0);
      expect(withoutProgress(again.stderr)).to.equal(
        `An import of this file was interrupted and is resumed: ${done} rows done, ${400 - done} left.\n`,
      );
      expect(again.stdout).to.match(
        /^Done: 400 rows in .* s\. Import \S+\n {2}400 accounts created, 0 rows skipped, 0 rejected\n/,
      );
      await expectAllAccounts(importing, emailsOf(400), `${importing.folder}/people.credentials.csv`);
    });

    it('reports after a failure the finished rows, the path of the passwords and how to resume', async () => {
      const file = importing.write('people.csv', people(120));
      const credentials = `${importing.folder}/people.credentials.csv`;
      const repair = await breakAt(importing.context, {
        event: 'INSERT',
        table: 'import_rows',
        when: `NEW.line = ${batchRows + 10}`,
      });
      const { exitCode, stdout, stderr } = await importing.run(file, '--yes');
      const { number } = await models().Import.findOne({ rejectOnEmpty: true });
      const left =
        `Import ${number} is interrupted after 50 of 120 rows (passwords so far: ${credentials}, keep it). ` +
        `Run the same command again to resume, or: coursectl imports resume ${number}\n`;
      expect([exitCode, stdout]).to.deep.equal([70, '']);
      const [error, ...message] = withoutProgress(stderr).split('\n');
      expect(error).to.match(/^error: /);
      expect(message.join('\n')).to.equal(left);
      const resumed = await importing.cli('imports', 'resume', String(number), '--yes');
      expect(withoutProgress(resumed.stderr)).to.include(left);
      const again = await importing.run(file, '--yes', '--json');
      const printed = JSON.parse(again.stdout) as ImportJson & { error: object };
      expect(printed.error).to.include({ code: 'BUG' });
      expect(printed.import).to.deep.include({ number, status: 'interrupted', credentialsFile: credentials });
      expect(printed.import.counts).to.include({ rows: 50, created: 50 });
      await repair();
      expect(await importing.json(file)).to.deep.include({ exitCode: 0, number, status: 'completed' });
    });

    it('writes nothing if it is interrupted before its first row', async () => {
      const file = importing.write('people.csv', people(3));
      const before = await importing.contents();
      const signal = AbortSignal.abort();
      const { exitCode, stderr } = await runCli(['users', 'import', file, '--yes'], {
        env: importing.env,
        cwd: importing.folder,
        signal,
      });
      expect(exitCode).to.equal(130);
      expect(stderr).to.equal('error: Interrupted; nothing was written.\n');
      expect(await importing.contents()).to.equal(before);
      expect(importing.files()).to.deep.equal(['people.csv']);
    });
  });
});
