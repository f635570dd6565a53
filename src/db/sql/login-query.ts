import { QueryTypes, type Transaction, type WhereOptions } from 'sequelize';
import type { Database } from '../connection.js';
import { isSqlite, sqlLiteral } from '../dialect.js';
import type { Models } from '../models/index.js';
import type { LoginThrottle } from '../models/login-throttle.js';
import type { User } from '../models/user.js';
import { whereSql } from './conditions.js';
import { instanceOf, type SelectClause, selectModel } from './joins.js';
import { runSelect } from './select.js';

/** The rows of the throttle that a login asks for. */
export interface LoginSubjects {
  /** The row that counts for an identifier without an account. */
  unknown: string;
  /** The row of the account, before its id. */
  accountPrefix: string;
  /** The row of the account at the address, before and after its id and its salt. None without an address. */
  pair: { prefix: string; suffix: string } | undefined;
  /** The row of the address. */
  address: string | undefined;
}

/** An account that an identifier may stand for, with the rows of the throttle. */
export interface LoginCandidate {
  user: User | null;
  throttle: LoginThrottle[];
}

/** Where a bcrypt hash has its salt, in characters from 1: it changes with every change of the password. */
export const saltOf = (passwordHash: string) => passwordHash.slice(7, 29);
const saltSql = 'SUBSTR(`User`.`password_hash`, 8, 22)';

/**
 * Reads the accounts that match, and the rows of the throttle, in one round trip. There is one result at least, with the rows
 * that count where no account matches.
 * @throws the driver's own errors; run it within `Database.read`, which translates them
 */
export async function readLogin(
  { User, LoginThrottle }: Models,
  where: WhereOptions<User>,
  { unknown, accountPrefix, pair, address }: LoginSubjects,
): Promise<LoginCandidate[]> {
  const { sequelize } = User;
  if (!sequelize) throw new Error('The model has no connection.');
  const literal = sqlLiteral(sequelize);
  const selected: SelectClause = { columns: [], joins: [] };
  const account = selectModel(selected, User, 'User', Object.keys(User.getAttributes()));
  // Ids have the character set of text, in which no index finds a subject.
  const subjectSql = (sql: string) => (isSqlite(sequelize) ? sql : `CONVERT(${sql} USING ascii)`);
  const target = `CASE WHEN \`User\`.id IS NULL THEN ${literal(unknown)} ELSE CONCAT(${literal(accountPrefix)}, \`User\`.id) END`;
  const rows = {
    target: subjectSql(target),
    pair: pair && subjectSql(`CONCAT(${literal(pair.prefix)}, \`User\`.id, ':', ${saltSql}, ${literal(pair.suffix)})`),
    address: address && literal(address),
  };
  const throttle = Object.entries(rows).flatMap(([name, subject]) => {
    if (subject === undefined) return [];
    selected.joins.push(`LEFT JOIN login_throttle AS \`${name}\` ON \`${name}\`.subject = ${subject}`);
    return selectModel(selected, LoginThrottle, name, ['subject', 'lockedUntil', 'signedInAt']);
  });
  const from = `FROM (SELECT 1) AS asked LEFT JOIN users AS \`User\` ON ${whereSql(User, where, '`User`')}`;
  const found = await runSelect(sequelize, `SELECT ${selected.columns.join(', ')} ${from} ${selected.joins.join(' ')}`);
  return found.map((row) => ({
    // Each model makes instances of its own.
    user: instanceOf(account, row) as User | null,
    throttle: throttle.flatMap((part) => (instanceOf(part, row) as LoginThrottle | null) ?? []),
  }));
}

/**
 * Records a login in an account, if it is active and has the password and the role with which it was read.
 * @param role any when absent
 * @returns whether it is so; false also for another login in the same millisecond, which leaves nothing to change
 */
export async function recordLogin(
  { sequelize }: Database,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  role: User['role'] | undefined,
  { at, newHash = passwordHash }: { at: Date; newHash?: string | undefined },
  transaction: Transaction,
): Promise<boolean> {
  const literal = sqlLiteral(sequelize);
  const hasRole = role === undefined ? '' : ` AND role = ${literal(role)}`;
  // Past Sequelize, which prepares an update: on a fresh connection that takes another round trip.
  const sql = `UPDATE users SET last_login = ${literal(at)}, updated_at = ${literal(at)}, password_hash = ${literal(newHash)}
    WHERE id = ${literal(id)} AND password_hash = ${literal(passwordHash)} AND is_active = 1${hasRole}`;
  // The type of a query whose result is the number of rows; its types know this for plain updates only.
  const updated: unknown = await sequelize.query(sql, { type: QueryTypes.BULKUPDATE, transaction });
  return updated === 1;
}
