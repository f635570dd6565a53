/**
 * The SQLite driver against `sqlite3` 6, which the program used before: transactions and reads a second, alternating in
 * the same run, and how long the event loop is blocked while another program keeps the file locked:
 * `npm run bench -- sqlite`. The old driver is installed into a temporary folder (compiled there: two minutes), or taken
 * from the folder that BENCH_SQLITE3 names; where it can't be had, there is no comparison.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sequelize, Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { openDatabase } from '../src/db/connection.js';
import { migrateUp } from '../src/db/migrator.js';
import { initModels } from '../src/db/models/index.js';
import { remark, sized, verdict, whole } from './figures.js';
import { rounds } from './options.js';
import { median } from './statistics.js';

const count = sized(2000, 20);
const lockMs = 400;

interface Contender {
  write(): Promise<unknown>;
  read(): Promise<unknown>;
  close(): Promise<void>;
}

const id = uuidv7();
const account = { id, firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '1', phoneKey: '1' };
const rest = {
  passwordHash: '',
  role: 'trainee' as const,
  searchKey: 'ada',
  lastNameKey: 'lovelace',
  firstNameKey: 'ada',
};
let serial = 0;

async function current(file: string): Promise<Contender> {
  const database = openDatabase({ dialect: 'sqlite', file });
  await migrateUp(database);
  const { User } = database.models;
  await User.create({ ...account, ...rest });
  return {
    write: () =>
      database.inTransaction((transaction) => {
        serial += 1;
        return User.update({ lastName: `L${serial}` }, { where: { id }, transaction });
      }),
    read: () => database.read(() => User.findByPk(id)),
    close: () => database.close(),
  };
}

/** The used part of the package `sqlite3`. */
interface OldDriver {
  Database: new (
    file: string,
    mode: number,
    callback: (error: Error | null) => void,
  ) => { exec(sql: string, callback: (error: Error | null) => void): void };
}

/** The file as the program treated it with `sqlite3`: tuned when it is opened, a connection for each transaction. */
async function former(driver: OldDriver, file: string): Promise<Contender> {
  class Tuned extends driver.Database {
    constructor(name: string, mode: number, callback: (error: Error | null) => void) {
      super(name, mode, (error) =>
        error ? callback(error) : this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;', callback),
      );
    }
  }
  const prepared = await current(file);
  await prepared.close();
  const sequelize = new Sequelize({
    dialect: 'sqlite',
    storage: file,
    logging: false,
    define: { underscored: true },
    dialectModule: { ...driver, Database: Tuned },
  });
  const { User } = initModels(sequelize);
  return {
    write: () =>
      sequelize.transaction({ type: Transaction.TYPES.IMMEDIATE }, (transaction) => {
        serial += 1;
        return User.update({ lastName: `L${serial}` }, { where: { id }, transaction });
      }),
    read: () => User.findByPk(id),
    close: () => sequelize.close(),
  };
}

function oldDriver(folder: string): OldDriver | undefined {
  const given = process.env.BENCH_SQLITE3;
  if (!given) {
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', 'sqlite3@6.0.1'];
    if (spawnSync('npm', args, { stdio: 'ignore' }).status !== 0) return undefined;
  }
  try {
    return createRequire(path.join(given ?? folder, 'here.cjs'))('sqlite3') as OldDriver;
  } catch {
    // Installed without its binary, when nothing can be compiled.
    return undefined;
  }
}

/** The number of sequential runs per second. */
async function rate(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < count; index += 1) await work();
  return (count * 1000) / (performance.now() - startedAt);
}

/** The longest time that some work blocked the event loop, in milliseconds. */
async function lagDuring(work: () => Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return longest;
}

/** A program that locks the file, reports it, and unlocks it later. */
async function lockFor(file: string, milliseconds: number): Promise<void> {
  const library = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const code = `
    const connection = new (require(${JSON.stringify(library)}).DatabaseSync)(${JSON.stringify(file)});
    connection.exec('BEGIN IMMEDIATE');
    console.log('locked');
    setTimeout(() => connection.exec('COMMIT'), ${milliseconds});`;
  const program = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(program.stdout, 'data');
}

const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
const contenders: Record<string, Contender> = {};
try {
  const driver = oldDriver(folder);
  const file = path.join(folder, 'new.sqlite');
  contenders.now = await current(file);
  if (driver) contenders['sqlite3 6'] = await former(driver, path.join(folder, 'old.sqlite'));
  else remark('sqlite3 6 can not be installed here: nothing is compared with it');

  const kinds = { 'transactions a second': 'write', 'reads a second': 'read' } as const;
  for (const [name, kind] of Object.entries(kinds)) {
    const rates: Record<string, number[]> = { now: [], 'sqlite3 6': [] };
    const names = Object.keys(contenders);
    for (const contender of Object.values(contenders)) for (let n = 0; n < count / 10; n += 1) await contender[kind]();
    for (let round = 0; round < rounds; round += 1) {
      // The first one rotates.
      for (const who of round % 2 === 0 ? names : [...names].reverse())
        rates[who]?.push(await rate(() => contenders[who]?.[kind]() ?? Promise.resolve()));
    }
    const [now, before] = [median(rates.now ?? []), median(rates['sqlite3 6'] ?? [])];
    const compared = driver ? `, sqlite3 6 ${whole(before)} (limit: at least that)` : '';
    verdict(name, `${whole(now)}${compared}`, !driver || now >= before, {
      median: now,
      unit: '/s',
      ...(driver && { ratio: now / before, than: 'sqlite3 6' }),
    });
  }

  const [idle, locked]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    idle.push(await lagDuring(() => sleep(lockMs)));
    await lockFor(file, lockMs);
    locked.push(await lagDuring(() => contenders.now?.write() ?? Promise.resolve()));
  }
  verdict(
    `lag of the event loop while another program keeps the file locked for ${lockMs} ms`,
    `${median(locked).toFixed(1)} ms (limit 20; ${median(idle).toFixed(1)} ms when nothing is done)`,
    median(locked) < 20,
    { median: median(locked), unit: 'ms' },
  );
} finally {
  for (const contender of Object.values(contenders)) await contender.close();
  rmSync(folder, { recursive: true, force: true });
}
