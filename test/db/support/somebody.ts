import { v7 as uuidv7 } from 'uuid';
import { phoneKey } from '../../../src/schemas/keys.js';
import { userKeys } from '../../../src/services/accounts/keys.js';

/** Returns the row of an account for `User.create`, with an unusable password. */
export function somebody(given: { role: 'super_admin' | 'trainee'; email?: string; phone?: string }) {
  const account = { firstName: 'Some', lastName: 'Body', email: 'some@example.org', phone: '+1 555 0000', ...given };
  const keys = { phoneKey: phoneKey(account.phone), ...userKeys(account) };
  return { id: uuidv7(), ...account, ...keys, passwordHash: 'x' };
}
