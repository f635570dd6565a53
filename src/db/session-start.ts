import { QueryTypes, type Transaction } from 'sequelize';
import type { Database } from './connection.js';
import { sqlLiteral } from './dialect.js';

/** A session that is to start. */
export interface NewSession {
  id: string;
  userId: string;
  createdAt: Date;
  expiresAt: Date;
  ip: string | null;
  userAgent: string | null;
}

/**
 * Stores a session of an account that the transaction has locked, in one round trip, if the account has then as many as it
 * may have at most.
 * @param most how many an account may have
 * @param sessions how many it seems to have: with as many as it may have, the new one takes the row of the oldest
 * @returns whether it was stored: not if it has more than it seems to have, or fewer
 */
export async function storeSession(
  { sequelize }: Database,
  session: NewSession,
  { most, sessions }: { most: number; sessions: number },
  transaction: Transaction,
): Promise<boolean> {
  const literal = sqlLiteral(sequelize);
  const values = {
    id: session.id,
    user_id: session.userId,
    created_at: session.createdAt,
    last_used_at: null,
    expires_at: session.expiresAt,
    ip: session.ip,
    user_agent: session.userAgent,
  };
  const own = `FROM sessions WHERE user_id = ${literal(session.userId)}`;
  const columns = Object.entries(values).map(([column, value]) => [column, literal(value)] as const);
  // MySQL changes no table that a subquery reads, unless the subquery's result is kept first.
  const oldest = `SELECT id FROM (SELECT id ${own} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ${most - 1}) AS oldest`;
  const sql =
    sessions < most
      ? `INSERT INTO \`sessions\` (${columns.map(([column]) => column).join(', ')})
         SELECT ${columns.map(([, value]) => value).join(', ')} WHERE (SELECT COUNT(*) ${own}) < ${most}`
      : `UPDATE \`sessions\` SET ${columns.map(([column, value]) => `${column} = ${value}`).join(', ')} WHERE id = (${oldest})`;
  const [, stored] = await sequelize.query(sql, { type: QueryTypes.UPDATE, transaction });
  return stored === 1;
}
