import { setTimeout as sleep } from 'node:timers/promises';
import { activeLeases } from '../../src/db/lease.js';
import type { Context } from '../../src/services/context.js';
import { forceIncrementUserVersions } from '../../src/services/locks/row-locks.js';
import { findLink } from '../../src/services/mail/links.js';
import { queueMails, withdrawMails } from '../../src/services/mail/outbox.js';
import { atDepth } from '../support/depth.js';
import { mailSettings } from '../support/environment.js';
import { buildTrainees } from '../support/factories.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { tokenOf } from '../support/mailbox.js';
import { until } from '../support/until.js';
import { seconds, send, statuses } from './clients.js';
import { startProxy } from './proxy.js';
import type { Verdict } from './report.js';
import { type Instance, openStage, type Stage, startInstance } from './stage.js';

/** Kills the service while it sends mails. Every mail must arrive, and at most one for each kill may arrive twice. */

const rounds = atDepth(3, 30);
const mailsOfRound = atDepth(200, 500);
/** The lease of a dead instance lasts 15 s, and the next instance checks every 2 s; in milliseconds. */
const takenOverWithinMs = 15_000 + 2000 + 3000;
const goneMs = atDepth(5000, 60_000);
const endsWithinMs = 18_000;
const leaseName = 'mail-sender';

interface Scene {
  stage: Stage;
  context: Context;
  server: MailServer;
  people: readonly string[];
  settings: Readonly<Record<string, string>>;
  /** Tokens in received mails, by address. */
  tokens: Map<string, string[]>;
  start(): Promise<Instance>;
}

/** Mails of a round after it. */
interface Arrivals {
  lost: number;
  /** Mails that arrived more than once. */
  doubles: number;
  /** Mails that arrived more often than they were attempted, or that were not recorded as sent. */
  unexplained: number;
  /** Distinct links that work. */
  links: number;
  copies: number;
}

async function queue({ context, people }: Scene): Promise<void> {
  const { Mail } = context.database.models;
  await Mail.destroy({ where: {} });
  await context.database.inTransaction((transaction) =>
    queueMails(
      context,
      people.map((userId) => ({ kind: 'invitation' as const, userId })),
      transaction,
    ),
  );
}

const isDone = async ({ context }: Scene) =>
  (await context.database.models.Mail.count({ where: { state: ['queued', 'sending', 'deferred'] } })) === 0;

/** Waits until all mails are sent, and analyses the mails received since the last call. */
async function collectArrivals(scene: Scene): Promise<Arrivals> {
  const { context, server, tokens } = scene;
  await until(() => isDone(scene), 'all mails have left');
  const arrived = server.mails.splice(0);
  for (const mail of arrived) {
    const [address = ''] = mail.to;
    tokens.set(address, [...(tokens.get(address) ?? []), tokenOf(mail)]);
  }
  const copies = new Map<string, number>();
  for (const { messageId } of arrived) copies.set(messageId, (copies.get(messageId) ?? 0) + 1);
  const rows = await context.database.models.Mail.findAll({ where: { state: 'sent' } });
  const found = rows.map(({ id, attempts }) => ({ attempts, count: copies.get(`<${id}@courses.example.org>`) ?? 0 }));
  const working = new Set<string>();
  for (const token of arrived.map(tokenOf))
    if ((await findLink(context, token, ['invite'])).link.purpose === 'invite') working.add(token);
  return {
    lost: found.filter(({ count }) => count === 0).length,
    doubles: found.filter(({ count }) => count > 1).length,
    unexplained: found.filter(({ count, attempts }) => count > attempts).length + (copies.size - found.length),
    links: working.size,
    copies: arrived.length,
  };
}

const sum = (all: readonly Arrivals[], name: keyof Arrivals) => all.reduce((total, one) => total + one[name], 0);

/** Waits for a number of further mails, and a random moment more. */
async function waitForMoreMails({ server }: Scene, count: number): Promise<void> {
  const from = server.mails.length;
  await until(() => server.mails.length >= from + count, `${count} more mails arrive`);
  await sleep(20 * Math.random());
}

async function kill(instance: Instance): Promise<void> {
  instance.kill('SIGKILL');
  await instance.exited;
}

/** Expires the lease of a dead instance, so that the next one needn't wait. */
const expireLease = ({ context }: Scene) => context.database.sequelize.query('UPDATE leases SET expires_at = 0');

async function killAgainAndAgain(scene: Scene): Promise<Verdict[]> {
  const all: Arrivals[] = [];
  const before: number[] = [];
  let instance = await scene.start();
  for (let round = 0; round < rounds; round += 1) {
    await queue(scene);
    await waitForMoreMails(scene, 1 + Math.floor(Math.random() * (mailsOfRound - 100)));
    await kill(instance);
    before.push(scene.server.mails.length);
    await expireLease(scene);
    instance = await scene.start();
    all.push(await collectArrivals(scene));
  }
  await kill(instance);
  await expireLease(scene);
  const [copies, doubles] = [sum(all, 'copies'), sum(all, 'doubles')];
  return [
    {
      promised: `${rounds} times SIGKILL to the service while ${mailsOfRound} mails leave: each of them arrives`,
      measured: `killed after ${before.join(', ')}; ${copies} arrived, ${sum(all, 'lost')} lost`,
      kept:
        sum(all, 'lost') === 0 &&
        copies === rounds * mailsOfRound + doubles &&
        before.every((count) => count < mailsOfRound),
    },
    {
      promised:
        'at most one mail a kill arrives twice, with the same Message-ID: the server accepted it, but the service could not record that',
      measured: `${doubles} twice, at most ${Math.max(...all.map((one) => one.doubles))} a kill, ${sum(all, 'unexplained')} for another reason`,
      kept: all.every((one) => one.doubles <= 1) && sum(all, 'unexplained') === 0,
    },
    {
      promised: 'each copy has a link of its own, and all of them work',
      measured: `${sum(all, 'links')} of ${copies}`,
      kept: sum(all, 'links') === copies,
    },
  ];
}

const hasSender = async ({ context }: Scene) => (await activeLeases(context.database, [leaseName])).has(leaseName);

/** Starts two instances; the first one sends. */
async function startTwo(scene: Scene): Promise<[Instance, Instance]> {
  const first = await scene.start();
  await until(() => hasSender(scene), 'an instance sends');
  return [first, await scene.start()];
}

async function twoInstances(scene: Scene): Promise<Verdict[]> {
  const [first, second] = await startTwo(scene);
  await queue(scene);
  await waitForMoreMails(scene, mailsOfRound / 4);
  const left = performance.now();
  first.kill('SIGTERM');
  const exitCode = await first.exited;
  const handedOver = await collectArrivals(scene);
  const handedOverMs = performance.now() - left;
  const third = await scene.start();

  await queue(scene);
  await waitForMoreMails(scene, mailsOfRound / 4);
  await kill(second);
  const killedAt = performance.now();
  await waitForMoreMails(scene, 1);
  const takenOverMs = performance.now() - killedAt;
  const takenOver = await collectArrivals(scene);
  await kill(third);
  await expireLease(scene);
  return [
    {
      promised: 'two instances, and the one that sends is stopped: each mail arrives once',
      measured: `exit code ${exitCode}; ${handedOver.copies} arrived, ${handedOver.lost} lost, ${handedOver.doubles} twice; the last one ${seconds(handedOverMs)} later`,
      kept: exitCode === 0 && handedOver.copies === mailsOfRound && handedOver.lost === 0,
    },
    {
      promised: 'two instances, and the one that sends is killed: each mail arrives, at most one of them twice',
      measured: `${takenOver.copies} arrived, ${takenOver.lost} lost, ${takenOver.doubles} twice`,
      kept: takenOver.lost === 0 && takenOver.doubles <= 1 && takenOver.unexplained === 0,
    },
    {
      promised: `the other instance continues within ${seconds(takenOverWithinMs)}`,
      measured: `after ${seconds(takenOverMs)}`,
      kept: takenOverMs <= takenOverWithinMs,
      timed: true,
    },
  ];
}

/** Withdraws each mail in a separate transaction, like an undo, while all are being sent. */
async function withdrawAll(scene: Scene): Promise<Verdict> {
  const { context, people, server } = scene;
  const { Mail } = context.database.models;
  const instance = await scene.start();
  await queue(scene);
  await waitForMoreMails(scene, 10);
  const waiting = [...people].reverse();
  let withdrawn = 0;
  const withdrawNext = async () => {
    for (let userId = waiting.pop(); userId !== undefined; userId = waiting.pop()) {
      const id = userId;
      const count = await context.database.inTransaction(async (transaction) => {
        await forceIncrementUserVersions(context, [id], transaction);
        return withdrawMails(context, { userId: id }, transaction);
      });
      withdrawn += count;
    }
  };
  await Promise.all([withdrawNext(), withdrawNext(), withdrawNext(), withdrawNext()]);
  await until(() => isDone(scene), 'all mails have left');
  const sent = await Mail.findAll({ where: { state: 'sent' } });
  const arrived = new Set(server.mails.splice(0).map(({ messageId }) => messageId));
  await kill(instance);
  await expireLease(scene);
  const faults = (instance.written().match(/mail sender failed/g) ?? []).length;
  return {
    promised: `${mailsOfRound} withdrawals while all mails are sent: withdrawn mails never arrive, the others do`,
    measured: `${withdrawn} withdrawn, ${sent.length} sent, ${arrived.size} arrived; the sender failed ${faults} times`,
    kept:
      withdrawn > 0 &&
      withdrawn + sent.length === mailsOfRound &&
      arrived.size === sent.length &&
      sent.every(({ id }) => arrived.has(`<${id}@courses.example.org>`)) &&
      faults === 0,
  };
}

/** Cuts the service off from its database for a while, but not from the mail server. */
async function loseDatabase(scene: Scene): Promise<Verdict> {
  const { stage, server, settings } = scene;
  const proxy = await startProxy(Number(new URL(stage.databaseUrl()).port));
  const instance = await startInstance(stage.databaseUrl(proxy.port), stage.folder, settings);
  try {
    await queue(scene);
    await waitForMoreMails(scene, mailsOfRound / 4);
    proxy.set({ kind: 'reset' });
    await sleep(goneMs);
    const before = server.mails.length;
    proxy.set({ kind: 'none' });
    const all = await collectArrivals(scene);
    return {
      promised: `without a database for ${seconds(goneMs)}: each mail arrives, at most one of them twice`,
      measured: `${before} before, ${all.copies} arrived, ${all.lost} lost, ${all.doubles} twice`,
      kept: before < mailsOfRound && all.lost === 0 && all.doubles <= 1 && all.unexplained === 0,
    };
  } finally {
    await kill(instance);
    await expireLease(scene);
    await proxy.close();
  }
}

/** Stops the service while it waits for a silent mail server, which it would do for a minute. */
async function stopBeforeSilence(scene: Scene): Promise<Verdict> {
  const { context, server } = scene;
  const instance = await scene.start();
  server.delay = 2 ** 30;
  await queue(scene);
  await until(async () => (await context.database.models.Mail.count({ where: { state: 'sending' } })) > 0);
  await sleep(500);
  const from = performance.now();
  instance.kill('SIGTERM');
  const exitCode = await instance.exited;
  const endedMs = performance.now() - from;
  server.delay = 0;
  const next = await scene.start();
  const all = await collectArrivals(scene);
  await kill(next);
  await expireLease(scene);
  return {
    promised: `stopped while the mail server is silent, the service ends within ${seconds(endsWithinMs)}, and each mail arrives once`,
    measured: `exit code ${exitCode} after ${seconds(endedMs)}; ${all.copies} arrived, ${all.lost} lost`,
    kept: exitCode === 0 && endedMs < endsWithinMs && all.copies === mailsOfRound && all.lost === 0,
  };
}

/** Uses one of a person's links, and checks the others. */
async function useOne(scene: Scene): Promise<Verdict> {
  const instance = await scene.start();
  const [[, tokens = []] = []] = scene.tokens;
  const [token = '', ...others] = tokens;
  const body = { token, newPassword: 'a password of my own' };
  const { status } = await send(instance.url, { method: 'POST', path: '/api/links/set-password', body });
  const check = (other: string) =>
    send(instance.url, { method: 'POST', path: '/api/links/check', body: { token: other } });
  const answers = await Promise.all(others.map(check));
  await kill(instance);
  return {
    promised: 'once a link is used, the others of that person no longer work',
    measured: `${status}; of ${others.length} others: ${statuses(answers)}`,
    kept: status === 200 && answers.length > 0 && answers.every((answer) => answer.status === 400),
  };
}

export async function run(): Promise<Verdict[]> {
  const stage = await openStage({ durable: false });
  const server = await startMailServer();
  try {
    const settings = { ...mailSettings, SMTP_URL: server.url };
    const context = await stage.createContext(settings);
    const people = await buildTrainees(context, mailsOfRound);
    await context.database.models.User.update({ hasPassword: false, inviteState: 'queued' }, { where: {} });
    const scene: Scene = {
      stage,
      context,
      server,
      people,
      settings,
      tokens: new Map(),
      start: () => stage.start(settings),
    };
    return [
      ...(await killAgainAndAgain(scene)),
      ...(await twoInstances(scene)),
      await withdrawAll(scene),
      await loseDatabase(scene),
      await stopBeforeSilence(scene),
      await useOne(scene),
    ];
  } finally {
    await stage.close();
    await server.close();
  }
}
