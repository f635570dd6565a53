import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type QueryInterface, QueryTypes } from 'sequelize';
import type { Database } from '../../../src/db/connection.js';
import { serverVersion } from '../../../src/db/dialect.js';
import { assertSchemaCurrent, migrateDown, migrateUp, migrationStatus } from '../../../src/db/migrations/migrator.js';
import { onMysql } from '../../support/database.js';
import { scaled } from '../../support/machine.js';
import { until, whileRunning } from '../../support/until.js';
import { tablesOf, useDatabases } from '../support/databases.js';
import { failureOf } from '../support/failure.js';

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.cjs'))
  .sort();

/** Each migration creates one table. */
const tables = files.map((name) => (/-create-(.*)\.cjs$/.exec(name)?.[1] ?? name).replaceAll('-', '_'));

type Step = (queryInterface: QueryInterface) => Promise<void>;
// Not checked: a file without this function fails when it runs.
const steps = files.map((name) => require(path.join(folder, name)) as { down: Step });

/** Returns a database whose server reports this version. */
function reportingVersion(database: Database, version: string): Database {
  const { sequelize } = database;
  const query = (sql: string, ...rest: never[]) =>
    sql === 'SELECT version() AS version' ? Promise.resolve([[{ version }]]) : sequelize.query(sql, ...rest);
  return { ...database, sequelize: Object.assign(Object.create(sequelize), { query, getDialect: () => 'mysql' }) };
}

/** Tables that stay after all migrations are reverted: executed migrations and leases. */
const bookkeeping = ['SequelizeMeta', 'leases'];

/** Returns the full description of all tables: columns, keys and checks. */
async function schemaOf(database: Database): Promise<unknown> {
  const { sequelize } = database;
  if (!onMysql) {
    return sequelize.query('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name', {
      type: QueryTypes.SELECT,
    });
  }
  return Promise.all(
    tables.map((table) => sequelize.query(`SHOW CREATE TABLE \`${table}\``, { type: QueryTypes.SELECT })),
  );
}

describe('migrations', () => {
  const databases = useDatabases({ migrated: false });

  it('can be applied, reverted one by one or several at once, and applied again', async () => {
    const database = databases.open();
    expect(await migrateDown(database, 'all')).to.deep.equal([]);
    expect(await migrateUp(database)).to.deep.equal(files);
    expect(await migrateUp(database)).to.deep.equal([]);
    expect(await tablesOf(database)).to.have.members([...tables, ...bookkeeping]);
    const schema = await schemaOf(database);

    expect(await migrateDown(database, 3)).to.deep.equal(files.slice(-3).toReversed());
    expect(await tablesOf(database)).to.have.members([...tables.slice(0, -3), ...bookkeeping]);
    expect(await migrateDown(database, 1)).to.deep.equal(files.slice(-4, -3));
    expect(await migrateDown(database, 'all')).to.deep.equal(files.slice(0, -4).toReversed());
    expect(await tablesOf(database)).to.have.members(bookkeeping);

    expect(await migrateUp(database)).to.deep.equal(files);
    expect(await schemaOf(database)).to.deep.equal(schema);
  });

  it('refuse TiDB, Vitess and OceanBase, and accept variants of MySQL and MariaDB', async () => {
    const database = databases.open();
    for (const version of ['8.0.11-TiDB-v7.5.1', '8.0.30-Vitess', '5.7.25-OceanBase-v4.2.1'])
      for (const change of [
        () => migrateUp(reportingVersion(database, version)),
        () => migrateDown(reportingVersion(database, version), 'all'),
        () => serverVersion(reportingVersion(database, version).sequelize),
      ]) {
        const { code, message } = await failureOf(change);
        expect(code).to.equal('DATABASE_UNUSABLE');
        expect(message).to.match(
          /^The database server is (TiDB|Vitess|OceanBase) \(\S+\), .*Use MySQL or MariaDB, and set DATABASE_URL\.$/,
        );
      }
    expect(await tablesOf(database)).to.deep.equal([]);
    const known = ['8.0.36-0ubuntu0.22.04.1', '8.0.mysql_aurora.3.04.0', '8.0.35-google', '8.4.0-commercial'];
    for (const version of known)
      expect(await serverVersion(reportingVersion(database, version).sequelize)).to.equal(`MySQL ${version}`);
    const mariadb = reportingVersion(database, '10.11.14-MariaDB-0+deb12u2').sequelize;
    expect(await serverVersion(mariadb)).to.equal('MariaDB 10.11.14');
  });

  it('can be run again in both directions, for example if they were interrupted before they were recorded', async () => {
    const database = databases.open();
    const queryInterface = database.sequelize.getQueryInterface();
    await migrateUp(database);
    const schema = await schemaOf(database);
    await database.sequelize.query('DELETE FROM `SequelizeMeta`');
    expect(await migrateUp(database)).to.deep.equal(files);
    expect(await schemaOf(database)).to.deep.equal(schema);
    for (const { down } of steps.toReversed()) {
      await down(queryInterface);
      await down(queryInterface);
    }
    expect(await tablesOf(database)).to.have.members(bookkeeping);
  });

  it('are applied only one time when several programs start at the same time', async () => {
    const done = await Promise.all([1, 2, 3].map(() => migrateUp(databases.open())));
    expect(done.flat()).to.deep.equal(files);
    await assertSchemaCurrent(databases.open());
  });

  it('report the failure, and release the lease', async () => {
    const database = databases.open();
    // A table with the same name, from another program.
    await database.sequelize.query('CREATE TABLE users (id INTEGER PRIMARY KEY)');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { code, message } = await failureOf(() => migrateUp(database));
      expect(code).to.equal('MIGRATION_FAILED');
      expect(message).to.match(
        /^The migration failed: Migration \d+-create-\w+\.cjs \(up\) failed: .*[^.]\. Fix the cause/,
      );
    }
  });
});

if (onMysql)
  describe('the statements of a migration', () => {
    const databases = useDatabases();
    /** Milliseconds without traffic on the other connections. */
    const inactivityMs = scaled(1000);

    it('wait for a locked table longer than the inactivity limit', async () => {
      const database = databases.open({}, { inactivityMs });
      const reader = await createConnection(databases.url);
      const waiting = async () => {
        const [rows] = await reader.query<RowDataPacket[]>(
          "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for table metadata lock'",
        );
        return rows.length;
      };
      try {
        await reader.query('START TRANSACTION');
        await reader.query('SELECT COUNT(*) FROM users');
        const migrating = migrateDown(database, 'all');
        await whileRunning(
          migrating,
          until(async () => (await waiting()) > 0, 'the migration waits for the lock'),
        );
        await sleep(1.5 * inactivityMs);
        const { code } = await failureOf(() =>
          database.read(() => database.sequelize.query(`SELECT SLEEP(${(1.5 * inactivityMs) / 1000})`)),
        );
        expect(code).to.equal('DATABASE_UNREACHABLE');
        await reader.query('COMMIT');
        expect(await migrating).to.deep.equal(files.toReversed());
      } finally {
        await reader.end();
      }
    }).timeout(scaled(20_000));
  });

describe('the status of migrations', () => {
  const databases = useDatabases({ migrated: false });

  /** Expects that the program refuses the schema with this message. */
  async function expectRefused(database: Database, message: string): Promise<void> {
    const failure = await failureOf(() => assertSchemaCurrent(database));
    expect([failure.code, failure.message]).to.deep.equal(['SCHEMA_OUTDATED', `The database schema is ${message}`]);
  }

  it('is read from an empty database without creating tables', async () => {
    const database = databases.open();
    expect(await migrationStatus(database)).to.deep.equal({ executed: [], pending: files, unknown: [] });
    await expectRefused(database, `not up to date (${files.length} pending). Run: coursectl migrate up`);
    expect(await tablesOf(database)).to.deep.equal([]);
  });

  it('lists executed and pending migrations, and those of a newer program', async () => {
    const database = databases.open();
    await migrateUp(database);
    await assertSchemaCurrent(database);
    await migrateDown(database, 1);
    const status = { executed: files.slice(0, -1), pending: files.slice(-1), unknown: [] as string[] };
    expect(await migrationStatus(database)).to.deep.equal(status);
    await expectRefused(database, 'not up to date (1 pending). Run: coursectl migrate up');
    await migrateUp(database);
    await database.sequelize.query("INSERT INTO `SequelizeMeta` (name) VALUES ('20991231000001-future.cjs')");
    expect((await migrationStatus(database)).unknown).to.deep.equal(['20991231000001-future.cjs']);
    await expectRefused(database, 'newer than this program (20991231000001-future.cjs). Update coursectl.');
  });
});
