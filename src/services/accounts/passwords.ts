import type { Transaction } from 'sequelize';
import type { Account, User } from '../../db/models/user.js';
import { AppError, validationError } from '../../errors.js';
import { networkOf } from '../../network.js';
import {
  changePasswordSchema,
  firstPasswordChangeSchema,
  linkSchema,
  passwordInputSchema,
  setPasswordSchema,
} from '../../schemas/auth.js';
import { type LinkPurpose, linkPurposes } from '../../schemas/mail.js';
import { validate } from '../../schemas/validate.js';
import { assertCurrentPassword } from '../auth/login.js';
import { assertPasswordAllowed } from '../auth/password-policy.js';
import { mustChangePassword } from '../auth/permissions.js';
import { lockCaller } from '../auth/sessions.js';
import { addKnownAddress } from '../auth/throttle.js';
import { findLinkCountingFailures, releaseLock } from '../auth/throttle-locks.js';
import { type Actor, actorOf, type Caller, type Client, type Core, queueOwnerOf } from '../core.js';
import {
  generatedPasswordCost,
  generatePassword,
  type HashRequest,
  repairCopiedPassword,
} from '../credentials/passwords.js';
import { consumeLink, type ValidLink } from '../mail/links.js';
import { assertUsesPassword } from '../password-login.js';
import { changeUser, saveUser } from './change-user.js';
import { findUserById } from './queries.js';

/** Returns a hash request for an actor. The hasher alternates between the requests of different owners. */
export const hashRequestOf = (actor: Actor): HashRequest => ({ owner: queueOwnerOf(actor) });

export function initialPasswordExpiry(core: Core): Date {
  return new Date(core.now().getTime() + core.config.auth.initialPasswordDays * 86_400_000);
}

/** Stores the new password of an account durably. Its errors roll the change back. */
export type SavePassword = (user: User, password: string) => Promise<void>;

/**
 * Sets a password that must be changed at the next login, and ends the account's sessions.
 * @param input absent for a generated password
 * @param savePassword called before the commit, and again if the transaction is repeated
 * @returns the account and its temporary password, which is shown nowhere else
 * @throws AppError `NOT_FOUND`, `VALIDATION`, `PASSWORD_LOGIN_OFF` for a generated password, and the errors of `savePassword`
 */
export async function resetPassword(
  core: Core,
  actor: Actor,
  id: string,
  input?: { password: string },
  savePassword?: SavePassword,
): Promise<{ user: User; temporaryPassword: string }> {
  const temporaryPassword = input ? validate(passwordInputSchema, input).password : generatePassword();
  if (!core.config.auth.passwordLogin && !input) assertUsesPassword(core, (await findUserById(core, id)).role);
  if (input) await assertPasswordAllowed(core.config, 'password', temporaryPassword, await findUserById(core, id));
  const passwordHash = await core.hasher.hash(
    temporaryPassword,
    input ? core.config.auth.bcryptCost : generatedPasswordCost,
    hashRequestOf(actor),
  );
  const user = await changeUser(core, id, { action: 'user.reset-password', actor }, async (account) => {
    await savePassword?.(account, temporaryPassword);
    account.set({
      passwordHash,
      hasPassword: true,
      requiresPasswordChange: true,
      initialPasswordExpiresAt: input ? null : initialPasswordExpiry(core),
    });
  });
  return { user, temporaryPassword };
}

/**
 * Replaces the caller's password (specification, section 4.9) and ends the account's other sessions.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `CURRENT_PASSWORD_INCORRECT`, `OVERLOADED`, `TOKEN_INVALID`
 */
export async function changePassword(core: Core, caller: Caller, input: unknown): Promise<void> {
  const { currentPassword, newPassword } = validate(changePasswordSchema, input);
  await assertPasswordAllowed(core.config, 'newPassword', newPassword, caller.user);
  await assertCurrentPassword(core, caller, currentPassword);
  if (caller.user.requiresPasswordChange && newPassword === currentPassword) throw initialPasswordReused();
  await replacePassword(core, caller, newPassword, 'CURRENT_PASSWORD_INCORRECT');
}

/**
 * Replaces an initial password (specification, section 4.10).
 * @throws AppError `VALIDATION` (also for the initial password itself), `PASSWORD_CHANGE_NOT_REQUIRED`, `OVERLOADED`,
 *   `TOKEN_INVALID`
 */
export async function changeFirstPassword(core: Core, caller: Caller, input: unknown): Promise<User> {
  const { newPassword } = validate(firstPasswordChangeSchema, input);
  await assertPasswordAllowed(core.config, 'newPassword', newPassword, caller.user);
  if (!mustChangePassword(caller)) throw new AppError('PASSWORD_CHANGE_NOT_REQUIRED');
  await assertNotInitialPassword(core, newPassword, caller.user, { owner: caller.user.id });
  return replacePassword(core, caller, newPassword, 'PASSWORD_CHANGE_NOT_REQUIRED');
}

const initialPasswordReused = () =>
  validationError([
    {
      path: 'newPassword',
      code: 'PASSWORD_UNCHANGED',
      message: 'New password must differ from the initial password.',
    },
  ]);

/** Refuses the initial password as the new one. @throws AppError `VALIDATION`, `OVERLOADED` */
async function assertNotInitialPassword(
  core: Core,
  newPassword: string,
  { requiresPasswordChange, passwordHash }: Pick<Account, 'requiresPasswordChange' | 'passwordHash'>,
  request: HashRequest,
): Promise<void> {
  const initial = repairCopiedPassword(newPassword) ?? newPassword;
  if (requiresPasswordChange && (await core.hasher.compare(initial, passwordHash, request)))
    throw initialPasswordReused();
}

const chosenPassword = (passwordHash: string) => ({
  passwordHash,
  hasPassword: true,
  requiresPasswordChange: false,
  initialPasswordExpiresAt: null,
});

/** @param codeIfChanged error code if another request has changed the password since the authentication */
async function replacePassword(
  core: Core,
  caller: Caller,
  newPassword: string,
  codeIfChanged: 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED',
): Promise<User> {
  const owner = { owner: caller.user.id };
  const passwordHash = await core.hasher.hash(newPassword, core.config.auth.bcryptCost, owner);
  return core.database.inTransaction(async (transaction) => {
    const user = await lockCaller(core, caller, transaction);
    if (user.passwordHash !== caller.user.passwordHash) throw new AppError(codeIfChanged);
    user.set(chosenPassword(passwordHash));
    const cause = { action: 'own.password', actor: actorOf(caller), keptSessionId: caller.sessionId } as const;
    await saveUser(core, user, cause, transaction);
    await addKnownAddress(core, user, caller.ip, transaction);
    return user;
  });
}

/** Data of a link for its page. */
interface ShownLink {
  purpose: LinkPurpose;
  /** Null for links that confirm an email: the address may belong to a stranger. */
  firstName: string | null;
  /** Address that the link was sent to. */
  email: string;
  expiresAt: Date;
}

/**
 * Returns the data of a link for its page, without using up the link.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `LINK_INVALID`
 */
export async function checkLink(core: Core, input: unknown, client: Client): Promise<ShownLink> {
  const { token } = validate(linkSchema, input);
  const { link, user } = await findLinkCountingFailures(core, token, linkPurposes, client);
  const { purpose, email, expiresAt } = link;
  return { purpose, firstName: purpose === 'email' ? null : user.firstName, email, expiresAt };
}

/**
 * Sets the password of a link's account. Ends the link, all sessions, the lock of the account, and other links, except links that
 * cancel a change of email.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `LINK_INVALID`, `OVERLOADED`, `INTERRUPTED`
 */
export async function setPassword(core: Core, input: unknown, client: Client, signal?: AbortSignal): Promise<void> {
  const { token, newPassword } = validate(setPasswordSchema, input);
  const found = await findLinkCountingFailures(core, token, ['invite', 'reset'], client);
  await assertPasswordAllowed(core.config, 'newPassword', newPassword, found.user);
  const request: HashRequest = { owner: client.ip === null ? '' : networkOf(client.ip), signal };
  await assertNotInitialPassword(core, newPassword, found.user, request);
  const passwordHash = await core.hasher.hash(newPassword, core.config.auth.bcryptCost, request);
  const set = (transaction: Transaction) => storePassword(core, found, passwordHash, client, transaction);
  // If the response to the commit was lost, a repeated attempt would find the link used. The hash shows whether the
  // commit succeeded.
  const { User } = core.database.models;
  const committed = async ({ id }: User) => (await User.findByPk(id))?.passwordHash === passwordHash;
  await core.database.inTransaction(set, { committed });
}

/** Stores the password and uses up the link. */
async function storePassword(
  core: Core,
  found: ValidLink,
  passwordHash: string,
  { ip }: Client,
  transaction: Transaction,
): Promise<User> {
  const user = await consumeLink(core, found, transaction);
  const isFirst = found.link.purpose === 'invite' || !user.hasPassword;
  const actor: Actor = { origin: 'http', actorId: user.id, role: user.role, ip };
  // The person has opened a mail to this address, which confirms the address.
  user.set({
    ...chosenPassword(passwordHash),
    emailConfirmedAt: core.now(),
    ...(isFirst && { inviteState: 'accepted' }),
  });
  await saveUser(core, user, { action: 'user.set-password', actor }, transaction);
  await releaseLock(core, user.id, transaction);
  // Otherwise strangers could lock the account again and keep its owner out.
  await addKnownAddress(core, user, ip, transaction);
  return user;
}
