import { Op, type Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import { auditedUser, changesBetween, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { unmatchableHash } from '../credentials/passwords.js';
import { endLinks } from '../mail/links.js';
import { assertMailSetUp, isMailSetUp, type NewMail, queueMails, withdrawMails } from '../mail/outbox.js';
import type { Invitation } from './store.js';

/** What is noted of somebody who is invited now. */
export const newInvitation = ({ now }: Pick<Core, 'now'>) =>
  ({ hasPassword: false, invitedAt: now(), inviteState: 'queued' }) as const satisfies Invitation;

/** The password fields of an account without a password: none matches, until a link sets one. */
export const withoutPassword = ({ config }: Pick<Core, 'config'>) => ({
  passwordHash: unmatchableHash(config.auth.bcryptCost),
  requiresPasswordChange: true,
  initialPasswordExpiresAt: null,
});

/** The mails of people who are invited; those who can't sign in get theirs when they are activated. */
export const invitationsOf = (
  users: readonly Pick<User, 'id' | 'isActive'>[],
  more: Pick<NewMail, 'importId' | 'data'> = {},
): NewMail[] =>
  users.flatMap(({ id, isActive }) => (isActive ? [{ kind: 'invitation' as const, userId: id, ...more }] : []));

/** What an invitation says. @param message of the super admin */
export const dataOf = (message: string | undefined): Pick<NewMail, 'data'> =>
  message === undefined ? {} : { data: { message } };

/** Why somebody isn't invited: who has chosen a password, or brings one along from another program, keeps it. */
export function whyNotInvited(user: User): AppError | undefined {
  const because = (why: string) => new AppError('INVITATION_NOT_NEEDED', `The person ${why}.`);
  if (user.inviteState === 'accepted') return because('has accepted an invitation already');
  if (user.lastLogin !== null) return because('has signed in already');
  // Only generated passwords expire, and those that were given out like them.
  const isOwn = user.hasPassword && user.initialPasswordExpiresAt === null;
  return isOwn ? because('has a password of their own') : undefined;
}

/**
 * Invites somebody to set a password, again too: an initial password and the links of earlier invitations work no longer.
 * Never a change of `updatedAt`: undoing an import would keep the account.
 * @param message of the super admin, in the mail
 * @throws AppError `MAIL_NOT_SET_UP`, `NOT_FOUND`, `INVITATION_NOT_NEEDED`
 */
export async function inviteUser(core: Core, actor: Actor, id: string, message?: string): Promise<User> {
  assertMailSetUp(core);
  return core.database.inTransaction(async (transaction) => {
    const user = await core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!user) throw notFound('User');
    const refusal = whyNotInvited(user);
    if (refusal) throw refusal;
    const before = auditedUser(user);
    await user.update({ ...withoutPassword(core), ...newInvitation(core) }, { transaction, silent: true });
    const changes = changesBetween(before, auditedUser(user));
    await recordAudit(
      core,
      actor,
      { action: 'user.invite', targetType: 'user', targetId: id, ...changes },
      transaction,
    );
    await endLinks(core, [id], transaction);
    await withdrawMails(core, { userId: id, kind: 'invitation' }, transaction);
    await queueMails(core, invitationsOf([user], dataOf(message)), transaction);
    return user;
  });
}

/** Ends invitations that nobody has accepted yet: the people have got passwords. Their links end with those. */
export async function endInvitations(core: Core, userIds: readonly string[], transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  const where = { id: [...userIds], inviteState: ['queued' as const, 'sent' as const, 'failed' as const] };
  const nothing = { invitedAt: null, inviteState: null };
  await core.database.models.User.update(nothing, { where, silent: true, transaction });
  await withdrawMails(core, { userId: [...userIds], kind: 'invitation' }, transaction);
}

/**
 * Queues the invitations of people who are activated and were invited before: unless theirs is still to leave.
 * @param importId the import that activates them
 */
export async function queueWaitingInvitations(
  core: Core,
  userIds: readonly string[],
  transaction: Transaction,
  importId?: string,
): Promise<void> {
  if (userIds.length === 0 || !isMailSetUp(core)) return;
  const { User, Mail } = core.database.models;
  const waiting = await User.findAll({
    attributes: ['id'],
    where: { id: [...userIds], inviteState: 'queued' },
    transaction,
  });
  if (waiting.length === 0) return;
  const open = await Mail.findAll({
    attributes: ['userId'],
    where: {
      userId: waiting.map(({ id }) => id),
      kind: 'invitation',
      state: { [Op.in]: ['queued', 'sending', 'deferred'] },
    },
    transaction,
  });
  const withMail = new Set(open.map(({ userId }) => userId));
  const missing = waiting.filter(({ id }) => !withMail.has(id)).map(({ id }) => ({ id, isActive: true }));
  await queueMails(core, invitationsOf(missing, importId === undefined ? {} : { importId }), transaction);
}

/** Notes on accounts why their last invitations haven't left, as far as it is known. */
export async function noteInviteErrors({ database }: Core, users: readonly User[]): Promise<void> {
  for (const user of users) user.inviteError = null;
  const waiting = users.filter(({ inviteState }) => inviteState === 'queued' || inviteState === 'failed');
  if (waiting.length === 0) return;
  const mails = await database.read(() =>
    database.models.Mail.findAll({
      attributes: ['userId', 'lastError'],
      where: { userId: waiting.map(({ id }) => id), kind: 'invitation' },
      order: [
        ['createdAt', 'ASC'],
        ['id', 'ASC'],
      ],
    }),
  );
  const errors = new Map(mails.map(({ userId, lastError }) => [userId, lastError]));
  for (const user of waiting) user.inviteError = errors.get(user.id) ?? null;
}
