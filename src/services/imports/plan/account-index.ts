import { selectRows } from '../../../db/sql/rows.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import type { Core } from '../../core.js';
import { type FileRow, isRejected } from '../read/rows.js';
import type { ExistingAccount } from './outcomes.js';

/** The attributes of {@link ExistingAccount}. */
export const accountFields = [
  'id',
  'firstName',
  'lastName',
  'email',
  'phone',
  'phoneKey',
  'role',
  'isActive',
  'updatedAt',
] as const;

/** With fewer accounts than this, all their keys are kept in memory: a row that matches none of them needs no query. */
const maxKeysInMemory = 10_000;

/** The accounts that a batch of rows matches. */
export interface MatchingAccounts {
  byEmail: ReadonlyMap<string, ExistingAccount>;
  byPhone: ReadonlyMap<string, ExistingAccount>;
}

/** The keys of all accounts. */
interface AccountKeys {
  emails: ReadonlySet<string>;
  phones: ReadonlySet<string>;
}

/** Looks up the existing accounts by the emails and phones of rows. */
export class AccountIndex {
  readonly #core: Core;
  #allKeys: AccountKeys | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Loads the keys of all accounts, where there are few. */
  async loadKeys(): Promise<void> {
    const users = await this.#core.database.read(() =>
      this.#core.database.models.User.findAll({ attributes: ['email', 'phoneKey'], limit: maxKeysInMemory, raw: true }),
    );
    if (users.length === maxKeysInMemory) return;
    this.#allKeys = {
      emails: new Set(users.map((user) => user.email)),
      phones: new Set(users.flatMap((user) => user.phoneKey ?? [])),
    };
  }

  /** From now on every row is looked up in the database: others may have added accounts. */
  clearKeys(): void {
    this.#allKeys = undefined;
  }

  /**
   * The accounts that have the emails and phones of the rows: two queries a batch, each on its own index, and a third for
   * accounts that only a phone matches. The index of the phones has the ids too: nearly always they are those of accounts
   * that the emails match.
   */
  async findFor(rows: readonly FileRow[], { keyOf }: PhoneKeys): Promise<MatchingAccounts> {
    const known = this.#allKeys;
    const emails: string[] = [];
    const phones: string[] = [];
    for (const row of rows) {
      if (isRejected(row)) continue;
      const { email, phone } = row.person;
      const key = phone === undefined ? undefined : keyOf(phone);
      if (known && !known.emails.has(email) && (key === undefined || !known.phones.has(key))) continue;
      emails.push(email);
      if (key !== undefined) phones.push(key);
    }
    if (emails.length === 0) return { byEmail: new Map(), byPhone: new Map() };
    const { User } = this.#core.database.models;
    return this.#core.database.read(async () => {
      const [withEmail, withPhone] = await Promise.all([
        selectRows(User, accountFields, { by: 'email', among: emails }),
        selectRows(User, ['id', 'phoneKey'], { by: 'phoneKey', among: phones }),
      ]);
      const byId = new Map<string, ExistingAccount>(withEmail.map((account) => [account.id, account]));
      const byPhoneAlone = withPhone.flatMap(({ id }) => (byId.has(id) ? [] : [id]));
      for (const account of await selectRows(User, accountFields, { by: 'id', among: byPhoneAlone }))
        byId.set(account.id, account);
      const byEmail = new Map<string, ExistingAccount>();
      const byPhone = new Map<string, ExistingAccount>();
      // An account may be created between the queries: one that only one of them found counts for both keys.
      for (const account of byId.values()) {
        byEmail.set(account.email, account);
        if (account.phoneKey !== null) byPhone.set(account.phoneKey, account);
      }
      return { byEmail, byPhone };
    });
  }
}
