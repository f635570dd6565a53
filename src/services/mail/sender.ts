import { setTimeout as sleep } from 'node:timers/promises';
import { activeLeases, type Lease, withLease } from '../../db/lease.js';
import { assertSchemaCurrent } from '../../db/migrations/migrator.js';
import { AppError, isAppError } from '../../errors.js';
import type { Core } from '../core.js';
import { newIds } from '../new-ids.js';
import { messageIdOf } from './outbox.js';
import { renderMail } from './render.js';
import { SendLoop, senderBusy } from './send-loop.js';
import { type Delivery, type MailTransport, openTransport } from './smtp.js';

const minuteMs = 60_000;

/** Lease that one process of all instances holds while it sends. */
const leaseName = 'mail-sender';

/** Interval of polling the outbox and, in other processes, the lease; in milliseconds. */
const defaultPollMs = 1000;
/** Time until another instance takes over the lease of a dead instance, in milliseconds. */
const defaultLeaseMs = 15_000;

/** Pause after a fault of the server, in milliseconds. Each further fault doubles the pause, up to the longest one. */
const firstPauseMs = minuteMs;
const longestPauseMs = 15 * minuteMs;

/**
 * Deadline of the last mail when the sender is closed, in milliseconds. Otherwise a silent server delays the end of the
 * process by a minute.
 */
const defaultLastMailMs = 10_000;

/** Overrides for tests. */
export interface SenderOptions {
  pollMs?: number;
  leaseMs?: number;
  /** Pause after the first fault of the server; doubled after each further fault. */
  pauseMs?: number;
  lastMailMs?: number;
  transport?: MailTransport;
}

/** Sends queued mails until `close` is called. */
export interface MailSender {
  close(): Promise<void>;
}

/** @throws AppError `MAIL_NOT_SET_UP` */
export function transportOf({ config }: Pick<Core, 'config'>): MailTransport {
  const { server, tls, from, replyTo } = config.mail;
  if (!server || !from) throw new AppError('MAIL_NOT_SET_UP');
  return openTransport({ server, tls, from, ...(replyTo && { replyTo }) });
}

export async function isSenderRunning({ database }: Pick<Core, 'database'>): Promise<boolean> {
  return (await activeLeases(database, [leaseName])).has(leaseName);
}

/** Waits; returns early, without an error, when the signal is aborted. */
async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  // sleep() rejects only when the signal is aborted. The caller checks the signal.
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
}

async function sendUntil(core: Core, loop: SendLoop, stop: AbortSignal, options: SenderOptions): Promise<void> {
  const { pollMs = defaultPollMs, pauseMs: first = firstPauseMs } = options;
  let pauseMs = first;
  while (!stop.aborted) {
    const result = await loop.sendNext();
    if (result === 'nothing') {
      await wait(Math.min(pollMs, loop.msUntilRateAllows || pollMs), stop);
    } else if (result !== 'ended' && result.outcome === 'paused') {
      core.logger.warn({ reason: result.reason, pauseMs }, 'sending of mails is paused');
      await wait(pauseMs, stop);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    } else {
      pauseMs = first;
    }
  }
}

/** Starts to send the mails of the outbox while this process has the lease. Does nothing without a mail server. */
export function startMailSender(core: Core, options: SenderOptions = {}): MailSender {
  if (core.config.mail.server === undefined) return { close: async () => undefined };
  const { pollMs = defaultPollMs, leaseMs = defaultLeaseMs, lastMailMs = defaultLastMailMs } = options;
  const transport = options.transport ?? transportOf(core);
  const stop = new AbortController();
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await assertSchemaCurrent(core.database);
        await withLease(
          core.database,
          leaseName,
          0,
          senderBusy,
          async (lease) => {
            const loop = new SendLoop(core, lease, transport);
            await loop.recover();
            await sendUntil(core, loop, stop.signal, options);
          },
          { durationMs: leaseMs },
        );
      } catch (error) {
        // The loop retries. Another instance that sends is not a fault.
        if (!isAppError(error, 'MAIL_SENDER_BUSY')) core.logger.warn({ err: error }, 'the mail sender failed');
      }
      await wait(2 * pollMs, stop.signal);
    }
  }
  const running = run();
  return {
    async close() {
      stop.abort();
      const cut = setTimeout(() => transport.close({ force: true }), lastMailMs);
      await running;
      clearTimeout(cut);
      transport.close();
    },
  };
}

/** Outcomes of sendDueMails(). */
export interface SendCounts {
  sent: number;
  failed: number;
  deferred: number;
}

interface SendDueOptions extends Pick<SenderOptions, 'transport'> {
  signal?: AbortSignal;
  /** Called after each mail. */
  onStep?: (done: SendCounts) => void;
}

/**
 * Sends all due mails from this process, as fast as the rate allows.
 * @throws AppError `MAIL_NOT_SET_UP`, `MAIL_SENDER_BUSY` while the service runs, `MAIL_SERVER_UNUSABLE`, `INTERRUPTED`
 */
export async function sendDueMails(core: Core, options: SendDueOptions = {}): Promise<SendCounts> {
  const { transport = transportOf(core), signal, onStep } = options;
  const done: SendCounts = { sent: 0, failed: 0, deferred: 0 };
  const work = async (lease: Lease) => {
    const loop = new SendLoop(core, lease, transport);
    await loop.recover();
    for (;;) {
      if (signal?.aborted) throw new AppError('INTERRUPTED');
      const result = await loop.sendNext();
      if (result === 'nothing') {
        if (loop.msUntilRateAllows === 0) return done;
        await wait(loop.msUntilRateAllows, signal);
      } else if (result !== 'ended') {
        if (result.outcome === 'paused') throw new AppError('MAIL_SERVER_UNUSABLE', result.reason);
        done[result.outcome === 'accepted' ? 'sent' : result.outcome] += 1;
        onStep?.(done);
      }
    }
  };
  try {
    return await withLease(core.database, leaseName, 0, senderBusy, work, { durationMs: defaultLeaseMs });
  } finally {
    transport.close();
  }
}

/** Sends a test mail directly, without the outbox. @throws AppError `MAIL_NOT_SET_UP` */
export async function sendTestMail(
  core: Core,
  address: string,
  { transport = transportOf(core) }: Pick<SenderOptions, 'transport'> = {},
): Promise<Delivery> {
  const { publicUrl = '', language } = core.config.mail;
  const programme = core.config.programme.name;
  const [id = ''] = newIds(1);
  try {
    const rendered = renderMail({ kind: 'test' }, language, { programme, publicUrl });
    return await transport.send({ ...rendered, to: { name: '', address }, messageId: messageIdOf(core, id) });
  } finally {
    transport.close();
  }
}
