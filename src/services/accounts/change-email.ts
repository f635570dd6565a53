import { Op, type Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError, validationError } from '../../errors.js';
import { emailChangeSchema, linkSchema } from '../../schemas/auth.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit/audit.js';
import { assertCurrentPassword } from '../auth/login.js';
import { lockCaller } from '../auth/sessions.js';
import { findLinkCountingFailures } from '../auth/throttle-locks.js';
import { type Actor, actorOf, type Caller, type Client, type Core } from '../core.js';
import { unmatchableHash } from '../credentials/passwords.js';
import { consumeLink } from '../mail/links.js';
import { assertMailSetUp, queueMails } from '../mail/outbox.js';
import { applyEffects } from './apply-effects.js';
import { saveUser } from './change-user.js';
import type { Cause } from './effects.js';
import { changeUnlessRefused, takenKeys, unconfirmedEmailFields, userKeys } from './keys.js';

const dayMs = 24 * 60 * 60_000;
/** Changes of email that a person may request in a day: each may send a mail to a stranger. */
const changesPerDay = 5;

const emailUnchanged = () =>
  validationError([
    { path: 'email', code: 'EMAIL_UNCHANGED', message: 'The account has this email already. Give another one.' },
  ]);

/**
 * Queues mails to the new and the current address. If another account has the new address, the sender removes the mail
 * to that address.
 */
async function queueEmailChange(core: Core, user: User, newEmail: string, cause: Cause, transaction: Transaction) {
  const { id, email } = user;
  await applyEffects(core, [{ before: user, after: user, cause }], transaction);
  const confirmation = { kind: 'email-confirm', userId: id, address: newEmail } as const;
  const notice = { kind: 'email-notice', userId: id, address: email, data: { newEmail } } as const;
  await queueMails(core, [confirmation, notice], transaction);
}

/** @param user locked by the transaction @throws AppError `TOO_MANY_ATTEMPTS` */
async function assertFewEmailChanges(core: Core, { id }: User, transaction: Transaction): Promise<void> {
  const { Mail } = core.database.models;
  const now = (await core.databaseNow(transaction)).getTime();
  const where = { userId: id, kind: 'email-notice', createdAt: { [Op.gt]: new Date(now - dayMs) } };
  const order: [string, string][] = [['createdAt', 'DESC']];
  const oldest = (await Mail.findAll({ where, order, limit: changesPerDay, transaction }))[changesPerDay - 1];
  if (!oldest) return;
  const retryAfter = Math.max(1, Math.ceil((oldest.createdAt.getTime() + dayMs - now) / 1000));
  throw new AppError('TOO_MANY_ATTEMPTS', 'Too many changes of the email today. Try again tomorrow.', { retryAfter });
}

/**
 * Mails a confirmation link to the new address and a notice to the current one. Behaves the same if another account has the new
 * address, so that nobody can find out which addresses exist.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, `TOO_MANY_ATTEMPTS`, `CURRENT_PASSWORD_INCORRECT`, `OVERLOADED`,
 *   `TOKEN_INVALID`
 */
export async function requestEmailChange(core: Core, caller: Caller, input: unknown): Promise<void> {
  const { email, currentPassword } = validate(emailChangeSchema, input);
  assertMailSetUp(core);
  if (email === caller.user.email) throw emailUnchanged();
  await assertCurrentPassword(core, caller, currentPassword);
  await core.database.inTransaction(async (transaction) => {
    const user = await lockCaller(core, caller, transaction);
    if (user.passwordHash !== caller.user.passwordHash) throw new AppError('CURRENT_PASSWORD_INCORRECT');
    await assertFewEmailChanges(core, user, transaction);
    const cause = { action: 'own.email', actor: actorOf(caller) } as const;
    await queueEmailChange(core, user, email, cause, transaction);
  });
}

/**
 * Sends the link of {@link requestEmailChange} on behalf of a super admin.
 * @param user locked by the transaction
 * @throws AppError `VALIDATION`, `ACCOUNT_INACTIVE`
 */
export async function verifyEmail(
  core: Core,
  actor: Actor,
  user: User,
  email: string,
  transaction: Transaction,
): Promise<void> {
  if (email === user.email) throw emailUnchanged();
  if (!user.isActive) throw new AppError('ACCOUNT_INACTIVE');
  const record = { action: 'user.verify-email', targetType: 'user', targetId: user.id } as const;
  await queueEmailChange(core, user, email, { action: record.action, actor }, transaction);
  await recordAudit(core, actor, { ...record, after: { email } }, transaction);
}

const actorOfLink = ({ id, role }: User, { ip }: Client): Actor => ({ origin: 'http', actorId: id, role, ip });

/** A click on a link proves the email, but not that its owner has chosen the password. */
function setEmailOfLink(user: User, email: string): void {
  user.set({ email, ...unconfirmedEmailFields });
  user.set(userKeys(user));
}

/**
 * Sets the email that the link confirms, and ends the sessions of the account.
 * @returns the new email
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `LINK_INVALID`, `EMAIL_TAKEN`
 */
export async function confirmEmail(core: Core, input: unknown, client: Client): Promise<string> {
  const { token } = validate(linkSchema, input);
  const found = await findLinkCountingFailures(core, token, ['email'], client);
  const { email, userId } = found.link;
  const refusal = async () => ((await takenKeys(core.database, { email }, userId)).email ? 'EMAIL_TAKEN' : undefined);
  const confirm = async (transaction: Transaction) => {
    const user = await consumeLink(core, found, transaction);
    setEmailOfLink(user, email);
    await saveUser(core, user, { action: 'user.confirm-email', actor: actorOfLink(user, client) }, transaction);
  };
  // If the response to the commit was lost, a repeated attempt would find the link used. The email shows whether the
  // commit succeeded.
  const committed = async () => (await core.database.models.User.findByPk(userId))?.email === email;
  await changeUnlessRefused(refusal, () => core.database.inTransaction(confirm, { committed }));
  return email;
}

/**
 * Cancels a change of email that the owner didn't request. The requester knows the password, so the password is removed and a link
 * to set a new one is mailed. Restores the address that the cancel link was sent to. Ends sessions and other links, except links
 * that cancel earlier changes.
 * @returns whether the address was restored; false if another account has it by now, and then no link is mailed
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `LINK_INVALID`
 */
export async function cancelEmail(core: Core, input: unknown, client: Client): Promise<boolean> {
  const { token } = validate(linkSchema, input);
  const found = await findLinkCountingFailures(core, token, ['email-cancel'], client);
  const { email, userId } = found.link;
  const { User } = core.database.models;
  const cancel = async (transaction: Transaction) => {
    const user = await consumeLink(core, found, transaction);
    const isTaken = (await User.count({ where: { email, id: { [Op.ne]: userId } }, transaction })) > 0;
    if (!isTaken) setEmailOfLink(user, email);
    const passwordHash = unmatchableHash(core.config.auth.bcryptCost);
    user.set({ passwordHash, hasPassword: false, initialPasswordExpiresAt: null });
    const cause = { action: 'user.cancel-email', actor: actorOfLink(user, client), cancelLink: found.link } as const;
    await saveUser(core, user, cause, transaction);
    if (!isTaken) await queueMails(core, [{ kind: 'reset', userId }], transaction);
    return !isTaken;
  };
  const committed = async () => (await User.findByPk(userId))?.hasPassword === false;
  try {
    return await core.database.inTransaction(cancel, { committed });
  } catch (error) {
    // Another account has just taken the address. The second run sees that.
    if (!isAppError(error, 'EMAIL_TAKEN')) throw error;
    return core.database.inTransaction(cancel, { committed });
  }
}
