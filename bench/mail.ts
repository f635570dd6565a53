/**
 * `npm run bench -- mail`: compares the service while it sends 5,000 invitations as fast as it can with a service that
 * sends nothing. Rounds of the two alternate. In each round with mails, somebody requests a password reset. Memory is
 * read from /proc: Linux only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Context } from '../src/services/context.js';
import { queueMails } from '../src/services/mail/outbox.js';
import { mailSettings } from '../test/support/environment.js';
import { buildTrainees, buildUser, tokenFor } from '../test/support/factories.js';
import { startMailServer } from '../test/support/mail-server.js';
import { until } from '../test/support/until.js';
import { figure, remark, sized, verdict } from './figures.js';
import { program, rounds, scale } from './options.js';
import { type Candidate, residentMemory, startProgram } from './requests/candidates.js';
import { type RoundLoad, round, roundTimeoutMs } from './requests/rounds.js';
import { openStage } from './requests/stages.js';
import { openBenchServer } from './server.js';
import { openContext } from './service.js';
import { median } from './statistics.js';

const invitations = sized(5000, 10);
const requestsPerSecond = 100;
const roundMs = 15_000;
/** Time in a round when somebody requests a password reset. */
const forgottenAfterMs = sized(5000, 50);
/** The idle sender looks for mails each second, and another mail may be in progress. */
const leavesWithinMs = 1500;
const slowerAtMost = 2;
const maxGrowthMiB = 20;

const forgetful = 'forgetful@example.org';
const database = 'coursectl_bench_mail';

async function people(context: Context) {
  const ids = await buildTrainees(context, invitations);
  await context.database.models.User.update({ hasPassword: false }, { where: {} });
  await buildUser(context, { email: forgetful });
  return { ids, token: await tokenFor(context, await buildUser(context)) };
}

const server = await openBenchServer();
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
const inbox = await startMailServer();
const settings = { ...mailSettings, SMTP_URL: inbox.url };
const startSending = (env: NodeJS.ProcessEnv, at: string) =>
  startProgram([program, 'serve', '--json'], { ...env, ...settings }, at);
const stage = await openStage(server, database, folder, people, startSending);
const context = await openContext(`${server.url}${database}`, folder, settings);
try {
  const { service: quiet, yardstick: sending, data } = stage;
  const sent: RoundLoad = {
    requests: [{ path: '/api/auth/me', tokens: [data.token] }],
    rate: requestsPerSecond,
    ...(scale < 1 ? { durationMs: roundTimeoutMs, count: 40 } : { durationMs: roundMs }),
  };
  const { Mail } = context.database.models;
  const queue = (...mails: Parameters<typeof queueMails>[1]) =>
    context.database.inTransaction((transaction) => queueMails(context, mails, transaction));
  const invite = () => queue(...data.ids.map((userId) => ({ kind: 'invitation' as const, userId })));
  const haveLeft = async () => (await Mail.count({ where: { state: ['queued', 'sending', 'deferred'] } })) === 0;

  /**
   * Requests a password reset.
   * @returns how long the mail takes to arrive, in milliseconds
   */
  async function forget(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, forgottenAfterMs));
    const from = performance.now();
    await queue({ kind: 'reset', identifier: forgetful });
    await inbox.waitFor(({ to }) => to.includes(forgetful));
    return performance.now() - from;
  }

  async function roundWithMails() {
    await Mail.destroy({ where: {} });
    const before = residentMemory(sending);
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, residentMemory(sending))), 200);
    const from = performance.now();
    await invite();
    await inbox.waitFor(1);
    const [result, waitMs] = await Promise.all([round(sending, sent, stage.folder), forget()]);
    await until(haveLeft, 'all invitations have left');
    const seconds = (performance.now() - from) / 1000;
    clearInterval(timer);
    const arrived = inbox.mails.splice(0).length;
    if (arrived !== invitations + 1) throw new Error(`${arrived} mails have arrived.`);
    return { result, waitMs, before, most, after: residentMemory(sending), perSecond: arrived / seconds };
  }

  // The first round lets the compiler optimise.
  await round(quiet, sent, stage.folder);
  await roundWithMails();
  const alone: number[] = [];
  const beside: Awaited<ReturnType<typeof roundWithMails>>[] = [];
  for (let number = 0; number < rounds; number += 1) {
    const plain = async (candidate: Candidate) => alone.push((await round(candidate, sent, stage.folder)).p99);
    if (number % 2 === 0) await plain(quiet);
    beside.push(await roundWithMails());
    if (number % 2 === 1) await plain(quiet);
  }
  const of = (value: (one: (typeof beside)[number]) => number) => median(beside.map(value));
  const [p99, plainP99] = [of(({ result }) => result.p99), median(alone)];
  const slower = median(beside.map(({ result }, index) => result.p99 / (alone[index] ?? Number.NaN)));
  verdict(
    `the own account at ${requestsPerSecond}/s while ${invitations} mails leave`,
    `p99 ${p99} ms, ${plainP99} ms without mails: ${slower.toFixed(2)} times (limit ${slowerAtMost})`,
    slower <= slowerAtMost,
    { ratio: slower, than: 'without mails', p50Ms: of(({ result }) => result.p50), p99Ms: p99 },
  );
  const waits = beside.map(({ waitMs }) => waitMs);
  verdict(
    'a forgotten password meanwhile',
    `arrives after ${median(waits).toFixed(0)} ms, ${Math.max(...waits).toFixed(0)} at most (limit ${leavesWithinMs})`,
    Math.max(...waits) <= leavesWithinMs,
    { median: median(waits), unit: 'ms' },
  );
  const [first, last] = [beside[0]?.before ?? Number.NaN, beside.at(-1)?.after ?? Number.NaN];
  const most = Math.max(...beside.map((one) => one.most));
  verdict(
    `memory over ${rounds * invitations} mails`,
    `${first.toFixed(0)} MiB before, ${most.toFixed(0)} at most, ${last.toFixed(0)} after (limit ${maxGrowthMiB} more)`,
    most - first <= maxGrowthMiB,
    { median: last, unit: 'MiB' },
  );
  figure('mails sent', { median: of(({ perSecond }) => perSecond), unit: '/s' });
  remark(`${of(({ perSecond }) => perSecond).toFixed(0)} mails/s`);
} finally {
  await context.close();
  await stage.close();
  await inbox.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
