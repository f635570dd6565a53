import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../src/config.js';
import { type Context, createContext } from '../../src/context.js';
import { createLogger } from '../../src/logger.js';
import { useBuiltProgram } from '../support/built-program.js';
import { onMysql } from '../support/database.js';
import { atDepth } from '../support/depth.js';
import { scaled } from '../support/machine.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startThrowAwayServer, type ThrowAwayServer } from '../support/test-server.js';
import { recordsOf, useImporting } from './importing.js';

/** How often an import is killed, and how often its database is. */
const kills = atDepth(4, 30);
const crashes = atDepth(2, 10);

const rows = 600;
/** Small batches: a kill meets them in every state. */
const settings = { IMPORT_BATCH_ROWS: '50', BCRYPT_COST: '4' };

/** A file of which each row is good but one in a hundred; `family` tells the rounds apart. */
function fileOf(tag: string, family: string): string {
  const lines = Array.from({ length: rows }, (_, index) =>
    index % 100 === 99 ? `A,B,nobody${index},` : `Given,${family},${tag}.${index}@example.org,+1 ${tag}#${index}`,
  );
  return `firstName,lastName,email,phone\n${lines.join('\n')}\n`;
}

const badRows = rows / 100;
const goodRows = rows - badRows;

interface Scene {
  context: Context;
  folder: string;
  env: Record<string, string>;
  program: string;
}

/** Starts the built program's import in a process of its own. */
function start({ program, env, folder }: Scene, file: string, flags: readonly string[]): ChildProcess {
  const argv = [path.join(program, 'bin', 'coursectl.js'), 'users', 'import', file, '--yes', '--quiet', ...flags];
  return spawn(process.execPath, argv, { cwd: folder, env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
}

const runAgain = ({ env, folder }: Scene, file: string, flags: readonly string[]): Promise<CliResult> =>
  runCli(['users', 'import', file, '--yes', '--json', ...flags], { env, cwd: folder });

/** Whoever died is taken for dead at once, not after its lease. */
const expireLeases = ({ context }: Scene) =>
  context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name LIKE 'import:%'");

/** Everything is as after an import that nothing happened to. */
async function expectWhole(scene: Scene, { tag, family, outcome }: Round, file: string) {
  const { Import, User, ImportRow } = scene.context.database.models;
  const [record, ...others] = await Import.findAll({ where: { fileName: path.basename(file) } });
  expect(others, 'other imports of the file').to.deep.equal([]);
  expect(record).to.include({
    ...{ status: 'completed', rowsDone: rows, rowsTotal: rows, skippedCount: 0, rejectedCount: badRows },
    [`${outcome}Count`]: goodRows,
  });
  const ledger = await ImportRow.findAll({ where: { importId: record?.id ?? '' }, order: ['line'], raw: true });
  expect(ledger.map(({ line }) => line)).to.deep.equal(Array.from({ length: rows }, (_, index) => index + 2));
  expect(ledger.filter((row) => row.outcome === outcome)).to.have.length(goodRows);
  const users = (await User.findAll({ raw: true })).filter(({ email }) => email.startsWith(`${tag}.`));
  expect(users).to.have.length(goodRows);
  expect(new Set(users.map(({ lastName }) => lastName))).to.deep.equal(new Set([family]));
  const name = path.basename(file, '.csv');
  const passwords = recordsOf(path.join(scene.folder, `${name}.credentials.csv`));
  expect(recordsOf(path.join(scene.folder, `${name}.rejected.csv`))).to.have.length(badRows);
  const byEmail = new Map(passwords.map(({ email, password }) => [email, password]));
  expect(passwords).to.have.length(goodRows);
  for (let at = 0; at < users.length; at += 100) {
    const works = await Promise.all(
      users
        .slice(at, at + 100)
        .map(({ email, passwordHash }) => scene.context.hasher.compare(byEmail.get(email) ?? '', passwordHash)),
    );
    expect(works.every(Boolean), 'every password of the file works').to.equal(true);
  }
}

interface Round {
  tag: string;
  family: string;
  flags: string[];
  outcome: 'created' | 'updated';
}

/** Every third round changes the accounts of the round before, and gives them new passwords. */
function roundOf(number: number): Round {
  if (number % 3 === 2)
    return {
      tag: `k${number - 1}`,
      family: `Changed${number}`,
      flags: ['--on-existing', 'update', '--reset-passwords'],
      outcome: 'updated',
    };
  return { tag: `k${number}`, family: 'Family', flags: [], outcome: 'created' };
}

/** Whether the import has begun, as the database tells. */
async function importsOf({ context }: Scene): Promise<number> {
  return context.database.models.Import.count();
}

/** Does one round: an import that is broken off by `strike` at a random moment, and is run again. */
async function playRound(scene: Scene, number: number, strike: (running: ChildProcess) => Promise<void>) {
  const round = roundOf(number);
  const file = path.join(scene.folder, `round${number}.csv`);
  writeFileSync(file, fileOf(round.tag, round.family));
  const before = await importsOf(scene);
  const running = start(scene, file, round.flags);
  const ended = once(running, 'exit');
  const delay = Math.random() * 500;
  try {
    while (running.exitCode === null && (await importsOf(scene)) === before) await sleep(5);
    await sleep(delay);
    await strike(running);
  } finally {
    running.kill('SIGKILL');
    await ended;
  }
  try {
    await expireLeases(scene);
    const { Import } = scene.context.database.models;
    const record = await Import.findOne({ where: { fileName: path.basename(file) } });
    // Faster than the blow: there is nothing left to do.
    const brokenOff = record?.status !== 'completed';
    if (brokenOff) {
      const { exitCode, stdout } = await runAgain(scene, file, round.flags);
      expect(exitCode, stdout).to.equal(3);
    }
    await expectWhole(scene, round, file);
    return brokenOff;
  } catch (error) {
    throw new Error(`Round ${number}, struck ${Math.round(delay)} ms after the import had begun`, { cause: error });
  }
}

async function playRounds(scene: Scene, count: number, strike: (running: ChildProcess) => Promise<void>) {
  let struck = 0;
  for (let number = 1; number <= count; number += 1) struck += Number(await playRound(scene, number, strike));
  expect(struck, 'rounds in which the import was broken off').to.be.at.least(Math.floor(count / 3));
}

describe('Imports that are killed over and over', function () {
  this.timeout(scaled(300_000));
  const importing = useImporting(settings);
  const program = useBuiltProgram();

  it(`end as if nothing had been, ${kills} times of ${kills}`, async () => {
    const { context, folder, env } = importing;
    await playRounds({ context, folder, env, program: program.path }, kills, async (running) => {
      running.kill('SIGKILL');
    });
  });
});

(onMysql ? describe : describe.skip)('Imports whose database is killed (needs a MySQL or MariaDB server)', function () {
  this.timeout(scaled(300_000));
  const importing = useImporting(settings);
  const program = useBuiltProgram();
  let server: ThrowAwayServer | undefined;
  let scene: Scene | undefined;
  const folder = temporaryFolder();

  before(async function () {
    server = await startThrowAwayServer({ durable: true });
    // The suite's own server may be far away; this one must be killed.
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

  it(`end as if nothing had been, ${crashes} times of ${crashes}`, async () => {
    if (!scene) throw new Error('no scene');
    await playRounds(scene, crashes, async (running) => {
      const ended = running.exitCode === null ? once(running, 'exit') : undefined;
      await server?.crash();
      // The program notices by itself, and says so.
      await ended;
    });
  });
});
