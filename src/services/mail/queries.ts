import { Op, type WhereOptions } from 'sequelize';
import type { Mail } from '../../db/models/mail.js';
import type { User } from '../../db/models/user.js';
import type { Order } from '../../db/sql/page.js';
import { isAppError, notFound } from '../../errors.js';
import { anonymousKind, isAnonymous, type MailFilter, type MailState, mailListingSchema } from '../../schemas/mail.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { maxCounted, type Page, readPage } from '../paging.js';
import { resolveShortId } from '../short-ids.js';
import { isMailSetUp, messageIdOf } from './outbox.js';

/** Mail for operators, without its content. */
export interface ShownMail {
  mail: Mail;
  /** Account of the recipient, if it exists. `user` and `address` are null for forgotten passwords. */
  user: User | null;
  address: string | null;
  messageId: string;
}

/** Excludes requests for a forgotten password whose account was not looked up yet. */
const listed = { identifier: null };

/**
 * Only mails about a forgotten password have identifiers. For other kinds, the condition is omitted, because no index
 * covers it.
 */
const listedOfKind = (kind: MailFilter['kind']) => (kind === undefined || kind === anonymousKind ? listed : {});

const batchSize = 1000;

function conditionsOf({ state, kind, userId, importId, addressUnknown, since }: MailFilter): WhereOptions<Mail> {
  return {
    ...listedOfKind(kind),
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(userId !== undefined && { userId, [Op.not]: { kind: anonymousKind } }),
    ...(importId !== undefined && { importId }),
    ...(addressUnknown !== undefined && { addressUnknown }),
    ...(since !== undefined && { createdAt: { [Op.gte]: since } }),
  };
}

async function withRecipients(core: Core, mails: readonly Mail[]): Promise<ShownMail[]> {
  const { User } = core.database.models;
  const ids = [...new Set(mails.flatMap(({ userId }) => userId ?? []))];
  const attributes = ['id', 'firstName', 'lastName', 'email'];
  const found =
    ids.length === 0 ? [] : await core.database.read(() => User.findAll({ attributes, where: { id: ids } }));
  const users = new Map(found.map((user) => [user.id, user]));
  return mails.map((mail) => {
    const messageId = messageIdOf(core, mail.id);
    if (isAnonymous(mail.kind)) return { mail, user: null, address: null, messageId };
    const user = users.get(mail.userId ?? '') ?? null;
    return { mail, user, address: mail.address ?? user?.email ?? null, messageId };
  });
}

const newestFirst: Order = [
  ['createdAt', 'DESC'],
  ['id', 'DESC'],
];

/** Returns one page of mails, newest first. @throws AppError `VALIDATION` */
export async function listMails(core: Core, query: unknown): Promise<Page<ShownMail>> {
  const listing = validate(mailListingSchema, query);
  const options = { where: conditionsOf(listing), order: newestFirst, maxCounted };
  const { items, pagination } = await readPage(core, core.database.models.Mail, listing, options);
  return { items: await withRecipients(core, items), pagination };
}

/** @throws AppError `NOT_FOUND` */
export async function findMail(core: Core, id: string): Promise<ShownMail> {
  const mail = await core.database.read(() => core.database.models.Mail.findOne({ where: { id, ...listed } }));
  const [found] = mail ? await withRecipients(core, [mail]) : [];
  if (!found) throw notFound('Mail');
  return found;
}

/** Yields the pages of all mails that match a filter, oldest first. */
export async function* mailsMatching(core: Core, filter: MailFilter): AsyncGenerator<ShownMail[]> {
  let [after, isLast] = ['', false];
  while (!isLast) {
    const where = { ...conditionsOf(filter), id: { [Op.gt]: after } };
    const options = { where, order: [['id', 'ASC']] as [string, string][], limit: batchSize };
    const mails = await core.database.read(() => core.database.models.Mail.findAll(options));
    yield await withRecipients(core, mails);
    isLast = mails.length < batchSize;
    after = mails.at(-1)?.id ?? after;
  }
}

/** Finds a mail for each name: an id or the end of an id. The result has the error in place of a mail that isn't found. */
export async function resolveMails(core: Core, names: readonly string[]) {
  const found = [];
  for (const name of names)
    try {
      found.push(await findMail(core, await resolveShortId(core, 'Mail', name)));
    } catch (error) {
      if (!isAppError(error)) throw error;
      found.push(error);
    }
  return found;
}

const dayMs = 86_400_000;

/** Failed mails are reported for this time. Older mails can't be retried: see `longestAgeMs` in kinds.ts. */
const failureWindowMs = 3 * dayMs;

export interface MailTrouble {
  /** Reason why no mail is sent at all; null while mails are sent. */
  pausedBy: string | null;
  /** Unsent mails, if no mail is sent; otherwise 0. */
  held: number;
  /** Mails that the server refused for another reason than their address. */
  refused: number;
  /** Reason of the last refusal; null for none. */
  refusedBy: string | null;
  /** Mails to addresses that don't exist. */
  addressUnknown: number;
  /** Since when failed mails are counted. */
  since: Date;
}

/** Returns problems of sending; null without problems or without a mail server. An index serves each query. */
export async function mailTrouble(core: Core): Promise<MailTrouble | null> {
  if (!isMailSetUp(core)) return null;
  const { Mail } = core.database.models;
  const waiting = { state: 'queued' as const, lastError: { [Op.ne]: null } };
  const since = new Date((await core.databaseNow()).getTime() - failureWindowMs);
  const failures = { state: 'failed' as const, createdAt: { [Op.gte]: since } };
  const refusals = { ...failures, addressUnknown: false };
  const attributes = ['lastError'];
  return core.database.read(async () => {
    const paused = await Mail.findOne({ attributes, where: waiting });
    const counts = await Mail.count({ where: failures, group: ['addressUnknown'] });
    if (!paused && counts.length === 0) return null;
    const counted = (unknown: boolean) =>
      counts.find(({ addressUnknown }) => Boolean(addressUnknown) === unknown)?.count ?? 0;
    const refused = counted(false);
    const last = refused === 0 ? null : await Mail.findOne({ attributes, where: refusals, order: newestFirst });
    return {
      pausedBy: paused?.lastError ?? null,
      held: paused ? await Mail.count({ where: { state: 'queued' } }) : 0,
      refused,
      refusedBy: last?.lastError ?? null,
      addressUnknown: counted(true),
      since,
    };
  });
}

export interface MailStatistics {
  /** Unsent mails, and mails of the last day that were sent or failed. */
  counts: Record<'queued' | 'deferred' | 'sent' | 'failed', number>;
  /** Age of the oldest unsent mail; null without unsent mails. */
  oldestSeconds: number | null;
}

/** Counts mails; an index serves each query. */
export async function mailStatistics({ database, databaseNow }: Core): Promise<MailStatistics> {
  const { Mail } = database.models;
  const at = (await databaseNow()).getTime();
  const recent = { createdAt: { [Op.gt]: new Date(at - dayMs) } };
  const waiting: MailState[] = ['queued', 'sending', 'deferred'];
  return database.read(async () => {
    const counts = {
      queued: await Mail.count({ where: { state: ['queued', 'sending'] } }),
      deferred: await Mail.count({ where: { state: 'deferred' } }),
      sent: await Mail.count({ where: { state: 'sent', ...recent } }),
      failed: await Mail.count({ where: { state: 'failed', ...recent } }),
    };
    const oldest: Date[] = [];
    for (const state of waiting) {
      const first = {
        attributes: ['createdAt'],
        where: { state },
        order: [['createdAt', 'ASC']] as [string, string][],
      };
      oldest.push(...[(await Mail.findOne(first))?.createdAt ?? []].flat());
    }
    const oldestAt = oldest.length === 0 ? null : Math.min(...oldest.map((moment) => moment.getTime()));
    return { counts, oldestSeconds: oldestAt === null ? null : Math.max(0, (at - oldestAt) / 1000) };
  });
}
