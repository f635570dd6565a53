import { Op, type Transaction } from 'sequelize';
import type { User } from '../db/models/user.js';
import { AppError, validationError } from '../errors.js';
import { changePasswordSchema, firstPasswordChangeSchema, loginSchema } from '../schemas/auth.js';
import { isPossibleKey, normalizeEmail, phoneKey, type Role } from '../schemas/fields.js';
import { profileSchema } from '../schemas/user.js';
import { validate } from '../schemas/validate.js';
import { guarded, takenKeys, userSearchKey } from './accounts.js';
import type { Caller, Client, Core } from './core.js';
import { endSessions, startSession } from './sessions.js';

/** The active account that an identifier means; an email address goes before a phone number of the same text. */
async function findByIdentifier(core: Core, identifier: string, role: Role | undefined): Promise<User | undefined> {
  if (!isPossibleKey(identifier)) return undefined;
  const email = normalizeEmail(identifier);
  const matches = await core.database.read(() =>
    core.database.models.User.findAll({
      where: {
        [Op.or]: [{ email }, { phoneKey: phoneKey(identifier) }],
        isActive: true,
        ...(role !== undefined && { role }),
      },
    }),
  );
  return matches.find((user) => user.email === email) ?? matches[0];
}

/** A hash that no password has, per cost: logins that match nobody spend the same time as those that do. */
const unmatchableHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;

/**
 * Signs in by email or phone (specification, sections 4.4 and 4.5).
 * @param role who may sign in here; everybody when absent
 * @throws AppError `VALIDATION`, `NO_MATCHING_ACCOUNT`, `WRONG_PASSWORD`, `OVERLOADED`
 */
export async function login(
  core: Core,
  input: unknown,
  client: Client,
  role?: Role,
): Promise<{ user: User; token: string }> {
  const { identifier, password } = validate(loginSchema, input);
  const user = await findByIdentifier(core, identifier, role);
  const matches = await core.hasher.compare(
    password,
    user?.passwordHash ?? unmatchableHash(core.config.auth.bcryptCost),
  );
  if (!user) throw new AppError('NO_MATCHING_ACCOUNT');
  const now = core.now();
  const expired = user.initialPasswordExpiresAt !== null && user.initialPasswordExpiresAt <= now;
  if (!matches || expired) throw new AppError('WRONG_PASSWORD');
  return core.database.inTransaction(async (transaction) => {
    // The account may have changed while the password was compared.
    const current = await lockedUser(core, user.id, transaction);
    if (!current?.isActive) throw new AppError('NO_MATCHING_ACCOUNT');
    if (current.passwordHash !== user.passwordHash) throw new AppError('WRONG_PASSWORD');
    await current.update({ lastLogin: now }, { transaction });
    return { user: current, token: await startSession(core, current, client, transaction) };
  });
}

function lockedUser(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  return core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
}

/**
 * Changes names and phone of the caller (specification, section 4.8); absent and empty fields stay as they are.
 * @throws AppError `VALIDATION`, `PHONE_TAKEN`
 */
export async function updateProfile(core: Core, caller: Caller, input: unknown): Promise<User> {
  const changes = validate(profileSchema, input);
  const { phone } = changes;
  const refusal = async () => {
    if (phone === undefined) return undefined;
    return (await takenKeys(core.database, { phone }, caller.user.id)).phone ? 'PHONE_TAKEN' : undefined;
  };
  return guarded(refusal, () =>
    core.database.inTransaction(async (transaction) => {
      const user = await lockedUser(core, caller.user.id, transaction);
      if (!user) throw new AppError('TOKEN_INVALID');
      user.set({ ...changes, ...(phone !== undefined && { phoneKey: phoneKey(phone) }) });
      user.searchKey = userSearchKey(user);
      return user.save({ transaction });
    }),
  );
}

/**
 * Replaces the caller's password (specification, section 4.9) and ends the account's other sessions.
 * @throws AppError `VALIDATION`, `CURRENT_PASSWORD_INCORRECT`, `OVERLOADED`
 */
export async function changePassword(core: Core, caller: Caller, input: unknown): Promise<void> {
  const { currentPassword, newPassword } = validate(changePasswordSchema, input);
  if (!(await core.hasher.compare(currentPassword, caller.user.passwordHash)))
    throw new AppError('CURRENT_PASSWORD_INCORRECT');
  if (caller.user.requiresPasswordChange && newPassword === currentPassword) throw initialPasswordReused();
  await replacePassword(core, caller, newPassword, 'CURRENT_PASSWORD_INCORRECT');
}

/**
 * Replaces an initial password (specification, section 4.10).
 * @throws AppError `VALIDATION` (also for the initial password itself), `PASSWORD_CHANGE_NOT_REQUIRED`, `OVERLOADED`
 */
export async function changeFirstPassword(core: Core, caller: Caller, input: unknown): Promise<User> {
  const { newPassword } = validate(firstPasswordChangeSchema, input);
  if (!caller.user.requiresPasswordChange) throw new AppError('PASSWORD_CHANGE_NOT_REQUIRED');
  if (await core.hasher.compare(newPassword, caller.user.passwordHash)) throw initialPasswordReused();
  return replacePassword(core, caller, newPassword, 'PASSWORD_CHANGE_NOT_REQUIRED');
}

const initialPasswordReused = () =>
  validationError([{ path: 'newPassword', message: 'New password must differ from the initial password.' }]);

/** @param lostRace what it means that the password has been changed meanwhile, by another request */
async function replacePassword(
  core: Core,
  caller: Caller,
  newPassword: string,
  lostRace: 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED',
): Promise<User> {
  const passwordHash = await core.hasher.hash(newPassword, core.config.auth.bcryptCost);
  return core.database.inTransaction(async (transaction) => {
    const user = await lockedUser(core, caller.user.id, transaction);
    if (!user?.isActive) throw new AppError('TOKEN_INVALID');
    if (user.passwordHash !== caller.user.passwordHash) throw new AppError(lostRace);
    await user.update({ passwordHash, requiresPasswordChange: false, initialPasswordExpiresAt: null }, { transaction });
    await endSessions(core, user.id, transaction, caller.sessionId);
    return user;
  });
}
