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

/** What is needed to name an account. */
const attributes = ['id', 'firstName', 'lastName', 'email', 'phoneKey'];

/** The accounts with these keys, by their kind and the key. */
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

/** {@link findUser}, whose failure is the result. */
async function findOrRefuse(core: Core, reference: string): Promise<User | AppError> {
  try {
    return await findUser(core, reference);
  } catch (error) {
    if (isAppError(error, 'NOT_FOUND', 'VALIDATION')) return error;
    throw error;
  }
}

/**
 * The account that each reference names, as {@link findUser} finds it, with few queries for many of them; or why there is none:
 * `NOT_FOUND`, or `VALIDATION` for what names several accounts.
 * @param signal ends it between two queries
 * @throws AppError `INTERRUPTED`
 */
export async function findReferencedUsers(
  core: Core,
  references: readonly string[],
  signal: AbortSignal,
): Promise<(User | AppError)[]> {
  const phoneKeys = await readPhoneKeys(core);
  // The end of an id can be a phone number, too: which of them it is, findUser decides.
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
 * All accounts that a filter matches, oldest first.
 * @param signal ends it between two queries
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
