import { SqliteThread } from '../../src/db/sqlite/thread.js';

/** Opens another writer of an SQLite file, which doesn't wait for locks. */
export async function otherWriter(file: string) {
  const connection = new SqliteThread(file, 0);
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => {
      const request = { kind: 'run', sql, parameters: [], busyTimeoutMs: 0 } as const;
      connection.send(request, (reply) => (reply instanceof Error ? reject(reply) : resolve()));
    });
  await run('SELECT 1');
  return { run, close: () => connection.close() };
}
