import type { MysqlConfig } from '../../config/config.js';

const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const quotedText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * Returns the host in the server's message, because its errors have no field for the host: `... for user 'ann'@'%'
 * ...`, `Host '10.0.0.5' is not allowed ...`. If the server refuses a database, the host is the account's. If the
 * server refuses a login, a host or a statement, the host is the client's as the server sees it.
 */
export function hostInMessage(message: string): string | undefined {
  return (/'@'([^']*)'/.exec(message) ?? /^Host '([^']*)'/.exec(message))?.[1];
}

export const createStatement = ({ name }: Pick<MysqlConfig, 'name'>) =>
  `CREATE DATABASE IF NOT EXISTS ${quotedName(name)} CHARACTER SET utf8mb4`;

const accountOf = (user: string, host: string) => `${quotedText(user)}@${quotedText(host)}`;

/**
 * Returns the statement that grants the configured user its rights.
 * @param host of the account
 */
export function grantStatement({ name, user }: Pick<MysqlConfig, 'name' | 'user'>, host = '%'): string {
  return `GRANT ALL ON ${quotedName(name)}.* TO ${accountOf(user, host)}`;
}

/**
 * Returns the statements that let the configured user connect from this machine, with a placeholder for the password.
 * @param host this machine's host as the server sees it
 */
export function createUserStatements(settings: Pick<MysqlConfig, 'name' | 'user'>, host = '%'): string[] {
  return [`CREATE USER ${accountOf(settings.user, host)} IDENTIFIED BY '<password>'`, grantStatement(settings, host)];
}
