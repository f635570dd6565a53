import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import type { Actor, Core } from '../core.js';
import { unmatchableHash } from '../credentials/passwords.js';
import { assertMailSetUp } from '../mail/outbox.js';
import { lockUser, saveUser } from './change-user.js';
import type { Invitation } from './rows.js';

export const newInvitationFields = ({ now }: Pick<Core, 'now'>) =>
  ({ hasPassword: false, invitedAt: now(), inviteState: 'queued' }) as const satisfies Invitation;

/** Fields of an account without a password: no password matches until a link sets one. */
export const noPasswordFields = ({ config }: Pick<Core, 'config'>) => ({
  passwordHash: unmatchableHash(config.auth.bcryptCost),
  requiresPasswordChange: true,
  initialPasswordExpiresAt: null,
});

/** Fields of an account without a password and without an invitation: only the organisation's sign-in lets its person in. */
export const withoutPassword = (core: Pick<Core, 'config'>) => ({
  ...noPasswordFields(core),
  hasPassword: false,
  invitedAt: null,
  inviteState: null,
});

/**
 * Returns the error if a person must not be invited; otherwise undefined. An invitation would replace a password that
 * the person chose or brought from another program.
 */
export function invitationRefusal(user: User): AppError | undefined {
  const because = (why: string) => new AppError('INVITATION_NOT_NEEDED', `The person ${why}.`);
  if (user.inviteState === 'accepted') return because('has accepted an invitation already');
  if (user.lastLogin !== null) return because('has signed in already');
  // Only generated and handed-out passwords expire.
  const hasChosenPassword = user.hasPassword && user.initialPasswordExpiresAt === null;
  return hasChosenPassword ? because('has a password of their own') : undefined;
}

/**
 * Invites a person to set a password. A person can be invited repeatedly. The initial password and links of earlier
 * invitations become invalid. Leaves `updatedAt` unchanged: otherwise undoing an import would keep the account.
 * @param message text of the super admin in the mail
 * @throws AppError `MAIL_NOT_SET_UP`, `NOT_FOUND`, `INVITATION_NOT_NEEDED`
 */
export async function inviteUser(core: Core, actor: Actor, id: string, message?: string): Promise<User> {
  assertMailSetUp(core);
  return core.database.inTransaction(async (transaction) => {
    const user = await lockUser(core, id, transaction);
    const refusal = invitationRefusal(user);
    if (refusal) throw refusal;
    user.set({ ...withoutPassword(core), ...newInvitationFields(core) });
    await saveUser(core, user, { action: 'user.invite', actor, message }, transaction, { silent: true });
    return user;
  });
}

/** Sets `inviteError` of accounts: the reason why the last invitation wasn't sent, if known. */
export async function addInviteErrors({ database }: Core, users: readonly User[]): Promise<void> {
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
