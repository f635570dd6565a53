import { Op } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError, notFound } from '../../errors.js';
import { userFilterSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { readPhoneKeys } from '../phone-country.js';
import { isEndOfId } from '../short-ids.js';
import { findUser, parseReference, planAccountFilter } from './queries.js';

/** Accounts per query. */
const batch = 500;

/** Columns that identify an account to a person. */
const attributes = ['id', 'firstName', 'lastName', 'email', 'phoneKey'];

/** Reads accounts by their keys. The result is indexed by kind and value, such as `email ada@example.org`. */
async function findByKeys(
  { database }: Core,
  keys: readonly ReturnType<typeof parseReference>[],
): Promise<Map<string, User>> {
  const found = new Map<string, User>();
  for (const kind of ['id', 'email', 'phoneKey'] as const) {
    const wanted = keys.flatMap((key) => (kind in key ? Object.values(key) : []));
    for (let at = 0; at < wanted.length; at += batch) {
      const where = { [kind]: wanted.slice(at, at + batch) };
      const users = await database.read(() => database.models.User.findAll({ attributes, where }));
      for (const user of users) found.set(`${kind} ${user[kind]}`, user);
    }
  }
  return found;
}

/** Returns the account that {@link findUser} finds, or its error `NOT_FOUND` or `VALIDATION`. */
async function findOrRefuse(core: Core, reference: string): Promise<User | AppError> {
  try {
    return await findUser(core, reference);
  } catch (error) {
    if (isAppError(error, 'NOT_FOUND', 'VALIDATION')) return error;
    throw error;
  }
}

/**
 * Finds the account of each reference as {@link findUser} does, with few queries for many references.
 * @param signal stops the search between two queries
 * @returns for each reference the account, or an error: `NOT_FOUND`, or `VALIDATION` if the reference matches several
 *   accounts
 * @throws AppError `INTERRUPTED`
 */
export async function findReferencedUsers(
  core: Core,
  references: readonly string[],
  signal: AbortSignal,
): Promise<(User | AppError)[]> {
  const phoneKeys = await readPhoneKeys(core);
  // The end of an id can also be a phone number: findUser decides which one it is.
  const keys = references.map((reference) => (isEndOfId(reference) ? undefined : parseReference(reference, phoneKeys)));
  const users = await findByKeys(
    core,
    keys.filter((key) => key !== undefined),
  );
  const found: (User | AppError)[] = [];
  for (const [index, reference] of references.entries()) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const [entry] = Object.entries(keys[index] ?? {});
    found.push(entry ? (users.get(entry.join(' ')) ?? notFound('User')) : await findOrRefuse(core, reference));
  }
  return found;
}

/**
 * Returns all accounts that match a filter, oldest first.
 * @param signal stops the search between two queries
 * @throws AppError `VALIDATION`, `INTERRUPTED`
 */
export async function findMatchingUsers(core: Core, input: unknown, signal: AbortSignal): Promise<User[]> {
  const { all: filter } = await planAccountFilter(core, validate(userFilterSchema, input));
  const { User } = core.database.models;
  const found: User[] = [];
  for (let after = ''; ; after = found.at(-1)?.id ?? after) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const where = { [Op.and]: [filter, { id: { [Op.gt]: after } }] };
    const users = await core.database.read(() =>
      User.findAll({ attributes, where, order: [['id', 'ASC']], limit: batch }),
    );
    if (users.length === 0) return found;
    found.push(...users);
  }
}
