import { QueryTypes, type Transaction, type WhereOptions } from 'sequelize';
import type { Database } from '../connection.js';
import { isSqlite, sqlLiteral } from '../dialect.js';
import type { Models } from '../models/index.js';
import type { LoginThrottle } from '../models/login-throttle.js';
import type { User } from '../models/user.js';
import { whereSql } from './conditions.js';
import { instanceOf, type SelectClause, selectModel } from './joins.js';
import { runSelect } from './select.js';

/** Keys of the throttle rows that a login reads. */
export interface LoginSubjects {
  /** Key of the row for an unknown identifier. */
  unknown: string;
  /** Start of the key of the account's row; the account's id follows. */
  accountPrefix: string;
  /**
   * Parts of the key of the row for the account at the address, before and after the account's id and salt. Undefined
   * without an address.
   */
  pair: { prefix: string; suffix: string } | undefined;
  /** Key of the row of the address. */
  address: string | undefined;
}

/** A possible account of an identifier, with its throttle rows. */
export interface LoginCandidate {
  user: User | null;
  throttle: LoginThrottle[];
}

/** Returns the salt of a bcrypt hash. The salt changes with every change of the password. */
export const saltOf = (passwordHash: string) => passwordHash.slice(7, 29);
const saltSql = 'SUBSTR(`User`.`password_hash`, 8, 22)';

/**
 * Reads the matching accounts and their throttle rows in one round trip. Returns at least one result: without an
 * account, a result with the rows of the unknown identifier.
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
  // Converted, because ids are utf8mb4 and the index of subjects is ascii.
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
    user: instanceOf(account, row) as User | null,
    throttle: throttle.flatMap((part) => (instanceOf(part, row) as LoginThrottle | null) ?? []),
  }));
}

/**
 * Records a login of an account, if the account is active and still has the password and role that were read.
 * @param role undefined for any role
 * @returns whether the login was recorded; also false for a second login in the same millisecond, which changes nothing
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
  // Without Sequelize's update, which prepares a statement: on a fresh connection that takes another round trip.
  const sql = `UPDATE users SET last_login = ${literal(at)}, updated_at = ${literal(at)}, password_hash = ${literal(newHash)}
    WHERE id = ${literal(id)} AND password_hash = ${literal(passwordHash)} AND is_active = 1${hasRole}`;
  // A query of this type returns the number of rows, which Sequelize's types don't declare here.
  const updated: unknown = await sequelize.query(sql, { type: QueryTypes.BULKUPDATE, transaction });
  return updated === 1;
}
