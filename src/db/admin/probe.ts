import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Sequelize } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../../config/config.js';
import { AppError, isAppError } from '../../errors.js';
import { type Database, openDatabase } from '../connection.js';
import { driverError } from '../dialect.js';
import { createStatement, createUserStatements, grantStatement, hostInMessage } from '../mysql/grant.js';
import { isRefusalByServer, translateError } from '../translate-error.js';

/** State of a configured database. `statements` are SQL for the administrator of the server. */
export type ProbeResult =
  | { state: 'usable' }
  | { state: 'unreachable'; reason: string }
  /** The server refuses the user or the password. `clientHost` is this machine's host as the server sees it. */
  | { state: 'login refused'; clientHost: string | undefined }
  /** The server accepts no connections from this machine. */
  | { state: 'host refused'; clientHost: string | undefined; statements: readonly string[] }
  /** The user has no rights on the database. The database may also be missing: the server gives the same error. */
  | { state: 'no rights'; statements: readonly string[] }
  | { state: 'missing'; statements: readonly string[] }
  /** The server accepts no database with this name. */
  | { state: 'wrong name' }
  | { state: 'other'; problem: string };

/**
 * Connects, and reports the state of the database.
 * @throws any error that doesn't come from the database
 */
export async function probe(sequelize: Sequelize, settings: SqliteConfig | MysqlConfig): Promise<ProbeResult> {
  try {
    await sequelize.query('SELECT 1');
    return { state: 'usable' };
  } catch (error) {
    const translated = translateError(error, settings);
    if (!isAppError(translated)) throw translated;
    return settings.dialect === 'mysql'
      ? classifyFailure(error, settings, translated)
      : { state: 'other', problem: translated.message };
  }
}

function classifyFailure(error: unknown, settings: MysqlConfig, failure: AppError): ProbeResult {
  const { code, message } = driverError(error);
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return { state: 'login refused', clientHost: hostInMessage(message) };
    case 'ER_HOST_NOT_PRIVILEGED':
      return {
        state: 'host refused',
        clientHost: hostInMessage(message),
        statements: createUserStatements(settings, hostInMessage(message)),
      };
    case 'ER_DBACCESS_DENIED_ERROR':
      return {
        state: 'no rights',
        statements: [createStatement(settings), grantStatement(settings, hostInMessage(message))],
      };
    case 'ER_BAD_DB_ERROR':
      return { state: 'missing', statements: [createStatement(settings)] };
    case 'ER_WRONG_DB_NAME':
    case 'ER_TOO_LONG_IDENT':
      return { state: 'wrong name' };
    case 'HANDSHAKE_NO_SSL_SUPPORT':
    case 'HANDSHAKE_SSL_ERROR':
      return { state: 'other', problem: failure.message };
    default:
      return failure.code === 'DATABASE_UNREACHABLE' && !isRefusalByServer(error)
        ? { state: 'unreachable', reason: code ?? message }
        : { state: 'other', problem: failure.message };
  }
}

/** A database that exists on every server and that every user may open. */
const systemDatabase = 'information_schema';

/**
 * Creates the configured database on a server. Does nothing for SQLite, where the first query creates the file.
 * @throws AppError `DATABASE_ACCESS_DENIED` if the user may not create databases, and the errors of any query
 */
export async function createDatabase(settings: SqliteConfig | MysqlConfig): Promise<void> {
  if (settings.dialect === 'sqlite') return;
  const server = openDatabase({ ...settings, name: systemDatabase });
  try {
    await server.read(() => server.sequelize.query(createStatement(settings)));
  } finally {
    await server.close();
  }
}

/** Free bytes below which a disk counts as full: a change may need this many. */
const minFreeBytes = 1024 * 1024;

/** Checks that the disk of an SQLite database has space for changes. @throws AppError `DISK_FULL` */
export async function assertSpaceLeft(settings: SqliteConfig | MysqlConfig): Promise<void> {
  if (settings.dialect !== 'sqlite') return;
  const { bavail, bsize } = await statfs(path.dirname(settings.file));
  if (bavail * bsize < minFreeBytes)
    throw new AppError('DISK_FULL', `The disk of ${settings.file} is full. Free some space.`);
}

/** Milliseconds to wait for a write by another process. Each write of a running service is short. */
const writeTimeoutMs = 1000;

/**
 * Checks that a migrated database accepts changes: runs a DELETE that matches no row. Beginning a transaction is no
 * check, because read-only files and servers allow that.
 * @throws AppError `DATABASE_NOT_WRITABLE`; `OVERLOADED` if another process writes for longer than {@link
 *   writeTimeoutMs}; and the errors of any query
 */
export async function assertWritable({ sequelize, read, withDeadline }: Database): Promise<void> {
  // Not in a transaction: Sequelize prints a complaint if a transaction can't begin.
  const change = () => sequelize.query("DELETE FROM `SequelizeMeta` WHERE name = ''");
  await withDeadline({ all: writeTimeoutMs }, () => read(change));
}
