import type { MysqlConfig } from '../../config/config.js';

/** Connections to the nodes of a Galera cluster, or of a group of MySQL servers (Group Replication). */

interface Connection {
  query(sql: string, callback: (error: Error | null, rows?: unknown) => void): void;
}

/** Databases whose server has reported that it belongs to a cluster. */
const clustered = new WeakSet<MysqlConfig>();

/** Whether a database is a node of a cluster; known after its first connection. */
export function isCluster(settings: object): boolean {
  // Any other object is not in the set.
  return clustered.has(settings as MysqlConfig);
}

const runStatement = (connection: Connection, sql: string) =>
  new Promise<unknown>((resolve, reject) => {
    connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

/** What a server is asked of itself; servers without Galera or the plugin of Group Replication don't know it. */
const clusterVariables = "'wsrep_on', 'group_replication_group_name', 'group_replication_consistency'";

interface Variable {
  Variable_name: string;
  Value: string;
}

/** Levels of consistency with which a group's servers may show what is older than an answered change. */
const staleLevels = new Set<string | undefined>(['EVENTUAL', 'BEFORE_ON_PRIMARY_FAILOVER']);

/**
 * Makes a connection to a cluster read what was committed on any node: reads and new transactions wait until their node
 * has caught up. Without it an account that was just registered through one instance is unknown to another. On other
 * servers it changes nothing.
 */
export async function enableClusterReads(connection: Connection, settings: MysqlConfig): Promise<void> {
  // The driver types results as unknown.
  const rows = (await runStatement(
    connection,
    `SHOW VARIABLES WHERE Variable_name IN (${clusterVariables})`,
  )) as Variable[];
  const values = new Map(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
  const isGalera = values.get('wsrep_on') === 'ON';
  if (!isGalera && !values.get('group_replication_group_name')) return;
  clustered.add(settings);
  if (isGalera) await runStatement(connection, 'SET SESSION wsrep_sync_wait = 1');
  else if (staleLevels.has(values.get('group_replication_consistency')))
    await runStatement(connection, "SET SESSION group_replication_consistency = 'BEFORE'");
}
