export interface SqliteLocation {
  dialect: 'sqlite';
  file: string;
}

/** Database on a MySQL or MariaDB server, with the login. */
export interface MysqlLocation {
  dialect: 'mysql';
  host: string;
  port: number;
  name: string;
  user: string;
  password: string;
}

/** @throws Error with a message that describes the problem without quoting the text */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have special characters percent-encoded: a % in a name or password is written %25');
  }
}

/**
 * Parses the URL of a database: `sqlite:<file>` or `mysql://<user>:<password>@<host>:<port>/<database>`.
 * @throws Error with a message that says what the URL must be, without quoting it
 */
export function parseDatabaseUrl(text: string): SqliteLocation | MysqlLocation {
  const sqlite = /^sqlite:(?:\/\/)?(.*)$/is.exec(text);
  if (sqlite) {
    const file = sqlite[1] ?? '';
    if (file === '' || file.endsWith('/') || file === ':memory:')
      throw new Error('must name a file after "sqlite:", such as sqlite:data/coursectl.sqlite');
    return { dialect: 'sqlite', file };
  }
  // An unencoded password with these characters changes the parts of the URL. The URL may then lack a host or have a wrong
  // port, a path or a query. So all messages mention the encoding.
  const encoding = 'in the user and the password, @ / : # ? % must be percent-encoded (%40 for @)';
  const mustBe = `must be sqlite:<file> or mysql://<user>:<password>@<host>:<port>/<database> (mariadb:// is the same); ${encoding}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    !url ||
    !['mysql:', 'mariadb:'].includes(url.protocol) ||
    url.hostname === '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new Error(mustBe);
  const name = percentDecoded(url.pathname.slice(1));
  if (name === '' || name.includes('/'))
    throw new Error(
      `must end with the name of the database, such as mysql://user:password@host:3306/coursectl; ${encoding}`,
    );
  return {
    dialect: 'mysql',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 3306 : Number(url.port),
    name,
    user: percentDecoded(url.username),
    password: percentDecoded(url.password),
  };
}

/** Returns the URL of a database without the password, for output. */
export function databaseUrlForDisplay(database: SqliteLocation | MysqlLocation): string {
  if (database.dialect === 'sqlite') return `sqlite:${database.file}`;
  const host = database.host.includes(':') ? `[${database.host}]` : database.host;
  return `mysql://${encodeURIComponent(database.user)}@${host}:${database.port}/${encodeURIComponent(database.name)}`;
}
