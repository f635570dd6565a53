import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { QueryTypes } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { serverVersion } from '../../src/db/dialect.js';
import { assertSchemaCurrent, migrateDown, migrateUp, migrationStatus } from '../../src/db/migrator.js';
import { onMysql } from '../support/database.js';
import { scaled } from '../support/machine.js';
import { until, whileRunning } from '../support/until.js';
import { tablesOf, useDatabases } from './support/databases.js';
import { failureOf } from './support/failure.js';
import { migration } from './support/migration.js';

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.cjs'))
  .sort();

const tables = [
  'account_words',
  'audit_entries',
  'course_words',
  'courses',
  'enrollments',
  'files',
  'import_plan_rows',
  'import_plans',
  'import_rows',
  'imports',
  'login_throttle',
  'phone_country',
  'sessions',
  'users',
];
/** A database on a server that says this of itself. */
function calledItself(database: Database, version: string): Database {
  const { sequelize } = database;
  const query = (sql: string, ...rest: never[]) =>
    sql === 'SELECT version() AS version' ? Promise.resolve([[{ version }]]) : sequelize.query(sql, ...rest);
  return { ...database, sequelize: Object.assign(Object.create(sequelize), { query, getDialect: () => 'mysql' }) };
}

/** What stays when all migrations are reverted: who ran what, and who is running. */
const bookkeeping = ['SequelizeMeta', 'leases'];

/** Everything that the database knows of its tables: columns, keys, checks. */
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

  it('apply all, revert all, and apply all again', async () => {
    const database = databases.open();
    expect(await migrateUp(database)).to.deep.equal(files);
    expect(await tablesOf(database)).to.have.members([...tables, ...bookkeeping]);
    const schema = await schemaOf(database);

    expect(await migrateDown(database, 'all')).to.deep.equal(files.toReversed());
    expect(await tablesOf(database)).to.have.members(bookkeeping);

    expect(await migrateUp(database)).to.deep.equal(files);
    expect(await schemaOf(database)).to.deep.equal(schema);
  });

  it('refuse servers of other kinds, and so does what doctor shows, and know those of MySQL and MariaDB', async () => {
    const database = databases.open();
    for (const version of ['8.0.11-TiDB-v7.5.1', '8.0.30-Vitess', '5.7.25-OceanBase-v4.2.1'])
      for (const change of [
        () => migrateUp(calledItself(database, version)),
        () => migrateDown(calledItself(database, version), 'all'),
        () => serverVersion(calledItself(database, version).sequelize),
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
      expect(await serverVersion(calledItself(database, version).sequelize)).to.equal(`MySQL ${version}`);
    const mariadb = calledItself(database, '10.11.14-MariaDB-0+deb12u2').sequelize;
    expect(await serverVersion(mariadb)).to.equal('MariaDB 10.11.14');
  });

  it('do nothing when none is pending', async () => {
    const database = databases.open();
    expect(await migrateDown(database, 'all')).to.deep.equal([]);
    expect(await migrateDown(database, 1)).to.deep.equal([]);
    await migrateUp(database);
    expect(await migrateUp(database)).to.deep.equal([]);
  });

  it('are reverted one by one', async () => {
    const database = databases.open();
    await migrateUp(database);
    for (const [place, file] of files.toReversed().entries()) {
      expect(await migrateDown(database, 1)).to.deep.equal([file]);
      const left = files.slice(0, -place - 1).filter((name) => name.includes('-create-'));
      expect(await tablesOf(database)).to.have.length(left.length + bookkeeping.length);
      expect((await migrationStatus(database)).pending).to.deep.equal(files.slice(-place - 1));
    }
  });

  it('are reverted several steps together', async () => {
    const database = databases.open();
    await migrateUp(database);
    expect(await migrateDown(database, 3)).to.deep.equal(files.slice(-3).toReversed());
    expect(await migrateUp(database)).to.deep.equal(files.slice(-3));
  });

  it('can each be repeated, in both directions', async () => {
    const database = databases.open();
    const queryInterface = database.sequelize.getQueryInterface();
    await migrateUp(database);
    const schema = await schemaOf(database);
    for (const file of files) await migration(file).up(queryInterface);
    expect(await schemaOf(database)).to.deep.equal(schema);
    for (const file of files.toReversed()) {
      await migration(file).down(queryInterface);
      await migration(file).down(queryInterface);
    }
    expect(await tablesOf(database)).to.have.members(bookkeeping);
  });

  it('finish a step that was interrupted before it was recorded', async () => {
    const database = databases.open();
    await migrateUp(database);
    const schema = await schemaOf(database);
    await database.sequelize.query('DELETE FROM `SequelizeMeta`');
    expect(await migrateUp(database)).to.deep.equal(files);
    expect(await schemaOf(database)).to.deep.equal(schema);
  });

  it('keep imports and their rows when the words of a status change, in both directions', async () => {
    const database = databases.open();
    await migrateUp(database);
    const { Import, ImportRow } = database.models;
    const createdAt = new Date('2026-01-31T08:00:00.123Z');
    const file = { fileName: 'a', filePath: '/a', fileSha256: 'a', optionsJson: '{}', origin: 'http' as const };
    for (const [id, status] of [
      ['1', 'planned'],
      ['2', 'completed'],
    ] as const) {
      await Import.create({ id, number: Number(id), status, createdAt, ...file });
      const row = { importId: id, line: 2, outcome: 'created' as const, code: null, userId: null, reason: 'ü' };
      await ImportRow.create({ ...row, undoJson: null, undoOutcome: null, undoCode: null });
    }
    const contents = async () => ({
      // Later migrations add other columns.
      imports: (await Import.findAll({ attributes: ['id', 'status', 'createdAt'], order: ['id'] })).map((one) => [
        one.id,
        one.status,
        one.createdAt,
      ]),
      rows: (await ImportRow.findAll({ attributes: ['importId', 'line', 'reason'], order: ['importId'] })).map(
        (row) => [row.importId, row.line, row.reason],
      ),
    });
    const rows = ['1', '2'].map((id) => [id, 2, 'ü']);
    const imports = [
      ['1', 'cancelled', createdAt],
      ['2', 'completed', createdAt],
    ];
    const place = files.indexOf('20260101000013-plan-import-statuses.cjs');
    await migrateDown(database, files.length - place);
    expect(await contents()).to.deep.equal({ imports, rows });
    await migrateUp(database);
    expect(await contents()).to.deep.equal({ imports, rows });
    await Import.update({ status: 'discarded' }, { where: { id: '1' } });
    await Import.destroy({ where: { id: '2' } });
    expect(await ImportRow.count()).to.equal(1);
  });

  it('name the accounts of failures that were counted before', async () => {
    const database = databases.open();
    await migrateUp(database);
    const { LoginThrottle } = database.models;
    const subjects = ['account:0190', 'address:192.0.2.1', 'pair:0f0f'];
    const row = { failures: 3, windowStartedAt: new Date(), attemptsJson: null, lockedUntil: null, locks: 0 };
    await LoginThrottle.bulkCreate(subjects.map((subject) => ({ ...row, subject })));
    const place = files.indexOf('20260101000036-name-throttled-accounts.cjs');
    await migrateDown(database, files.length - place);
    await migrateUp(database);
    const found = await LoginThrottle.findAll({ order: ['subject'] });
    expect(found.map(({ subject, accountId, failures }) => [subject, accountId, failures])).to.deep.equal([
      ['account:0190', '0190', 3],
      ['address:192.0.2.1', null, 3],
      ['pair:0f0f', null, 3],
    ]);
  });

  it('are applied once by programs that start concurrently', async () => {
    const done = await Promise.all([1, 2, 3].map(() => migrateUp(databases.open())));
    expect(done.flat()).to.deep.equal(files);
    await assertSchemaCurrent(databases.open());
  });

  it('report what failed, and release the lease', async () => {
    const database = databases.open();
    // A table of another program with the same name.
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
    /** How long the connections of others may have no traffic. */
    const inactivityMs = scaled(1000);

    it('wait for a table that others use, for longer than other statements may', async () => {
      const database = databases.open({}, { inactivityMs });
      // From the last one that changes the table.
      const last = files.slice(files.findIndex((file) => file.includes('000036-')));
      expect(await migrateDown(database, last.length)).to.deep.equal(last.toReversed());
      const reader = await createConnection(databases.url);
      const waiting = async () => {
        const [rows] = await reader.query<RowDataPacket[]>(
          "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for table metadata lock'",
        );
        return rows.length;
      };
      try {
        await reader.query('START TRANSACTION');
        await reader.query('SELECT COUNT(*) FROM login_throttle');
        const migrating = migrateUp(database);
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
        expect(await migrating).to.deep.equal(last);
      } finally {
        await reader.end();
      }
    }).timeout(scaled(20_000));
  });

describe('the status of migrations', () => {
  const databases = useDatabases({ migrated: false });

  it('can be read from an empty database, which stays empty', async () => {
    const database = databases.open();
    expect(await migrationStatus(database)).to.deep.equal({ executed: [], pending: files, unknown: [] });
    const { code, message } = await failureOf(() => assertSchemaCurrent(database));
    expect(code).to.equal('SCHEMA_OUTDATED');
    expect(message).to.equal(
      `The database schema is not up to date (${files.length} pending). Run: coursectl migrate up`,
    );
    expect(await tablesOf(database)).to.deep.equal([]);
  });

  it('names executed and pending migrations', async () => {
    const database = databases.open();
    await migrateUp(database);
    await migrateDown(database, 2);
    expect(await migrationStatus(database)).to.deep.equal({
      executed: files.slice(0, -2),
      pending: files.slice(-2),
      unknown: [],
    });
  });

  it('is current after all of them', async () => {
    const database = databases.open();
    await migrateUp(database);
    await assertSchemaCurrent(database);
  });

  it('names the migrations of a newer program', async () => {
    const database = databases.open();
    await migrateUp(database);
    await database.sequelize.query("INSERT INTO `SequelizeMeta` (name) VALUES ('20991231000001-future.cjs')");
    expect(await migrationStatus(database)).to.deep.equal({
      executed: files,
      pending: [],
      unknown: ['20991231000001-future.cjs'],
    });
    const { code, message } = await failureOf(() => assertSchemaCurrent(database));
    expect(code).to.equal('SCHEMA_OUTDATED');
    expect(message).to.equal(
      'The database schema is newer than this program (20991231000001-future.cjs). Update coursectl.',
    );
  });
});
