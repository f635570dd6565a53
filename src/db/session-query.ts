import type { Database } from './connection.js';
import type { Session } from './models/session.js';
import type { Account } from './models/user.js';
import { selectText } from './sql/select.js';

/** A session with its account. */
export interface SessionWithUser extends Pick<Session, 'id' | 'expiresAt'> {
  /** When it was last used, or begun. */
  usedAt: Date;
  user: Account;
}

const statement = `SELECT CAST(JSON_ARRAY(s.id, COALESCE(s.last_used_at, s.created_at), s.expires_at, u.id, u.first_name, u.last_name,
  u.email, u.phone, u.phone_key, u.password_hash, u.role, u.avatar, u.last_login, u.is_active, u.requires_password_change) AS CHAR)
  FROM \`sessions\` s JOIN \`users\` u ON u.id = s.user_id WHERE s.id = ? AND s.user_id = ?`;

/** Not every database has booleans in JSON, and none has dates. */
type Flag = boolean | 0 | 1;
type Row = [
  sessionId: string,
  usedAt: string,
  expiresAt: string,
  id: string,
  firstName: string,
  lastName: string,
  email: string,
  phone: string,
  phoneKey: string | null,
  passwordHash: string,
  role: Account['role'],
  avatar: string | null,
  lastLogin: string | null,
  isActive: Flag,
  requiresPasswordChange: Flag,
];

/** All databases begin with `2026-11-22 18:04:05.123`, in UTC; SQLite goes on with the zone, MySQL with zeros. */
const dateOf = (text: string) => new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);

/** The session with this id, if it is the account's. It may have expired. Every request with a token asks for one. */
export async function findSession(
  { sequelize }: Database,
  sid: string,
  userId: string,
): Promise<SessionWithUser | undefined> {
  const found = await selectText(sequelize, statement, [sid, userId]);
  if (found === undefined) return undefined;
  // In the order of the statement.
  const [sessionId, usedAt, expiresAt, id, firstName, lastName, email, phone, phoneKey, passwordHash, ...others] =
    JSON.parse(found) as Row;
  const [role, avatar, lastLogin, isActive, requiresPasswordChange] = others;
  return {
    id: sessionId,
    usedAt: dateOf(usedAt),
    expiresAt: dateOf(expiresAt),
    user: {
      id,
      firstName,
      lastName,
      email,
      phone,
      phoneKey,
      passwordHash,
      role,
      avatar,
      lastLogin: lastLogin === null ? null : dateOf(lastLogin),
      isActive: Boolean(isActive),
      requiresPasswordChange: Boolean(requiresPasswordChange),
    },
  };
}
