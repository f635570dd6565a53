/**
 * What requests cost, on the built program in a process of its own with MariaDB or MySQL behind it:
 * `npm run bench -- requests`. Rounds of the service and of its yardstick alternate, so that other load affects both.
 * BENCH_NODE_OPTIONS goes to both: with `--cpu-prof --cpu-prof-dir=/tmp/profiles` each leaves its profile.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { listening } from '../test/faults/listening.js';
import type { Load, LoadResult } from '../test/faults/load-generator.js';
import { buildUser, tokenFor } from '../test/support/factories.js';
import { median, remark, verdict, whole } from './figures.js';
import { only, program, rounds, scale } from './options.js';
import { openBenchServer } from './server.js';
import { benchEnvironment, openContext } from './service.js';

const generator = fileURLToPath(new URL('../test/faults/load-generator.ts', import.meta.url));
const yardstick = fileURLToPath(new URL('./yardstick.mjs', import.meta.url));

/** Connections, each with one request after the other. */
const clients = 50;
/** How long a round of one candidate takes, in milliseconds. */
const roundMs = scale >= 1 ? 5000 : 300;
/** The least share of the yardstick's requests a second. */
const goal = 0.75;

/** A running server. */
interface Candidate {
  process: ChildProcess;
  port: number;
}

async function started(args: readonly string[], env: NodeJS.ProcessEnv, logFolder: string): Promise<Candidate> {
  const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
  // A pipe would be read by this process, and a service waits for who reads its log.
  const log = openSync(path.join(logFolder, `log-${randomUUID()}`), 'a');
  const child = spawn(process.execPath, [...options, ...args], { env, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  return { process: child, port: Number(new URL(await listening(child)).port) };
}

async function stopped({ process: child }: Candidate): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** The processor time that a process has used, in seconds; nothing where the system doesn't tell (Linux does). */
function cpuSeconds(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) / 100;
}

/** The most memory that a process has had, in MiB. */
const peakMemory = (pid: number | undefined) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

interface Round extends LoadResult {
  perSecond: number;
  /** Processor time of the server, in microseconds a request. */
  cpuMicros: number;
}

/** Sends requests to a server from a process of its own. */
async function round(candidate: Candidate, load: Omit<Load, 'port' | 'durationMs'>): Promise<Round> {
  const before = cpuSeconds(candidate.process.pid);
  const wanted: Load = { ...load, port: candidate.port, durationMs: roundMs };
  const sender = spawn(process.execPath, ['--import', 'tsx', generator, JSON.stringify(wanted)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const result = JSON.parse(await text(sender.stdout)) as LoadResult;
  if (result.good === 0 || result.other > 0 || result.shed > 0)
    throw new Error(`Not all requests were answered with 200: ${JSON.stringify(result)}`);
  const cpu = cpuSeconds(candidate.process.pid) - before;
  return { ...result, perSecond: result.good / result.seconds, cpuMicros: (cpu * 1e6) / result.good };
}

/** What is asked for, by scenario; the yardstick knows `me` only. */
const scenarios = { me: ['/api/auth/me'], healthz: ['/healthz'] };

function shown(name: string, all: readonly Round[], { process: child }: Candidate): void {
  const of = (key: 'perSecond' | 'p50' | 'p99' | 'cpuMicros') => median(all.map((one) => one[key]));
  remark(
    `${name}: ${whole(of('perSecond'))} requests/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${whole(of('cpuMicros'))} µs of CPU a request, peak ${whole(peakMemory(child.pid))} MiB`,
  );
}

const server = await openBenchServer();
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
const sql = await createConnection({ uri: server.url });
const database = 'coursectl_bench_requests';
const candidates: Candidate[] = [];
try {
  await sql.query(`DROP DATABASE IF EXISTS ${database}`);
  await sql.query(`CREATE DATABASE ${database}`);
  const databaseUrl = `${server.url}${database}`;
  const context = await openContext(databaseUrl, folder);
  await context.schema.up();
  for (let count = 0; count < 1000 * Math.min(scale, 1); count += 1) await buildUser(context);
  const token = await tokenFor(context, await buildUser(context));
  await context.close();
  const pool = { DB_POOL_MAX: '10', PORT: '0', HOST: '127.0.0.1', PATH: process.env.PATH };
  const env = { ...benchEnvironment(databaseUrl, folder), ...pool, NODE_ENV: 'production', BCRYPT_COST: '10' };
  const service = await started([program, 'serve', '--json'], env, folder);
  candidates.push(service);
  const plain = await started([yardstick], env, folder);
  candidates.push(plain);
  for (const [name, paths] of Object.entries(scenarios)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const load = { token, paths, clients };
    const [ours, plains]: [Round[], Round[]] = [[], []];
    // The first round lets the compiler optimise.
    for (let number = 0; number <= rounds; number += 1) {
      const own = await round(service, load);
      const other = await round(plain, { ...load, paths: scenarios.me });
      if (number > 0 || scale < 1) [ours.push(own), plains.push(other)];
    }
    const ratios = ours.map(({ perSecond }, index) => perSecond / (plains[index]?.perSecond ?? Number.NaN)).sort();
    const spread = `rounds ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
    const ratio = median(ratios);
    const figure = `${ratio.toFixed(2)} of the requests a second of Express with a token and one SELECT (${spread})`;
    if (name === 'me') verdict(`${name}, ${clients} connections`, `${figure}, goal ${goal}`, ratio >= goal);
    else remark(`${name}, ${clients} connections: ${figure}`);
    shown('the service', ours, service);
    shown('the yardstick', plains, plain);
  }
} finally {
  for (const candidate of candidates) await stopped(candidate);
  await sql.query(`DROP DATABASE IF EXISTS ${database}`);
  await sql.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
