import { phoneKey } from '../../../schemas/keys.js';
import type { Core } from '../../core.js';
import { type FileRow, isRejected } from '../read/rows.js';
import type { ExistingAccount } from './outcomes.js';

const accountFields = [
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

/** With fewer accounts than this, all their keys are held in memory: rows that none of them can mean need no query. */
const fewAccounts = 10_000;

/** The accounts that a batch of rows meets. */
export interface Holders {
  byEmail: ReadonlyMap<string, ExistingAccount>;
  byPhone: ReadonlyMap<string, ExistingAccount>;
}

/** The keys of all accounts. */
interface Keys {
  emails: ReadonlySet<string>;
  phones: ReadonlySet<string>;
}

/** The accounts that there are already, looked up by the keys of rows. */
export class AccountBook {
  readonly #core: Core;
  #few: Keys | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Learns all keys, where there are few accounts. */
  async learn(): Promise<void> {
    const users = await this.#core.database.read(() =>
      this.#core.database.models.User.findAll({ attributes: ['email', 'phoneKey'], limit: fewAccounts, raw: true }),
    );
    if (users.length === fewAccounts) return;
    this.#few = {
      emails: new Set(users.map((user) => user.email)),
      phones: new Set(users.map((user) => user.phoneKey)),
    };
  }

  /** Has every row looked up from now on: somebody may have added accounts. */
  forget(): void {
    this.#few = undefined;
  }

  /** The accounts that hold the emails and phones of the rows: two queries a batch, each on its own index. */
  async holdersOf(rows: readonly FileRow[]): Promise<Holders> {
    const few = this.#few;
    const emails: string[] = [];
    const phones: string[] = [];
    for (const row of rows) {
      if (isRejected(row)) continue;
      const key = phoneKey(row.person.phone);
      if (few && !few.emails.has(row.person.email) && !few.phones.has(key)) continue;
      emails.push(row.person.email);
      phones.push(key);
    }
    if (emails.length === 0) return { byEmail: new Map(), byPhone: new Map() };
    const { User } = this.#core.database.models;
    const attributes = [...accountFields];
    const [byEmail, byPhone] = await this.#core.database.read(() =>
      Promise.all([
        User.findAll({ attributes, where: { email: emails } }),
        User.findAll({ attributes, where: { phoneKey: phones } }),
      ]),
    );
    return {
      // An account may be made between the two queries: whoever is found by one key has the other, too.
      byEmail: new Map([...byPhone, ...byEmail].map((user) => [user.email, user])),
      byPhone: new Map([...byEmail, ...byPhone].map((user) => [user.phoneKey, user])),
    };
  }
}
