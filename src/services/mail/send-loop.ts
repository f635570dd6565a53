import { literal, Op, type OrderItem, type Transaction, type WhereOptions } from 'sequelize';
import type { Lease } from '../../db/lease.js';
import type { Mail } from '../../db/models/mail.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { isAnonymous } from '../../schemas/mail.js';
import type { Core } from '../core.js';
import { findByIdentifier } from '../find-by-identifier.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { usesPassword } from '../password-login.js';
import { linkPurposeOf, type MailKind, mailKinds, mailPriorities } from './kinds.js';
import { sanitizeLine } from './layout.js';
import { createLink } from './links.js';
import { messageIdOf } from './outbox.js';
import { readMailContent } from './read-content.js';
import { renderMail } from './render.js';
import type { Delivery, MailTransport, OutgoingMail } from './smtp.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const longestBackoffMs = 4 * hourMs;
const backoffMs = (attempts: number) => Math.min(minuteMs * 2 ** (attempts - 1), longestBackoffMs);

/** Limits of links for a forgotten password, for each account. */
const resetLimits = [
  { ms: hourMs, max: 3 },
  { ms: 24 * hourMs, max: 10 },
] as const;

const linkPages = {
  invite: 'set-password',
  reset: 'set-password',
  email: 'confirm-email',
  'email-cancel': 'cancel-email',
} as const;

/** Returns the error for a lease that another process has. */
export const senderBusy = () =>
  new AppError('MAIL_SENDER_BUSY', 'Another process sends the mails: the running service, or another "mail send".');

/** Mail that this process is sending, with the number of the attempt. */
interface ClaimedMail {
  mail: Pick<Mail, 'id' | 'userId' | 'kind'>;
  attempt: number;
  outgoing: OutgoingMail;
}

/** Result of one step: `nothing` without a due mail, `ended` for a mail that was withdrawn or deferred without sending. */
export type SendResult = 'nothing' | 'ended' | Delivery;

/**
 * Reduces the reason of a mail about a forgotten password to the server's codes, because the server's text may name the
 * person.
 */
function anonymise(delivery: Delivery, { mail, outgoing }: ClaimedMail): Delivery {
  if (delivery.outcome === 'accepted' || !isAnonymous(mail.kind)) return delivery;
  const [reason] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(delivery.reason) ?? [delivery.reason];
  return { ...delivery, reason: reason.replaceAll(outgoing.to.address, '…') };
}

/** Returns the columns of a mail after an attempt. @param now time of the database */
function columnsAfter(delivery: Delivery, attempt: number, now: Date): Partial<Mail> {
  switch (delivery.outcome) {
    case 'accepted':
      return { state: 'sent', finishedAt: now, lastError: null, addressUnknown: false };
    case 'failed':
      return {
        state: 'failed',
        finishedAt: now,
        lastError: delivery.reason,
        addressUnknown: delivery.isAddressUnknown,
      };
    case 'deferred':
      return {
        state: 'deferred',
        nextAt: new Date(now.getTime() + backoffMs(attempt)),
        lastError: delivery.reason,
        addressUnknown: false,
      };
    case 'paused':
      // A pause is no fault of the mail, so the attempt isn't counted.
      return { state: 'queued', nextAt: now, attempts: attempt - 1, lastError: delivery.reason };
  }
}

/** Sends due mails one at a time while this process has the lease. */
export class SendLoop {
  readonly #core: Core;
  readonly #lease: Lease;
  readonly #transport: MailTransport;
  /** Time at which the rate allows the next mail, on the clock of `performance.now()`. */
  #rateAllowsAt = 0;
  #isPaused = true;
  /** Owner of the news that was sent last. */
  #lastOwner = '';
  /** Id of the mail whose attempt paused the sender; undefined if the latest attempt didn't. */
  #pausedMailId: string | undefined;

  constructor(core: Core, lease: Lease, transport: MailTransport) {
    this.#core = core;
    this.#lease = lease;
    this.#transport = transport;
  }

  /** Queues mails again that a dead sender was sending. The mail server may have accepted them already. */
  async recover(): Promise<void> {
    await this.#inTransaction(async (transaction) =>
      this.#core.database.models.Mail.update(
        { state: 'queued', nextAt: await this.#core.databaseNow(transaction) },
        { where: { state: 'sending' }, transaction },
      ),
    );
  }

  /** Time until the rate allows the next mail, in milliseconds. */
  get msUntilRateAllows(): number {
    return Math.max(0, this.#rateAllowsAt - performance.now());
  }

  async sendNext(): Promise<SendResult> {
    const now = await this.#core.databaseNow();
    const mail = await this.#nextMail(now);
    if (!mail) return 'nothing';
    let claimed: ClaimedMail | undefined;
    try {
      claimed = await this.#claim(mail, now);
    } catch (error) {
      // Faults of the database and a lost lease are no faults of the mail.
      if (error instanceof AppError) throw error;
      await this.#deferAfterBug(mail, error, now);
    }
    if (!claimed) return 'ended';
    this.#lastOwner = mail.queueOwner ?? this.#lastOwner;
    if (mail.priority !== mailPriorities.urgent)
      this.#rateAllowsAt =
        Math.max(performance.now(), this.#rateAllowsAt) + minuteMs / this.#core.config.mail.perMinute;
    const delivery = anonymise(await this.#send(claimed), claimed);
    const isSecondPause = delivery.outcome === 'paused' && this.#pausedMailId === mail.id;
    this.#pausedMailId = delivery.outcome === 'paused' ? mail.id : undefined;
    // Some servers close the connection at certain recipients. So after a second pause at the same mail, this mail is
    // deferred and the next mail is tried.
    const stored: Delivery = isSecondPause ? { ...delivery, outcome: 'deferred', isAddressUnknown: false } : delivery;
    await this.#record(claimed, stored);
    await this.#clearPauseReasons(delivery);
    return delivery;
  }

  /** Defers a mail after a bug, so that other mails are sent. The mail is retried until it is too old. */
  async #deferAfterBug(mail: Mail, error: unknown, now: Date): Promise<void> {
    const attempts = mail.attempts + 1;
    const changes = { ...columnsAfter(this.#logBug(mail, error), attempts, now), attempts };
    const where = { id: mail.id, state: mail.state, attempts: mail.attempts };
    await this.#inTransaction((transaction) => this.#core.database.models.Mail.update(changes, { where, transaction }));
  }

  /**
   * Logs the error of a bug, and returns a deferral. The reason doesn't contain the error, which may quote the mail.
   */
  #logBug({ id, kind }: Pick<Mail, 'id' | 'kind'>, error: unknown): Delivery {
    this.#core.logger.error({ err: error, mail: id, kind }, "a mail can't be sent");
    const reason = 'The program has failed to write or send the mail: its log has the reason.';
    return { outcome: 'deferred', reason, isAddressUnknown: false };
  }

  async #send({ mail, outgoing }: ClaimedMail): Promise<Delivery> {
    try {
      return await this.#transport.send(outgoing);
    } catch (error) {
      return this.#logBug(mail, error);
    }
  }

  async #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#core.database.inTransaction(async (transaction) => {
      if (!(await this.#lease.renew(transaction))) throw senderBusy();
      return work(transaction);
    });
  }

  async #nextMail(now: Date): Promise<Mail | undefined> {
    const { urgent, invitation } = mailPriorities;
    const mail = await this.#oldestDue(now, { priority: urgent });
    if (mail || this.msUntilRateAllows > 0) return mail;
    return (await this.#oldestDue(now, { priority: invitation })) ?? this.#nextNews(now);
  }

  /** Returns the oldest news of the next owner with news, so that news of different owners are sent alternately. */
  async #nextNews(now: Date): Promise<Mail | undefined> {
    const key = '`Mail`.`turn_key`';
    const owner: OrderItem = [literal(key), 'ASC'];
    const next = `${key} > ${this.#core.database.sequelize.escape(this.#lastOwner)}`;
    for (const condition of [next, `${key} >= ''`]) {
      const mail = await this.#oldestDue(now, { [Op.and]: literal(condition) }, owner);
      if (mail) return mail;
    }
    return undefined;
  }

  /** Returns the mail that has been due longest. */
  async #oldestDue(now: Date, condition: WhereOptions<Mail>, ...leadingOrder: OrderItem[]): Promise<Mail | undefined> {
    const { Mail } = this.#core.database.models;
    const where = { ...condition, nextAt: { [Op.lte]: now } };
    const order: OrderItem[] = [...leadingOrder, ['nextAt', 'ASC'], ['id', 'ASC']];
    return this.#core.database.read(async () => {
      // Reads only the id, which an index contains. Otherwise MariaDB reads the rows of all deferred news.
      const first = await Mail.findOne({ attributes: ['id'], where, order });
      // The mail may have been withdrawn since the first query.
      return (first && (await Mail.findOne({ where: { ...where, id: first.id } }))) ?? undefined;
    });
  }

  /** Claims a mail and creates its link. Returns undefined if the mail must not be sent. */
  async #claim(mail: Mail, now: Date): Promise<ClaimedMail | undefined> {
    const userId = mail.identifier === null ? mail.userId : (await findByIdentifier(this.#core, mail.identifier))?.id;
    return this.#inTransaction(async (transaction) => {
      const { Mail } = this.#core.database.models;
      // Users are locked before mails, as in every other transaction.
      const [user] = userId ? await forceIncrementUserVersions(this.#core, [userId], transaction) : [];
      const attempt = mail.attempts + 1;
      const claimedColumns = { state: 'sending', attempts: attempt, nextAt: null, dedupeKey: null } as const;
      const unchanged = { id: mail.id, state: mail.state, attempts: mail.attempts };
      const [claims] = await Mail.update(claimedColumns, { where: unchanged, transaction });
      // The mail was withdrawn since it was read.
      if (claims === 0) return undefined;
      if (mail.identifier !== null) {
        if (!user || !(await this.#isResetAllowed(user, now, transaction))) {
          await Mail.destroy({ where: { id: mail.id }, transaction });
          return undefined;
        }
        await Mail.update({ userId: user.id, identifier: null }, { where: { id: mail.id }, transaction });
      }
      const outgoing = await this.#composeMail(mail, user, now, transaction);
      if (!outgoing) {
        await this.#withdraw(mail, now, transaction);
        return undefined;
      }
      const { id, kind } = mail;
      return { mail: { id, kind, userId: user?.id ?? null }, attempt, outgoing };
    });
  }

  async #withdraw({ id, kind, userId }: Mail, now: Date, transaction: Transaction): Promise<void> {
    const { Mail, User } = this.#core.database.models;
    const ended = { state: 'withdrawn', finishedAt: now } as const;
    await Mail.update(ended, { where: { id }, transaction });
    if (kind !== 'invitation' || userId === null) return;
    // The invitation is too old. An inactive person gets a new invitation when the account is activated.
    const where = { id: userId, inviteState: 'queued' as const, isActive: true };
    await User.update({ inviteState: 'failed' }, { where, silent: true, transaction });
  }

  async #isResetAllowed(user: User, now: Date, transaction: Transaction): Promise<boolean> {
    if (!user.isActive || !usesPassword(this.#core, user.role)) return false;
    const { Mail } = this.#core.database.models;
    for (const { ms, max } of resetLimits) {
      const where = { userId: user.id, kind: 'reset', createdAt: { [Op.gt]: new Date(now.getTime() - ms) } };
      if ((await Mail.count({ where, transaction })) >= max) return false;
    }
    return true;
  }

  async #composeMail(
    mail: Mail,
    user: User | undefined,
    now: Date,
    transaction: Transaction,
  ): Promise<OutgoingMail | undefined> {
    const { publicUrl = '', language } = this.#core.config.mail;
    const programme = this.#core.config.programme.name;
    // Only queueMails() writes rows, so the kind is a known one.
    const kind = mail.kind as MailKind;
    const age = now.getTime() - mail.createdAt.getTime();
    const address = mail.address ?? user?.email;
    if (age > mailKinds[kind].longestAgeMs || address === undefined) return undefined;
    const content = await readMailContent(this.#core, mail, user, transaction);
    if (!content) return undefined;
    const isSignInOnly = kind === 'invitation' && user !== undefined && !usesPassword(this.#core, user.role);
    const purpose = isSignInOnly ? undefined : linkPurposeOf(kind);
    let shown = { link: '', expiresAt: now, lifetimeMs: 0 };
    if (purpose && user) {
      const link = { userId: user.id, purpose, email: address, createdAt: mail.createdAt };
      const { token, ...times } = await createLink(this.#core, link, now, transaction);
      shown = { link: `${publicUrl}/${linkPages[purpose]}#${token}`, ...times };
    }
    // Text of users, such as names, is sent only to the account's address.
    const name = user?.email === address ? sanitizeLine(`${user.firstName} ${user.lastName}`) : '';
    return {
      ...renderMail(content(shown), user?.language ?? language, { programme, publicUrl }),
      to: { name, address },
      messageId: messageIdOf(this.#core, mail.id),
    };
  }

  /** Records the result of an attempt, unless another process has claimed the mail since. */
  async #record({ mail, attempt, outgoing }: ClaimedMail, delivery: Delivery): Promise<void> {
    const { Mail } = this.#core.database.models;
    await this.#core.database.inTransaction(async (transaction) => {
      const changes = columnsAfter(delivery, attempt, await this.#core.databaseNow(transaction));
      const where = { id: mail.id, state: 'sending' as const, attempts: attempt };
      const address = delivery.outcome === 'accepted' ? outgoing.to.address : undefined;
      const [recorded] = await Mail.update({ ...changes, ...(address && { address }) }, { where, transaction });
      if (recorded > 0) await this.#recordOnAccount(mail, outgoing.to.address, delivery, transaction);
    });
  }

  /** Records the result on the account. `updatedAt` stays unchanged. */
  async #recordOnAccount(
    { userId, kind }: ClaimedMail['mail'],
    email: string,
    delivery: Delivery,
    transaction: Transaction,
  ): Promise<void> {
    const { User } = this.#core.database.models;
    const { outcome } = delivery;
    if (userId === null || isAnonymous(kind) || outcome === 'paused' || outcome === 'deferred') return;
    // These mails go to addresses that the account doesn't have yet, or may no longer have.
    if (kind === 'email-confirm' || kind === 'email-notice' || kind === 'email-changed') return;
    // The account may have another address now, so the address is a condition.
    const options = { where: { id: userId, email }, silent: true, transaction };
    if (outcome === 'accepted') await User.update({ mailFailedAt: null }, options);
    else if (delivery.isAddressUnknown) await User.update({ mailFailedAt: this.#core.now() }, options);
    if (kind !== 'invitation') return;
    const inviteState = outcome === 'accepted' ? 'sent' : 'failed';
    await User.update(
      { inviteState },
      { ...options, where: { id: userId, inviteState: ['queued', 'sent', 'failed'] } },
    );
  }

  /** Removes the reason of a pause from queued mails after sending works again. */
  async #clearPauseReasons({ outcome }: Delivery): Promise<void> {
    const wasPaused = this.#isPaused;
    this.#isPaused = outcome === 'paused';
    if (!wasPaused || this.#isPaused) return;
    const where = { state: 'queued' as const, lastError: { [Op.ne]: null } };
    await this.#core.database.inTransaction((transaction) =>
      this.#core.database.models.Mail.update({ lastError: null }, { where, transaction }),
    );
  }
}
