/**
 * Compares logins at cost 10 by 20 people at once with raw bcrypt on all cores: `npm run bench -- login`. Rounds of the
 * service (in its own process, on MariaDB or MySQL) and of bcrypt alternate. Meanwhile `/healthz` is requested 50 times a
 * second: without pauses, these requests would take a third of two cores from the hashes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { createPasswordHasher, type PasswordHasher } from '../src/services/credentials/passwords.js';
import { waitForUrl } from '../test/faults/listening.js';
import { buildUser } from '../test/support/factories.js';
import { sendRaw } from '../test/support/raw-http.js';
import { milliseconds, remark, verdict } from './figures.js';
import { program, rounds, scale } from './options.js';
import { openBenchServer } from './server.js';
import { benchEnvironment, openContext } from './service.js';
import { median, percentile } from './statistics.js';

const people = 20;
const cost = 10;
const password = 'a password that is known';
/** Duration of a round of one candidate, in milliseconds. */
const roundMs = scale >= 1 ? 5000 : 300;
/** Minimum share of the rate of bcrypt alone. */
const goal = 0.9;
/** Maximum ratio of the longest of 100 logins to the median. */
const spreadLimit = 3;
/** Pause between two requests for `/healthz`, in milliseconds. */
const healthPauseMs = 20;
/** Limit of the longest of 100 responses of `/healthz`, in milliseconds. */
const healthLimitMs = 50;

/**
 * Repeats work with pauses until an end time.
 * @returns the duration of each repetition, in milliseconds
 */
async function repeatUntil(work: () => Promise<void>, end: number, pauseMs: number): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < end) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
    if (pauseMs > 0) await delay(pauseMs);
  }
  return times;
}

/**
 * Repeats several pieces of work concurrently.
 * @returns the repetitions per second, and the duration of each in milliseconds
 */
async function round(
  works: readonly (() => Promise<void>)[],
  pauseMs = 0,
): Promise<{ perSecond: number; times: number[] }> {
  const startedAt = performance.now();
  const times = (await Promise.all(works.map((work) => repeatUntil(work, startedAt + roundMs, pauseMs)))).flat();
  return { perSecond: (times.length * 1000) / (performance.now() - startedAt), times };
}

async function expectOk(url: string, request: Parameters<typeof sendRaw>[1]): Promise<void> {
  const { status } = await sendRaw(url, { ...request, timeLimitMs: 60_000 });
  if (status !== 200) throw new Error(`${request.path} answered ${status}.`);
}

/** Only hashes, on all cores. */
function bareBcrypt(hasher: PasswordHasher, hash: string) {
  return round(
    Array.from({ length: availableParallelism() }, () => async () => {
      if (!(await hasher.compare(password, hash))) throw new Error('The password does not match.');
    }),
  );
}

const server = await openBenchServer();
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
const sql = await createConnection({ uri: server.url });
const database = 'coursectl_bench_login';
const hasher = await createPasswordHasher();
const agent = new Agent({ keepAlive: true, maxSockets: people + 1 });
let service: ChildProcess | undefined;
try {
  await sql.query(`DROP DATABASE IF EXISTS ${database}`);
  await sql.query(`CREATE DATABASE ${database}`);
  const databaseUrl = `${server.url}${database}`;
  const context = await openContext(databaseUrl, folder);
  await context.schema.up();
  const passwordHash = await hasher.hash(password, cost);
  const identifiers: string[] = [];
  for (let count = 0; count < people; count += 1) identifiers.push((await buildUser(context, { passwordHash })).email);
  await context.close();
  const listen = { PORT: '0', HOST: '127.0.0.1', PATH: process.env.PATH };
  const env = {
    ...benchEnvironment(databaseUrl, folder),
    ...listen,
    NODE_ENV: 'production',
    BCRYPT_COST: String(cost),
  };
  // A file, because this process would have to read a pipe, and the service waits for the reader of its log.
  const log = openSync(path.join(folder, 'log'), 'a');
  service = spawn(process.execPath, [program, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  const url = await waitForUrl(service);
  const headers = { 'content-type': 'application/json' };
  const logins = identifiers.map((identifier) => {
    const body = JSON.stringify({ identifier, password });
    return () => expectOk(url, { method: 'POST', path: '/api/auth/login', headers, body, agent });
  });
  const askHealth = () => expectOk(url, { method: 'GET', path: '/healthz', agent });
  const ratios: number[] = [];
  const times: number[] = [];
  const healthTimes: number[] = [];
  // The first round lets the compiler optimise.
  for (let number = 0; number <= rounds; number += 1) {
    const [own, health] = await Promise.all([round(logins), round([askHealth], healthPauseMs)]);
    const bare = await bareBcrypt(hasher, passwordHash);
    if (number === 0 && scale >= 1) continue;
    ratios.push(own.perSecond / bare.perSecond);
    times.push(...own.times);
    healthTimes.push(...health.times);
    remark(`${own.perSecond.toFixed(1)} logins/s, bcrypt alone ${bare.perSecond.toFixed(1)} hashes/s`);
  }
  const ratio = median(ratios);
  verdict(
    `logins of ${people} people at cost ${cost}`,
    `${ratio.toFixed(2)} of bcrypt alone, goal ${goal}`,
    ratio >= goal,
  );
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  const spread = p99 / p50;
  verdict(
    'the slowest logins',
    `p99 ${milliseconds(p99)}, ${spread.toFixed(2)} times p50 (limit ${spreadLimit})`,
    spread <= spreadLimit,
  );
  const health = percentile(healthTimes, 0.99);
  verdict('healthz meanwhile', `p99 ${milliseconds(health)} (limit ${healthLimitMs} ms)`, health < healthLimitMs);
} finally {
  if (service && service.exitCode === null) {
    const exit = once(service, 'exit');
    service.kill('SIGTERM');
    await exit;
  }
  agent.destroy();
  await hasher.close();
  await sql.query(`DROP DATABASE IF EXISTS ${database}`);
  await sql.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
