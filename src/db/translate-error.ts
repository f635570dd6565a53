import { statSync } from 'node:fs';
import {
  ConnectionAcquireTimeoutError,
  ConnectionError,
  ForeignKeyConstraintError,
  UniqueConstraintError,
} from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../config/config.js';
import { databaseUrlForDisplay } from '../config/database-url.js';
import { AppError, type ErrorCode, systemErrorCode } from '../errors.js';
import { driverError, isDeadlineError, isLostConnection, isTransientFault, parentOf } from './dialect.js';
import { createUserStatements, grantStatement, hostInMessage } from './mysql/grant.js';
import { namesOfWrongCertificate } from './mysql/tls.js';

/** Error codes by violated constraint. MySQL names the index, SQLite the columns. */
const constraintCodes: Readonly<Record<string, ErrorCode>> = {
  users_email_unique: 'EMAIL_TAKEN',
  'users.email': 'EMAIL_TAKEN',
  users_phone_key_unique: 'PHONE_TAKEN',
  'users.phone_key': 'PHONE_TAKEN',
  enrollments_user_course_unique: 'ALREADY_ENROLLED',
  'enrollments.user_id': 'ALREADY_ENROLLED',
  groups_name_key_unique: 'GROUP_EXISTS',
  'groups.name_key': 'GROUP_EXISTS',
  identities_subject_unique: 'IDENTITY_TAKEN',
  'identities.issuer': 'IDENTITY_TAKEN',
  users_super_admin_unique: 'SUPER_ADMIN_EXISTS',
  'users.super_admin_marker': 'SUPER_ADMIN_EXISTS',
};

/**
 * Returns the constraint in a driver's message, because its errors have no field for the constraint: MySQL `... for key
 * 'users.name'`, MariaDB `... for key 'name'`, SQLite `... failed: table.column`.
 */
function violatedConstraint(message: string): string | undefined {
  const named = /for key '(?:\w+\.)?(\w+)'/.exec(message) ?? /UNIQUE constraint failed: ([\w.]+)/.exec(message);
  return named?.[1];
}

/**
 * Whether a statement violated a unique index.
 * @param column table and column, which SQLite names instead of the index
 */
export function violatesUniqueIndex(error: unknown, index: string, column: string): boolean {
  if (!(error instanceof UniqueConstraintError)) return false;
  const broken = violatedConstraint(driverError(error).message);
  return broken === index || broken === column;
}

/** Returns the error for a statement that needs a missing table or column. */
function schemaFault(error: unknown): AppError {
  const missing = driverError(error).message.replace(/^SQLITE_ERROR: /, '');
  return new AppError(
    'SCHEMA_OUTDATED',
    `The database schema is not up to date: ${missing}. Run: coursectl migrate up. If nothing is pending, ` +
      'the schema was changed by hand: change it back, or restore a backup.',
    { cause: error },
  );
}

const rowIsReferencedErrno = 1451;

/** Error numbers of a query that exceeded its time limit, on MySQL and on MariaDB. The driver has no name for MariaDB's. */
const queryTimeouts = new Set([3024, 1969]);

const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Whether a server refused a connection; false if the server didn't respond. The driver names such errors ER_..., or
 * gives only a number for errors of MariaDB.
 */
export function isRefusalByServer(error: unknown): boolean {
  const { code, errno } = driverError(error);
  return code?.startsWith('ER_') ?? (errno !== undefined && errno > 0);
}

/** Returns why TLS failed, and what to do. */
function tlsProblem(error: unknown, { host }: MysqlConfig): string {
  const names = namesOfWrongCertificate(parentOf(error));
  return names === undefined
    ? `${driverError(error).message}. Check DB_TLS and DB_TLS_CA_FILE.`
    : `the server's certificate is for ${names}, not for ${host}. Connect to a name in the certificate, or set DB_TLS=no-verify to skip the check.`;
}

function mysqlFault(error: unknown, settings: MysqlConfig): AppError | undefined {
  const { code, errno, message } = driverError(error);
  const where = databaseUrlForDisplay(settings);
  const fault = (faultCode: ErrorCode, text: string) => new AppError(faultCode, text, { cause: error });
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return fault(
        'DATABASE_ACCESS_DENIED',
        `The database refused the user name or password (${where}). Check DATABASE_URL, or DB_USER and DB_PASSWORD.`,
      );
    case 'ER_HOST_NOT_PRIVILEGED':
      return fault(
        'DATABASE_ACCESS_DENIED',
        `The database server accepts no connections from ${hostInMessage(message) ?? 'this machine'} (${where}). ` +
          `Create a user for it: ${createUserStatements(settings, hostInMessage(message)).join('; ')}.`,
      );
    case 'ER_DBACCESS_DENIED_ERROR':
      return fault(
        'DATABASE_ACCESS_DENIED',
        `The database user has no rights on the database "${settings.name}". Grant them: ${grantStatement(settings, hostInMessage(message))}.`,
      );
    // The message contains the client's host, which may differ from the account's.
    case 'ER_TABLEACCESS_DENIED_ERROR':
    case 'ER_COLUMNACCESS_DENIED_ERROR':
      return fault(
        'DATABASE_ACCESS_DENIED',
        `The database user lacks rights on the database "${settings.name}". Grant them: ${grantStatement(settings, '<host>')}, ` +
          'with the host that SELECT CURRENT_USER() shows when this user is connected.',
      );
    case 'ER_BAD_DB_ERROR':
      return fault(
        'DATABASE_MISSING',
        `The database "${settings.name}" does not exist on ${settings.host}:${settings.port}. Create it: CREATE DATABASE \`${settings.name}\`.`,
      );
    // MySQL has a separate error for names that are too long.
    case 'ER_WRONG_DB_NAME':
    case 'ER_TOO_LONG_IDENT':
      return fault(
        'DATABASE_MISSING',
        `The database server accepts no database of the name "${settings.name}" (${where}). Check DATABASE_URL, or DB_NAME.`,
      );
    case 'ER_NO_SUCH_TABLE':
    case 'ER_BAD_FIELD_ERROR':
      return schemaFault(error);
    case 'HANDSHAKE_NO_SSL_SUPPORT':
    case 'HANDSHAKE_SSL_ERROR':
      return fault(
        'DATABASE_UNREACHABLE',
        `No TLS connection to the database (${where}): ${tlsProblem(error, settings)}`,
      );
    case 'ER_OPTION_PREVENTS_STATEMENT':
    case 'ER_READ_ONLY_MODE':
      return fault(
        'DATABASE_NOT_WRITABLE',
        `The database can't be written (${where}): ${code}. Connect to the primary.`,
      );
    case 'ER_DISK_FULL':
    case 'ER_RECORD_FILE_FULL':
      return fault('DISK_FULL', `The disk of the database server is full (${where}): ${code}. Free some space.`);
    // A group with several primaries refuses changes of tables with cascading foreign keys.
    case 'ER_BEFORE_DML_VALIDATION_ERROR':
      return fault(
        'DATABASE_NOT_WRITABLE',
        `The database's group refuses changes of the table (${where}). Switch the group to a single primary: SELECT group_replication_switch_to_single_primary_mode().`,
      );
    // A cluster node without quorum answers every statement with this error.
    case 'ER_UNKNOWN_COM_ERROR':
      return fault(
        'DATABASE_UNREACHABLE',
        `The database has lost the other nodes of its cluster, or has not caught up with them yet (${where}). Look at wsrep_cluster_status and wsrep_ready.`,
      );
    // A server of a group that has not caught up with the others.
    case 'ER_GRP_TRX_CONSISTENCY_NOT_ALLOWED':
    case 'ER_GRP_TRX_CONSISTENCY_BEFORE':
      return fault(
        'DATABASE_UNREACHABLE',
        `The database has lost its group, or has not caught up with it yet (${where}). Look at performance_schema.replication_group_members.`,
      );
    case 'ER_SERVER_SHUTDOWN':
    case 'ER_CONNECTION_KILLED':
    case 'ER_QUERY_INTERRUPTED':
      return fault('DATABASE_UNREACHABLE', `The database ended the query (${where}): ${code}. Try again.`);
    default:
  }
  if (errno !== undefined && queryTimeouts.has(errno))
    return fault('OVERLOADED', `The database took too long (${where}). Try again.`);
  if (isTransientFault(error))
    return fault('OVERLOADED', `The database is busy with other changes (${where}). Try again.`);
  if (error instanceof ConnectionAcquireTimeoutError)
    return fault(
      'DATABASE_UNREACHABLE',
      `No connection to the database was free within ${settings.poolAcquireMs} ms (${where}). Check the server, or raise DB_POOL_MAX.`,
    );
  if (error instanceof ConnectionError && isRefusalByServer(error))
    return fault(
      'DATABASE_UNREACHABLE',
      `The database server refuses the connection (${where}): ${message.replace(/\.$/, '')}. Ask its administrator, or try again later.`,
    );
  // A connection that was never established is handled below.
  if (isDeadlineError(error) && !(error instanceof ConnectionError))
    return fault(
      'DATABASE_UNREACHABLE',
      `The database did not answer in time (${where}). Look for slow queries and locks there, and whether it can be reached; then try again.`,
    );
  if (error instanceof ConnectionError || (code !== undefined && unreachableCodes.has(code)) || isLostConnection(error))
    return fault(
      'DATABASE_UNREACHABLE',
      `The database can't be reached (${where}): ${code ?? message}. Check that the server runs and that DATABASE_URL is correct.`,
    );
  return undefined;
}

/** Whether Sequelize failed to create the folder of the file, which it does before SQLite opens the file. */
function isMkdirError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
}

/** Whether a database file that can't be opened exists, or lies in a folder that this user can't read. */
function isInaccessibleFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch (error) {
    return systemErrorCode(error) === 'EACCES';
  }
}

function sqliteFault(error: unknown, settings: SqliteConfig): AppError | undefined {
  const { code, message } = driverError(error);
  const fault = (faultCode: ErrorCode, text: string) => new AppError(faultCode, text, { cause: error });
  if (/no such (table|column)|has no column named/.test(message)) return schemaFault(error);
  if (code === 'SQLITE_READONLY' || (isMkdirError(error) && /^(EACCES|EPERM|EROFS)$/.test(code ?? '')))
    return fault(
      'DATABASE_NOT_WRITABLE',
      `The database file ${settings.file} can't be written. Make the file and its folder writable for this user.`,
    );
  if (code === 'SQLITE_CANTOPEN' && isInaccessibleFile(settings.file))
    return fault(
      'DATABASE_UNREACHABLE',
      `The database file ${settings.file} can't be opened by this user. Run this as the user of the service, which must own the file, the files beside it and its folder: change the owner with chown.`,
    );
  if (code === 'SQLITE_CANTOPEN' || isMkdirError(error))
    return fault(
      'DATABASE_UNREACHABLE',
      `The database file ${settings.file} can't be opened. Check that its folder exists and is writable, and DATABASE_URL or DATA_DIR.`,
    );
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return fault(
      'DATABASE_UNUSABLE',
      `The file ${settings.file} is not a usable SQLite database. Restore it from a backup, or name another file.`,
    );
  if (isDeadlineError(error))
    return fault('OVERLOADED', `The database file ${settings.file} is busy with other changes. Try again.`);
  if (code === 'SQLITE_BUSY')
    return fault('OVERLOADED', `The database file ${settings.file} is locked by another program. Try again.`);
  if (code === 'SQLITE_IOERR')
    return fault('DATABASE_UNUSABLE', `The disk of ${settings.file} fails or is full. Check it, and try again.`);
  if (code === 'SQLITE_FULL') return fault('DISK_FULL', `The disk of ${settings.file} is full. Free some space.`);
  return undefined;
}

/** Translates a known database error to an AppError. Returns any other error unchanged. */
export function translateError(error: unknown, settings: SqliteConfig | MysqlConfig): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof UniqueConstraintError) {
    const constraint = violatedConstraint(driverError(error).message);
    const code = constraint === undefined ? undefined : constraintCodes[constraint];
    return code === undefined ? error : new AppError(code, undefined, { cause: error });
  }
  // The referenced row was deleted. Excludes error 1451 (deleting a row that is still referenced), which a rule must
  // prevent.
  if (error instanceof ForeignKeyConstraintError && driverError(error).errno !== rowIsReferencedErrno)
    return new AppError('REFERENCE_GONE', undefined, { cause: error });
  return (settings.dialect === 'mysql' ? mysqlFault(error, settings) : sqliteFault(error, settings)) ?? error;
}
