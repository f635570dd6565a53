import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { Inserts } from '../../src/db/bulk-insert.js';
import type { Database } from '../../src/db/connection.js';
import { migrateDown, migrateUp, migrationStatus } from '../../src/db/migrator.js';
import { onMysql } from '../support/database.js';
import { useDatabases } from './support/databases.js';
import { migration } from './support/migration.js';

const name = '20260101000024-number-imports.cjs';
const step = migration(name);

/** More than a batch of the migration, and no multiple of it. */
const count = 450;
const numbers = Array.from({ length: count }, (_, index) => index + 1);

describe('The migration of import numbers', () => {
  const databases = useDatabases({ migrated: false });

  async function revert(database: Database): Promise<void> {
    const { executed } = await migrationStatus(database);
    await migrateDown(database, executed.length - executed.indexOf(name));
  }

  /** Imports as the former program wrote them: two in each moment, and the last one first. */
  async function fill(database: Database): Promise<string[]> {
    const ids = numbers.map(() => uuidv7());
    const rows = ids.map((id, index) => {
      const createdAt = new Date(Date.UTC(2026, 0, 1) + 1000 * Math.floor(index / 2));
      return [id, 'completed', 'cli', 'a.csv', '/a.csv', 'x', '{}', createdAt];
    });
    const columns = 'id status origin file_name file_path file_sha256 options_json created_at'.split(' ');
    await database.inTransaction(async (transaction) => {
      const inserts = new Inserts(transaction);
      await inserts.addValues(database.sequelize, 'imports', columns, rows.toReversed());
      await inserts.done();
    });
    return ids;
  }

  const rowsOf = ({ sequelize }: Database) =>
    sequelize.query('SELECT * FROM imports ORDER BY id', { type: QueryTypes.SELECT });

  const idsByNumber = async ({ models }: Database) =>
    (await models.Import.findAll({ order: ['number'] })).map(({ id, number }) => [id, number]);

  it('numbers all imports in the order of their creation, and takes the numbers away', async () => {
    const database = databases.open();
    await migrateUp(database);
    await revert(database);
    const ids = await fill(database);
    const former = await rowsOf(database);
    await migrateUp(database);
    expect(await idsByNumber(database)).to.deep.equal(ids.map((id, index) => [id, index + 1]));
    await revert(database);
    expect(await rowsOf(database)).to.deep.equal(former);
  });

  it('goes on where it was interrupted, and changes no number', async () => {
    const database = databases.open();
    const { sequelize } = database;
    await migrateUp(database);
    await revert(database);
    const ids = await fill(database);
    await migrateUp(database);
    const all = await idsByNumber(database);
    await step.up(sequelize.getQueryInterface());
    expect(await idsByNumber(database)).to.deep.equal(all);
    // As after the first batch, before the index.
    await sequelize.query(`DROP INDEX imports_number_unique ${onMysql ? 'ON imports' : ''}`);
    await sequelize.query('UPDATE `imports` SET `number` = 0 WHERE `number` > 200');
    await step.up(sequelize.getQueryInterface());
    expect(await idsByNumber(database)).to.deep.equal(ids.map((id, index) => [id, index + 1]));
  });
});
