import type { MysqlConfig } from '../../../config/config.js';
import { databaseUrlForDisplay } from '../../../config/database-url.js';
import type { Context } from '../../../context.js';

/** Whether the replica has what its primary has; what to do where it hasn't. */
export async function replicaState(
  replica: NonNullable<Context['replica']>,
  settings: MysqlConfig,
): Promise<{ status: 'ok' | 'warning'; detail: string; remedy?: string }> {
  const where = databaseUrlForDisplay(settings);
  const problem = await replica.problem();
  if (problem === undefined) return { status: 'ok', detail: `has all that the database has, at ${where}` };
  return {
    status: 'warning',
    detail: `not used, everything is read from the database: ${problem}`,
    remedy: `Look at the replication of the server at ${where}, and whether its user has the right SELECT on all tables.`,
  };
}
