import type { Transaction } from 'sequelize';
import type { ImportOptions } from '../../../schemas/import.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import type { Core } from '../../core.js';

/** The password that an account gets. */
export interface Secret {
  passwordHash: string;
  /** The generated password; absent when the file gave one. */
  generated?: string;
}

/** Secrets by the line of their row. A batch keeps them when it is tried again, because hashing takes long. */
export type Secrets = Map<number, Secret>;

/** What a batch is written with. */
export interface Writing {
  core: Core;
  options: ImportOptions;
  secrets: Secrets;
  transaction: Transaction;
  /** Locked by the transaction. */
  phones: PhoneKeys;
  now: Date;
}

/** The password fields of an account. */
export function accountSecret(secrets: Secrets, line: number, expiry: Date) {
  const secret = secrets.get(line);
  if (!secret) throw new Error(`No password was prepared for line ${line}.`);
  return {
    passwordHash: secret.passwordHash,
    requiresPasswordChange: true,
    initialPasswordExpiresAt: secret.generated === undefined ? null : expiry,
  };
}
