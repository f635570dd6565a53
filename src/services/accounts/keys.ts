import { Op } from 'sequelize';
import type { Database } from '../../db/connection.js';
import type { User } from '../../db/models/user.js';
import { AppError, type ErrorCode, isAppError } from '../../errors.js';
import { searchKey } from '../../schemas/keys.js';
import { nameMaximum, sortKey } from '../../schemas/sort-key.js';
import { readPhoneKeys } from '../phone-country.js';

type Named = Pick<User, 'firstName' | 'lastName' | 'email'>;

/** Returns the text that a search for accounts matches. Excludes the phone: trainers may search, but don't see phones. */
export const userSearchKey = ({ firstName, lastName, email }: Named): string => searchKey(firstName, lastName, email);

/** Returns the keys that accounts are searched and sorted by. */
export const userKeys = (user: Named) => ({
  searchKey: userSearchKey(user),
  lastNameKey: sortKey(user.lastName, nameMaximum),
  firstNameKey: sortKey(user.firstName, nameMaximum),
});

/** Fields of an account with a new email: its owner has not chosen the password yet. */
export const unconfirmedEmailFields = { emailConfirmedAt: null, mailFailedAt: null };

/** Counts super admins: 0 or 1. */
export async function countSuperAdmins(database: Database): Promise<number> {
  return database.read(() => database.models.User.count({ where: { role: 'super_admin' } }));
}

interface TakenKeys {
  email: boolean;
  phone: boolean;
}

/** Returns which of the keys another account has already. */
export async function takenKeys(
  database: Database,
  keys: { email?: string; phone?: string },
  exceptId?: string,
): Promise<TakenKeys> {
  const phoneKey = keys.phone === undefined ? undefined : (await readPhoneKeys({ database })).keyOf(keys.phone);
  const wanted = [
    ...(keys.email === undefined ? [] : [{ email: keys.email }]),
    ...(phoneKey === undefined ? [] : [{ phoneKey }]),
  ];
  const holders = await database.read(() =>
    database.models.User.findAll({
      attributes: ['id', 'email', 'phoneKey'],
      where: { [Op.or]: wanted, ...(exceptId !== undefined && { id: { [Op.ne]: exceptId } }) },
    }),
  );
  return {
    email: keys.email !== undefined && holders.some((holder) => holder.email === keys.email),
    phone: phoneKey !== undefined && holders.some((holder) => holder.phoneKey === phoneKey),
  };
}

/**
 * Runs a change that database constraints may refuse. Repeats the check after a violated constraint, so that a
 * concurrent change leads to the error of the check.
 * @param refusal returns the code of the first rule that forbids the change, in the documented order
 */
export async function changeUnlessRefused<T>(
  refusal: () => Promise<ErrorCode | undefined>,
  change: () => Promise<T>,
): Promise<T> {
  const code = await refusal();
  if (code !== undefined) throw new AppError(code);
  try {
    return await change();
  } catch (error) {
    if (!isAppError(error, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'SUPER_ADMIN_EXISTS')) throw error;
    const now = await refusal();
    throw now === undefined ? error : new AppError(now, undefined, { cause: error });
  }
}
