import { type InferAttributes, Op, type Transaction, type WhereOptions } from 'sequelize';
import type { Mail } from '../../db/models/mail.js';
import { insertRows } from '../../db/sql/insert.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { newIds } from '../new-ids.js';
import { type MailKind, mailKinds, mailPriorities } from './kinds.js';

/** What a mail says that isn't read from the database when it leaves. No secrets. */
export interface MailData {
  /** Of the super admin, in invitations. */
  message?: string;
  newEmail?: string;
  /** Of a manager of the course, with what the mail tells of. */
  reply?: string;
  /** Of a transfer of the super admin: whether the reader has the role now, and the name of the other person. */
  isNew?: boolean;
  other?: string;
}

export interface NewMail {
  kind: MailKind;
  userId?: string;
  /** Where it goes, where that isn't the account's address. */
  address?: string;
  courseId?: string;
  importId?: string;
  /** All news have one: see `queueOwnerOf()`. */
  queueOwner?: string;
  /** Of somebody who has forgotten a password, as typed. */
  identifier?: string;
  data?: MailData;
  /** Unless a mail with this key is still to leave. */
  dedupeKey?: string;
  /** Leaves after so many milliseconds. */
  delayMs?: number;
}

/** Whether mails are sent; without a mail server nothing is queued. */
export const isMailSetUp = ({ config }: Pick<Core, 'config'>): boolean => config.mail.server !== undefined;

/** @throws AppError `MAIL_NOT_SET_UP` */
export function assertMailSetUp(core: Pick<Core, 'config'>): void {
  if (!isMailSetUp(core)) throw new AppError('MAIL_NOT_SET_UP');
}

/** The Message-ID of a mail, the same for each attempt. */
export function messageIdOf({ config }: Pick<Core, 'config'>, id: string): string {
  const { publicUrl } = config.mail;
  return `<${id}@${publicUrl === undefined ? 'localhost' : new URL(publicUrl).hostname}>`;
}

/** Mails of an import go after those that one person waits for. */
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
 * Queues mails in the transaction of what they tell about; does nothing without a mail server. Those with a `dedupeKey` are the last
 * statement of their transaction, because others wait for the key.
 */
export async function queueMails(core: Core, mails: readonly NewMail[], transaction: Transaction): Promise<void> {
  if (mails.length === 0 || !isMailSetUp(core)) return;
  const { Mail } = core.database.models;
  const ids = newIds(mails.length);
  const now = await core.databaseNow(transaction);
  // There are as many ids as mails.
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
 * Withdraws mails that are still to leave.
 * @param options `evenSending`: also what is being sent, so that it isn't sent again with another link if the server defers it
 * @returns how many
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

/** Deletes mails that have left, failed or were withdrawn long ago, and expired links. @returns how many */
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
