import type { MysqlConfig } from '../../config/config.js';

const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const quotedText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * The host in the server's message, which has no structured field for it: `... for user 'ann'@'%' ...`, `Host '10.0.0.5' is
 * not allowed ...`. Where the server refuses a whole database it is the host of the account; where it refuses the login, the
 * host or a statement, the client's, as the server sees it.
 */
export function hostInMessage(message: string): string | undefined {
  return (/'@'([^']*)'/.exec(message) ?? /^Host '([^']*)'/.exec(message))?.[1];
}

/** The statement that creates the configured database. */
export const createStatement = ({ name }: Pick<MysqlConfig, 'name'>) =>
  `CREATE DATABASE IF NOT EXISTS ${quotedName(name)} CHARACTER SET utf8mb4`;

const accountOf = (user: string, host: string) => `${quotedText(user)}@${quotedText(host)}`;

/** The statement that gives the configured user its rights. @param host of its account */
export function grantStatement({ name, user }: Pick<MysqlConfig, 'name' | 'user'>, host = '%'): string {
  return `GRANT ALL ON ${quotedName(name)}.* TO ${accountOf(user, host)}`;
}

/**
 * The statements that let the configured user connect from this machine, with a placeholder for the password.
 * @param host this machine's, as the server sees it
 */
export function createUserStatements(settings: Pick<MysqlConfig, 'name' | 'user'>, host = '%'): string[] {
  return [`CREATE USER ${accountOf(settings.user, host)} IDENTIFIED BY '<password>'`, grantStatement(settings, host)];
}
