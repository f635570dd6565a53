import type { MysqlConfig } from '../config/config.js';

const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const quotedText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * The host in the server's message, which has no structured field for it: `... for user 'ann'@'%' ...`. Where the server
 * refuses rights it is the host of the account, where it refuses the login the client's, as the server sees it.
 */
export function hostInMessage(message: string): string | undefined {
  return /'@'([^']*)'/.exec(message)?.[1];
}

/** The statement that creates the configured database. */
export const createStatement = ({ name }: Pick<MysqlConfig, 'name'>) =>
  `CREATE DATABASE IF NOT EXISTS ${quotedName(name)} CHARACTER SET utf8mb4`;

/** The statement that gives the configured user its rights. @param message the server's, which names the account */
export function grantStatement({ name, user }: Pick<MysqlConfig, 'name' | 'user'>, message: string): string {
  return `GRANT ALL ON ${quotedName(name)}.* TO ${quotedText(user)}@${quotedText(hostInMessage(message) ?? '%')}`;
}
