import type { MysqlConfig } from '../config/config.js';

const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const quotedText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * The host in the server's message, which has no structured field for it: `... for user 'ann'@'%' ...`, `Host '10.0.0.5' is
 * not allowed ...`. Where the server refuses rights it is the host of the account, where it refuses the login or the host the
 * client's, as the server sees it.
 */
export function hostInMessage(message: string): string | undefined {
  return (/'@'([^']*)'/.exec(message) ?? /^Host '([^']*)'/.exec(message))?.[1];
}

/** The statement that creates the configured database. */
export const createStatement = ({ name }: Pick<MysqlConfig, 'name'>) =>
  `CREATE DATABASE IF NOT EXISTS ${quotedName(name)} CHARACTER SET utf8mb4`;

const accountOf = (user: string, message: string) => `${quotedText(user)}@${quotedText(hostInMessage(message) ?? '%')}`;

/** The statement that gives the configured user its rights. @param message the server's, which names the account */
export function grantStatement({ name, user }: Pick<MysqlConfig, 'name' | 'user'>, message: string): string {
  return `GRANT ALL ON ${quotedName(name)}.* TO ${accountOf(user, message)}`;
}

/**
 * The statements that let the configured user connect from this machine, with a placeholder for the password.
 * @param message the server's, which names the host
 */
export function admitStatements(settings: Pick<MysqlConfig, 'name' | 'user'>, message: string): string[] {
  return [
    `CREATE USER ${accountOf(settings.user, message)} IDENTIFIED BY '<password>'`,
    grantStatement(settings, message),
  ];
}
