import { spawnSync } from 'node:child_process';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { scaled } from './machine.js';
import { findServer, startThrowAwayServer, type ThrowAwayServer } from './test-server.js';

/** A server, and another one that copies all of its databases. Both are on this machine, and gone when they are stopped. */
export interface Replication {
  primary: ThrowAwayServer;
  replica: ThrowAwayServer;
  /** URL of the replica for a user who may only read there, without a database. */
  readerUrl: string;
  /** Stops copying. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until the replica has all that the primary has. */
  catchUp(): Promise<void>;
  /** How many SELECTs of others the replica was asked for. */
  reads(): Promise<number>;
  /** Starts another server like the primary, which nothing copies. */
  startPrimary(): Promise<ThrowAwayServer>;
  stop(): Promise<void>;
}

/** The statements and options of a server. */
const kinds = {
  mariadb: {
    options: [],
    follow: (port: string) =>
      `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${port}, MASTER_USER = 'coursectl', MASTER_PASSWORD = 'coursectl', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1`,
    start: 'START SLAVE',
    stop: 'STOP SLAVE SQL_THREAD',
    position: 'SELECT @@gtid_binlog_pos AS position',
    wait: 'SELECT MASTER_GTID_WAIT(?, ?) AS outcome',
  },
  mysql: {
    options: ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'],
    follow: (port: string) =>
      `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${port}, SOURCE_USER = 'coursectl', SOURCE_PASSWORD = 'coursectl', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_CONNECT_RETRY = 1`,
    start: 'START REPLICA',
    stop: 'STOP REPLICA SQL_THREAD',
    position: 'SELECT @@global.gtid_executed AS position',
    wait: 'SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?) AS outcome',
  },
};

async function on<T>({ url }: ThrowAwayServer, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await createConnection(url);
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

/** Starts both. @throws where there is no server on the PATH */
export async function startReplication(): Promise<Replication> {
  const binary = findServer();
  if (binary === undefined) throw new Error('There is no mariadbd or mysqld on the PATH.');
  const version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout;
  const { options, follow, start, stop, position, wait } = kinds[/mariadb/i.test(version) ? 'mariadb' : 'mysql'];
  const startServer = async (id: number) => {
    const own = [`--server-id=${id}`, '--log-bin', '--binlog-format=ROW', '--sync-binlog=0', ...options];
    const server = await startThrowAwayServer({ binary, options: own });
    if (!server) throw new Error('The server did not start.');
    return server;
  };
  const primary = await startServer(1);
  const replica = await startServer(2);
  const { port } = new URL(primary.url);
  await on(replica, async (connection) => {
    await connection.query("CREATE USER 'reader'@'127.0.0.1' IDENTIFIED BY 'reader'");
    await connection.query("GRANT SELECT ON *.* TO 'reader'@'127.0.0.1'");
    await connection.query(follow(port));
    await connection.query(start);
  });
  return {
    primary,
    replica,
    readerUrl: replica.url.replace('coursectl:coursectl', 'reader:reader'),
    pause: () => on(replica, async (connection) => void (await connection.query(stop))),
    resume: () => on(replica, async (connection) => void (await connection.query(start))),
    async catchUp() {
      const [[written]] = await on(primary, (connection) => connection.query<RowDataPacket[]>(position));
      const seconds = Math.ceil(scaled(10_000) / 1000);
      const [[reached]] = await on(replica, (connection) =>
        connection.query<RowDataPacket[]>(wait, [written?.position, seconds]),
      );
      if (Number(reached?.outcome) !== 0) throw new Error(`The replica is more than ${seconds} s behind its primary.`);
    },
    reads: () =>
      on(replica, async (connection) => {
        const [[row]] = await connection.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Com_select'");
        return Number(row?.Value);
      }),
    startPrimary: () => startServer(1),
    async stop() {
      await replica.stop();
      await primary.stop();
    },
  };
}
