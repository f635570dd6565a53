import type { Transaction } from 'sequelize';
import { confirmedById } from '../../db/connection.js';
import type { User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import { passwordInputSchema } from '../../schemas/auth.js';
import { openStatuses } from '../../schemas/enrollment-statuses.js';
import {
  activationSchema,
  newPersonSchema,
  type RegisterInput,
  registerSchema,
  type UserUpdate,
  userUpdateSchema,
} from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { auditedUser, recordAudit } from '../audit/audit.js';
import { assertPasswordAllowed } from '../auth/password-policy.js';
import { releaseLock } from '../auth/throttle-locks.js';
import { type Actor, type Core, queueOwnerOf } from '../core.js';
import { generatedPasswordCost, generatePassword } from '../credentials/passwords.js';
import { markForDeletion, removeMarked } from '../files/files.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { assertMailSetUp, queueMails, removeMailsOf } from '../mail/outbox.js';
import { lockPhoneKeys, storedPhoneKeys } from '../phone-country.js';
import { announceEmail, ofNewEmail, verifyEmail } from './change-email.js';
import { changeLockedUser, changeUser, lockUser } from './change-user.js';
import {
  dataOf,
  endInvitations,
  invitationsOf,
  newInvitation,
  queueWaitingInvitations,
  withoutPassword,
} from './invite.js';
import { findUserById } from './queries.js';
import {
  countSuperAdmins,
  guarded,
  type Invitation,
  initialPasswordExpiry,
  insertAccount,
  type NewAccount,
  takenKeys,
  userKeys,
} from './store.js';
import { removeWords } from './words.js';

/** Hashes are computed round robin for those who ask for them. */
const hashRequestOf = (actor: Actor) => ({ owner: queueOwnerOf(actor) });

/**
 * Creates an account (specification, section 4.6).
 * @throws AppError `VALIDATION`, `EMAIL_TAKEN`, `SUPER_ADMIN_EXISTS`, `PHONE_TAKEN`, in this order
 */
export async function registerUser(core: Core, actor: Actor, input: unknown): Promise<User> {
  const { password, ...fields } = validate(registerSchema, input);
  await assertPasswordAllowed(core.config, 'password', password, fields);
  return createAccount(core, actor, fields, {
    hash: () => core.hasher.hash(password, core.config.auth.bcryptCost, hashRequestOf(actor)),
    initialPasswordExpiresAt: fields.requiresPasswordChange ? initialPasswordExpiry(core) : null,
  });
}

/**
 * Creates an account with a generated password, which must be changed at the first login.
 * @param input as of {@link registerUser}, without a password
 * @param keep stores the password where it isn't lost: called before the commit, again when the transaction is repeated
 * @returns the account and its initial password, which is shown nowhere else
 * @throws as {@link registerUser}, and what `keep` throws
 */
export async function registerWithGeneratedPassword(
  core: Core,
  actor: Actor,
  input: object,
  keep: (user: User, password: string) => Promise<void> = async () => undefined,
): Promise<{ user: User; initialPassword: string }> {
  const initialPassword = generatePassword();
  const generated = { password: initialPassword, requiresPasswordChange: true };
  const { password, ...fields } = validate(registerSchema, { ...input, ...generated });
  const credentials = {
    hash: () => core.hasher.hash(password, generatedPasswordCost, hashRequestOf(actor)),
    initialPasswordExpiresAt: initialPasswordExpiry(core),
  };
  const user = await createAccount(core, actor, fields, credentials, (created) => keep(created, initialPassword));
  return { user, initialPassword };
}

/** Who is created without a given password, and the generated one, which is shown nowhere else. */
interface NewPerson {
  user: User;
  initialPassword?: string;
}

/**
 * Creates an account whose person is invited to set a password, or gets a generated one.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, `EMAIL_TAKEN`, `PHONE_TAKEN`
 */
export async function createPerson(core: Core, actor: Actor, input: unknown): Promise<NewPerson> {
  const { credentials, message, phone = '', ...person } = validate(newPersonSchema, input);
  const fields = { ...person, phone, isActive: true, requiresPasswordChange: true };
  if (credentials === 'invite') {
    assertMailSetUp(core);
    const { passwordHash, ...secret } = withoutPassword(core);
    const none = { ...secret, ...newInvitation(core), hash: () => Promise.resolve(passwordHash) };
    const user = await createAccount(core, actor, fields, none, (created, transaction) =>
      queueMails(core, invitationsOf([created], dataOf(message)), transaction),
    );
    return { user };
  }
  const initialPassword = generatePassword();
  const user = await createAccount(core, actor, fields, {
    hash: () => core.hasher.hash(initialPassword, generatedPasswordCost, hashRequestOf(actor)),
    initialPasswordExpiresAt: initialPasswordExpiry(core),
  });
  return { user, initialPassword };
}

/** How the password of a new account is stored; it is hashed when nothing else refuses the account. */
interface NewCredentials extends Pick<NewAccount, 'initialPasswordExpiresAt' | keyof Invitation> {
  hash: () => Promise<string>;
}

async function createAccount(
  core: Core,
  actor: Actor,
  fields: Omit<RegisterInput, 'password'>,
  { hash, ...credentials }: NewCredentials,
  beforeCommit: (user: User, transaction: Transaction) => Promise<void> = async () => undefined,
): Promise<User> {
  const { email, phone } = fields;
  const keys = phone === '' ? { email } : { email, phone };
  const refusal = async () => {
    const taken = await takenKeys(core.database, keys);
    if (taken.email) return 'EMAIL_TAKEN';
    if (fields.role === 'super_admin' && (await countSuperAdmins(core.database)) > 0) return 'SUPER_ADMIN_EXISTS';
    return taken.phone ? 'PHONE_TAKEN' : undefined;
  };
  return guarded(refusal, async () => {
    // The super admin is always active, as in setup (specification, section 4.3).
    const account = {
      ...fields,
      ...credentials,
      isActive: fields.isActive || fields.role === 'super_admin',
      passwordHash: await hash(),
    };
    return core.database.inTransaction(async (transaction) => {
      const user = await insertAccount(core, account, transaction);
      await recordAudit(
        core,
        actor,
        { action: 'user.register', targetType: 'user', targetId: user.id, after: auditedUser(user) },
        transaction,
      );
      await beforeCommit(user, transaction);
      return user;
    }, confirmedById(core.database.models.User));
  });
}

/**
 * Activates or deactivates an account; deactivation ends its sessions.
 * @throws AppError `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`
 */
export async function setUserActive(core: Core, actor: Actor, id: string, isActive: boolean): Promise<User> {
  const action = isActive ? 'user.activate' : 'user.deactivate';
  const apply = async (user: User, transaction: Transaction) => {
    if (!isActive && user.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
    if (isActive && !user.isActive) await queueWaitingInvitations(core, [id], transaction);
    user.isActive = isActive;
  };
  return changeUser(core, actor, id, { action, apply });
}

/** Stores the new password of an account where it isn't lost. What it throws rolls the change back. */
export type KeepPassword = (user: User, password: string) => Promise<void>;

/**
 * Sets a password that must be changed at the next login, and ends the account's sessions.
 * @param input `{ password }`, or nothing for a generated one
 * @param keep called before the commit, again when the transaction is repeated
 * @returns the account and its temporary password, which is shown nowhere else
 * @throws AppError `NOT_FOUND`, `VALIDATION`, and what `keep` throws
 */
export async function resetPassword(
  core: Core,
  actor: Actor,
  id: string,
  input?: { password: string },
  keep?: KeepPassword,
): Promise<{ user: User; temporaryPassword: string }> {
  const temporaryPassword = input ? validate(passwordInputSchema, input).password : generatePassword();
  if (input) await assertPasswordAllowed(core.config, 'password', temporaryPassword, await findUserById(core, id));
  const passwordHash = await core.hasher.hash(
    temporaryPassword,
    input ? core.config.auth.bcryptCost : generatedPasswordCost,
    hashRequestOf(actor),
  );
  const apply = async (account: User, transaction: Transaction) => {
    await keep?.(account, temporaryPassword);
    account.passwordHash = passwordHash;
    account.hasPassword = true;
    account.requiresPasswordChange = true;
    account.initialPasswordExpiresAt = input ? null : initialPasswordExpiry(core);
    await endInvitations(core, [id], transaction);
  };
  const user = await changeUser(core, actor, id, { action: 'user.reset-password', apply });
  return { user, temporaryPassword };
}

/** The refusal to delete or demote a trainer with courses. */
export const trainerInUse = () =>
  new AppError('ACCOUNT_IN_USE', 'Trainer still has courses. Assign them to another trainer first.');

/** Sequelize's types take no `undefined`. */
const within = (transaction: Transaction | undefined) => (transaction ? { transaction } : {});

/** Checks for courses regardless of the account's current role. @throws AppError `ACCOUNT_IN_USE` */
async function assertWithoutCourses(core: Core, { id }: User, transaction?: Transaction): Promise<void> {
  const where = { trainerId: id };
  if ((await core.database.models.Course.count({ where, ...within(transaction) })) > 0) throw trainerInUse();
}

/** A trainer with courses and a trainee with open enrollments keep their role. @throws AppError `ACCOUNT_IN_USE` */
export async function assertRoleUnused(core: Core, user: User, transaction?: Transaction): Promise<void> {
  const { id, role } = user;
  const { Enrollment } = core.database.models;
  if (role === 'trainer') await assertWithoutCourses(core, user, transaction);
  const where = { userId: id, status: openStatuses };
  if (role === 'trainee' && (await Enrollment.count({ where, ...within(transaction) })) > 0)
    throw new AppError('ACCOUNT_IN_USE', 'Trainee still has enrollments. Remove or complete them first.');
}

async function assertRoleChange(core: Core, user: User, role: UserUpdate['role'], transaction: Transaction) {
  if (role === undefined || role === user.role) return;
  if (user.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
  if (role === 'super_admin') throw new AppError('SUPER_ADMIN_EXISTS');
  await assertRoleUnused(core, user, transaction);
}

/**
 * Changes the fields of an account; absent fields stay as they are. A new email or role ends its sessions. With `verify`, the email
 * stays until it is confirmed by the link that is sent to the new one.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `EMAIL_TAKEN`, `PHONE_TAKEN`, `SUPER_ADMIN_PROTECTED`, `SUPER_ADMIN_EXISTS`,
 *   `ACCOUNT_IN_USE`, and with `verify` `MAIL_NOT_SET_UP` and `ACCOUNT_INACTIVE`
 */
export async function updateUser(core: Core, actor: Actor, id: string, input: unknown): Promise<User> {
  const { role, verify = false, ...given } = validate(userUpdateSchema, input);
  if (verify) assertMailSetUp(core);
  await findUserById(core, id);
  const { email, phone } = given;
  const { email: verified, ...unverified } = given;
  const fields = verify ? unverified : given;
  const refusal = async () => {
    if (email === undefined && phone === undefined) return undefined;
    const keys = { ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) };
    const taken = await takenKeys(core.database, keys, id);
    return taken.email ? 'EMAIL_TAKEN' : taken.phone ? 'PHONE_TAKEN' : undefined;
  };
  const apply = async (user: User, transaction: Transaction) => {
    await assertRoleChange(core, user, role, transaction);
    user.set({ ...fields, ...(role !== undefined && { role }) });
    if (phone !== undefined) user.set(storedPhoneKeys(phone, await lockPhoneKeys(core, transaction)));
    user.set(userKeys(user));
    if (user.changed('email')) user.set(ofNewEmail);
  };
  return guarded(refusal, () =>
    core.database.inTransaction(async (transaction) => {
      const user = await lockUser(core, id, transaction);
      const address = user.email;
      await changeLockedUser(core, actor, user, { action: 'user.update', apply }, transaction);
      if (verify && verified !== undefined) await verifyEmail(core, actor, user, verified, transaction);
      else if (user.email !== address) await announceEmail(core, actor, user, address, transaction);
      return user;
    }),
  );
}

/** Unlocks an account after too many wrong passwords. @throws AppError `NOT_FOUND` */
export async function unlockUser(core: Core, actor: Actor, id: string): Promise<Date | null> {
  return core.database.inTransaction(async (transaction) => {
    // A deleted account gets no more audit entries.
    if ((await forceIncrementUserVersions(core, [id], transaction)).length === 0) throw notFound('User');
    const lockedUntil = await releaseLock(core, id, transaction);
    // Of an account that wasn't locked, nothing has happened.
    if (lockedUntil !== null)
      await recordAudit(core, actor, { action: 'user.unlock', targetType: 'user', targetId: id }, transaction);
    return lockedUntil;
  });
}

/** {@link setUserActive} with the input of the API. @throws AppError `VALIDATION` and as there */
export async function changeActivation(core: Core, actor: Actor, id: string, input: unknown): Promise<User> {
  return setUserActive(core, actor, id, validate(activationSchema, input).isActive);
}

/**
 * Deletes an account with its enrollments and its image.
 * @throws AppError `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`, `ACCOUNT_IN_USE` when it still has courses
 */
export async function deleteUser(core: Core, actor: Actor, id: string): Promise<User> {
  const { User, Enrollment } = core.database.models;
  const user = await core.database.inTransaction(async (transaction) => {
    const locked = await User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!locked) throw notFound('User');
    if (locked.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
    await assertWithoutCourses(core, locked, transaction);
    const enrollments = await Enrollment.count({ where: { userId: id }, transaction });
    await markForDeletion(core, { userId: id }, transaction);
    await removeWords(core, [locked], transaction);
    await removeMailsOf(core, [id], transaction);
    await locked.destroy({ transaction });
    const record = { action: 'user.delete', targetType: 'user', targetId: id } as const;
    await recordAudit(core, actor, { ...record, before: { ...auditedUser(locked), enrollments } }, transaction);
    return locked;
  });
  await removeMarked(core, { userId: id });
  return user;
}
