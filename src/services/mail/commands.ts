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

/** The mails that an action is for, and what they are after it. */
const transitions = {
  retry: { from: ['failed', 'deferred'], to: 'queued' },
  withdraw: { from: ['queued', 'deferred'], to: 'withdrawn' },
} as const satisfies Record<MailAction, { from: readonly MailState[]; to: MailState }>;

const conflictTexts: Readonly<Record<MailAction, string>> = {
  retry: 'only mails that failed or are deferred can be sent again.',
  withdraw: 'only mails that wait can be withdrawn.',
};

/** Rows are written by queueMails() alone. */
const kindOf = ({ kind }: Mail) => kind as MailKind;

/** Why a mail can't be changed; nothing where it can. @param now of the database */
export function refusalOf(now: Date, action: MailAction, mail: Mail): AppError | undefined {
  const { state, createdAt } = mail;
  if (!transitions[action].from.some((one) => one === state))
    return new AppError('MAIL_CONFLICT', `The mail is ${state}: ${conflictTexts[action]}`, {
      params: { status: state },
    });
  // A refusal of a replaced one would tell whose it is.
  if (action === 'retry' && isAnonymous(kindOf(mail)))
    return new AppError(
      'MAIL_CONFLICT',
      'A mail about a forgotten password is not sent again. Its recipient can ask for another one.',
      { params: { status: state } },
    );
  const isTooOld = now.getTime() - createdAt.getTime() > mailKinds[kindOf(mail)].longestAgeMs;
  return action === 'retry' && isTooOld ? new AppError('MAIL_TOO_OLD') : undefined;
}

/** A person has one link of a kind. @throws AppError `MAIL_REPLACED` */
async function assertNewest(core: Core, mail: Mail, transaction: Transaction): Promise<void> {
  const { id, kind, userId, createdAt } = mail;
  // Ids have the clocks of the instances that made them.
  const newer = [{ createdAt: { [Op.gt]: createdAt } }, { createdAt, id: { [Op.gt]: id } }];
  const where = { userId, kind, [Op.or]: newer };
  if ((await core.database.models.Mail.count({ where, transaction })) > 0) throw new AppError('MAIL_REPLACED');
}

/** What the list of people says of an invitation; it never changes `updatedAt`. */
const inviteChanges = {
  retry: { where: { inviteState: 'failed' }, values: { inviteState: 'queued' } },
  withdraw: { where: { inviteState: 'queued' }, values: { inviteState: null, invitedAt: null } },
} as const;

/**
 * Sends a mail again, with its attempts counted on, or withdraws one that is still to leave.
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
      ? { state: transitions.retry.to, nextAt: now, lastError: null, finishedAt: null }
      : { state: transitions.withdraw.to, nextAt: null, dedupeKey: null, finishedAt: now };
  await core.database.inTransaction(async (transaction) => {
    // Before the mail, as everywhere.
    if (userId !== null) await forceIncrementUserVersions(core, [userId], transaction);
    if (action === 'retry' && linkPurposeOf(kindOf(mail)) !== undefined) await assertNewest(core, mail, transaction);
    const [changed] = await Mail.update(values, { where: { id, state, attempts }, transaction });
    // The sender, or somebody else, has changed it since.
    if (changed === 0) throw new AppError('MAIL_CONFLICT');
    const target = { targetType: 'mail', targetId: id, before: { state }, after: { state: values.state } } as const;
    await recordAudit(core, actor, { action: `mail.${action}`, ...target }, transaction);
    if (mail.kind !== 'invitation' || userId === null) return;
    const { where, values: inviteValues } = inviteChanges[action];
    await User.update(inviteValues, { where: { id: userId, ...where }, silent: true, transaction });
  });
}

/** What became of a mail that was to be changed. */
export interface MailOutcome {
  id: string;
  outcome: 'done' | 'refused';
  refusal?: AppError;
}

/** Refusals that belong to a mail; after any other failure the rest is refused without being tried. */
const singleMailCodes = ['NOT_FOUND', 'MAIL_CONFLICT', 'MAIL_TOO_OLD', 'MAIL_REPLACED'] as const;

/**
 * Changes mails, each in a transaction of its own.
 * @returns the outcomes in the order of the list, and the failure because of which the last of them weren't tried
 * @throws AppError `VALIDATION`; `MAIL_NOT_SET_UP` where nothing would send them again
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

/** Queues a mail that says that mail arrives. @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP` */
export async function queueTestMail(core: Core, input: unknown): Promise<void> {
  assertMailSetUp(core);
  const { email } = validate(testMailSchema, input);
  await core.database.inTransaction((transaction) => queueMails(core, [{ kind: 'test', address: email }], transaction));
}
