import type { SqliteConfig } from '../../config/config.js';
import { SqliteThread } from './thread.js';

/** How long SQLite waits for others' locks, in milliseconds: a person waits for the names at the Tab key. */
const busyTimeoutMs = 1000;

/**
 * Runs one SELECT on a file, past Sequelize, whose loading alone takes three times as long as the start of Node.
 * @param sql with `?` for each value
 * @returns its rows as lists of values
 */
export async function selectFromFile({ file }: SqliteConfig, sql: string, values: readonly string[]) {
  const thread = new SqliteThread(file, busyTimeoutMs);
  try {
    return await new Promise<unknown[][]>((resolve, reject) => {
      thread.send({ kind: 'all', sql, parameters: values, busyTimeoutMs }, (reply) =>
        reply instanceof Error ? reject(reply) : resolve(reply.rows ?? []),
      );
    });
  } finally {
    await thread.close();
  }
}
