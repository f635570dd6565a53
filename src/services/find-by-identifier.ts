import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../db/models/user.js';
import { isPossibleKey } from '../schemas/fields.js';
import { normalizeEmail } from '../schemas/keys.js';
import { plainPhoneKeys } from '../schemas/phone-keys.js';
import type { Core } from './core.js';
import { readPhoneKeys } from './phone-country.js';

/** Email or phone that identifies an account at a login. */
export interface Identifier {
  /** Key of the email or phone, equal for all spellings. */
  key: string;
  /** Matches the account, and another account whose phone equals the email. */
  where: WhereOptions<User>;
  choose<Match>(matches: readonly Match[], userOf: (match: Match) => User | null): Match | undefined;
}

/**
 * Parses an identifier. Reads the country of phones only for a phone, because the key of an email doesn't depend on the
 * country.
 */
export async function parseIdentifier(core: Core, identifier: string): Promise<Identifier> {
  const email = normalizeEmail(identifier);
  const isEmail = email.includes('@');
  const phoneKey = (isEmail ? plainPhoneKeys : await readPhoneKeys(core)).keyOf(identifier);
  const isPossible = isPossibleKey(identifier);
  return {
    key: isEmail ? email : phoneKey,
    where: { [Op.or]: [{ email: isPossible ? email : '' }, { phoneKey: isPossible ? phoneKey : '' }] },
    // Prefers the account with the email, even if this account can't sign in. People can set any phone, also one that
    // equals another account's email.
    choose: (matches, userOf) => matches.find((match) => userOf(match)?.email === email) ?? matches[0],
  };
}

/** Finds the account with an email or phone, whether or not it may sign in. */
export async function findByIdentifier(core: Core, identifier: string): Promise<User | undefined> {
  const { where, choose } = await parseIdentifier(core, identifier);
  return choose(await core.database.read(() => core.database.models.User.findAll({ where })), (user) => user);
}
