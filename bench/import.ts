/**
 * Measures the speed and memory of the command `users import`: `npm run bench -- import`. The server has its default
 * durability, and the lower bound is measured in the same run. Scenarios (`--only`): generated, hashed, updates, million,
 * supplied, memory, plan, workbook. Uses the server of BENCH_DATABASE_URL, or a private one from a `mariadbd` or `mysqld`
 * on the PATH.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import {
  createPasswordHasher,
  generatedPasswordCost,
  type PasswordHasher,
} from '../src/services/credentials/passwords.js';
import { headerRules } from '../src/services/imports/read/columns/header-rules.js';
import { openTable } from '../src/tables/open-table.js';
import { type Figures, sized as sizedAtLeast, verdict } from './figures.js';
import { program, rounds, scale, selected } from './options.js';
import { type Extra, writePeople } from './people.js';
import { type BenchServer, openBenchServer } from './server.js';
import { median } from './statistics.js';
import { type TableKind, tableKinds, writeTable } from './workbooks.js';

const preload = new URL('./peak-memory.mjs', import.meta.url).href;
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
const sized = (rows: number) => sizedAtLeast(rows, 50);
const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`;

let server: BenchServer | undefined;
let sql: Connection;

interface CommandRun {
  /** Reported duration. */
  seconds: number;
  /** Peak resident memory. */
  mebibytes: number;
}

const rateFigures = (rates: number[], ratios: number[], than: string): Figures => ({
  median: median(rates),
  unit: '/s',
  ratio: median(ratios),
  than,
});

/** Runs the built command, checks its counts, and returns its report. */
async function runCommand(argv: readonly string[], expected: object, cost = 12): Promise<CommandRun> {
  const child = spawn(process.execPath, ['--import', preload, program, ...argv, '--json'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      DATABASE_URL: `${server?.url}bench_import`,
      DATA_DIR: folder,
      BCRYPT_COST: String(cost),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => (written[stream] += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${written.stderr}${written.stdout}`);
  const printed = JSON.parse(written.stdout) as Record<string, { seconds: number; counts: Record<string, number> }>;
  const { seconds = Number.NaN, counts } = printed.import ?? printed.plan ?? {};
  for (const [name, count] of Object.entries(expected))
    if (counts?.[name] !== count) throw new Error(`${argv.join(' ')}: ${JSON.stringify(counts)}`);
  const [, kilobytes] = /peak (\d+) kB/.exec(written.stderr) ?? [];
  return { seconds, mebibytes: Number(kilobytes) / 1024 };
}

async function emptyDatabase(): Promise<void> {
  await sql.query('DROP DATABASE IF EXISTS bench_import');
  await sql.query('CREATE DATABASE bench_import');
  await sql.query('USE bench_import');
  await runCommand(['migrate', 'up'], {});
  for (const name of readdirSync(folder))
    if (/\.(credentials|rejected)/.test(name)) rmSync(path.join(folder, name), { force: true });
}

async function writeFileOf(rows: number, extra: Extra, tag = 'p', renamed = false): Promise<string> {
  const file = path.join(folder, `${tag}-${extra ?? 'generated'}-${rows}${renamed ? '-renamed' : ''}.csv`);
  await writePeople(file, rows, extra, tag, renamed);
  return file;
}

const importFile = (file: string, rows: number, cost?: number) =>
  runCommand(['users', 'import', file, '--yes'], { rows, created: rows }, cost);

async function hashRate(hasher: PasswordHasher, cost: number, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() < end) {
        await hasher.hash('0123-4567-89ab', cost);
        count += 1;
      }
    }),
  );
  return (count * 1000) / (performance.now() - startedAt);
}

/** Returns the rows per second of bare multi-row INSERTs of the imported accounts, at the best batch size. */
async function bareInserts(): Promise<number> {
  const columns =
    'id, first_name, last_name, email, phone, phone_key, password_hash, role, is_active, requires_password_change, initial_password_expires_at, search_key, last_name_key, first_name_key, created_at, updated_at';
  const [rows] = await sql.query({ sql: `SELECT ${columns} FROM users`, rowsAsArray: true });
  const values = rows as unknown[][];
  let best = 0;
  await sql.query('CREATE TABLE bare LIKE users');
  for (const batch of [250, 500, 1000, 2000, 4000]) {
    await sql.query('TRUNCATE bare');
    const startedAt = performance.now();
    for (let at = 0; at < values.length; at += batch)
      await sql.query(`INSERT INTO bare (${columns}) VALUES ?`, [values.slice(at, at + batch)]);
    best = Math.max(best, (values.length * 1000) / (performance.now() - startedAt));
  }
  await sql.query('DROP TABLE bare');
  return best;
}

/** Returns the seconds that reading a table takes in this process. */
async function readSeconds(file: string, isWorkbook: boolean, rows: number): Promise<number> {
  const startedAt = performance.now();
  const source = { isWorkbook, encoding: 'utf-8', delimiter: ',' } as const;
  const table = await openTable(
    file,
    source,
    {},
    { fieldBytes: 65_536, recordBytes: 1_048_576, columns: 256 },
    headerRules(),
  );
  let read = 0;
  for await (const list of table.rows) read += list.length;
  await table.close();
  if (read !== rows) throw new Error(`${file} has ${read} rows.`);
  return (performance.now() - startedAt) / 1000;
}

const scenarios: Record<string, () => Promise<void>> = {
  async generated() {
    const rows = sized(100_000);
    const file = await writeFileOf(rows, undefined);
    const hasher = await createPasswordHasher();
    const ratios: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await emptyDatabase();
      const before = await hashRate(hasher, generatedPasswordCost, 3 * scale);
      const { seconds } = await importFile(file, rows);
      const after = await hashRate(hasher, generatedPasswordCost, 3 * scale);
      rates.push(rows / seconds);
      ratios.push(rows / seconds / ((before + after) / 2));
    }
    await hasher.close();
    const figure = `${perSecond(median(rates))}, ${median(ratios).toFixed(2)} of the ${hasher.implementation} hashes of cost ${generatedPasswordCost} (limit 0.85)`;
    verdict(
      `generated passwords, ${rows} rows`,
      figure,
      median(ratios) >= 0.85,
      rateFigures(rates, ratios, 'the hashes'),
    );
  },

  async hashed() {
    const rows = sized(100_000);
    const file = await writeFileOf(rows, 'passwordHash');
    const [rates, bare, whole, applying]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < rounds; round += 1) {
      await emptyDatabase();
      const planned = await runCommand(['users', 'import', file, '--dry-run'], { rows, created: rows });
      const { seconds } = await importFile(file, rows);
      const bound = await bareInserts();
      rates.push(rows / seconds);
      bare.push(bound);
      whole.push(rows / seconds / bound);
      applying.push(rows / Math.max(seconds - planned.seconds, 0.001) / bound);
    }
    const figure = `${perSecond(median(rates))} with its plan, ${median(whole).toFixed(2)} of ${perSecond(median(bare))} bare inserts; ${median(applying).toFixed(2)} without the plan (limit 0.5)`;
    verdict(
      `password hashes in the file, ${rows} rows`,
      figure,
      median(applying) >= 0.5,
      rateFigures(rates, applying, 'bare inserts'),
    );
  },

  async updates() {
    const rows = sized(100_000);
    const file = await writeFileOf(rows, 'passwordHash');
    const renamed = await writeFileOf(rows, 'passwordHash', 'p', true);
    const [rates, ratios]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await emptyDatabase();
      const created = await importFile(file, rows);
      const updated = await runCommand(['users', 'import', renamed, '--yes', '--on-existing', 'update'], {
        rows,
        updated: rows,
      });
      rates.push(rows / updated.seconds);
      ratios.push(created.seconds / updated.seconds);
    }
    const figure = `${perSecond(median(rates))}, ${median(ratios).toFixed(2)} of the rate of creating them (limit 0.4)`;
    verdict(`updates of ${rows} accounts`, figure, median(ratios) >= 0.4, rateFigures(rates, ratios, 'creating them'));
  },

  async million() {
    const [rows, there] = [sized(100_000), sized(1_000_000)];
    const file = await writeFileOf(rows, 'passwordHash');
    const others = await writeFileOf(there, 'passwordHash', 'others');
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await emptyDatabase();
      const empty = await importFile(file, rows);
      await emptyDatabase();
      await importFile(others, there);
      const full = await importFile(file, rows);
      ratios.push(empty.seconds / full.seconds);
    }
    const figure = `${median(ratios).toFixed(2)} of the rate on the empty table (limit 0.7)`;
    verdict(`${rows} rows beside ${there} accounts`, figure, median(ratios) >= 0.7, {
      ratio: median(ratios),
      than: 'an empty table',
    });
  },

  async supplied() {
    const rows = sized(2000);
    const file = await writeFileOf(rows, 'password');
    const [chosen, fallback] = [await createPasswordHasher(), await createPasswordHasher('bcryptjs')];
    const [rates, ratios]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await emptyDatabase();
      const best = Math.max(await hashRate(chosen, 10, 5 * scale), await hashRate(fallback, 10, 5 * scale));
      const { seconds } = await importFile(file, rows, 10);
      const after = await hashRate(chosen, 10, 5 * scale);
      rates.push(rows / seconds);
      ratios.push(rows / seconds / ((best + after) / 2));
    }
    await chosen.close();
    await fallback.close();
    const figure = `${median(ratios).toFixed(2)} of the hashes a second of the faster implementation (limit 0.95)`;
    verdict(
      `supplied passwords at cost 10, ${rows} rows`,
      figure,
      median(ratios) >= 0.95,
      rateFigures(rates, ratios, 'the hashes'),
    );
  },

  async memory() {
    const [few, many] = [sized(100_000), sized(1_000_000)];
    const [small, large]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1)
      for (const [rows, figures] of [
        [few, small],
        [many, large],
      ] as const) {
        await emptyDatabase();
        figures.push((await importFile(await writeFileOf(rows, 'passwordHash'), rows)).mebibytes);
      }
    const growth = median(large) / median(small) - 1;
    const figure = `${median(small).toFixed(0)} MiB for ${few} rows, ${median(large).toFixed(0)} MiB for ${many}: ${(100 * growth).toFixed(0)} % more (limits 200 MiB, 20 %)`;
    verdict('peak resident memory', figure, median(large) < 200 && growth <= 0.2, {
      ratio: 1 + growth,
      than: 'a tenth of the rows',
      peakMiB: median(large),
    });
  },

  async plan() {
    const rows = sized(1_000_000);
    const file = await writeFileOf(rows, 'passwordHash');
    await emptyDatabase();
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      rates.push(rows / (await runCommand(['users', 'import', file, '--dry-run'], { rows, created: rows })).seconds);
    const rate = median(rates);
    verdict(`planning ${rows} rows`, `${perSecond(rate)} (limit 100,000/s)`, rate >= 100_000, {
      median: rate,
      unit: '/s',
    });
  },

  async workbook() {
    const rows = sized(100_000);
    const files = new Map<TableKind, string>();
    for (const kind of tableKinds) files.set(kind, await writeTable(folder, kind, rows));
    const all = new Map<TableKind, (CommandRun & { ratio: number; share: number })[]>(
      tableKinds.map((kind) => [kind, []]),
    );
    for (let round = 0; round < rounds; round += 1) {
      let csv = Number.NaN;
      for (const [kind, file] of files) {
        await emptyDatabase();
        const ran = await importFile(file, rows);
        if (kind === 'csv') csv = ran.seconds;
        // The file is read twice: for the plan and for the import.
        const share = (2 * (await readSeconds(file, kind !== 'csv', rows))) / ran.seconds;
        all.get(kind)?.push({ ...ran, ratio: ran.seconds / csv, share });
      }
    }
    for (const [kind, ran] of all) {
      const of = (name: keyof (typeof ran)[number]) => median(ran.map((figures) => figures[name]));
      const figure = `${of('seconds').toFixed(1)} s, ${of('ratio').toFixed(2)} times CSV (limit 2); reading is ${Math.round(100 * of('share'))} % of it; ${of('mebibytes').toFixed(0)} MiB (limit 200)`;
      verdict(`${rows} rows of ${kind}`, figure, of('ratio') <= 2 && of('mebibytes') < 200, {
        median: 1000 * of('seconds'),
        unit: 'ms',
        ratio: of('ratio'),
        than: 'CSV',
        peakMiB: of('mebibytes'),
      });
    }
  },
};

try {
  server = await openBenchServer();
  sql = await createConnection({ uri: server.url, dateStrings: true });
  for (const [, scenario] of selected(scenarios)) await scenario();
  await sql.query('DROP DATABASE IF EXISTS bench_import');
  await sql.end();
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
