import { ConnectionError, QueryTypes, type Sequelize, Transaction } from 'sequelize';
import { escape as mysqlEscape } from 'sql-escaper';
import type { MysqlConfig, SqliteConfig } from '../config/config.js';
import { AppError } from '../errors.js';
import { DeadlineExceededError } from './sequelize/deadline.js';
import { lostThreadCode } from './sqlite/thread.js';

/** Differences between SQLite, MySQL and MariaDB. Connections are in `sqlite/` and `mysql/`. */

/** Value of a column. A `Date` is stored to the millisecond. */
export type ColumnValue = string | number | boolean | Date | null;

export function isSqlite(sequelize: Sequelize): boolean {
  return sequelize.getDialect() === 'sqlite';
}

/**
 * Returns options of a writing transaction. On SQLite it takes the write lock at its start: a transaction that reads
 * first would fail without waiting if another writer begins. MySQL needs no options: new connections set the isolation
 * level.
 */
export function writeTransactionOptions(sequelize: Sequelize): { type?: Transaction.TYPES } {
  return isSqlite(sequelize) ? { type: Transaction.TYPES.IMMEDIATE } : {};
}

// Lock wait timeout, deadlock, MariaDB's "record has changed since last read", and two errors of commits refused by a
// cluster.
const transientMysqlErrors = new Set([1205, 1213, 1020, 1180, 3101]);

/** Whether a transaction that failed with this error should be repeated. */
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
 * Whether an established connection was lost during a statement. Reads the message too, because mysql2's error for a
 * closed connection has no code.
 */
export function isLostConnection(error: unknown): boolean {
  // The connection was never established, so nothing was sent.
  if (error instanceof ConnectionError) return false;
  const { code, message } = driverError(error);
  return (code !== undefined && lostConnectionCodes.has(code)) || /closed state/.test(message);
}

/** Whether the deadline of the work broke the connection. Repeating the work would take too long again. */
export function isDeadlineError(error: unknown): boolean {
  return parentOf(error) instanceof DeadlineExceededError;
}

/** Fields of the errors of all drivers. */
export interface DriverError {
  code?: string;
  errno?: number;
  message: string;
}

/** Returns the driver's error that Sequelize's error wraps, and other errors unchanged. */
export function parentOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'parent' in error ? error.parent : error;
}

/** Returns the fields of the driver's error that Sequelize's error wraps. */
export function driverError(error: unknown): DriverError {
  // Anything can be thrown, so each field is checked.
  const { code, errno, message } = (parentOf(error) ?? {}) as { code?: unknown; errno?: unknown; message?: unknown };
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof errno === 'number' && { errno }),
    message: typeof message === 'string' ? message : String(error),
  };
}

/** Returns a function that converts a value to its stored form, as Sequelize does. For SQL, and for JSON in SQL. */
export function storedValue(sequelize: Sequelize): (value: ColumnValue) => string | number | null {
  const zone = isSqlite(sequelize) ? ' +00:00' : '';
  // Cached, because most rows of a batch have the same timestamp.
  let [lastMoment, lastText] = [new Date(Number.NaN), ''];
  return (value) => {
    if (typeof value === 'boolean') return Number(value);
    if (!(value instanceof Date)) return value;
    if (value !== lastMoment)
      [lastMoment, lastText] = [value, `${value.toISOString().replace('T', ' ').replace('Z', '')}${zone}`];
    return lastText;
  };
}

/** Returns a function that writes a value as an SQL literal in its stored form. */
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

/** Names, in the version, of servers that use MySQL's protocol but whose locks and constraints silently differ. */
const unsupportedServers = /tidb|vitess|oceanbase|polardb-x/i;

/**
 * Returns the server's name and version, such as `SQLite 3.52.0`, `MariaDB 10.11.14` or `MySQL 9.7.0`.
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
      `The database server is ${other} (${version}), and its locks and constraints silently differ from MySQL's: courses would be overbooked. Use MySQL or MariaDB, and set DATABASE_URL.`,
    );
  return /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`;
}

/** SQL for the time of the database, in milliseconds since 1970. */
export const nowMsSql = (sequelize: Sequelize): string =>
  isSqlite(sequelize)
    ? "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    : 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';

/** Returns the time of the database, which all instances share. On SQLite it is the machine's time. */
export async function databaseNow(sequelize: Sequelize, transaction?: Transaction): Promise<Date> {
  const options = { type: QueryTypes.SELECT, ...(transaction && { transaction }) } as const;
  const [row] = await sequelize.query<{ now: number | string }>(`SELECT ${nowMsSql(sequelize)} AS now`, options);
  return new Date(Number(row?.now));
}

/** A server setting that will cause failures, described for `coursectl doctor`. */
export interface ServerProblem {
  problem: string;
  remedy: string;
}

/** Bytes of `max_allowed_packet` that an import batch or a long course description may need. */
const minPacketBytes = 4 * 1024 * 1024;

/** Server connections left for other instances, commands and backups. */
const spareConnections = 5;

/**
 * Returns problems of a server's replication group. MySQL's documentation recommends the setting for groups with
 * several primaries. But the setting refuses all changes of tables with cascading foreign keys. Servers without Group
 * Replication don't have the variable.
 */
async function groupProblems(sequelize: Sequelize): Promise<ServerProblem[]> {
  const [rows] = await sequelize.query("SHOW VARIABLES LIKE 'group_replication_enforce_update_everywhere_checks'");
  if ((rows as { Value: string }[])[0]?.Value !== 'ON') return [];
  return [
    {
      problem: 'group_replication_enforce_update_everywhere_checks is ON: the server refuses most changes',
      remedy: 'Switch the group to a single primary: SELECT group_replication_switch_to_single_primary_mode().',
    },
  ];
}

/** Returns the settings of the server that will cause failures. */
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
      problem: `innodb_flush_log_at_trx_commit is ${values.flush}: a power failure can lose acknowledged writes`,
      remedy: 'Set it to 1.',
    });
  if (values.readOnly !== 0)
    problems.push({ problem: 'the server is read-only', remedy: 'Connect to the primary, or switch read_only off.' });
  return [...problems, ...(await groupProblems(sequelize))];
}
