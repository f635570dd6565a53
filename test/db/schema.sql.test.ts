import { expect } from 'chai';
import { type Model, type ModelStatic, QueryTypes, type Sequelize } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { migrateUp } from '../../src/db/migrations/migrator.js';
import {
  createEmptyDatabase,
  databaseName,
  onMysql,
  runOnServer,
  serverUrl,
  type TestDatabase,
} from '../support/database.js';
import { useDatabases } from './support/databases.js';

/** Returns a type without the display width of whole numbers, for comparison. */
const comparable = (type: string) =>
  type
    .toUpperCase()
    .replace(/^INTEGER$/, 'INT')
    .replace(/^(INT|BIGINT)\(\d+\)$/, '$1');

/** Returns a default as text. Sequelize, MariaDB, MySQL and SQLite show it in different forms. */
function comparableDefault(value: unknown): string | undefined {
  if (value === undefined || value === null || value === 'NULL') return undefined;
  return typeof value === 'boolean' ? String(Number(value)) : String(value).replace(/^'(.*)'$/, '$1');
}

interface Column {
  type: string;
  nullable: boolean;
  key: boolean;
  default: string | undefined;
}

/** Sequelize's own description of a SQLite table fails on an index of a generated column. */
async function describeSqliteTable(sequelize: Sequelize, table: string): Promise<Record<string, Column>> {
  const rows = await sequelize.query<{ name: string; type: string; notnull: number; pk: number; dflt_value: unknown }>(
    `PRAGMA table_xinfo(\`${table}\`)`,
    { type: QueryTypes.SELECT },
  );
  return Object.fromEntries(
    rows.map(({ name, type, notnull, pk, dflt_value: value }) => [
      name,
      { type: comparable(type), nullable: notnull === 0, key: pk > 0, default: comparableDefault(value) },
    ]),
  );
}

async function describeTable(sequelize: Sequelize, table: string): Promise<Record<string, Column>> {
  if (!onMysql) return describeSqliteTable(sequelize, table);
  const columns = await sequelize.getQueryInterface().describeTable(table);
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, allowNull, primaryKey, defaultValue }]) => [
      name,
      { type: comparable(type), nullable: allowNull, key: primaryKey, default: comparableDefault(defaultValue) },
    ]),
  );
}

describe('the tables and the models', () => {
  const databases = useDatabases();

  it('have the same columns, with the same types, nulls, keys and defaults', async () => {
    const { models, sequelize } = databases.open();
    for (const model of Object.values(models) as ModelStatic<Model>[]) {
      const inTable = await describeTable(sequelize, String(model.getTableName()));
      // Generated columns: no query through the model may name them.
      if (model.name === 'User') {
        delete inTable.super_admin_marker;
        delete inTable.email_domain;
        delete inTable.trainer_key;
      }
      if (model.tableName === 'mails') delete inTable.turn_key;

      const inModel: Record<string, Column> = {};
      for (const attribute of Object.values(model.getAttributes())) {
        const type = attribute.type as unknown as { key: string; toSql(): string };
        inModel[attribute.field ?? ''] = {
          // SQLite has one size of text, and Sequelize warns about sizes.
          type: type.key === 'TEXT' && !onMysql ? 'TEXT' : comparable(type.toSql()),
          nullable: attribute.allowNull ?? true,
          key: attribute.primaryKey ?? false,
          default: comparableDefault(attribute.defaultValue),
        };
      }
      expect(inTable, model.name).to.deep.equal(inModel);
    }
  });

  it('have the same names, except for tables without a model', async () => {
    const { models, sequelize } = databases.open();
    const tables = await sequelize.getQueryInterface().showAllTables();
    const names = tables.map((table) => String((table as { tableName?: string }).tableName ?? table));
    const expected = Object.values(models).map((model) => String(model.getTableName()));
    expect(names).to.have.members([...expected, 'leases', 'SequelizeMeta']);
  });
});

if (onMysql) {
  describe('the tables on a server with other defaults', () => {
    /** Creates a database with the defaults of an old server. */
    async function createLatin1Database(): Promise<TestDatabase> {
      const name = databaseName();
      await runOnServer(`CREATE DATABASE ${name} CHARACTER SET latin1 COLLATE latin1_swedish_ci`);
      return { url: serverUrl(name), drop: () => runOnServer(`DROP DATABASE ${name}`) };
    }
    const databases = useDatabases({ migrated: false, create: createLatin1Database });

    it('use InnoDB, compare text by its bytes, and equal those on any other server', async () => {
      const database = databases.open({ DB_POOL_MAX: '1' });
      const { sequelize } = database;
      await sequelize.query("SET SESSION default_storage_engine = 'MyISAM'");
      await migrateUp(database);
      // Excludes Umzug's table, which has the form of sequelize-cli.
      const ours = "table_schema = DATABASE() AND table_name <> 'SequelizeMeta'";
      const tables = await sequelize.query<{ name: string; engine: string; collation: string }>(
        `SELECT table_name AS name, engine AS engine, table_collation AS collation FROM information_schema.tables WHERE ${ours}`,
        { type: QueryTypes.SELECT },
      );
      // One more: the table of leases.
      expect(tables).to.have.length(Object.keys(database.models).length + 1);
      for (const { name, engine } of tables) expect(engine, name).to.equal('InnoDB');
      for (const { name, collation } of tables) expect(collation, name).to.be.oneOf(['utf8mb4_bin', 'ascii_bin']);

      const columns = await sequelize.query<{ name: string; collation: string }>(
        `SELECT CONCAT(table_name, '.', column_name) AS name, collation_name AS collation FROM information_schema.columns WHERE ${ours} AND character_set_name IS NOT NULL`,
        { type: QueryTypes.SELECT },
      );
      expect(columns.length).to.be.greaterThan(40);
      for (const { name, collation } of columns) expect(collation, name).to.be.oneOf(['utf8mb4_bin', 'ascii_bin']);

      const elsewhere = await createEmptyDatabase();
      const other = databases.open({ DATABASE_URL: elsewhere.url });
      await migrateUp(other);
      const tableOf = ({ sequelize: one }: Database) =>
        one.query('SHOW CREATE TABLE users', { type: QueryTypes.SELECT });
      expect(await tableOf(database)).to.deep.equal(await tableOf(other));
      await elsewhere.drop();
    });
  });
}
