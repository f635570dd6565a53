import type { Sequelize } from 'sequelize';
import type { Database } from './connection.js';
import { asWord } from './dialect.js';
import type { LoginThrottle } from './models/login-throttle.js';
import type { User } from './models/user.js';
import { attributesOf, type Column, columnsOf } from './sql/rows.js';
import { plainSelect, type Value } from './sql/select.js';

/** How the subjects of accounts are named in `login_throttle`. */
export interface SubjectNames {
  /** Before the id of an account. */
  account: string;
  /** Before the SHA-256 of the id of an account, a space, and a network. */
  pair: string;
}

/** What a login asks for. */
export interface LoginKeys {
  /** Null where the identifier can't be one. */
  email: string | null;
  phoneKey: string | null;
  /** The network of the client; null when unknown. */
  network: string | null;
  /** Further subjects: of the address, and of an identifier without an account. */
  subjects: readonly string[];
  names: SubjectNames;
}

/** An account that matches, with what is counted of it. */
export interface LoginMatch {
  user: User;
  /** The number of its sessions. */
  sessions: number;
  rows: readonly LoginThrottle[];
}

/** The accounts that match an identifier, two at most, and the rows of the further subjects. */
export interface LoginMatches {
  /** Of phones, empty for none: keys that were made for another one match other accounts. */
  country: string;
  matches: readonly LoginMatch[];
  rows: readonly LoginThrottle[];
}

interface Columns {
  user: readonly Column[];
  row: readonly Column[];
}

const columns = new WeakMap<Sequelize, Columns>();

function columnsFor({ sequelize, models: { LoginThrottle, User } }: Database): Columns {
  const known = columns.get(sequelize);
  if (known) return known;
  const made = { user: columnsOf(User.getAttributes()), row: columnsOf(LoginThrottle.getAttributes()) };
  columns.set(sequelize, made);
  return made;
}

/** Accounts with their own rows, by the primary key, the rows of the further subjects, and a row with the country of phones. */
function statement(sequelize: Sequelize, { user, row }: Columns, subjects: number): string {
  const list = (table: string, of: readonly Column[]) =>
    of.map(({ field }) => `${table}.${field} AS ${table}_${field}`);
  const none = (count: number) => Array.from({ length: count }, () => 'NULL');
  const accounts = [...list('u', user), '(SELECT COUNT(*) FROM sessions WHERE user_id = u.id)', ...list('a', row)];
  const others = [...none(user.length + 1), ...list('t', row), ...none(row.length)];
  const own = user.length + 1 + 2 * row.length;
  return `SELECT ${[...accounts, ...list('p', row)].join(', ')}, NULL AS country FROM users u
      LEFT JOIN login_throttle a ON a.subject = ${asWord(sequelize, 'CONCAT(?, u.id)')}
      LEFT JOIN login_throttle p ON p.subject = ${asWord(sequelize, "CONCAT(?, SHA2(CONCAT(u.id, ' ', ?), 256))")}
      WHERE u.email = ? OR u.phone_key = ?
    UNION ALL SELECT ${others.join(', ')}, NULL FROM login_throttle t
      WHERE t.subject IN (${Array.from({ length: subjects }, () => '?').join(', ')})
    UNION ALL SELECT ${none(own).join(', ')}, country FROM phone_country`;
}

/** What a login needs to know before it may compare a password, in one round trip. */
export async function findLogin(database: Database, keys: LoginKeys): Promise<LoginMatches> {
  const { sequelize, models } = database;
  const { user, row } = columnsFor(database);
  const sql = statement(sequelize, { user, row }, keys.subjects.length);
  const { names, network, email, phoneKey, subjects } = keys;
  const found = await plainSelect(sequelize, sql, {
    values: [names.account, names.pair, network, email, phoneKey, ...subjects],
  });
  // The columns of the models are all there, with values of their types: here and below.
  const built = { isNewRecord: false, raw: true };
  const ownStart = user.length + 1;
  function rowAt(values: readonly Value[], start: number): LoginThrottle[] {
    const attributes = attributesOf(row, values, start);
    return attributes.subject === null ? [] : [models.LoginThrottle.build(attributes as never, built)];
  }
  const [matches, rows]: [LoginMatch[], LoginThrottle[]] = [[], []];
  let country = '';
  for (const values of found) {
    const of = values[ownStart + 2 * row.length];
    if (of !== null) {
      country = String(of);
      continue;
    }
    const attributes = attributesOf(user, values, 0);
    const own = [...rowAt(values, ownStart), ...rowAt(values, ownStart + row.length)];
    if (attributes.id === null) rows.push(...own);
    else
      matches.push({
        user: models.User.build(attributes as never, built),
        sessions: Number(values[user.length]),
        rows: own,
      });
  }
  return { matches, rows, country };
}
