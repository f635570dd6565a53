/**
 * Measures bursts of requests at the same moment: `npm run bench -- bursts`. "classes": 60 people enroll in one course
 * while 540 read, on the built program in its own process. "enrollment": 50 people enroll in one course, compared with
 * the bare SQL transactions on as many connections as the service has. Rounds of the two alternate, so that other load
 * affects both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Connection, createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { v7 as uuidv7 } from 'uuid';
import { insertAccount } from '../src/services/accounts/rows.js';
import { startSession } from '../src/services/auth/sessions.js';
import type { Context } from '../src/services/context.js';
import { waitForUrl } from '../test/faults/listening.js';
import { remark, sized, verdict } from './figures.js';
import { only, program, rounds, scale } from './options.js';
import { passwordHash } from './people.js';
import { openBenchServer } from './server.js';
import { benchEnvironment, openContext } from './service.js';
import { median } from './statistics.js';

const sender = fileURLToPath(new URL('./burst.mjs', import.meta.url));

const personCount = sized(600, 20);
/** One of ten requests enrolls. */
const enrollingEvery = 10;
const lastResponseLimitMs = 5000;
const concurrentEnrollments = sized(50, 5);
/** Database connections of the service, and of the bare transactions. */
const connections = 10;
/** Minimum share of the rate of bare transactions. */
const goal = 0.4;

interface Trainee {
  id: string;
  token: string;
}

interface Stage {
  databaseUrl: string;
  trainees: readonly Trainee[];
  /** Creates a published course with a seat for everybody. */
  course(): Promise<{ id: string; trainerId: string }>;
  /** Sends requests at the same moment, and returns their responses. */
  burst(requests: readonly string[]): Promise<BurstResponse[]>;
  close(): Promise<void>;
}

interface BurstResponse {
  /** 0 if the connection broke. */
  status: number;
  /** Duration since all requests were sent. */
  ms: number;
}

const head = (line: string, { token }: Trainee, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', `Authorization: Bearer ${token}`, ...headers].join('\r\n')}\r\n\r\n`;

const readRequest = (path: string, by: Trainee) => head(`GET ${path}`, by);

function enrollRequest(courseId: string, by: Trainee): string {
  const body = JSON.stringify({ courseId });
  const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return head('POST /api/enrollments', by, ...headers) + body;
}

/** Creates accounts with sessions. The first account is a trainer. */
async function createPeople(context: Context): Promise<[trainer: Trainee, ...trainees: Trainee[]]> {
  const create = (number: number) =>
    context.database.inTransaction(async (transaction) => {
      const role = number === 0 ? ('trainer' as const) : ('trainee' as const);
      const name = { firstName: 'Ada', lastName: `Person${number}`, email: `person${number}@example.org` };
      const given = { ...name, phone: `+1 555 ${number}`, role, passwordHash, isActive: true };
      const account = { ...given, requiresPasswordChange: false, initialPasswordExpiresAt: null };
      const user = await insertAccount(context, account, transaction);
      const { token } = await startSession(context, user, { ip: null, userAgent: null }, transaction);
      return { id: user.id, token };
    });
  const all: [Trainee, ...Trainee[]] = [await create(0)];
  while (all.length <= personCount) all.push(await create(all.length));
  return all;
}

async function start(databaseUrl: string, folder: string): Promise<ChildProcess> {
  const settings = {
    PORT: '0',
    HOST: '127.0.0.1',
    CONSOLE: 'off',
    LOG_LEVEL: 'error',
    DB_POOL_MAX: String(connections),
  };
  const env = { ...benchEnvironment(databaseUrl, folder), ...settings, PATH: process.env.PATH };
  return spawn(process.execPath, [program, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function openStage(databaseUrl: string | undefined): Promise<Stage> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  const url = databaseUrl ?? `sqlite:${path.join(folder, 'bench.sqlite')}`;
  const context = await openContext(url, folder);
  await context.schema.up();
  const [trainer, ...trainees] = await createPeople(context);
  const service = await start(url, folder);
  const port = Number(new URL(await waitForUrl(service)).port);
  return {
    databaseUrl: url,
    trainees,
    async course() {
      const course = { id: uuidv7(), trainerId: trainer.id, title: 'Looms', description: 'Wood and thread.' };
      const others = { searchKey: 'looms', titleKey: 'looms', isPublished: true, maxStudents: personCount };
      await context.database.models.Course.create({ ...course, ...others });
      return course;
    },
    async burst(requests) {
      const child = spawn(process.execPath, [sender], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.end(JSON.stringify({ port, requests }));
      return JSON.parse(await text(child.stdout)) as BurstResponse[];
    },
    async close() {
      const exit = once(service, 'exit');
      service.kill('SIGTERM');
      await exit;
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const timesOf = (responses: readonly BurstResponse[]) =>
  responses.map(({ ms }) => ms).sort((one, other) => one - other);
const inSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** Whether a round counts. The first round lets the compiler optimise. */
const isCounted = (round: number) => round > 0 || scale < 1;

async function classes(database: string, stage: Stage): Promise<void> {
  const paths = ['/api/auth/me', '/api/courses', '/api/enrollments/my', '/api/courses?search=looms&include=seats'];
  const lasts: number[] = [];
  const quantiles: [number, number][] = [];
  let refused = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const { id } = await stage.course();
    const responses = await stage.burst(
      stage.trainees.map((by, index) =>
        index % enrollingEvery === 0 ? enrollRequest(id, by) : readRequest(paths[index % paths.length] ?? '', by),
      ),
    );
    // The first round counts here too: a fresh service must serve a burst.
    refused += responses.filter(({ status }, index) => status !== (index % enrollingEvery === 0 ? 201 : 200)).length;
    if (!isCounted(round)) continue;
    const times = timesOf(responses);
    const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
    lasts.push(times.at(-1) ?? Number.NaN);
    quantiles.push([at(0.5), at(0.99)]);
  }
  const [p50, p99] = [0, 1].map((index) => inSeconds(median(quantiles.map((both) => both[index] ?? Number.NaN))));
  const last = median(lasts);
  const figure = `${refused} refused (limit 0), the last answered after ${inSeconds(last)} (limit ${inSeconds(lastResponseLimitMs)})`;
  const name = `${personCount} requests at once on ${database}`;
  verdict(name, `${figure}, p50 ${p50}, p99 ${p99}`, refused === 0 && last <= lastResponseLimitMs);
}

/** Enrolls a trainee with only the necessary statements. */
async function enrollBare(sql: Connection, course: { id: string; trainerId: string }, userId: string): Promise<void> {
  await sql.query('START TRANSACTION');
  const [[limits]] = await sql.query<RowDataPacket[]>('SELECT max_students FROM courses WHERE id = ? FOR UPDATE', [
    course.id,
  ]);
  const [[taken]] = await sql.query<RowDataPacket[]>(
    "SELECT COUNT(*) AS seats FROM enrollments WHERE course_id = ? AND status IN ('pending', 'active')",
    [course.id],
  );
  if (Number(taken?.seats) >= Number(limits?.max_students)) throw new Error('The course is full.');
  await sql.query<ResultSetHeader>(
    `INSERT INTO enrollments (id, user_id, course_id, trainer_id, status, progress, enrolled_at, created_at, updated_at)
      VALUES (?, ?, ?, ?, 'pending', 0, NOW(3), NOW(3), NOW(3))`,
    [uuidv7(), userId, course.id, course.trainerId],
  );
  await sql.query('COMMIT');
}

async function enrollment(stage: Stage): Promise<void> {
  const asking = stage.trainees.slice(0, concurrentEnrollments);
  const pool = await Promise.all(
    Array.from({ length: connections }, () => createConnection({ uri: stage.databaseUrl, timezone: 'Z' })),
  );
  const ratios: number[] = [];
  const [ours, bares]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const { id } = await stage.course();
    const responses = await stage.burst(asking.map((by) => enrollRequest(id, by)));
    if (responses.some(({ status }) => status !== 201))
      throw new Error(`Not all were enrolled: ${JSON.stringify(responses)}`);
    const course = await stage.course();
    const waiting = asking.map((trainee) => trainee.id);
    const startedAt = performance.now();
    await Promise.all(
      pool.map(async (sql) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await enrollBare(sql, course, next);
      }),
    );
    const bare = performance.now() - startedAt;
    const own = timesOf(responses).at(-1) ?? Number.NaN;
    if (isCounted(round)) [ratios.push(bare / own), ours.push(own), bares.push(bare)];
  }
  for (const sql of pool) await sql.end();
  ratios.sort((one, other) => one - other);
  const spread = `rounds ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
  const ratio = median(ratios);
  const figure = `${ratio.toFixed(2)} of the rate of the bare transactions in SQL (${spread}), goal ${goal}`;
  verdict(`${concurrentEnrollments} enroll in one course at once`, figure, ratio >= goal);
  remark(
    `the last was answered after ${inSeconds(median(ours))}, the bare transactions took ${inSeconds(median(bares))}`,
  );
}

const scenarios = ['classes', 'enrollment'];
const isSelected = (name: string) => only.length === 0 || only.includes(name);
const unknown = only.filter((name) => !scenarios.includes(name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. There are: ${scenarios.join(', ')}`);

/** Runs work on a stage; on SQLite without a URL. */
async function withStage(databaseUrl: string | undefined, work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(databaseUrl);
  await work(stage).finally(() => stage.close());
}

const server = await openBenchServer();
const sql = await createConnection({ uri: server.url });
const database = 'coursectl_bench_bursts';
try {
  if (isSelected('classes')) await withStage(undefined, (stage) => classes('SQLite', stage));
  await sql.query(`DROP DATABASE IF EXISTS ${database}`);
  await sql.query(`CREATE DATABASE ${database}`);
  await withStage(`${server.url}${database}`, async (stage) => {
    if (isSelected('classes')) await classes('MariaDB or MySQL', stage);
    if (isSelected('enrollment')) await enrollment(stage);
  });
} finally {
  await sql.query(`DROP DATABASE IF EXISTS ${database}`);
  await sql.end();
  await server.stop();
}
