import { Op, type Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError, validationError } from '../../errors.js';
import { changePasswordSchema, firstPasswordChangeSchema, loginSchema } from '../../schemas/auth.js';
import { isPossibleKey, type Role } from '../../schemas/fields.js';
import { normalizeEmail, phoneKey } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import type { Caller, Client, Core } from '../core.js';
import { assertPasswordAllowed } from './password-policy.js';
import { endSessions, isStarted, lockCaller, type StartedSession, startSession } from './sessions.js';
import { type Attempt, beginAttempt } from './throttle.js';
import type { Target } from './throttle-rules.js';

/** The account of an identifier. An identifier that is an account's email is never taken as a phone number. */
interface Named {
  /** The account, if it may sign in. */
  user: User | undefined;
  /** The subject that counts failures. */
  target: Target;
}

async function findByIdentifier(core: Core, identifier: string, role: Role | undefined): Promise<Named> {
  const email = normalizeEmail(identifier);
  // Spellings of the same key count together, as they do for an account: else counting would reveal which exist.
  const unknown = { user: undefined, target: { identifier: email.includes('@') ? email : phoneKey(identifier) } };
  if (!isPossibleKey(identifier)) return unknown;
  const matches = await core.database.read(() =>
    core.database.models.User.findAll({ where: { [Op.or]: [{ email }, { phoneKey: phoneKey(identifier) }] } }),
  );
  // The email wins even if its account can't sign in: users set their own phones, which may be another account's email.
  const account = matches.find((user) => user.email === email) ?? matches[0];
  if (!account) return unknown;
  const isAllowed = account.isActive && (role === undefined || account.role === role);
  return { user: isAllowed ? account : undefined, target: { accountId: account.id } };
}

/** A hash that no password matches: logins without an account take the same time as others. */
const unmatchableHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;

/** The cost in a bcrypt hash. */
const costOf = (hash: string) => Number(hash.slice(4, 6));

/** Compares the password. Takes the same time without an account, and for a hash of a lower cost. */
async function passwordMatches(core: Core, password: string, user: User | undefined): Promise<boolean> {
  const { bcryptCost } = core.config.auth;
  const matches = await core.hasher.compare(password, user?.passwordHash ?? unmatchableHash(bcryptCost));
  if (!matches && user && costOf(user.passwordHash) < bcryptCost)
    await core.hasher.compare(password, unmatchableHash(bcryptCost));
  return matches;
}

/**
 * A new hash, if the stored one has a lower cost than configured. Generated passwords keep theirs: they can't be guessed
 * and must be replaced first.
 */
async function rehashed(core: Core, password: string, user: User): Promise<string | undefined> {
  const { bcryptCost } = core.config.auth;
  if (costOf(user.passwordHash) >= bcryptCost || user.initialPasswordExpiresAt !== null) return undefined;
  return core.hasher.hash(password, bcryptCost);
}

/** The account that has signed in, with its new session. */
interface SignedIn extends StartedSession {
  user: User;
}

/**
 * Signs in by email or phone (specification, sections 4.4 and 4.5).
 * @param role the only role that may sign in here; all roles when absent
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `NO_MATCHING_ACCOUNT`, `WRONG_PASSWORD`, `OVERLOADED`
 */
export async function login(core: Core, input: unknown, client: Client, role?: Role): Promise<SignedIn> {
  const { identifier, password } = validate(loginSchema, input);
  const { user, target } = await findByIdentifier(core, identifier, role);
  return guessing(core, target, client.ip, async (attempt) => {
    for (let compared = user; ; ) {
      const found = await assertPasswordRight(core, password, compared);
      const current = await startSessionOf(core, attempt, found, client, role);
      if ('token' in current) return current;
      compared = current;
    }
  });
}

interface Found {
  user: User;
  /** Replaces the stored hash. */
  passwordHash: string | undefined;
}

/** @throws AppError `NO_MATCHING_ACCOUNT`, `WRONG_PASSWORD`, `OVERLOADED` */
async function assertPasswordRight(core: Core, password: string, user: User | undefined): Promise<Found> {
  const matches = await passwordMatches(core, password, user);
  if (!user) throw new AppError('NO_MATCHING_ACCOUNT');
  const expired = user.initialPasswordExpiresAt !== null && user.initialPasswordExpiresAt <= core.now();
  if (!matches || expired) throw new AppError('WRONG_PASSWORD');
  return { user, passwordHash: await rehashed(core, password, user) };
}

/**
 * Starts a session for an account whose password matched the hash that was read; the attempt ends with it.
 * @returns the current account when its hash has changed since: the password was changed, or another login has rehashed it
 * @throws AppError `NO_MATCHING_ACCOUNT`
 */
function startSessionOf(
  core: Core,
  attempt: Attempt,
  { user, passwordHash }: Found,
  client: Client,
  role: Role | undefined,
): Promise<SignedIn | User> {
  const start = async (transaction: Transaction, succeed: () => Promise<void>): Promise<User | SignedIn> => {
    const current = await lockedUser(core, user.id, transaction);
    if (!current?.isActive || (role !== undefined && current.role !== role)) throw new AppError('NO_MATCHING_ACCOUNT');
    if (current.passwordHash !== user.passwordHash) return current;
    const changes = { lastLogin: core.now(), ...(passwordHash !== undefined && { passwordHash }) };
    await current.update(changes, { transaction });
    const session = await startSession(core, current, client, transaction);
    await succeed();
    return { user: current, ...session };
  };
  // When the commit succeeded and only its answer was lost, the token is valid.
  const committed = async (result: User | SignedIn) => 'token' in result && isStarted(core, result.token);
  return attempt.inTransaction(start, { committed });
}

const wrongGuesses = ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'CURRENT_PASSWORD_INCORRECT'] as const;

/**
 * Runs work that reveals whether a password is right, as often as the throttle permits.
 * @param work records itself that the attempt has succeeded
 */
async function guessing<T>(
  core: Core,
  target: Target,
  ip: string | null,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const attempt = await beginAttempt(core, target, ip);
  try {
    return await work(attempt);
  } catch (error) {
    if (isAppError(error, ...wrongGuesses)) await attempt.failed();
    // If this fails too, the attempt expires; the first error is the one to report.
    else await attempt.abandoned().catch(() => undefined);
    throw error;
  }
}

function lockedUser(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  return core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
}

/**
 * Replaces the caller's password (specification, section 4.9) and ends the account's other sessions.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `CURRENT_PASSWORD_INCORRECT`, `OVERLOADED`, `TOKEN_INVALID`
 */
export async function changePassword(core: Core, caller: Caller, input: unknown): Promise<void> {
  const { currentPassword, newPassword } = validate(changePasswordSchema, input);
  await assertPasswordAllowed(core.config, 'newPassword', newPassword, caller.user);
  await guessing(core, { accountId: caller.user.id }, caller.ip, async (attempt) => {
    if (!(await core.hasher.compare(currentPassword, caller.user.passwordHash)))
      throw new AppError('CURRENT_PASSWORD_INCORRECT');
    await attempt.succeeded();
  });
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
  if (!caller.user.requiresPasswordChange) throw new AppError('PASSWORD_CHANGE_NOT_REQUIRED');
  if (await core.hasher.compare(newPassword, caller.user.passwordHash)) throw initialPasswordReused();
  return replacePassword(core, caller, newPassword, 'PASSWORD_CHANGE_NOT_REQUIRED');
}

const initialPasswordReused = () =>
  validationError([{ path: 'newPassword', message: 'New password must differ from the initial password.' }]);

/** @param lostRace the error code when another request has changed the password since */
async function replacePassword(
  core: Core,
  caller: Caller,
  newPassword: string,
  lostRace: 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED',
): Promise<User> {
  const passwordHash = await core.hasher.hash(newPassword, core.config.auth.bcryptCost);
  return core.database.inTransaction(async (transaction) => {
    const user = await lockCaller(core, caller, transaction);
    if (user.passwordHash !== caller.user.passwordHash) throw new AppError(lostRace);
    await user.update({ passwordHash, requiresPasswordChange: false, initialPasswordExpiresAt: null }, { transaction });
    await endSessions(core, user.id, transaction, caller.sessionId);
    return user;
  });
}
