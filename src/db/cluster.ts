import type { MysqlConfig } from '../config/config.js';

/** Connections to the nodes of a Galera cluster. */

interface Connection {
  query(sql: string, callback: (error: Error | null, rows?: unknown) => void): void;
}

/** Databases whose server has reported that it belongs to a cluster. */
const clustered = new WeakSet<MysqlConfig>();

/** Whether a database is a node of a Galera cluster; known after its first connection. */
export function isCluster(settings: object): boolean {
  // Any other object is not in the set.
  return clustered.has(settings as MysqlConfig);
}

const send = (connection: Connection, sql: string) =>
  new Promise<unknown>((resolve, reject) => {
    connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

/**
 * Makes a connection to a cluster read what was committed on any node: reads and new transactions wait until their node
 * has caught up. Without it an account that was just registered through one instance is unknown to another. On other
 * servers it changes nothing.
 */
export async function readAsCluster(connection: Connection, settings: MysqlConfig): Promise<void> {
  // The driver types results as unknown.
  const rows = (await send(connection, "SHOW VARIABLES LIKE 'wsrep_on'")) as { Value?: string }[];
  if (rows[0]?.Value !== 'ON') return;
  clustered.add(settings);
  await send(connection, 'SET SESSION wsrep_sync_wait = 1');
}
