import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { atDepth } from '../support/depth.js';
import { emptyPng } from '../support/images.js';
import { scaledToProcessor } from '../support/machine.js';
import { atExit } from './cleanup.js';
import { type Call, type ClientGroup, type Outcome, send, slowest, startClients, statuses } from './clients.js';
import type { Attack, AttackCounts, AttackKind } from './costly-load.js';
import type { Verdict } from './report.js';
import { createPeople, type Instance, openStage, post } from './stage.js';

/** Sends costly requests from one home connection while others work. R11_PARTS selects attacks, such as `images,probes`. */

const attackMs = atDepth(8000, 15_000);
/** Pause between two attacks. */
const calmMs = atDepth(3000, 5000);
const clients = 12;
const pauseMs = 40;
/** Minimum share of the goodput that others keep, and limit of the 99th percentile of their requests in milliseconds. */
const ordinary = { share: 1 - Math.min(scaledToProcessor(20), 50) / 100, p99Ms: scaledToProcessor(500) };
/** The service itself builds these pages, and uses its permitted processor time for them. */
const largePages = { share: 0.5, p99Ms: scaledToProcessor(2000) };
const maxMemory = 512;
const maxDisk = 200;
const sessionRows = 20_000;
/**
 * Time limit for the recovery, and response time that counts as recovered, in milliseconds. A lower response time would
 * need a perfectly calm machine.
 */
const recoveryMs = 60_000;
const wellMs = 1000;

const attacks: Readonly<Record<AttackKind, string>> = {
  text: 'logins with text that is slow to normalise',
  bodies: '1,000 logins whose body never comes',
  uploads: '1,000 stalled uploads of one trainee, 40 of them with most of an image',
  sockets: '5,300 idle sockets',
  images: 'images that are costly to unpack, on 100 connections',
  probes: 'pipelined probes',
  lists: 'bulk operations with 25,000 wrong ids',
  sessions: `listings of ${sessionRows} sessions`,
  pages: '100 clients that read nothing of pages with the 100 longest courses',
};

const loader = fileURLToPath(new URL('./costly-load.ts', import.meta.url));

/**
 * Starts an attack.
 * @returns a function that ends it and returns its results
 */
async function startAttack(attack: Attack): Promise<() => Promise<AttackCounts>> {
  const argv = ['--import', 'tsx', loader, JSON.stringify(attack)];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  atExit(() => void child.kill('SIGKILL'));
  let counts: AttackCounts = {};
  const lines = createInterface(child.stdout).on('line', (line) => {
    counts = JSON.parse(line) as AttackCounts;
  });
  // The process is loaded, and begins.
  await once(lines, 'line');
  // Low priority, because a real attacker's machine doesn't slow the service down.
  if (child.pid !== undefined) setPriority(child.pid, 19);
  return async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    return counts;
  };
}

/** Returns the size of the files below a folder in MB. Files that vanish meanwhile count as 0. */
function diskOf(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const found = entry.isFile() && statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    return found ? found.size : 0;
  });
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_000_000);
}

/** Records peak memory and disk use until it is stopped. */
function watch(instance: Instance, folder: string) {
  const most = { memory: 0, disk: 0 };
  const timer = setInterval(() => {
    most.memory = Math.max(most.memory, instance.memoryOfAll());
    most.disk = Math.max(most.disk, diskOf(folder));
  }, 200);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** Responses to the others in a period. */
interface Span {
  outcomes: readonly Outcome[];
  seconds: number;
  /** Processor time of the service. */
  cpuSeconds: number;
}

async function measure(instance: Instance, { outcomes }: ClientGroup, milliseconds: number): Promise<Span> {
  const [from, first, cpu] = [performance.now(), outcomes.length, instance.cpuSeconds()];
  await sleep(milliseconds);
  const seconds = (performance.now() - from) / 1000;
  return { outcomes: outcomes.slice(first), seconds, cpuSeconds: instance.cpuSeconds() - cpu };
}

/** Returns the good responses per second over several periods, their 99th percentile, and the service's share of a core. */
function goodput(...spans: readonly Span[]) {
  const times = spans.flatMap(({ outcomes }) => outcomes.filter(({ status }) => status === 200).map(({ ms }) => ms));
  times.sort((one, other) => one - other);
  const seconds = spans.reduce((sum, span) => sum + span.seconds, 0);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  const cores = spans.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / seconds;
  return { perSecond: times.length / seconds, p99, cores };
}

/** Returns a request that sets the image of an account. */
function portrait(token: string): Call {
  const body = new FormData();
  body.append('image', new Blob([emptyPng(800, 600)]), 'me.png');
  return { method: 'PUT', path: '/api/auth/avatar', token, body };
}

/** Waits until the effects of an attack are over. The next period is measured as calm. */
async function waitUntilRecovered(url: string, token: string): Promise<void> {
  const deadline = performance.now() + recoveryMs;
  for (let well = 0; well < 3 && performance.now() < deadline; ) {
    const { status, ms } = await send(url, { method: 'GET', path: '/api/auth/me', token });
    well = status === 200 && ms < wellMs ? well + 1 : 0;
    await sleep(100);
  }
}

/** Creates the attackers' accounts, and more sessions of one of them than normal use creates. */
async function prepare(url: string, adminToken: string, databaseUrl: string) {
  const traineeTokens: string[] = [];
  const ids: string[] = [];
  for (let number = 0; number < 4; number += 1) {
    const email = `trainee-${number}@example.org`;
    const password = 'a trainee password';
    const names = { firstName: 'Some', lastName: 'Trainee', phone: `10${number}` };
    await post(`${url}/api/auth/register`, { ...names, email, password, role: 'trainee' }, adminToken);
    const login = await post<{ token: string; user: { id: string } }>(`${url}/api/auth/trainee-login`, {
      identifier: email,
      password,
    });
    traineeTokens.push(login.token);
    ids.push(login.user.id);
  }
  const connection = await createConnection(databaseUrl);
  await connection.query(
    `INSERT INTO sessions (id, user_id, created_at, expires_at, user_agent)
     SELECT UUID(), ?, NOW(3) - INTERVAL 1 DAY, NOW(3) + INTERVAL 1 DAY, REPEAT('x', 255) FROM seq_1_to_${sessionRows}`,
    [ids[0]],
  );
  await connection.end();
  // A real login, which applies the limit on sessions.
  const login = { identifier: 'trainee-0@example.org', password: 'a trainee password' };
  traineeTokens[0] = (await post<{ token: string }>(`${url}/api/auth/trainee-login`, login)).token;
  return { own: traineeTokens.pop() ?? '', attackers: traineeTokens };
}

/** Fills the catalogue with the longest courses. The others' page shows newer, ordinary courses. */
async function fillCatalogue(url: string, trainerToken: string): Promise<void> {
  const longest = {
    description: '\u4e2d'.repeat(20_000),
    requirements: '\u4e2d'.repeat(5000),
    learningOutcomes: '\u4e2d'.repeat(5000),
  };
  for (let number = 0; number < 112; number += 1) {
    const texts = number < 100 ? longest : { description: 'An ordinary course.' };
    const { course } = await post<{ course: { id: string } }>(
      `${url}/api/courses`,
      { title: `Course ${number}`, ...texts },
      trainerToken,
    );
    await send(url, {
      method: 'PUT',
      path: `/api/courses/${course.id}/publish`,
      token: trainerToken,
      body: { isPublished: true },
    });
  }
}

const wanted = process.env.R11_PARTS?.split(',');

export async function run(): Promise<Verdict[]> {
  const stage = await openStage();
  const verdicts: Verdict[] = [];
  try {
    const instance = await stage.start();
    const { url } = instance;
    const { adminToken, trainerToken } = await createPeople(url);
    const { own, attackers } = await prepare(url, adminToken, stage.databaseUrl());
    const calls = [
      { method: 'GET', path: '/api/auth/me', token: own },
      { method: 'GET', path: '/api/users?limit=10', token: adminToken },
      { method: 'GET', path: '/api/courses', token: own },
      { method: 'PUT', path: '/api/auth/profile', token: own, body: { firstName: 'Another' } },
    ] as const;
    let next = 0;
    const others = startClients(url, clients, () => calls[next++ % calls.length] ?? calls[0], pauseMs);
    await measure(instance, others, calmMs);
    let before = await measure(instance, others, calmMs);
    // One after the other, with calm periods between them: other load on the machine then affects both equally.
    for (const [number, kind] of (Object.keys(attacks) as AttackKind[]).entries()) {
      if (wanted && !wanted.includes(kind)) continue;
      if (kind === 'pages') {
        // The others' page of courses costs more from now on, even in calm periods.
        await fillCatalogue(url, trainerToken);
        before = await measure(instance, others, calmMs);
      }
      const stopWatching = watch(instance, stage.folder);
      const from = `127.0.0.${10 + number}`;
      const port = Number(new URL(url).port);
      const stop = await startAttack({ kind, port, from, traineeTokens: attackers, trainerToken });
      const painter = kind === 'images' ? startClients(url, 1, () => portrait(own), 500) : undefined;
      const during = await measure(instance, others, attackMs);
      await painter?.stop();
      const portraits = painter?.outcomes ?? [];
      const came = await stop();
      const most = stopWatching();
      await waitUntilRecovered(url, own);
      const after = await measure(instance, others, calmMs);
      const [calm, busy] = [goodput(before, after), goodput(during)];
      before = after;
      const share = busy.perSecond / calm.perSecond;
      const least = kind === 'pages' ? largePages : ordinary;
      const failed = statuses(during.outcomes.filter(({ status }) => status !== 200));
      verdicts.push(
        {
          promised: `${attacks[kind]}: others keep ${(100 * least.share).toFixed(0)} % of their goodput, p99 under ${least.p99Ms} ms`,
          measured: `${(100 * share).toFixed(0)} % of ${calm.perSecond.toFixed(0)}/s, p99 ${busy.p99.toFixed(0)} ms (calm ${calm.p99.toFixed(0)} ms), ${busy.cores.toFixed(2)} of a core (calm ${calm.cores.toFixed(2)})${failed && `, ${failed}`}; the attack: ${JSON.stringify(came)}`,
          kept: share >= least.share && busy.p99 < least.p99Ms,
          timed: true,
        },
        {
          promised: `meanwhile memory under ${maxMemory} MiB, disk under ${maxDisk} MB`,
          measured: `${most.memory} MiB, ${most.disk} MB`,
          kept: most.memory > 0 && most.memory < maxMemory && most.disk < maxDisk,
        },
      );
      const arePrepared = portraits.length > 0 && portraits.every(({ status }) => status === 200);
      if (painter)
        verdicts.push({
          promised: 'meanwhile the images of others are prepared, each within 20 s',
          measured: `${statuses(portraits)}; slowest ${(slowest(portraits) / 1000).toFixed(1)} s`,
          kept: arePrepared && portraits.every(({ ms }) => ms < 20_000),
          ...(arePrepared && { timed: true as const }),
        });
      console.log(
        verdicts
          .slice(-3)
          .map(({ promised, measured }) => `${promised}: ${measured}`)
          .join('\n'),
      );
    }
    await others.stop();
    return verdicts;
  } finally {
    await stage.close();
  }
}
