import { accountFields, sessionFields } from '../../schemas/account-fields.js';
import type { FieldColumn } from '../../schemas/fields-table.js';
import type { Database } from '../connection.js';
import type { Session } from '../models/session.js';
import type { Account } from '../models/user.js';
import { selectText } from './select.js';

/** A session with its account. */
export interface SessionWithUser extends Pick<Session, 'id' | 'expiresAt'> {
  /** When it was last used, or begun. */
  usedAt: Date;
  user: Account;
}

/** What is read of the account, in the order of the statement. */
const attributes = ['id', 'phoneKey', 'passwordHash', ...sessionFields] as const;

/** As Sequelize names the columns of models. */
const columnOf = (attribute: string) => attribute.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const statement = `SELECT CAST(JSON_ARRAY(s.id, COALESCE(s.last_used_at, s.created_at), s.expires_at,
  ${attributes.map((attribute) => `u.${columnOf(attribute)}`).join(', ')}) AS CHAR)
  FROM \`sessions\` s JOIN \`users\` u ON u.id = s.user_id WHERE s.id = ? AND s.user_id = ?`;

/** Not every database has booleans in JSON, and none has dates. */
type JsonValue = string | boolean | 0 | 1 | null;
type Row = [sessionId: string, usedAt: string, expiresAt: string, ...account: JsonValue[]];

/** All databases begin with `2026-11-22 18:04:05.123`, in UTC; SQLite goes on with the zone, MySQL with zeros. */
const dateOf = (text: string) => new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);

/** The value of an attribute, for what the databases make of it in JSON. */
function attributeValue(attribute: (typeof attributes)[number], raw: JsonValue): string | boolean | Date | null {
  const columns: Partial<Record<string, { column: FieldColumn }>> = accountFields;
  const type = columns[attribute]?.column.type;
  if (type === 'flag') return Boolean(raw);
  return type === 'moment' && typeof raw === 'string' ? dateOf(raw) : (raw as string | null);
}

/** The session with this id, if it is the account's. It may have expired. Every request with a token asks for one. */
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
    // Object.fromEntries forgets which keys it was given: those of an account.
    user: Object.fromEntries(values) as Account,
  };
}
