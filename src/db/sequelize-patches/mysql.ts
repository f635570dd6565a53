import { readFileSync } from 'node:fs';
import type { Options, Sequelize } from 'sequelize';
import type { MysqlConfig } from '../../config/config.js';
import { AppError, systemErrorCode } from '../../errors.js';
import { readAsCluster } from '../cluster.js';
import { type Abandonable, acquirePatiently, givenUp, releasePatiently } from '../deadline.js';

/** Connections to MySQL and MariaDB: dialect.ts's share of them. */

/**
 * A connection with no traffic for so long is given up on both ends: so that a black-holed server can't hold a request
 * for ever, nor a black-holed client the rows that it has locked.
 */
const inactivityMs = 20_000;
/** How long a server has to hang up after a goodbye. */
const goodbyeMs = 1000;
/** How long work that is under way may still take when the database is closed. */
const closingMs = 1500;
/** Idle connections of the pool are closed long before that. */
const idleMs = 10_000;

/** Server defaults that would change what is stored or compared are set for each connection. */
const session =
  "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'" +
  `, time_zone = '+00:00', wait_timeout = ${inactivityMs / 1000}`;

/** Transactions see what was committed before each of their statements: looking again shows what others have won. */
const isolation = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** The driver's connection, as far as we know it. */
interface MysqlConnection extends Abandonable {
  stream: {
    setTimeout(ms: number): void;
    on(event: 'timeout', listener: () => void): void;
    destroy(error?: Error): void;
  };
  query(sql: string, callback: (error: Error | null) => void): void;
}

/** Sequelize makes and hands out connections in these. */
interface MysqlConnectionManager {
  getConnection(options?: object): Promise<MysqlConnection>;
  releaseConnection(connection: MysqlConnection): void;
  destroyConnection(connection: MysqlConnection): Promise<void>;
  disconnect(connection: MysqlConnection): Promise<void>;
  close(): Promise<void>;
  validate(connection: MysqlConnection): boolean;
}

/** The server may take no longer for each of the settings than a request waits for a connection: nobody can use it before. */
const prepare = (database: MysqlConfig) => async (given: unknown) => {
  // Sequelize hands the driver's connection over untyped.
  const connection = given as MysqlConnection;
  const { stream } = connection;
  connection.abandon = () => stream.destroy(givenUp());
  stream.on('timeout', () => connection.abandon());
  stream.setTimeout(database.poolAcquireMs);
  for (const setting of [session, isolation])
    await new Promise<void>((resolve, reject) => {
      connection.query(setting, (error) => (error ? reject(error) : resolve()));
    });
  await readAsCluster(connection, database);
  stream.setTimeout(inactivityMs);
};

/**
 * Connections are taken within the time of whoever asks (patience.ts). And those that are broken already are dropped:
 * Sequelize says goodbye to them, and its failure in doing so would hide why they broke, or end the program.
 */
export function mendMysqlConnections(sequelize: Sequelize): void {
  // Sequelize's types show nothing of what is mended here.
  const manager = sequelize.connectionManager as unknown as MysqlConnectionManager;
  const [get, release, destroy, disconnect, close] = (
    ['getConnection', 'releaseConnection', 'destroyConnection', 'disconnect', 'close'] as const
  ).map((name) => manager[name].bind(manager)) as [
    MysqlConnectionManager['getConnection'],
    MysqlConnectionManager['releaseConnection'],
    MysqlConnectionManager['destroyConnection'],
    MysqlConnectionManager['disconnect'],
    MysqlConnectionManager['close'],
  ];
  const inUse = new Set<MysqlConnection>();
  manager.getConnection = async (options) => {
    const connection = await acquirePatiently(() => get(options), release);
    inUse.add(connection);
    return connection;
  };
  const giveBack = (connection: MysqlConnection) => {
    inUse.delete(connection);
    releasePatiently(connection);
  };
  manager.releaseConnection = (connection) => {
    giveBack(connection);
    release(connection);
  };
  manager.destroyConnection = (connection) => {
    giveBack(connection);
    return destroy(connection);
  };
  manager.close = async () => {
    // Work that nobody waits for any more must not keep the program from ending, least of all with a server that is gone.
    const late = setTimeout(() => {
      for (const connection of inUse) connection.abandon();
    }, closingMs);
    await close().finally(() => clearTimeout(late));
  };
  manager.disconnect = async (connection) => {
    const { stream } = connection;
    if (manager.validate(connection)) {
      await disconnect(connection).catch(() => stream.destroy());
      // A server that is out of reach never hangs up, and a program with an open connection never ends.
      setTimeout(() => stream.destroy(), goodbyeMs).unref();
    } else stream.destroy();
  };
}

function tlsOptions(database: MysqlConfig): object {
  if (database.tls === 'off') return {};
  if (database.tls === 'no-verify') return { ssl: { rejectUnauthorized: false } };
  if (database.tlsCaFile === undefined) return { ssl: { rejectUnauthorized: true } };
  try {
    return { ssl: { rejectUnauthorized: true, ca: readFileSync(database.tlsCaFile, 'utf8') } };
  } catch (error) {
    throw new AppError(
      'CONFIG_INVALID',
      `DB_TLS_CA_FILE can't be read (${systemErrorCode(error)}): ${database.tlsCaFile}`,
      { cause: error },
    );
  }
}

/** Sequelize's options for a MySQL or MariaDB server. */
export function mysqlOptions(database: MysqlConfig): Options {
  return {
    dialect: 'mysql',
    host: database.host,
    port: database.port,
    database: database.name,
    username: database.user,
    password: database.password,
    timezone: '+00:00',
    // Sequelize would set the zone and ask for the version in moments of their own, which no limit covers. Its types
    // don't know these options.
    ...({ keepDefaultTimezone: true, databaseVersion: '5.7.0' } as object),
    dialectOptions: { charset: 'utf8mb4', connectTimeout: database.poolAcquireMs, ...tlsOptions(database) },
    pool: { max: database.poolMax, acquire: database.poolAcquireMs, idle: idleMs },
    hooks: { afterConnect: prepare(database) },
  };
}
