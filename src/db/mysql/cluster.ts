import type { MysqlConfig } from '../../config/config.js';

/** Connections to the nodes of a Galera cluster, or of a group of MySQL servers (Group Replication). */

interface Connection {
  query(sql: string, callback: (error: Error | null, rows?: unknown) => void): void;
}

const clustered = new WeakSet<MysqlConfig>();

/** Whether a database is a node of a cluster. False before the first connection. */
export function isCluster(settings: object): boolean {
  return clustered.has(settings as MysqlConfig);
}

const runStatement = (connection: Connection, sql: string) =>
  new Promise<unknown>((resolve, reject) => {
    connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

/** Variables that show a cluster. Servers without Galera or the plugin of Group Replication don't know them. */
const clusterVariables = "'wsrep_on', 'group_replication_group_name', 'group_replication_consistency'";

interface Variable {
  Variable_name: string;
  Value: string;
}

/** Consistency levels of a group at which reads may miss an acknowledged change. */
const staleLevels = new Set<string | undefined>(['EVENTUAL', 'BEFORE_ON_PRIMARY_FAILOVER']);

/**
 * Makes a connection to a cluster see all changes that were committed on any node. Reads and new transactions wait
 * until their node has caught up. Otherwise one instance doesn't see an account that was just registered through
 * another. Changes nothing outside of clusters.
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
