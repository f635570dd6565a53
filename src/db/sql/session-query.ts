import { accountFields, sessionFields } from '../../schemas/account-fields.js';
import type { FieldColumn } from '../../schemas/fields-table.js';
import type { SignInMethod } from '../../schemas/identity.js';
import type { Database } from '../connection.js';
import type { Session } from '../models/session.js';
import type { Account } from '../models/user.js';
import { selectFirstText } from './select.js';

export interface SessionWithUser extends Pick<Session, 'id' | 'expiresAt' | 'method'> {
  /** Time of the last use, or of the creation. */
  usedAt: Date;
  user: Account;
}

/** Attributes of the account that the statement reads, in this order. */
const accountAttributes = ['id', 'phoneKey', 'passwordHash', ...sessionFields] as const;

/** Returns the column of an attribute, as Sequelize names it. */
const columnOf = (attribute: string) => attribute.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const statement = `SELECT CAST(JSON_ARRAY(s.id, COALESCE(s.last_used_at, s.created_at), s.expires_at, s.method,
  ${accountAttributes.map((attribute) => `u.${columnOf(attribute)}`).join(', ')}) AS CHAR)
  FROM \`sessions\` s JOIN \`users\` u ON u.id = s.user_id WHERE s.id = ? AND s.user_id = ?`;

/** A column's value in JSON. Some databases write booleans as numbers, and all write dates as text. */
type JsonValue = string | boolean | 0 | 1 | null;
type Row = [sessionId: string, usedAt: string, expiresAt: string, method: SignInMethod, ...account: JsonValue[]];

/** Parses a stored timestamp in UTC, such as `2026-11-22 18:04:05.123`. SQLite appends the zone, and MySQL zeros. */
const dateOf = (text: string) => new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);

/** Converts a JSON value of the database to the value of an attribute. */
function attributeValue(attribute: (typeof accountAttributes)[number], raw: JsonValue): string | boolean | Date | null {
  const columns: Partial<Record<string, { column: FieldColumn }>> = accountFields;
  const type = columns[attribute]?.column.type;
  if (type === 'flag') return Boolean(raw);
  return type === 'moment' && typeof raw === 'string' ? dateOf(raw) : (raw as string | null);
}

/**
 * Returns a session with its account; undefined if the account has no session with this id. The session may have
 * expired. Called for every request with a token.
 */
export async function findSession(
  { sequelize }: Database,
  sid: string,
  userId: string,
): Promise<SessionWithUser | undefined> {
  const found = await selectFirstText(sequelize, statement, [sid, userId]);
  if (found === undefined) return undefined;
  const [sessionId, usedAt, expiresAt, method, ...account] = JSON.parse(found) as Row;
  const values = accountAttributes.map((attribute, index) => [
    attribute,
    attributeValue(attribute, account[index] ?? null),
  ]);
  return {
    id: sessionId,
    usedAt: dateOf(usedAt),
    expiresAt: dateOf(expiresAt),
    method,
    // The assertion restores the types of the keys, which Object.fromEntries loses.
    user: Object.fromEntries(values) as Account,
  };
}
