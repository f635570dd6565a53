import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/config/config.js';
import { createLogger } from '../../../../src/logger.js';
import { type Context, createContext } from '../../../../src/services/context.js';
import { matchCodes } from '../../../../src/services/imports/read/fields/row-codes.js';
import { useBuiltProgram } from '../../../support/built-program.js';
import { onMysql } from '../../../support/database.js';
import { atDepth } from '../../../support/depth.js';
import { scaled } from '../../../support/machine.js';
import { type CliResult, runCli } from '../../../support/run-cli.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { startThrowAwayServer, type ThrowAwayServer } from '../../../support/test-server.js';
import { useImporting } from '../support/importing.js';
import {
  batchRows,
  contentOf,
  leftBehind,
  type Policy,
  policies,
  rows,
  settle,
  workbookPolicies,
  wrongPasswords,
} from '../support/kill-world.js';

/** Small batches, so that kills happen in every state. */
const settings = { IMPORT_BATCH_ROWS: String(batchRows), BCRYPT_COST: '4' };

interface Scene {
  context: Context;
  folder: string;
  env: Record<string, string>;
  program: string;
}

type LeftBehind = Awaited<ReturnType<typeof leftBehind>>;

/** Starts the import of the built program in a separate process. */
function start({ program, env }: Scene, file: string, flags: readonly string[]): ChildProcess {
  const argv = [path.join(program, 'bin', 'coursectl.js'), 'users', 'import', file, '--yes', '--quiet', ...flags];
  const cwd = path.dirname(file);
  return spawn(process.execPath, argv, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
}

const runAgain = ({ env }: Scene, file: string, flags: readonly string[]): Promise<CliResult> =>
  runCli(['users', 'import', file, '--yes', '--json', ...flags], { env, cwd: path.dirname(file) });

/** Frees the lease of a dead run immediately. */
const expireLeases = ({ context }: Scene) =>
  context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name LIKE 'import:%'");

/** Resets the database before each import, and writes the file to a separate folder. */
async function prepare({ context, folder }: Scene, policy: Policy, name: string): Promise<string> {
  await settle(context);
  const own = path.join(folder, name);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  const file = path.join(own, policy.file);
  writeFileSync(file, await contentOf(policy));
  return file;
}

/** Result of an uninterrupted import of the file. */
async function uninterrupted(scene: Scene, policy: Policy, name: string): Promise<LeftBehind> {
  const file = await prepare(scene, policy, name);
  const { exitCode, stdout } = await runAgain(scene, file, policy.flags);
  expect(exitCode, stdout).to.equal(3);
  expect(await wrongPasswords(scene.context, file)).to.deep.equal([]);
  return leftBehind(scene.context, file);
}

/** Number of finished rows of the import; undefined before it begins. */
async function rowsDone({ context }: Scene): Promise<number | undefined> {
  return (await context.database.models.Import.findOne({ attributes: ['rowsDone'] }))?.rowsDone;
}

/**
 * Moment of the kill: after a number of rows, and some milliseconds later. An import that ends at a bad row is killed as soon
 * as that row is committed, because its end must not depend on what the process does afterwards.
 */
function momentOf({ file, stops }: Policy, expected: LeftBehind): { target: number; delay: number } {
  if (stops) return { target: expected.imports[0]?.rowsDone ?? 0, delay: 0 };
  // At the end, its reports become workbooks.
  if (file === 'people.xlsx' && Math.random() < 0.4) return { target: rows - batchRows, delay: Math.random() * 60 };
  return { target: Math.floor(Math.random() * (rows - 2 * batchRows)), delay: Math.random() * 30 };
}

/** Waits until this number of rows is done, or the import has ended. */
async function reach(scene: Scene, running: ChildProcess, target: number): Promise<void> {
  while (running.exitCode === null) {
    const left = target - ((await rowsDone(scene)) ?? -1);
    if (left <= 0) return;
    // Polling more often before the last batch would take processor time from the program.
    await sleep(left > batchRows ? 10 : 2);
  }
}

/** The file and its reports. */
const filesOf = ({ file }: Policy) =>
  [file, ...['credentials', 'rejected'].map((kind) => file.replace('people', `people.${kind}`))].sort();

/** Runs one round: interrupts an import with `strike` at a random moment, and runs it again. */
async function playRound(
  scene: Scene,
  number: number,
  policy: Policy,
  expected: LeftBehind,
  strike: (running: ChildProcess) => Promise<void>,
) {
  const { flags } = policy;
  const file = await prepare(scene, policy, `round${number}`);
  const running = start(scene, file, flags);
  const ended = once(running, 'exit');
  const { target, delay } = momentOf(policy, expected);
  try {
    await reach(scene, running, target);
    await sleep(delay);
    await strike(running);
  } finally {
    running.kill('SIGKILL');
    await ended;
  }
  try {
    await expireLeases(scene);
    const record = await scene.context.database.models.Import.findOne();
    // The import ended before the kill.
    const brokenOff = record?.status !== 'completed' && record?.status !== 'stopped';
    if (brokenOff) {
      const { exitCode, stdout } = await runAgain(scene, file, flags);
      expect(exitCode, stdout).to.equal(3);
      expect(readdirSync(path.dirname(file)).sort()).to.deep.equal(filesOf(policy));
    }
    const found = await leftBehind(scene.context, file);
    for (const part of Object.keys(expected) as (keyof LeftBehind)[])
      expect(found[part], part).to.deep.equal(expected[part]);
    expect(await wrongPasswords(scene.context, file)).to.deep.equal([]);
    return brokenOff;
  } catch (error) {
    throw new Error(`Round ${number} (${flags.join(' ')}), struck ${Math.round(delay)} ms after row ${target}`, {
      cause: error,
    });
  }
}

/** Runs rounds for each policy. @returns the result of an uninterrupted run for each policy */
async function playRounds(
  scene: Scene,
  count: number,
  all: readonly Policy[],
  strike: (running: ChildProcess) => Promise<void>,
) {
  const used = all.slice(0, count);
  const expected: LeftBehind[] = [];
  for (const [index, policy] of used.entries()) expected.push(await uninterrupted(scene, policy, `whole${index}`));
  let struck = 0;
  for (let number = 0; number < count; number += 1) {
    const index = number % used.length;
    const [policy, reference] = [used[index], expected[index]];
    if (policy && reference) struck += Number(await playRound(scene, number, policy, reference, strike));
  }
  expect(struck, 'rounds in which the import was broken off').to.be.greaterThan(count / 3);
  return expected;
}

/**
 * Outcomes and codes that the ledgers of these runs must contain: all except codes of a row's own cells, of which one is
 * enough.
 */
function expectEverything(all: readonly LeftBehind[]): void {
  const lines = all.flatMap(({ ledger }) => ledger);
  expect(new Set(lines.map(({ outcome }) => outcome))).to.deep.equal(
    new Set(['created', 'updated', 'skipped', 'rejected']),
  );
  const codes = new Set(lines.flatMap(({ code }) => (code === null ? [] : [code])));
  const ofSyncs = ['KEPT_INACTIVE', 'RENAMED_PERHAPS'];
  const ofImports = matchCodes.filter((code) => !ofSyncs.includes(code));
  expect([...codes].sort()).to.deep.equal([...ofImports, 'NAME_INVALID'].sort());
}

describe('Imports that are killed repeatedly', function () {
  this.timeout(scaled(600_000));
  const importing = useImporting(settings);
  const program = useBuiltProgram();

  const rounds = atDepth(2, 30);
  for (const [title, used] of [
    ['of CSV', policies],
    ['of workbooks', workbookPolicies],
  ] as const)
    it(`${title} leave the ledger, accounts and files of an uninterrupted run, in each of ${rounds} rounds`, async () => {
      const { context, folder, env } = importing;
      const scene = { context, folder, env, program: program.path };
      const expected = await playRounds(scene, rounds, used, async (running) => {
        running.kill('SIGKILL');
      });
      if (rounds >= policies.length) expectEverything(expected);
    });
});

(onMysql ? describe : describe.skip)('Imports whose database is killed (needs a MySQL or MariaDB server)', function () {
  this.timeout(scaled(600_000));
  const importing = useImporting(settings);
  const program = useBuiltProgram();
  let server: ThrowAwayServer | undefined;
  let scene: Scene | undefined;
  const folder = temporaryFolder();

  before(async function () {
    server = await startThrowAwayServer({ durable: true });
    // A separate server, because this one must be killed.
    if (!server) this.skip();
    const { createConnection } = await import('mysql2/promise');
    const connection = await createConnection(server.url);
    await connection.query('CREATE DATABASE killed');
    await connection.end();
  });

  beforeEach(async () => {
    const env = { ...importing.env, DATABASE_URL: `${server?.url}killed`, DATA_DIR: folder.path };
    const silent = createLogger('silent', { write: () => undefined });
    const context = await createContext(loadConfig({ env, cwd: folder.path }), silent, {
      hasher: importing.context.hasher,
    });
    await context.schema.up();
    scene = { context, folder: folder.path, env, program: program.path };
  });

  after(async () => {
    await scene?.context.close();
    await server?.stop();
    rmSync(folder.path, { recursive: true, force: true });
  });

  const rounds = atDepth(2, 10);
  it(`leave the ledger, accounts and files of an uninterrupted run, in each of ${rounds} rounds`, async () => {
    if (!scene) throw new Error('no scene');
    await playRounds(scene, rounds, policies, async (running) => {
      const ended = running.exitCode === null ? once(running, 'exit') : undefined;
      await server?.crash();
      // The program notices the loss and reports it.
      await ended;
    });
  });
});
