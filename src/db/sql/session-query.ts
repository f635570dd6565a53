import { accountFields, sessionFields } from '../../schemas/account-fields.js';
import type { FieldColumn } from '../../schemas/fields-table.js';
import type { Database } from '../connection.js';
import type { Session } from '../models/session.js';
import type { Account } from '../models/user.js';
import { selectText } from './select.js';

export interface SessionWithUser extends Pick<Session, 'id' | 'expiresAt'> {
  /** Time of the last use, or of the creation. */
  usedAt: Date;
  user: Account;
}

/** Read attributes of the account, in the order of the statement. */
const attributes = ['id', 'phoneKey', 'passwordHash', ...sessionFields] as const;

/** Returns the column of an attribute, as Sequelize names it. */
const columnOf = (attribute: string) => attribute.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const statement = `SELECT CAST(JSON_ARRAY(s.id, COALESCE(s.last_used_at, s.created_at), s.expires_at,
  ${attributes.map((attribute) => `u.${columnOf(attribute)}`).join(', ')}) AS CHAR)
  FROM \`sessions\` s JOIN \`users\` u ON u.id = s.user_id WHERE s.id = ? AND s.user_id = ?`;

/** Not every database has booleans in JSON, and no database has dates. */
type JsonValue = string | boolean | 0 | 1 | null;
type Row = [sessionId: string, usedAt: string, expiresAt: string, ...account: JsonValue[]];

/**
 * Parses a stored timestamp. All databases begin with `2026-11-22 18:04:05.123` in UTC; SQLite continues with the zone,
 * MySQL with zeros.
 */
const dateOf = (text: string) => new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);

/** Converts a JSON value of the database to the value of an attribute. */
function attributeValue(attribute: (typeof attributes)[number], raw: JsonValue): string | boolean | Date | null {
  const columns: Partial<Record<string, { column: FieldColumn }>> = accountFields;
  const type = columns[attribute]?.column.type;
  if (type === 'flag') return Boolean(raw);
  return type === 'moment' && typeof raw === 'string' ? dateOf(raw) : (raw as string | null);
}

/**
 * Returns the session with this id, if the session is the account's. The session may have expired. Called for every
 * request with a token.
 */
export async function findSession(
  { sequelize }: Database,
  sid: string,
  userId: string,
): Promise<SessionWithUser | undefined> {
  const found = await selectText(sequelize, statement, [sid, userId]);
  if (found === undefined) return undefined;
  const [sessionId, usedAt, expiresAt, ...account] = JSON.parse(found) as Row;
  const values = attributes.map((attribute, index) => [attribute, attributeValue(attribute, account[index] ?? null)]);
  return {
    id: sessionId,
    usedAt: dateOf(usedAt),
    expiresAt: dateOf(expiresAt),
    // Object.fromEntries loses the types of the keys, which are those of an account.
    user: Object.fromEntries(values) as Account,
  };
}
