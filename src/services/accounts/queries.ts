import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { hasAccountState } from '../../db/sql/conditions.js';
import { notFound, validationError } from '../../errors.js';
import { normalizeEmail } from '../../schemas/keys.js';
import type { PhoneKeys } from '../../schemas/phone-keys.js';
import { emailLookupSchema, type UserFilter, userListingSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { currentLocks, isLocked } from '../auth/current-locks.js';
import type { Core } from '../core.js';
import { parseId, resemblesId } from '../ids.js';
import { orderOf, type Page, readPage } from '../paging.js';
import { readPhoneKeys } from '../phone-country.js';
import { findIdEndingWith } from '../short-ids.js';
import { addInviteErrors } from './invite.js';
import { narrowToMembers } from './members.js';
import { type AccountSearch, narrowSearch, planAccountSearch } from './search.js';
import { addSignInMethods, signsInBy } from './sign-in-methods.js';
import { planStateSearch } from './states.js';

/** Plans how to find and count the accounts that match a filter. */
export async function planAccountFilter(core: Core, listing: UserFilter): Promise<AccountSearch> {
  const { role, isActive, requiresPasswordChange, locked, invited, signsIn, group, search } = listing;
  const state = { role, isActive, requiresPasswordChange };
  const hasState = Object.values(state).some((wanted) => wanted !== undefined);
  const others: WhereOptions<User>[] = [
    ...(invited === undefined ? [] : [{ inviteState: invited === 'no' ? null : invited }]),
    ...(signsIn === undefined ? [] : [signsInBy(core, signsIn)]),
    ...(locked === undefined ? [] : [{ [Op.and]: isLocked(core, locked) }]),
  ];
  const among = role === undefined ? {} : { role };
  const found = await narrowToMembers(core, await planAccountSearch(core, search, { among, withPhones: true }), group);
  if (!hasState && others.length === 0) return found;
  const inState = { [Op.and]: [hasAccountState(state)] };
  const filtered = narrowSearch(found, (condition) => ({ [Op.and]: [inState, ...others, condition] }));
  // Conditions on locks and groups are fast enough: few accounts are locked, and an index finds members.
  if (!hasState || locked || group !== undefined) return filtered;
  const sought = search === undefined ? others : [...others, found.where];
  return { ...filtered, ...(await planStateSearch(core, state, sought)) };
}

const isSortedById = (parts: AccountSearch['parts']) =>
  parts?.parts.every(({ sortedBy }) => sortedBy === 'id') ?? false;

/** Returns one page of accounts with their locks, invitations and ways to sign in, in a stable order. @throws AppError `VALIDATION` */
export async function listUsers(core: Core, input: unknown): Promise<Page<User>> {
  const listing = validate(userListingSchema, input);
  const { User } = core.database.models;
  const { where, maxCounted, parts } = await planAccountFilter(core, listing);
  const page = await readPage(core, User, listing, {
    where,
    maxCounted,
    parts,
    // Ids are in the order of creation, in which an index has the members of a group.
    order: listing.sortBy === 'createdAt' && isSortedById(parts) ? [['id', listing.sortOrder]] : orderOf(listing),
    include: [currentLocks(core)],
  });
  await addDetails(core, page.items);
  return page;
}

/**
 * Finds the accounts with given emails, by name.
 * @returns also the emails without an account, as given
 * @throws AppError `VALIDATION`
 */
export async function findUsersByEmail(core: Core, input: unknown): Promise<{ users: User[]; unknown: string[] }> {
  const { emails } = validate(emailLookupSchema, input);
  const given = new Map(emails.map((email) => [normalizeEmail(email), email]));
  const order = orderOf({ sortBy: 'lastName', sortOrder: 'ASC' });
  const { User } = core.database.models;
  const users = await core.database.read(() => User.findAll({ where: { email: [...given.keys()] }, order }));
  for (const { email } of users) given.delete(email);
  return { users, unknown: [...given.values()] };
}

/** Sets the values of accounts that other tables have: `inviteError` and `signsIn`. */
async function addDetails(core: Core, users: readonly User[]): Promise<void> {
  await addInviteErrors(core, users);
  await addSignInMethods(core, users);
}

/** Finds an account with the state of its invitation and its ways to sign in. @throws AppError `NOT_FOUND` */
export async function findUserWithDetails(core: Core, id: string): Promise<User> {
  const user = await findUserById(core, id);
  await addDetails(core, [user]);
  return user;
}

/** @throws AppError `NOT_FOUND` */
export async function findUserById(core: Core, id: string): Promise<User> {
  const user = await core.database.read(() => core.database.models.User.findByPk(id));
  if (!user) throw notFound('User');
  return user;
}

/**
 * Returns the email, phone or id in a reference. People can set any phone, so a text that looks like an id, an email or
 * a name must not match a phone.
 */
export function parseReference(
  reference: string,
  phones: PhoneKeys,
): { email: string } | { phoneKey: string } | { id: string } {
  const text = reference.trim();
  const email = normalizeEmail(text);
  if (email.includes('@')) return { email };
  const key = phones.keyOf(text);
  const isPhone = /\p{Nd}/u.test(key) && !resemblesId(text);
  return isPhone ? { phoneKey: key } : { id: parseId(text) ?? text };
}

/**
 * Finds an account by id, email address, phone number or the last 8 characters of an id.
 * @throws AppError `NOT_FOUND`; `VALIDATION` for the end of several ids, or for an end that is also another account's phone
 */
export async function findUser(core: Core, reference: string): Promise<User> {
  const { User } = core.database.models;
  const where = parseReference(reference, await readPhoneKeys(core));
  const user = await core.database.read(() => User.findOne({ where }));
  const idWithEnd = await findIdEndingWith(core, 'User', reference);
  if (idWithEnd === undefined || idWithEnd === user?.id) {
    if (!user) throw notFound('User');
    return user;
  }
  if (!user) return findUserById(core, idWithEnd);
  const message = `User: this is the phone of ${user.email}, but also the end of another account's id. Give the whole id: ${user.id}, ${idWithEnd}.`;
  throw validationError([{ path: 'user', code: 'AMBIGUOUS', message }]);
}
