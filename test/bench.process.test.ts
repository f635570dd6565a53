import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { run, useBuiltProgram } from './support/built-program.js';
import { onMysql, serverUrl } from './support/database.js';
import { fullDepth } from './support/depth.js';
import { scaled } from './support/machine.js';

const repository = fileURLToPath(new URL('../', import.meta.url));

/** Runs benches at the smallest size. */
function runBench(program: { path: string }, ...args: string[]) {
  // Not by `npm run bench`, which builds into the repository: the tests of the other database run at the same time.
  return run(
    process.execPath,
    ['--import', 'tsx', 'bench/run.ts', '--scale', '0.001', '--rounds', '1', '--minutes', '0.02', ...args],
    repository,
    {
      BENCH_PROGRAM: path.join(program.path, 'bin', 'coursectl.js'),
      ...(onMysql ? { BENCH_DATABASE_URL: serverUrl() } : { BENCH_SQLITE3: '/nonexistent' }),
    },
  );
}

/** Runs a bench at the smallest size. @returns what it prints, and the names of the figures that have a limit */
async function measure(
  program: { path: string },
  bench: string,
  ...scenarios: string[]
): Promise<{ stdout: string; figures: string[] }> {
  const only = scenarios.flatMap((scenario) => ['--only', scenario]);
  const { exitCode, stdout, stderr } = await runBench(program, bench, ...only);
  expect(exitCode, stderr).to.equal(0);
  const lines = stdout.split('\n').filter((line) => /^(ok|n\/a) /.test(line));
  return { stdout, figures: lines.map((line) => line.slice(5).replace(/:.*/, '')) };
}

(onMysql ? describe : describe.skip)('The benches (need a MySQL or MariaDB server)', function () {
  this.timeout(scaled(120_000));
  const program = useBuiltProgram();

  it('measure one scenario of imports at a small size', async () => {
    const { figures } = await measure(program, 'import', 'hashed');
    expect(figures).to.deep.equal(['password hashes in the file, 100 rows']);
  });

  // Every scenario starts the program, most several times.
  it('measure every scenario of imports', async function () {
    if (!fullDepth) this.skip();
    const { figures } = await measure(program, 'import');
    expect(figures).to.deep.equal([
      'generated passwords, 100 rows',
      'password hashes in the file, 100 rows',
      'updates of 100 accounts',
      '100 rows beside 1000 accounts',
      'supplied passwords at cost 10, 50 rows',
      'peak resident memory',
      'planning 1000 rows',
    ]);
  });

  it('measure every scenario of listings', async function () {
    if (!fullDepth) this.skip();
    const { stdout, figures } = await measure(program, 'listings');
    expect(figures).to.deep.equal([
      'first page of 100 enrollments',
      'last page of 100 enrollments',
      'first page of 40 enrollments',
    ]);
    expect(stdout).to.match(/requests\/s$/m);
  });

  it('measure listings and searches in two sizes', async function () {
    if (!fullDepth) this.skip();
    const { stdout, figures } = await measure(program, 'scaling');
    expect(figures.filter((name) => name.startsWith('/api/')).length).to.be.above(50);
    expect(figures.slice(-3)).to.deep.equal([
      'p95 of all searches',
      ...['p50', 'p95'].map((name) => `${name} of all searches`),
    ]);
    expect(stdout).to.match(/^ {5}\/api\/overview: .* ms, again .* ms$/m);
  });

  it('measure bursts', async function () {
    if (!fullDepth) this.skip();
    const { figures } = await measure(program, 'bursts');
    expect(figures).to.deep.equal([
      '20 requests at once on SQLite',
      '20 requests at once on MariaDB or MySQL',
      '5 enroll in one course at once',
    ]);
  });

  it('measure logins against bcrypt alone', async function () {
    if (!fullDepth) this.skip();
    const { stdout, figures } = await measure(program, 'login');
    expect(figures).to.deep.equal(['logins of 20 people at cost 10', 'the slowest logins', 'healthz meanwhile']);
    expect(stdout).to.match(/ logins\/s, bcrypt alone .* hashes\/s$/m);
  });

  it('measure one scenario of requests beside plain Express', async function () {
    if (!fullDepth) this.skip();
    const { figures } = await measure(program, 'requests', 'me');
    expect(figures).to.deep.equal(['me, 5 connections']);
  });

  it('measure requests beside plain Express, and the memory of the service under load', async function () {
    if (!fullDepth) this.skip();
    const { stdout, figures } = await measure(program, 'requests');
    expect(figures).to.deep.equal(['me, 5 connections', 'memory at half the capacity']);
    const rows = [...stdout.matchAll(/^ {5}(\w+): (?:the service|plain Express and SQL) +[\d,.]+\/s/gm)];
    expect(rows.map(([, name]) => name)).to.deep.equal(
      ['me', 'healthz', 'listings', 'enrolling', 'mixed'].flatMap((name) => [name, name]),
    );
  });

  it('measure the listings of the web console as they are painted', async function () {
    if (!fullDepth || !existsSync(process.env.CHROMIUM ?? '/usr/bin/chromium')) this.skip();
    const { figures } = await measure(program, 'console', 'listings');
    expect(figures).to.deep.equal(
      ['people', 'enrollments'].flatMap((name) => [
        `${name} opened by address, 100 rows painted`,
        `next page of ${name}, 100 rows painted`,
        `requests for ${name}`,
      ]),
    );
  });
});

(onMysql ? describe.skip : describe)('The bench of what the web console costs', function () {
  this.timeout(scaled(120_000));
  const program = useBuiltProgram();

  it('measures a start with it and one without', async function () {
    if (!fullDepth) this.skip();
    const { figures } = await measure(program, 'console', 'start');
    expect(figures).to.deep.equal(['resident memory with the console', 'start with the console']);
  });
});

(onMysql ? describe.skip : describe)('The bench of starts', function () {
  this.timeout(scaled(120_000));
  const program = useBuiltProgram();

  it('measures the help and the service', async function () {
    if (!fullDepth) this.skip();
    const { figures } = await measure(program, 'startup');
    expect(figures).to.deep.equal(['coursectl --help', 'serve to /readyz on a migrated SQLite database']);
  });

  it('prints its figures as JSON alone', async () => {
    const { exitCode, stdout, stderr } = await runBench(program, 'startup', '--only', 'help', '--json');
    expect(exitCode, stderr).to.equal(0);
    const { scale, rounds, figures } = JSON.parse(stdout) as { scale: number; rounds: number; figures: object[] };
    expect({ scale, rounds }).to.deep.equal({ scale: 0.001, rounds: 1 });
    expect(figures).to.have.length(2);
    expect(figures[0]).to.include({ suite: 'startup', name: 'coursectl --help', unit: 'ms', than: 'node -e 0' });
    expect(figures[0]).to.include.all.keys('median', 'ratio', 'cpuSeconds', 'text', 'limit');
  });
});

(onMysql ? describe.skip : describe)('The options of the benches', function () {
  this.timeout(scaled(60_000));
  const bench = (file: string, ...args: string[]) =>
    run(process.execPath, ['--import', 'tsx', `bench/${file}`, ...args], repository, {});

  it('are listed with the suites and cases', async () => {
    expect((await bench('run.ts', '--help')).stdout).to.match(
      /^Suites: startup, import, listings, scaling, requests,/m,
    );
    expect((await bench('peers.ts', '--help')).stdout).to.match(/^Cases: login, me, listing, creating;/m);
  });

  for (const [args, message] of [
    [['--scale', 'half'], '--scale takes a number above 0, not "half".'],
    [['--rounds', '0'], '--rounds takes a number above 0, not "0".'],
    [['--depth'], "Unknown option '--depth'"],
    [['--only', 'everything'], 'There is no everything. There are: login, me, listing, creating'],
  ] as const)
    it(`are refused before anything is installed: ${args.join(' ')}`, async () => {
      const { exitCode, stderr } = await bench('peers.ts', ...args);
      expect(exitCode).to.equal(2);
      expect(stderr).to.include(message);
    });
});
