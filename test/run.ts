/**
 * Runs the whole suite on SQLite and on MySQL/MariaDB, and closes with one count for both; with WITH_FAULTS=1 also the
 * fault runs (`npm run test:faults`), whose promises are counted too.
 *
 * The MySQL leg uses the server of TEST_DATABASE_URL, or a private one started from a `mariadbd` or `mysqld` on the
 * PATH. Without either it is left out, loudly; with REQUIRE_MYSQL=1 that is a failure. Arguments go to mocha.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startThrowAwayServer } from './support/test-server.js';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const scratch = mkdtempSync(path.join(tmpdir(), 'coursectl-test-'));

const mocha = ['npx', '--no-install', 'mocha', ...process.argv.slice(2)];

async function leg(name: string, [command = '', ...argv]: string[], databaseUrl?: string): Promise<Counts> {
  const countsFile = path.join(scratch, `${name.replace(/\W+/g, '-')}.json`);
  console.log(`\n=== ${name} ===`);
  const { TEST_DATABASE_URL: _, ...environment } = process.env;
  const runner = spawn(command, argv, {
    stdio: 'inherit',
    env: { ...environment, COURSECTL_TEST_COUNTS: countsFile, ...(databaseUrl && { TEST_DATABASE_URL: databaseUrl }) },
  });
  const exitCode = await new Promise<number | null>((resolve) => runner.once('exit', resolve));
  try {
    const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
    // A runner that failed without a failed test (a hook, a crash after the last test) is a failure all the same.
    return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } catch {
    console.error(`The ${name} leg ended with exit code ${exitCode} before it could count.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function mysqlLeg(): Promise<Counts> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return leg('MySQL/MariaDB (TEST_DATABASE_URL)', mocha, given);
  const server = await startThrowAwayServer();
  if (!server) {
    const required = process.env.REQUIRE_MYSQL === '1';
    console.error(
      `\n${'!'.repeat(100)}\n!! NOT TESTED ON MySQL/MariaDB: no TEST_DATABASE_URL, and no mariadbd or mysqld on the PATH.`,
    );
    console.error(
      `!! Install one (Debian: apt-get install mariadb-server).${required ? ' REQUIRE_MYSQL=1 makes this a failure.' : ''}\n${'!'.repeat(100)}`,
    );
    return { passed: 0, failed: required ? 1 : 0, skipped: 0 };
  }
  try {
    console.log(`\nThrow-away server: ${server.version}`);
    return await leg('MySQL/MariaDB (throw-away server)', mocha, server.url);
  } finally {
    await server.stop();
  }
}

const legs = [await leg('SQLite', mocha), await mysqlLeg()];
if (process.env.WITH_FAULTS === '1') legs.push(await leg('Fault runs', ['npm', 'run', '--silent', 'test:faults']));
rmSync(scratch, { recursive: true, force: true });
const sum = (key: keyof Counts) => legs.reduce((total, counts) => total + counts[key], 0);
const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
process.exitCode = sum('failed') > 0 || sum('passed') === 0 ? 1 : 0;
