import { Op, type Transaction } from 'sequelize';
import type { Mail } from '../../db/models/mail.js';
import { AppError, isAppError } from '../../errors.js';
import { isAnonymous, type MailAction, type MailState, mailChangeSchema, testMailSchema } from '../../schemas/mail.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { linkPurposeOf, type MailKind, mailKinds } from './kinds.js';
import { assertMailSetUp, queueMails } from './outbox.js';
import { findMail } from './queries.js';

/** States from which an action is possible, and the state after it. */
const transitions = {
  retry: { from: ['failed', 'deferred'], to: 'queued' },
  withdraw: { from: ['queued', 'deferred'], to: 'withdrawn' },
} as const satisfies Record<MailAction, { from: readonly MailState[]; to: MailState }>;

const conflictTexts: Readonly<Record<MailAction, string>> = {
  retry: 'only mails that failed or are deferred can be sent again.',
  withdraw: 'only mails that are queued or deferred can be withdrawn.',
};

/** Only queueMails() writes rows, so the kind is a known one. */
const kindOf = ({ kind }: Mail) => kind as MailKind;

/** Returns the error if an action is not possible for a mail, otherwise undefined. @param now time of the database */
export function refusalOf(now: Date, action: MailAction, mail: Mail): AppError | undefined {
  const { state, createdAt } = mail;
  if (!transitions[action].from.some((one) => one === state))
    return new AppError('MAIL_CONFLICT', `The mail is ${state}: ${conflictTexts[action]}`, {
      params: { status: state },
    });
  // Checked before `MAIL_REPLACED`, which would reveal which account the mail is about.
  if (action === 'retry' && isAnonymous(kindOf(mail)))
    return new AppError(
      'MAIL_CONFLICT',
      'A mail about a forgotten password is not sent again. Its recipient can ask for another one.',
      { params: { status: state } },
    );
  const isTooOld = now.getTime() - createdAt.getTime() > mailKinds[kindOf(mail)].longestAgeMs;
  return action === 'retry' && isTooOld ? new AppError('MAIL_TOO_OLD') : undefined;
}

/**
 * Checks that no newer mail of the kind exists: each person has one valid link of a kind.
 * @throws AppError `MAIL_REPLACED`
 */
async function assertNewest(core: Core, mail: Mail, transaction: Transaction): Promise<void> {
  const { id, kind, userId, createdAt } = mail;
  // Ids contain the clock of the instance that created them, so `createdAt` is compared first.
  const newer = [{ createdAt: { [Op.gt]: createdAt } }, { createdAt, id: { [Op.gt]: id } }];
  const where = { userId, kind, [Op.or]: newer };
  if ((await core.database.models.Mail.count({ where, transaction })) > 0) throw new AppError('MAIL_REPLACED');
}

/** Changes of the invitation state in the list of people. `updatedAt` stays unchanged. */
const inviteChanges = {
  retry: { where: { inviteState: 'failed' }, values: { inviteState: 'queued' } },
  withdraw: { where: { inviteState: 'queued' }, values: { inviteState: null, invitedAt: null } },
} as const;

/**
 * Queues a mail again or withdraws a mail that was not sent yet. The count of attempts continues.
 * @throws AppError `NOT_FOUND`, `MAIL_CONFLICT`, `MAIL_TOO_OLD`, `MAIL_REPLACED`
 */
async function changeMail(core: Core, actor: Actor, action: MailAction, id: string): Promise<void> {
  const { Mail, User } = core.database.models;
  const { mail } = await findMail(core, id);
  const now = await core.databaseNow();
  const refusal = refusalOf(now, action, mail);
  if (refusal) throw refusal;
  const { userId, state, attempts } = mail;
  const values =
    action === 'retry'
      ? { state: transitions.retry.to, nextAt: now, lastError: null, addressUnknown: false, finishedAt: null }
      : { state: transitions.withdraw.to, nextAt: null, dedupeKey: null, finishedAt: now };
  await core.database.inTransaction(async (transaction) => {
    // Users are locked before mails, as in every other transaction.
    if (userId !== null) await forceIncrementUserVersions(core, [userId], transaction);
    if (action === 'retry' && linkPurposeOf(kindOf(mail)) !== undefined) await assertNewest(core, mail, transaction);
    const [changed] = await Mail.update(values, { where: { id, state, attempts }, transaction });
    // The sender or another request has changed the mail since it was read.
    if (changed === 0) throw new AppError('MAIL_CONFLICT');
    const target = { targetType: 'mail', targetId: id, before: { state }, after: { state: values.state } } as const;
    await recordAudit(core, actor, { action: `mail.${action}`, ...target }, transaction);
    if (mail.kind !== 'invitation' || userId === null) return;
    const { where, values: inviteValues } = inviteChanges[action];
    await User.update(inviteValues, { where: { id: userId, ...where }, silent: true, transaction });
  });
}

export interface MailOutcome {
  id: string;
  outcome: 'done' | 'refused';
  refusal?: AppError;
}

/** Errors of a single mail. After any other error, the remaining mails are refused without an attempt. */
const singleMailCodes = ['NOT_FOUND', 'MAIL_CONFLICT', 'MAIL_TOO_OLD', 'MAIL_REPLACED'] as const;

/**
 * Changes mails, each in its own transaction.
 * @returns the outcomes in the order of `ids`, and in `stopped` the error after which no more mails were changed
 * @throws AppError `VALIDATION`; `MAIL_NOT_SET_UP` for a retry without a mail server
 */
export async function changeMails(
  core: Core,
  actor: Actor,
  input: unknown,
  signal: AbortSignal,
): Promise<{ action: MailAction; outcomes: MailOutcome[]; stopped: AppError | undefined }> {
  const { action, ids } = validate(mailChangeSchema, input);
  if (action === 'retry') assertMailSetUp(core);
  const outcomes: MailOutcome[] = [];
  let stopped: AppError | undefined;
  for (const id of ids) {
    if (signal.aborted) stopped ??= new AppError('INTERRUPTED');
    try {
      if (stopped) throw stopped;
      await changeMail(core, actor, action, id);
      outcomes.push({ id, outcome: 'done' });
    } catch (error) {
      if (!isAppError(error)) throw error;
      outcomes.push({ id, outcome: 'refused', refusal: error });
      if (!isAppError(error, ...singleMailCodes)) stopped = error;
    }
  }
  return { action, outcomes, stopped };
}

/** Queues a test mail. @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP` */
export async function queueTestMail(core: Core, input: unknown): Promise<void> {
  assertMailSetUp(core);
  const { email } = validate(testMailSchema, input);
  await core.database.inTransaction((transaction) => queueMails(core, [{ kind: 'test', address: email }], transaction));
}
