import type { Sequelize } from 'sequelize';
import { sqlLiteral } from '../dialect.js';
import { runSelect } from './select.js';

/**
 * Counts the active members of each group, up to `most`. Reading all members of large groups takes too long. Run it
 * within `Database.read`, which translates database errors.
 * @param ids ids of groups, at least one
 */
export async function countActiveMembers(
  sequelize: Sequelize,
  ids: readonly string[],
  most: number,
): Promise<Map<string, number>> {
  const literal = sqlLiteral(sequelize);
  const counts = ids.map((id) => {
    const active = `SELECT 1 FROM group_members JOIN users ON users.id = group_members.user_id WHERE group_id = ${literal(id)} AND COALESCE(users.is_active, 0) = 1 LIMIT ${most}`;
    return `SELECT ${literal(id)} AS id, COUNT(*) AS total FROM (${active}) AS active`;
  });
  const rows = await runSelect(sequelize, counts.join(' UNION ALL '));
  return new Map(rows.map(([id, total]) => [String(id), Number(total)]));
}
