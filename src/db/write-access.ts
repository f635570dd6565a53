import type { Database } from './connection.js';

/** How long a write by another process is waited for, in milliseconds: a running service writes for moments only. */
const deadlineMs = 1000;

/**
 * Checks that a migrated database accepts changes, by one that changes nothing: SQLite begins even a writing transaction on a
 * file that it can only read, and refuses the first change; so does a server that is read-only.
 * @throws AppError `DATABASE_NOT_WRITABLE`; `OVERLOADED` when another process writes all the time; as any query
 */
export async function assertWritable({ sequelize, read, withDeadline }: Database): Promise<void> {
  // Not in a transaction: Sequelize would complain on the console where it can't begin.
  const change = () => sequelize.query("DELETE FROM `SequelizeMeta` WHERE name = ''");
  await withDeadline({ all: deadlineMs }, () => read(change));
}
