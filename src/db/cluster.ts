import type { MysqlConfig } from '../config/config.js';

/** What a Galera cluster asks of whoever works on one of its nodes. */

interface Connection {
  query(sql: string, callback: (error: Error | null, rows?: unknown) => void): void;
}

/** Databases of which a node has said that it belongs to a cluster. */
const clustered = new WeakSet<MysqlConfig>();

/** Whether a database is a node of a Galera cluster, as far as its connections have told. */
export function isCluster(settings: object): boolean {
  // Membership is all that is asked of it: what isn't such a configuration isn't there.
  return clustered.has(settings as MysqlConfig);
}

const send = (connection: Connection, sql: string) =>
  new Promise<unknown>((resolve, reject) => {
    connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

/**
 * Makes a connection read what has been committed on any node of a cluster, where the server is one: reads and the
 * beginnings of transactions wait until their node has caught up. Without it somebody who was just registered through
 * one instance is unknown to the next. On other servers this is a question and no more.
 */
export async function readAsCluster(connection: Connection, settings: MysqlConfig): Promise<void> {
  // The driver types results as unknown.
  const rows = (await send(connection, "SHOW VARIABLES LIKE 'wsrep_on'")) as { Value?: string }[];
  if (rows[0]?.Value !== 'ON') return;
  clustered.add(settings);
  await send(connection, 'SET SESSION wsrep_sync_wait = 1');
}
