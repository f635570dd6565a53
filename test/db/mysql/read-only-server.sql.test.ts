import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { QueryTypes } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { assertWritable } from '../../../src/db/admin/probe.js';
import type { Database } from '../../../src/db/connection.js';
import { createLeaseTable } from '../../../src/db/lease.js';
import { migrateUp } from '../../../src/db/migrations/migrator.js';
import { isAppError } from '../../../src/errors.js';
import { type FaultyProxy, startProxy } from '../../faults/proxy.js';
import { onMysql, runOnServer } from '../../support/database.js';
import { scaled } from '../../support/machine.js';
import { startThrowAwayServer, type ThrowAwayServer } from '../../support/test-server.js';
import { until } from '../../support/until.js';
import { useDatabases } from '../support/databases.js';
import { failureOf } from '../support/failure.js';

const portOf = (url: string) => Number(new URL(url).port || 3306);

/** Runs queries at the same time, and returns the ids of their connections. */
async function connectionsOf(database: Database): Promise<number[]> {
  const ask = () =>
    database.read(() =>
      database.sequelize.query<{ id: number }>('SELECT CONNECTION_ID() AS id, SLEEP(0.1)', { type: QueryTypes.SELECT }),
    );
  const responses = await Promise.all(Array.from({ length: 3 }, ask));
  return responses.flat().map(({ id }) => id);
}

const write = (database: Database) =>
  database.inTransaction((transaction) =>
    database.sequelize.query('UPDATE leases SET expires_at = expires_at + 1', { transaction }),
  );

(onMysql ? describe : describe.skip)('A server that has become read-only', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases({ migrated: false });
  const user = `app_${uuidv7().slice(-12)}`;
  const accounts = ['%', 'localhost'].map((host) => `'${user}'@'${host}'`);
  let former: ThrowAwayServer;
  let proxy: FaultyProxy;
  let database: Database;

  async function onFormer(...statements: string[]): Promise<void> {
    const connection = await createConnection(former.url);
    for (const statement of statements) await connection.query(statement);
    await connection.end();
  }

  before(async function () {
    const server = await startThrowAwayServer();
    if (!server) return this.skip();
    former = server;
    const create = accounts.map((account) => `CREATE USER ${account} IDENTIFIED BY '${user}'`);
    await Promise.all([onFormer(...create), runOnServer(...create)]);
  });
  after(async () => {
    // Not started if no server program is installed.
    if (!former) return;
    await runOnServer(`DROP USER ${accounts.join(', ')}`);
    await former.stop();
  });

  beforeEach(async () => {
    const { pathname } = new URL(databases.url);
    const name = pathname.slice(1);
    // Rights on this database only: a user with all rights can write to a read-only server.
    const grants = accounts.map((account) => `GRANT ALL ON ${name}.* TO ${account}`);
    await Promise.all([onFormer(`CREATE DATABASE ${name}`, ...grants), runOnServer(...grants)]);
    await createLeaseTable(databases.open());
    proxy = await startProxy(portOf(former.url));
    const url = `mysql://${user}:${user}@127.0.0.1:${proxy.port}${pathname}`;
    database = databases.open({ DATABASE_URL: url });
    await createLeaseTable(database);
  });
  afterEach(async () => {
    await onFormer('SET GLOBAL read_only = OFF');
    await database.close();
    await proxy.close();
  });

  it('makes the pool replace all connections after a refused change, even of no rows', async () => {
    await migrateUp(database);
    await assertWritable(database);
    const before = await connectionsOf(database);
    await onFormer('SET GLOBAL read_only = ON');
    for (const change of [write, assertWritable])
      expect((await failureOf(() => change(database))).code).to.equal('DATABASE_NOT_WRITABLE');
    const after = await connectionsOf(database);
    expect(after.filter((id) => before.includes(id))).to.deep.equal([]);
  });

  it('makes writes reach its successor even if the connections are never idle', async () => {
    await onFormer('SET GLOBAL read_only = ON');
    await failureOf(() => write(database));
    await connectionsOf(database);
    proxy.target = portOf(databases.url);
    const isRefused = async () =>
      isAppError(await write(database).catch((error: unknown) => error), 'DATABASE_NOT_WRITABLE');
    await until(async () => !(await isRefused()), 'another server takes the write');
    await write(database);
  });

  it('gets new connections at most once a second while it stays read-only', async () => {
    await onFormer('SET GLOBAL read_only = ON');
    const ids = new Set<number>();
    const startedAt = performance.now();
    for (let count = 0; count < 10; count += 1) {
      await failureOf(() => write(database));
      for (const id of await connectionsOf(database)) ids.add(id);
    }
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    expect(ids.size).to.be.at.most(3 * (seconds + 1));
  });

  it('is recognised by its error numbers', async () => {
    const fail = (number: number, text: string) =>
      failureOf(() =>
        database.read(() =>
          database.sequelize.query(`SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${number}, MESSAGE_TEXT = '${text}'`),
        ),
      );
    const before = await connectionsOf(database);
    const other = await fail(1290, 'The server is running with the --secure-file-priv option');
    expect(other.code).to.equal('DATABASE_NOT_WRITABLE');
    expect((await connectionsOf(database)).some((id) => before.includes(id))).to.equal(true);
    const { code } = await fail(1836, 'Running in read-only mode');
    expect(code).to.equal('DATABASE_NOT_WRITABLE');
    expect((await connectionsOf(database)).filter((id) => before.includes(id))).to.deep.equal([]);
  });
});
