import type { Transaction } from 'sequelize';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import type { User } from '../../db/models/user.js';
import { readLogin, recordLogin } from '../../db/sql/login-query.js';
import { AppError } from '../../errors.js';
import { networkOf } from '../../network.js';
import { loginSchema } from '../../schemas/auth.js';
import type { Role } from '../../schemas/fields.js';
import { validate } from '../../schemas/validate.js';
import type { Caller, Client, Core } from '../core.js';
import {
  generatedPasswordCost,
  type HashRequest,
  repairCopiedPassword,
  unmatchableHash,
} from '../credentials/passwords.js';
import { parseIdentifier } from '../find-by-identifier.js';
import { usesPassword } from '../password-login.js';
import { type StartedSession, sessionExists, startSession } from './sessions.js';
import { type Attempt, keepKnownAddresses, readThrottle, runThrottled } from './throttle.js';
import { loginSubjects, type Target } from './throttle-rules.js';

/** Account and failures of the identifier at a login. */
interface LoginCandidate {
  /** Undefined without an account that may sign in. */
  user: User | undefined;
  /** Target that failures are counted for. */
  target: Target;
  rows: LoginThrottle[];
}

async function findCandidate(
  core: Core,
  identifier: string,
  role: Role | undefined,
  { ip }: Client,
): Promise<LoginCandidate> {
  const { key, where, choose } = await parseIdentifier(core, identifier);
  const { database } = core;
  const found = await database.read(() => readLogin(database.models, where, loginSubjects(key, ip)));
  const { user = null, throttle: rows = [] } = choose(found, (match) => match.user) ?? {};
  // All spellings of a key count together, as for an account. Otherwise counting would reveal which accounts exist.
  if (!user) return { user: undefined, target: { identifier: key }, rows };
  const isAllowed = user.isActive && (role === undefined || user.role === role) && usesPassword(core, user.role);
  const { id: accountId, passwordHash } = user;
  return { user: isAllowed ? user : undefined, target: { accountId, passwordHash }, rows };
}

const costOf = (hash: string) => Number(hash.slice(4, 6));

/**
 * Returns the matching password: the entered text, or the generated password that the text was copied from. Returns
 * undefined if neither matches. Takes the same time without an account, and for a hash of a lower cost.
 */
async function matchingPassword(
  core: Core,
  password: string,
  user: User | undefined,
  request: HashRequest,
): Promise<string | undefined> {
  const { bcryptCost } = core.config.auth;
  const { hasher } = core;
  if (await hasher.compare(password, user?.passwordHash ?? unmatchableHash(bcryptCost), request)) return password;
  if (!user) return undefined;
  const isGenerated = user.requiresPasswordChange && costOf(user.passwordHash) === generatedPasswordCost;
  const copied = isGenerated ? repairCopiedPassword(password) : undefined;
  if (copied !== undefined && (await hasher.compare(copied, user.passwordHash, request))) return copied;
  if (costOf(user.passwordHash) < bcryptCost) await hasher.compare(password, unmatchableHash(bcryptCost), request);
  return undefined;
}

/**
 * Returns a new hash if the stored one has a lower cost than configured. Generated passwords keep their hash: they
 * can't be guessed and must be replaced at the first login.
 */
async function rehashIfOutdated(
  core: Core,
  password: string,
  user: User,
  request: HashRequest,
): Promise<string | undefined> {
  const { bcryptCost } = core.config.auth;
  if (costOf(user.passwordHash) >= bcryptCost || user.initialPasswordExpiresAt !== null) return undefined;
  return core.hasher.hash(password, bcryptCost, request);
}

interface SignedIn extends StartedSession {
  user: User;
}

interface LoginOptions {
  /** The only role that may sign in; absent for all roles. */
  role?: Role;
  /** Cancels a login that waits for its password comparison. */
  signal?: AbortSignal;
}

/**
 * Signs in by email or phone (specification, sections 4.4 and 4.5).
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `NO_MATCHING_ACCOUNT`, `WRONG_PASSWORD`, `OVERLOADED`, `INTERRUPTED`
 */
export async function login(
  core: Core,
  input: unknown,
  client: Client,
  { role, signal }: LoginOptions = {},
): Promise<SignedIn> {
  const { identifier, password } = validate(loginSchema, input);
  const { user, target, rows } = await findCandidate(core, identifier, role, client);
  // A transfer of the super admin's role may come between the comparison and the session.
  const requiredRole = role ?? (core.config.auth.passwordLogin ? undefined : 'super_admin');
  const owner = client.ip === null ? '' : networkOf(client.ip);
  const work = async (attempt: Attempt) => {
    // Compares again if the hash was replaced between the comparison and the lock of the account.
    for (let compared = user; ; ) {
      const request = { owner, signal, before: attempt.count };
      const found = await assertPasswordMatches(core, password, compared, request);
      const current = await startSessionIfUnchanged(core, attempt, found, client, requiredRole);
      if ('token' in current) return current;
      compared = current;
    }
  };
  return runThrottled(core, target, client.ip, work, { rows, signal });
}

interface MatchedAccount {
  user: User;
  /** New hash to store; undefined to keep the stored one. */
  passwordHash: string | undefined;
}

/** @throws AppError `NO_MATCHING_ACCOUNT`, `WRONG_PASSWORD`, `OVERLOADED` */
async function assertPasswordMatches(
  core: Core,
  password: string,
  user: User | undefined,
  request: HashRequest,
): Promise<MatchedAccount> {
  const matching = await matchingPassword(core, password, user, request);
  if (!user) throw new AppError('NO_MATCHING_ACCOUNT');
  const expired = user.initialPasswordExpiresAt !== null && user.initialPasswordExpiresAt <= core.now();
  if (matching === undefined || expired) throw new AppError('WRONG_PASSWORD');
  return { user, passwordHash: await rehashIfOutdated(core, matching, user, request) };
}

/**
 * Starts a session for an account whose password matched the hash that was read, and ends the attempt.
 * @returns the current account instead if its hash has changed since then: by a new password, or by another login that
 *   rehashed it
 * @throws AppError `NO_MATCHING_ACCOUNT`
 */
async function startSessionIfUnchanged(
  core: Core,
  attempt: Attempt,
  { user, passwordHash }: MatchedAccount,
  client: Client,
  role: Role | undefined,
): Promise<SignedIn | User> {
  const now = core.now();
  const changes = { lastLogin: now, updatedAt: now, ...(passwordHash !== undefined && { passwordHash }) };
  const start = async (transaction: Transaction): Promise<User | StartedSession> => {
    // The update locks the account.
    const isRecorded = await recordLogin(core.database, user, role, { at: now, newHash: passwordHash }, transaction);
    if (!isRecorded) {
      const current = await lockedUser(core, user.id, transaction);
      if (!current?.isActive || (role !== undefined && current.role !== role))
        throw new AppError('NO_MATCHING_ACCOUNT');
      // Otherwise another login of the same millisecond has written the same values.
      if (current.passwordHash !== user.passwordHash) return current;
    }
    if (passwordHash !== undefined)
      await keepKnownAddresses(core, user.id, { before: user.passwordHash, after: passwordHash }, transaction);
    await attempt.succeed(transaction, passwordHash ?? user.passwordHash);
    return startSession(core, user, client, transaction);
  };
  // If the response to the commit was lost, the session shows whether the commit succeeded.
  const committed = async (result: User | StartedSession) => 'token' in result && sessionExists(core, result.token);
  const result = await core.database.inTransaction(start, { committed });
  if (!('token' in result)) return result;
  user.set(changes, { raw: true });
  return { user, ...result };
}

function lockedUser(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  return core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
}

/**
 * Compares the caller's password. Failures count like failed logins.
 * @throws AppError `TOO_MANY_ATTEMPTS`, `CURRENT_PASSWORD_INCORRECT`, `OVERLOADED`
 */
export async function assertCurrentPassword(core: Core, { user, ip }: Caller, currentPassword: string): Promise<void> {
  const { id: accountId, passwordHash } = user;
  const target = { accountId, passwordHash };
  const work = async (attempt: Attempt) => {
    const request = { owner: accountId, before: attempt.count };
    if (!(await core.hasher.compare(currentPassword, passwordHash, request)))
      throw new AppError('CURRENT_PASSWORD_INCORRECT');
    await core.database.inTransaction((transaction) => attempt.succeed(transaction, passwordHash));
  };
  await runThrottled(core, target, ip, work, { rows: await readThrottle(core, target, ip) });
}
