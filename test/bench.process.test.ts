import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { run, useBuiltProgram } from './support/built-program.js';
import { onMysql, serverUrl } from './support/database.js';
import { fullDepth } from './support/depth.js';
import { scaled } from './support/machine.js';

const repository = fileURLToPath(new URL('../', import.meta.url));

/** Runs benchmarks at the smallest size. */
function runBench(program: { path: string }, ...args: string[]) {
  // `npm run bench` would build into the repository, while tests on the other database are running.
  return run(
    process.execPath,
    ['--import', 'tsx', 'bench/run.ts', '--scale', '0.001', '--rounds', '1', '--minutes', '0.02', ...args],
    repository,
    {
      BENCH_PROGRAM: path.join(program.path, 'bin', 'coursectl.js'),
      ...(onMysql && { BENCH_DATABASE_URL: serverUrl() }),
    },
  );
}

/** Suites with selected scenarios; suites that need a server come first. */
const onServers = [
  ...['import', 'listings', 'scaling', 'bursts', 'login', 'requests', 'mail'].map((suite) => [suite]),
  ['console', '--only', 'listings'],
];
const onFiles = [['startup'], ['console', '--only', 'start']];

/** Only one import scenario runs by default, because each scenario starts the program several times. */
describe('The benches', function () {
  this.timeout(scaled(120_000));
  const program = useBuiltProgram();
  const suites = fullDepth ? (onMysql ? onServers : onFiles) : onMysql ? [['import', '--only', 'hashed']] : [];

  for (const suite of suites)
    it(`measure ${suite.join(' ')} at a small size`, async function () {
      if (suite[0] === 'console' && !existsSync(process.env.CHROMIUM ?? '/usr/bin/chromium')) this.skip();
      const { exitCode, stdout, stderr } = await runBench(program, ...suite);
      expect(exitCode, stderr).to.equal(0);
      // These results have limits.
      expect(stdout).to.match(/^(ok|n\/a) .*:/m);
    });
});

(onMysql ? describe.skip : describe)('The bench of starts', function () {
  this.timeout(scaled(120_000));
  const program = useBuiltProgram();

  it('print only JSON on request', async () => {
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

  it('are listed by --help, and reject invalid arguments before anything is installed', async () => {
    expect((await bench('run.ts', '--help')).stdout).to.match(
      /^Suites: startup, import, listings, scaling, groups, requests,/m,
    );
    for (const [args, message] of [
      [['--scale', 'half'], '--scale takes a number above 0, not "half".'],
      [['--depth'], "Unknown option '--depth'"],
      [['--only', 'everything'], 'There is no everything. There are: login, me, listing, creating'],
    ] as const) {
      const { exitCode, stderr } = await bench('peers.ts', ...args);
      expect(exitCode).to.equal(2);
      expect(stderr).to.include(message);
    }
  });
});
