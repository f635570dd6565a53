import type { MysqlConfig } from '../config/config.js';
import { databaseUrlForDisplay } from '../config/database-url.js';
import { AppError } from '../errors.js';
import { driverError } from './dialect.js';
import { grantReadStatement, hostInMessage } from './grant.js';

/** What is to be done about a user: accounts are usually copied, too, and a change of the replica alone can stop it. */
const onThePrimary = 'on the primary, or on the replica if that copies no accounts';

/** The faults of a replica that need other words than those of its primary: it is only read, and nothing is created there. */
export function replicaFault(error: unknown, settings: MysqlConfig): AppError | undefined {
  const { code, message } = driverError(error);
  const { name, host, port } = settings;
  const where = databaseUrlForDisplay(settings);
  const cause = { cause: error };
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return new AppError(
        'DATABASE_ACCESS_DENIED',
        `The replica refused the user name or password (${where}). Check DATABASE_READ_URL.`,
        cause,
      );
    case 'ER_HOST_NOT_PRIVILEGED':
      return new AppError(
        'DATABASE_ACCESS_DENIED',
        `The replica accepts no connections from ${hostInMessage(message) ?? 'this machine'} (${where}). Create a user for it, ${onThePrimary}, and let it read: ${grantReadStatement(settings, hostInMessage(message))}.`,
        cause,
      );
    case 'ER_DBACCESS_DENIED_ERROR':
      return new AppError(
        'DATABASE_ACCESS_DENIED',
        `The user of the replica has no rights on the database "${name}", if it has that (${where}). Check the name in DATABASE_READ_URL, or grant them, ${onThePrimary}: ${grantReadStatement(settings, hostInMessage(message))}.`,
        cause,
      );
    // The server names the client's host, whereas the account may be for any host.
    case 'ER_TABLEACCESS_DENIED_ERROR':
    case 'ER_COLUMNACCESS_DENIED_ERROR':
      return new AppError(
        'DATABASE_ACCESS_DENIED',
        `The user of the replica may not read all of the database "${name}" (${where}). Grant it, ${onThePrimary}: ${grantReadStatement(settings, '<host>')}, with the host that SELECT CURRENT_USER() shows when this user is connected.`,
        cause,
      );
    case 'ER_BAD_DB_ERROR':
    case 'ER_WRONG_DB_NAME':
    case 'ER_TOO_LONG_IDENT':
      return new AppError(
        'DATABASE_MISSING',
        `The replica at ${host}:${port} has no database "${name}". Check the name in DATABASE_READ_URL, and that the server copies this database from the primary.`,
        cause,
      );
    case 'ER_NO_SUCH_TABLE':
    case 'ER_BAD_FIELD_ERROR':
      return new AppError(
        'SCHEMA_OUTDATED',
        `The database "${name}" of the replica lacks tables or columns of the primary's (${where}). Check the name in DATABASE_READ_URL, and that the server copies all tables of this database.`,
        cause,
      );
    default:
      return undefined;
  }
}
