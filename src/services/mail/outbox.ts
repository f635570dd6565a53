import { type InferAttributes, Op, type Transaction, type WhereOptions } from 'sequelize';
import type { Mail } from '../../db/models/mail.js';
import { insertRows } from '../../db/sql/insert.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { newIds } from '../new-ids.js';
import { type MailKind, mailKinds, mailPriorities } from './kinds.js';

/** Content that is stored with the mail, instead of read when the mail is sent. Contains no secrets. */
export interface MailData {
  /** Text of the super admin in an invitation. */
  message?: string;
  newEmail?: string;
  /** Text of a manager of the course in news. */
  reply?: string;
  /**
   * For a transfer of the super admin role: whether the reader is the new super admin. `other` is the other person's name.
   */
  isNew?: boolean;
  other?: string;
  /** For a held sync: the group, its file, its members, and how many of them would leave. */
  group?: string;
  file?: string;
  members?: number;
  leaving?: number;
}

export interface NewMail {
  kind: MailKind;
  userId?: string;
  /** Recipient, if it isn't the account's address. */
  address?: string;
  courseId?: string;
  importId?: string;
  /** Required for news: see `queueOwnerOf()`. */
  queueOwner?: string;
  /**
   * Email or phone number as entered in a request for a forgotten password. The account is looked up when the mail is
   * sent.
   */
  identifier?: string;
  data?: MailData;
  /** The mail isn't queued while an unsent mail has the same key. */
  dedupeKey?: string;
  /** Delay before sending, in milliseconds. */
  delayMs?: number;
}

/** Whether a mail server is configured. Without one, no mail is queued. */
export const isMailSetUp = ({ config }: Pick<Core, 'config'>): boolean => config.mail.server !== undefined;

/** @throws AppError `MAIL_NOT_SET_UP` */
export function assertMailSetUp(core: Pick<Core, 'config'>): void {
  if (!isMailSetUp(core)) throw new AppError('MAIL_NOT_SET_UP');
}

/** Returns the Message-ID of a mail, which is the same for each attempt. */
export function messageIdOf({ config }: Pick<Core, 'config'>, id: string): string {
  const { publicUrl } = config.mail;
  return `<${id}@${publicUrl === undefined ? 'localhost' : new URL(publicUrl).hostname}>`;
}

/** Returns the priority. Mails of an import come after urgent mails, because an import can queue thousands of mails. */
const priorityOf = ({ kind, importId }: NewMail): number =>
  Math.max(mailPriorities[mailKinds[kind].priority], importId === undefined ? 0 : mailPriorities.invitation);

function rowOf(mail: NewMail, id: string, now: Date) {
  return {
    id,
    kind: mail.kind,
    priority: priorityOf(mail),
    queueOwner: mail.queueOwner ?? null,
    userId: mail.userId ?? null,
    address: mail.address ?? null,
    courseId: mail.courseId ?? null,
    importId: mail.importId ?? null,
    identifier: mail.identifier ?? null,
    data: JSON.stringify(mail.data ?? {}),
    dedupeKey: mail.dedupeKey ?? null,
    state: 'queued' as const,
    nextAt: new Date(now.getTime() + (mail.delayMs ?? 0)),
    createdAt: now,
  };
}

/**
 * Queues mails in the transaction of the change that they report; does nothing without a mail server. If a mail has a
 * `dedupeKey`, this must be the last statement of the transaction, because other transactions wait for the key.
 */
export async function queueMails(core: Core, mails: readonly NewMail[], transaction: Transaction): Promise<void> {
  if (mails.length === 0 || !isMailSetUp(core)) return;
  const { Mail } = core.database.models;
  const ids = newIds(mails.length);
  const now = await core.databaseNow(transaction);
  // `ids` is as long as `mails`.
  const rows = mails.map((mail, index) => rowOf(mail, ids[index] as string, now));
  const keyed = rows.filter(({ dedupeKey }) => dedupeKey !== null);
  await insertRows(
    Mail,
    rows.filter(({ dedupeKey }) => dedupeKey === null),
    transaction,
  );
  if (keyed.length > 0) await Mail.bulkCreate(keyed, { ignoreDuplicates: true, transaction });
}

/**
 * Withdraws unsent mails.
 * @param options `evenSending`: also mails that are being sent, so that such a mail isn't repeated later with a new
 *   link
 * @returns the number of withdrawn mails
 */
export async function withdrawMails(
  core: Core,
  where: WhereOptions<InferAttributes<Mail>>,
  transaction: Transaction,
  { evenSending = false } = {},
): Promise<number> {
  const [withdrawn] = await core.database.models.Mail.update(
    { state: 'withdrawn', nextAt: null, dedupeKey: null, finishedAt: await core.databaseNow(transaction) },
    { where: { ...where, state: ['queued', 'deferred', ...(evenSending ? (['sending'] as const) : [])] }, transaction },
  );
  return withdrawn;
}

/** Rows per transaction of the cleanup. */
const sweepBatch = 1000;

/**
 * Deletes expired links, and mails that were sent, failed or withdrawn longer ago than the retention.
 * @returns the number of deleted rows
 */
export async function sweepMails(core: Core, signal: AbortSignal): Promise<number> {
  const { Mail, Link } = core.database.models;
  const now = (await core.databaseNow()).getTime();
  const before = new Date(now - core.config.mail.retentionDays * 86_400_000);
  let removed = 0;
  for (let full = true; full && !signal.aborted; ) {
    const old = { attributes: ['id'], where: { finishedAt: { [Op.lt]: before } }, limit: sweepBatch };
    const expired = { attributes: ['tokenHash'], where: { expiresAt: { [Op.lt]: new Date(now) } }, limit: sweepBatch };
    const mails = (await core.database.read(() => Mail.findAll(old))).map(({ id }) => id);
    const links = (await core.database.read(() => Link.findAll(expired))).map(({ tokenHash }) => tokenHash);
    removed += await core.database.inTransaction(
      async (transaction) =>
        (await Mail.destroy({ where: { id: mails }, transaction })) +
        (await Link.destroy({ where: { tokenHash: links }, transaction })),
    );
    full = mails.length === sweepBatch || links.length === sweepBatch;
  }
  return removed;
}
