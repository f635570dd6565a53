import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { DatabaseKind } from './options.js';
import { type Leg, WorkerPool } from './pool.js';
import type { FileResult } from './result.js';

const fixture = (name: string) => `test/fixtures/runner/${name}.ts`;

describe('The worker processes of the tests', function () {
  this.timeout(scaled(60_000));

  // The durations of these are no part of the run's.
  const durations = process.env.TEST_DURATIONS;
  before(() => void delete process.env.TEST_DURATIONS);
  after(() => {
    if (durations !== undefined) process.env.TEST_DURATIONS = durations;
  });

  let reported: [DatabaseKind, FileResult][] = [];
  beforeEach(() => {
    reported = [];
  });

  const options = {
    timeoutMs: scaled(20_000),
    grep: undefined,
    report: (kind: DatabaseKind, result: FileResult) => void reported.push([kind, result]),
  };
  const leg = (kind: DatabaseKind, ...names: string[]): Leg => ({ kind, files: names.map(fixture), env: {} });
  const filesOf = (kind: DatabaseKind) => reported.filter(([of]) => of === kind).map(([, { file }]) => file);

  it('run each file once on its database, and tell what came of it', async () => {
    const pool = new WorkerPool({ ...options, jobs: 2, kinds: ['sqlite', 'mysql'] });
    const [sqlite, mysql] = await Promise.all([
      pool.run(leg('sqlite', 'passes', 'fails')),
      pool.run(leg('mysql', 'passes')),
    ]);
    expect(sqlite).to.include({ passed: 2, failed: 1, skipped: 1 });
    expect(sqlite.failures).to.have.length(1);
    expect(sqlite.failures[0]).to.match(
      /^sqlite {2}test\/fixtures\/runner\/fails\.ts {2}A file that fails fails once\n/,
    );
    expect(mysql).to.include({ passed: 1, failed: 0, skipped: 1 });
    expect(mysql.files[0]?.tests.map(({ title }) => title)).to.include('A file that passes has the database mysql');
    expect([filesOf('sqlite'), filesOf('mysql')]).to.deep.equal([
      [fixture('passes'), fixture('fails')],
      [fixture('passes')],
    ]);
  });

  it('name the test for which a hook failed', async () => {
    const pool = new WorkerPool({ ...options, jobs: 1, kinds: ['sqlite'] });
    const { files } = await pool.run(leg('sqlite', 'hook-fails'));
    const title = 'A file with a hook that fails passes';
    expect(files[0]?.tests).to.have.length(1);
    expect(files[0]?.tests[0]).to.include({ title, outcome: 'passed' });
    expect(files[0]?.failures.map(({ test }) => test)).to.deep.equal([title]);
  });

  it('count a file that ends its process, or that can not be loaded, as failed, and run the others', async () => {
    const pool = new WorkerPool({ ...options, jobs: 1, kinds: ['sqlite'] });
    const result = await pool.run(leg('sqlite', 'ends', 'throws', 'passes'));
    expect(result).to.include({ passed: 1, failed: 2, skipped: 1 });
    expect(result.failures[0]).to.include('The worker process ended with exit code 7.');
    expect(result.failures[1]).to.include('This file can not be loaded.');
  });

  it('count an error that nobody catches as a failure of its file alone', async () => {
    const pool = new WorkerPool({ ...options, jobs: 1, kinds: ['sqlite'] });
    const result = await pool.run(leg('sqlite', 'passes', 'throws-later', 'rejects-later', 'fails'));
    expect(result.files.map(({ passed, failures }) => [passed, failures.length])).to.deep.equal([
      [1, 0],
      [0, 1],
      [0, 2],
      [1, 1],
    ]);
    expect(result.failures[0]).to.include('uncaught');
    expect(result.failures[1]).to.include('unhandled in a test');
    expect(result.failures[2]).to.include('unhandled as well');
  });

  it('count a file as failed whose process ends when it is done', async () => {
    let isReady = false;
    const isHeld = (file: string) => file === fixture('passes');
    const pool = new WorkerPool({
      ...options,
      jobs: 1,
      kinds: ['sqlite'],
      isReady: (file) => isReady || !isHeld(file),
    });
    const running = pool.run(leg('sqlite', 'ends-later', 'passes'));
    while (reported.length < 2) await turn();
    isReady = true;
    pool.wake();
    expect(await running).to.include({ passed: 2, failed: 1 });
    expect(filesOf('sqlite')).to.deep.equal([fixture('ends-later'), fixture('ends-later'), fixture('passes')]);
  });

  it('hold a file back until it is ready, and run those behind it', async () => {
    let isReady = false;
    const pool = new WorkerPool({
      ...options,
      jobs: 1,
      kinds: ['sqlite', 'mysql'],
      isReady: (file) => isReady || file !== fixture('fails'),
    });
    pool.leaveOut('mysql');
    const running = pool.run(leg('sqlite', 'fails', 'passes'));
    while (reported.length === 0) await turn();
    isReady = true;
    pool.wake();
    await running;
    expect(filesOf('sqlite')).to.deep.equal([fixture('passes'), fixture('fails')]);
  });

  it('go to the other database when theirs has no more files', async () => {
    const folder = temporaryFolder();
    const pool = new WorkerPool({ ...options, jobs: 2, kinds: ['sqlite', 'mysql'] });
    const [sqlite] = await Promise.all([
      pool.run({ ...leg('sqlite', 'meets', 'meets'), env: { MEETING_FOLDER: folder.path } }),
      pool.run(leg('mysql', 'passes')),
    ]);
    folder.remove();
    expect(sqlite).to.include({ passed: 2, failed: 0 });
  });

  it('start no more files once they are closed', async () => {
    const pool = new WorkerPool({
      ...options,
      jobs: 1,
      kinds: ['sqlite'],
      isReady: (file) => file === fixture('passes'),
    });
    const running = pool.run(leg('sqlite', 'passes', 'fails'));
    while (reported.length === 0) await turn();
    pool.close();
    expect(await running).to.include({ passed: 1, failed: 0 });
  });
});
