/**
 * How fast listings are answered over HTTP on a large database, beside plain SQL for the same rows in the same run:
 * `npm run bench -- listings`. Scenarios: trainer, growth, search, counts, throughput (`--only`).
 * Uses the server of BENCH_DATABASE_URL, or a private one from a `mariadbd` or `mysqld` on the PATH.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Connection, createConnection } from 'mysql2/promise';
import { startThrowAwayServer } from '../test/support/test-server.js';
import { inTurns, median, remark, sized, type Timing, verdict } from './figures.js';
import { only, rounds, scale } from './options.js';
import { openPlainSql } from './plain-sql.js';
import { type Programme, type Sizes, seedProgramme } from './programme.js';
import { type Answer, openContext, type Service, serve } from './service.js';

const loadProgram = fileURLToPath(new URL('./load.mjs', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const whole = (value: number) => Math.round(value).toLocaleString('en');

/** A small course programme has trainers of the same size: what differs is what else there is. */
const enrollmentsOfTypical = sized(2000, 40);
const full: Sizes = {
  trainers: sized(500, 4),
  trainees: sized(200_000, 200) - sized(500, 4) - 1,
  courses: sized(10_000, 100),
  coursesOfBusiest: 40,
  enrollments: sized(1_000_000, 1000),
  enrollmentsOfBusiest: sized(20_000, 100),
  enrollmentsOfTypical,
  auditEntries: sized(100_000, 100),
};
const small: Sizes = {
  trainers: 5,
  trainees: sized(2000, 100),
  courses: 100,
  coursesOfBusiest: 20,
  enrollments: 5 * enrollmentsOfTypical,
  enrollmentsOfBusiest: enrollmentsOfTypical,
  enrollmentsOfTypical,
  auditEntries: 100,
};

/** A database with a course programme, and the service on it. */
interface Served {
  databaseUrl: string;
  programme: Programme;
  service: Service;
}

let server: { url: string; stop(): Promise<void> } | undefined;
let sql: Connection;
const open: { name: string; service?: Service }[] = [];

async function prepare(name: string, sizes: Sizes): Promise<Served> {
  const databaseUrl = `${server?.url}${name}`;
  const startedAt = performance.now();
  const entry: (typeof open)[number] = { name };
  open.push(entry);
  await sql.query(`DROP DATABASE IF EXISTS ${name}`);
  await sql.query(`CREATE DATABASE ${name}`);
  const context = await openContext(databaseUrl, folder);
  let programme: Programme;
  try {
    await context.schema.up();
    programme = await seedProgramme(context.database, sizes);
  } finally {
    await context.close();
  }
  const people = whole(1 + sizes.trainers + sizes.trainees);
  const seconds = (performance.now() - startedAt) / 1000;
  const made = `${people} users, ${whole(sizes.courses)} courses, ${whole(sizes.enrollments)} enrollments`;
  remark(`${made}: made in ${seconds.toFixed(1)} s`);
  entry.service = await serve(databaseUrl, folder);
  return { databaseUrl, programme, service: entry.service };
}

let fullOnce: Promise<Served> | undefined;
/** The full database, made for the first scenario that asks. */
const fullProgramme = () => (fullOnce ??= prepare('bench_listings', full));

const trainerPage = (trainerId: string, page = 1) => `/api/enrollments/trainer/${trainerId}?page=${page}`;

/** A request that must succeed, again and again. */
function repeated(service: Service, url: string, token: string): () => Promise<Answer> {
  return async () => {
    const answer = await service.get(url, token);
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
}

/** How many rows there are on the page, and altogether. */
function shown({ body }: Answer): { rows: number | undefined; totalItems: number | undefined; ids: unknown[] } {
  const list = Object.values(body).find((value): value is { id: unknown }[] => Array.isArray(value));
  const { totalItems } = (body.pagination ?? {}) as { totalItems?: number };
  return { rows: list?.length, totalItems, ids: list?.map(({ id }) => id) ?? [] };
}

/** Medians of rounds of what is measured in turns. */
async function measured<Name extends string>(
  probes: Readonly<Record<Name, () => Promise<Timing>>>,
  options: Parameters<typeof inTurns>[1] = {},
): Promise<{ [K in Name]: Timing }[]> {
  const results: Record<Name, Timing>[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await inTurns(probes, options));
  return results;
}

async function trainer(): Promise<void> {
  const { databaseUrl, programme, service } = await fullProgramme();
  const { busiestTrainer } = programme;
  const token = await service.token(busiestTrainer);
  const plain = await openPlainSql(databaseUrl, busiestTrainer);
  try {
    const last = Math.ceil(full.enrollmentsOfBusiest / 20);
    const page = (number: number) => repeated(service, trainerPage(busiestTrainer, number), token);
    const [{ ids, totalItems }, expected] = [shown(await page(1)()), await plain.expected()];
    if (JSON.stringify({ ids, totalItems }) !== JSON.stringify(expected))
      throw new Error('The service and the plain SQL give different answers.');
    const results = await measured({
      first: page(1),
      middle: page(Math.ceil(last / 2)),
      last: page(last),
      ...plain.ways,
    });
    const server = (name: string) => median(results.map((result) => result[name as 'first']?.serverMs ?? Number.NaN));
    const client = (name: 'first' | 'middle' | 'last') => median(results.map((result) => result[name].clientMs));
    const ways = Object.keys(plain.ways).sort((a, b) => server(a) - server(b));
    for (const way of ways) remark(`plain SQL, ${way.padEnd(24)} ${milliseconds(server(way))}`);
    for (const name of ['first', 'middle', 'last'] as const)
      remark(
        `${name.padEnd(6)} page: ${milliseconds(server(name))} in the service, ${milliseconds(client(name))} for the client`,
      );
    const best = ways[0] as string;
    const toPlain = median(results.map((result) => result.first.serverMs / (result[best as 'first']?.serverMs ?? 0)));
    const toFirst = median(results.map((result) => result.last.serverMs / result.first.serverMs));
    const enrollments = `${whole(full.enrollmentsOfBusiest)} enrollments`;
    verdict(
      `first page of ${enrollments}`,
      `${milliseconds(server('first'))}, ${toPlain.toFixed(2)} times the plain SQL (limit 2)`,
      toPlain <= 2,
    );
    verdict(
      `last page of ${enrollments}`,
      `${milliseconds(server('last'))}, ${toFirst.toFixed(2)} times the first page (limit 3)`,
      toFirst <= 3,
    );
  } finally {
    await plain.close();
  }
}

async function growth(): Promise<void> {
  const [large, little] = [await fullProgramme(), await prepare('bench_listings_small', small)];
  const probe = async ({ service, programme: { typicalTrainer } }: Served) =>
    repeated(service, trainerPage(typicalTrainer), await service.token(typicalTrainer));
  const results = await measured({ little: await probe(little), large: await probe(large) });
  const ratio = median(results.map((result) => result.large.serverMs / result.little.serverMs));
  const among = (name: 'little' | 'large', { enrollments }: Sizes) =>
    `${milliseconds(median(results.map((result) => result[name].serverMs)))} among ${whole(enrollments)}`;
  verdict(
    `first page of ${whole(enrollmentsOfTypical)} enrollments`,
    `${among('little', small)}, ${among('large', full)}: ${ratio.toFixed(2)} times (limit 1.5)`,
    ratio <= 1.5,
  );
}

/** Prints a line a request: what it takes, and what it gives. What the service doesn't have is said, and no failure. */
async function table(urls: (programme: Programme) => readonly string[]): Promise<void> {
  const { programme, service } = await fullProgramme();
  const token = await service.token(programme.superAdmin);
  const line = (request: string, ...cells: string[]) =>
    remark(request.padEnd(52) + cells.map((cell) => cell.padStart(12)).join(''));
  line('request', 'median', 'client', 'rows', 'totalItems');
  for (const url of urls(programme)) {
    const name = `GET ${url.replace(programme.course, ':id')}`;
    const answer = await service.get(url, token);
    if (answer.status !== 200) {
      line(name, answer.status === 404 ? 'not there yet' : `answers ${answer.status}`);
      continue;
    }
    const [result] = [await inTurns({ it: repeated(service, url, token) }, { secondsEach: 2 * rounds })];
    const { rows, totalItems } = shown(answer);
    const cells = [rows, totalItems].map((count) => (count === undefined ? '-' : whole(count)));
    line(name, milliseconds(result.it.serverMs), milliseconds(result.it.clientMs), ...cells);
  }
}

const scenarios: Record<string, () => Promise<void>> = {
  trainer,
  growth,
  search: () =>
    table(({ course }) => [
      '/api/courses',
      '/api/courses?search=pottery',
      `/api/courses?search=${encodeURIComponent('refresher 99')}`,
      '/api/users',
      '/api/users?sortBy=lastName',
      '/api/users?sortBy=lastLogin',
      '/api/users?search=nowak',
      '/api/users?search=trainer.1@',
      '/api/users?search=nobody-has-this',
      '/api/enrollments',
      '/api/enrollments?status=pending',
      `/api/enrollments?courseId=${course}`,
      `/api/enrollments/available-trainees?courseId=${course}`,
      '/api/audit',
    ]),
  counts: () => table(() => ['/api/enrollments/stats/overview', '/api/courses/stats/overview']),
  async throughput() {
    const { programme, service } = await fullProgramme();
    const url = service.url + trainerPage(programme.typicalTrainer);
    const env = { ...process.env, TOKEN: await service.token(programme.typicalTrainer) };
    const seconds = String(Math.max(0.3, 3 * Math.min(1, scale * 10)));
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { stdout } = await promisify(execFile)(process.execPath, [loadProgram, url, '20', seconds], { env });
      rates.push(Number(stdout));
    }
    remark(
      `first page of ${whole(enrollmentsOfTypical)} enrollments, 20 connections: ${whole(median(rates))} requests/s`,
    );
  },
};

try {
  const unknown = only.filter((name) => !(name in scenarios));
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')}. There are: ${Object.keys(scenarios).join(', ')}`);
  const given = process.env.BENCH_DATABASE_URL;
  server = given ? { url: given, stop: async () => undefined } : await startThrowAwayServer({ durable: true });
  if (!server)
    throw new Error('There is no server to measure with. Set BENCH_DATABASE_URL, or install mariadb-server.');
  sql = await createConnection({ uri: server.url });
  try {
    for (const [name, scenario] of Object.entries(scenarios))
      if (only.length === 0 || only.includes(name)) await scenario();
  } finally {
    for (const { name, service } of open) {
      await service?.close();
      await sql.query(`DROP DATABASE IF EXISTS ${name}`);
    }
    await sql.end();
  }
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
