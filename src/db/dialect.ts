import { ConnectionError, QueryTypes, type Sequelize, Transaction } from 'sequelize';
import { escape as mysqlEscape } from 'sql-escaper';
import type { MysqlConfig, SqliteConfig } from '../config/config.js';
import { AppError } from '../errors.js';
import { DeadlineExceededError } from './sequelize/deadline.js';
import { lostThreadCode } from './sqlite/thread.js';

/** Differences between the databases: transaction kinds, faults worth a retry. How they are connected to: `sqlite/`, `mysql/`. */

/** A value of a column; `Date`s are stored to the millisecond. */
export type ColumnValue = string | number | boolean | Date | null;

/** Whether the database is SQLite; otherwise it is MySQL or MariaDB. */
export function isSqlite(sequelize: Sequelize): boolean {
  return sequelize.getDialect() === 'sqlite';
}

/**
 * How a writing transaction begins. On SQLite it takes the write lock first: a transaction that reads and then finds
 * another writer would fail without waiting. MySQL's isolation is set once for each connection.
 */
export function writeTransactionOptions(sequelize: Sequelize): { type?: Transaction.TYPES } {
  return isSqlite(sequelize) ? { type: Transaction.TYPES.IMMEDIATE } : {};
}

// Lock wait timeout, deadlock, MariaDB's "record has changed since last read", and commits that a cluster refused.
const transientMysqlErrors = new Set([1205, 1213, 1020, 1180, 3101]);

/** Whether a whole transaction that failed like this is worth running again. */
export function isTransientFault(error: unknown): boolean {
  const parent = driverError(error);
  if (parent.code === 'SQLITE_BUSY' || parent.code === 'SQLITE_LOCKED') return true;
  return parent.errno !== undefined && transientMysqlErrors.has(parent.errno);
}

const lostConnectionCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'PROTOCOL_CONNECTION_LOST',
  // The server is shutting down, or its operator ended the connection.
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  lostThreadCode,
]);

/**
 * Whether an established connection was lost during a statement. The message is needed as well: mysql2 gives no code to
 * statements on a closed connection.
 */
export function isLostConnection(error: unknown): boolean {
  // It was never established, so nothing was sent.
  if (error instanceof ConnectionError) return false;
  const { code, message } = driverError(error);
  return (code !== undefined && lostConnectionCodes.has(code)) || /closed state/.test(message);
}

/** Whether the deadline of the work broke the connection: repeating the work would take too long again. */
export function isDeadlineError(error: unknown): boolean {
  return parentOf(error) instanceof DeadlineExceededError;
}

/** The fields of an error that all database drivers have. */
export interface DriverError {
  code?: string;
  errno?: number;
  message: string;
}

/** The error of the driver below Sequelize's, or the error itself. */
export function parentOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'parent' in error ? error.parent : error;
}

/** The driver's own error below Sequelize's, or the error itself. */
export function driverError(error: unknown): DriverError {
  // Anything can be thrown: each is checked before it is used.
  const { code, errno, message } = (parentOf(error) ?? {}) as { code?: unknown; errno?: unknown; message?: unknown };
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof errno === 'number' && { errno }),
    message: typeof message === 'string' ? message : String(error),
  };
}

/** A value as the database stores what Sequelize would give it, for SQL and for JSON in SQL. */
export function storedValue(sequelize: Sequelize): (value: ColumnValue) => string | number | null {
  const zone = isSqlite(sequelize) ? ' +00:00' : '';
  // The rows of a batch share a few moments.
  let [lastMoment, lastText] = [new Date(Number.NaN), ''];
  return (value) => {
    if (typeof value === 'boolean') return Number(value);
    if (!(value instanceof Date)) return value;
    if (value !== lastMoment)
      [lastMoment, lastText] = [value, `${value.toISOString().replace('T', ' ').replace('Z', '')}${zone}`];
    return lastText;
  };
}

/** Writes values into SQL text, as the database stores what Sequelize would give it. */
export function sqlLiteral(sequelize: Sequelize): (value: ColumnValue) => string {
  const text = isSqlite(sequelize)
    ? (value: string) => `'${value.replaceAll("'", "''")}'`
    : (value: string) => mysqlEscape(value);
  const stored = storedValue(sequelize);
  return (value) => {
    if (typeof value === 'string') return text(value);
    if (value === null) return 'NULL';
    const other = stored(value);
    return typeof other === 'string' ? `'${other}'` : String(other);
  };
}

/** Servers that speak the protocol of MySQL, and say so in their version. Their locks and constraints differ without an error. */
const unsupportedServers = /tidb|vitess|oceanbase|polardb-x/i;

/**
 * The server's name and version, for display: `SQLite 3.52.0`, `MariaDB 10.11.14`, `MySQL 9.7.0`.
 * @throws AppError `DATABASE_UNUSABLE` for a server of another kind
 */
export async function serverVersion(sequelize: Sequelize): Promise<string> {
  // Sequelize types the rows of plain SQL as unknown, here and below.
  const [rows] = await sequelize.query(
    isSqlite(sequelize) ? 'SELECT sqlite_version() AS version' : 'SELECT version() AS version',
  );
  const version = String((rows as { version: string }[])[0]?.version);
  if (isSqlite(sequelize)) return `SQLite ${version}`;
  const [other] = unsupportedServers.exec(version) ?? [];
  if (other !== undefined)
    throw new AppError(
      'DATABASE_UNUSABLE',
      `The database server is ${other} (${version}), whose locks and constraints differ from MySQL's without an error: people would get places that are taken. Use MySQL or MariaDB, and set DATABASE_URL.`,
    );
  return /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`;
}

/** SQL for the database's own time, in milliseconds since 1970. */
export const nowMsSql = (sequelize: Sequelize): string =>
  isSqlite(sequelize)
    ? "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    : 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';

/** The database's own time, which is the same for all instances; SQLite's is that of the machine. */
export async function databaseNow(sequelize: Sequelize, transaction?: Transaction): Promise<Date> {
  const options = { type: QueryTypes.SELECT, ...(transaction && { transaction }) } as const;
  const [row] = await sequelize.query<{ now: number | string }>(`SELECT ${nowMsSql(sequelize)} AS now`, options);
  return new Date(Number(row?.now));
}

/** A setting of the server that will cause failures, in sentences for `coursectl doctor`. */
export interface ServerProblem {
  problem: string;
  remedy: string;
}

/** Rows of an import batch and a long course description fit into a packet of this size, in bytes. */
const minPacketBytes = 4 * 1024 * 1024;

/** Connections to the server that are for others: other instances, commands of the operator, backups. */
const spareConnections = 5;

/**
 * What is wrong with a server's group. With several primaries, the switch that MySQL's documentation names turns checks on
 * that refuse all changes of tables with cascading foreign keys. Servers without Group Replication don't know the variable.
 */
async function groupProblems(sequelize: Sequelize): Promise<ServerProblem[]> {
  const [rows] = await sequelize.query("SHOW VARIABLES LIKE 'group_replication_enforce_update_everywhere_checks'");
  if ((rows as { Value: string }[])[0]?.Value !== 'ON') return [];
  return [
    {
      problem: 'group_replication_enforce_update_everywhere_checks is ON: the server refuses most changes',
      remedy: 'Let the group have a single primary: SELECT group_replication_switch_to_single_primary_mode().',
    },
  ];
}

/** Settings of the server that will cause failures. */
export async function serverProblems(
  sequelize: Sequelize,
  settings: MysqlConfig | SqliteConfig,
): Promise<ServerProblem[]> {
  if (settings.dialect === 'sqlite') {
    const [rows] = await sequelize.query('PRAGMA journal_mode');
    const mode = (rows as { journal_mode: string }[])[0]?.journal_mode;
    return mode === 'wal'
      ? []
      : [
          {
            problem: `journal mode is ${mode}, not wal: readers wait for writers`,
            remedy: 'Keep the database on a local disk, not a network share.',
          },
        ];
  }
  const [rows] = await sequelize.query(
    'SELECT @@max_allowed_packet AS packet, @@max_connections AS connections, @@innodb_flush_log_at_trx_commit AS flush, @@read_only AS readOnly',
  );
  const values = (rows as Record<'packet' | 'connections' | 'flush' | 'readOnly', number>[])[0];
  if (!values) return [];
  const problems: ServerProblem[] = [];
  if (values.packet < minPacketBytes)
    problems.push({
      problem: `max_allowed_packet is ${values.packet}`,
      remedy: `Set it to ${minPacketBytes} or more.`,
    });
  if (values.connections < settings.poolMax + spareConnections)
    problems.push({
      problem: `max_connections is ${values.connections}, and each instance opens up to ${settings.poolMax} (DB_POOL_MAX)`,
      remedy: 'Raise max_connections, or lower DB_POOL_MAX.',
    });
  if (values.flush !== 1)
    problems.push({
      problem: `innodb_flush_log_at_trx_commit is ${values.flush}: a power failure can lose answered writes`,
      remedy: 'Set it to 1.',
    });
  if (values.readOnly !== 0)
    problems.push({ problem: 'the server is read-only', remedy: 'Connect to the primary, or switch read_only off.' });
  return [...problems, ...(await groupProblems(sequelize))];
}
