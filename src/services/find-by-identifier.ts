import { Op } from 'sequelize';
import type { User } from '../db/models/user.js';
import { isPossibleKey } from '../schemas/fields.js';
import { normalizeEmail } from '../schemas/keys.js';
import type { Core } from './core.js';
import { readPhoneKeys } from './phone-country.js';

/** What an identifier stands for at a login. */
export interface Identified {
  /** The account, whether or not it may sign in. */
  user: User | undefined;
  /** The key that the identifier has as an email or a phone: all its spellings have the same. */
  key: string;
}

/** The account that somebody names by email or phone. */
export async function findByIdentifier(core: Core, identifier: string): Promise<Identified> {
  const email = normalizeEmail(identifier);
  const phoneKey = (await readPhoneKeys(core)).keyOf(identifier);
  const isPossible = isPossibleKey(identifier);
  const matches = await core.database.read(() =>
    core.database.models.User.findAll({
      where: { [Op.or]: [{ email: isPossible ? email : '' }, { phoneKey: isPossible ? phoneKey : '' }] },
    }),
  );
  // The email wins even if its account can't sign in: users set their own phones, which may be another account's email.
  const user = matches.find((match) => match.email === email) ?? matches[0];
  return { user, key: email.includes('@') ? email : phoneKey };
}
