import type { Config } from '../../config/config.js';
import { validationError } from '../../errors.js';
import { countCharacters } from '../../schemas/fields.js';
import { normalizeEmail, phoneKey, searchKey } from '../../schemas/keys.js';
import type { FoundProblem } from '../../schemas/problems.js';

export interface PasswordOwner {
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
}

/** Returns the problem of a password that the schema accepts; undefined if the password is permitted. */
export type PasswordPolicy = (label: string, password: string, owner?: PasswordOwner) => FoundProblem | undefined;

/** Number of the most common passwords that are refused. */
const commonPasswords = 3000;

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  // The list is sorted by frequency. The schema refuses shorter passwords.
  const passwords = dictionary['passwords-common'].map(String).filter((password) => password.length >= 6);
  return new Set(passwords.slice(0, commonPasswords));
}

let common: Promise<ReadonlySet<string>> | undefined;

function isPersonal(
  password: string,
  { firstName = '', lastName = '', email = '', phone = '' }: PasswordOwner,
): boolean {
  const folded = searchKey(password);
  const address = normalizeEmail(email);
  const addresses = [address, address.split('@')[0] ?? ''];
  const names = [firstName, lastName, `${firstName} ${lastName}`, `${firstName}${lastName}`, `${lastName}${firstName}`];
  const own = [...names, ...addresses].map((text) => searchKey(text.trim()));
  return own.includes(folded) || (phone !== '' && phoneKey(password) === phoneKey(phone));
}

export interface PasswordRules {
  auth: Pick<Config['auth'], 'passwordMinLength' | 'passwordBlocklist'>;
}

/**
 * Returns the configured policy for passwords, in addition to the schema: a minimum length and a blocklist. Loads the blocklist on first
 * use.
 */
export async function passwordPolicy({ auth }: PasswordRules): Promise<PasswordPolicy> {
  const { passwordMinLength, passwordBlocklist } = auth;
  if (passwordBlocklist) common ??= loadCommonPasswords();
  const blocked = await common;
  return (label, password, owner) => {
    if (countCharacters(password) < passwordMinLength) {
      const message = `${label} must be at least ${passwordMinLength} characters.`;
      return { code: 'TOO_SHORT', params: { min: passwordMinLength }, message };
    }
    if (!passwordBlocklist) return undefined;
    if (blocked?.has(password.toLowerCase()))
      return { code: 'PASSWORD_WEAK', message: `${label} is one of the most common ones. Choose another.` };
    return owner && isPersonal(password, owner)
      ? { code: 'PASSWORD_WEAK', message: `${label} must not be the account's own email, phone or name.` }
      : undefined;
  };
}

const labels = { password: 'Password', newPassword: 'New password' } as const;

/**
 * Refuses a new password that the policy forbids.
 * @param path input field of the password
 * @throws AppError `VALIDATION`
 */
export async function assertPasswordAllowed(
  rules: PasswordRules,
  path: keyof typeof labels,
  password: string,
  owner?: PasswordOwner,
): Promise<void> {
  const problem = (await passwordPolicy(rules))(labels[path], password, owner);
  if (problem) throw validationError([{ path, ...problem }]);
}
