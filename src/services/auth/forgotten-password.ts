import type { User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import { forgotPasswordSchema } from '../../schemas/auth.js';
import { isPossibleKey } from '../../schemas/fields.js';
import { normalizeEmail } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Client, Core } from '../core.js';
import { assertMailSetUp, queueMails } from '../mail/outbox.js';
import { assertUsesPassword } from '../password-login.js';
import { countForgottenPassword } from './throttle-locks.js';

/**
 * Queues a mail with a link to replace a forgotten password. The sender looks for the account later. The request does the same for every
 * identifier, so that neither the response nor its time reveals which accounts exist.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, `TOO_MANY_ATTEMPTS`
 */
export async function forgotPassword(core: Core, input: unknown, client: Client): Promise<void> {
  const { identifier } = validate(forgotPasswordSchema, input);
  assertMailSetUp(core);
  await countForgottenPassword(core, client);
  const key = normalizeEmail(identifier);
  // A key that no account can have is replaced by an empty key.
  const mail = { kind: 'reset', identifier: isPossibleKey(key) ? key : '' } as const;
  await core.database.inTransaction((transaction) => queueMails(core, [mail], transaction));
}

/**
 * Queues a mail with a link to set a new password. The old password stays valid until the link is used.
 * @throws AppError `MAIL_NOT_SET_UP`, `NOT_FOUND`, `ACCOUNT_INACTIVE`, `PASSWORD_LOGIN_OFF`
 */
export async function mailResetLink(core: Core, actor: Actor, id: string): Promise<User> {
  assertMailSetUp(core);
  return core.database.inTransaction(async (transaction) => {
    const user = await core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!user) throw notFound('User');
    if (!user.isActive) throw new AppError('ACCOUNT_INACTIVE');
    assertUsesPassword(core, user.role);
    const record = { action: 'user.mail-reset-link', targetType: 'user', targetId: id } as const;
    await recordAudit(core, actor, record, transaction);
    await queueMails(core, [{ kind: 'reset', userId: id, dedupeKey: `reset:${id}` }], transaction);
    return user;
  });
}
