import { expect } from 'chai';
import fc from 'fast-check';
import { QueryTypes } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { Inserts } from '../../src/db/bulk-insert.js';
import type { Database } from '../../src/db/connection.js';
import { migrateDown, migrateUp, migrationStatus } from '../../src/db/migrator.js';
import { nameMaximum, titleMaximum } from '../../src/schemas/sort-key.js';
import { userKeys } from '../../src/services/accounts/store.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { anyName } from '../support/names.js';
import { useDatabases } from './support/databases.js';
import { migration } from './support/migration.js';

const name = '20260101000020-sort-names.cjs';
const step = migration(name);

/** More than a batch of the migration, and no multiple of it. */
const count = 450;
const moment = new Date('2026-01-31T08:00:00.123Z');

describe('The migration of sort keys', () => {
  const databases = useDatabases({ migrated: false });

  /** Rows as the former program wrote them. */
  async function fill(database: Database): Promise<void> {
    const { sequelize } = database;
    const [names, titles] = [anyName(nameMaximum), anyName(titleMaximum)].map((arbitrary) =>
      fc.sample(arbitrary, { numRuns: count, seed: 16 }),
    );
    const ids = Array.from({ length: count }, () => uuidv7());
    const users = ids.map((id, index) => {
      const role = index === 0 ? 'trainer' : 'trainee';
      const [first = '', last = ''] = [names?.[index], names?.at(-index - 1)];
      return [id, first, last, `${index}@example.org`, `${index}`, `${index}`, 'x', role, 'x', moment, moment];
    });
    const courses = ids.map((_, index) => {
      const category = index % 3 === 0 ? null : `Kind ${names?.[index]}`;
      return [uuidv7(), ids[0] ?? '', titles?.[index] ?? '', 'What it is about.', category, 'x', moment, moment];
    });
    const userColumns =
      'id first_name last_name email phone phone_key password_hash role search_key created_at updated_at';
    const courseColumns = 'id trainer_id title description category search_key created_at updated_at';
    await database.inTransaction(async (transaction) => {
      const inserts = new Inserts(transaction);
      await inserts.addValues(sequelize, 'users', userColumns.split(' '), users);
      await inserts.addValues(sequelize, 'courses', courseColumns.split(' '), courses);
      await inserts.done();
    });
  }

  const rowsOf = ({ sequelize }: Database, table: string) =>
    sequelize.query(`SELECT * FROM ${table} ORDER BY id`, { type: QueryTypes.SELECT });

  async function expectRightKeys({ models: { Course, User } }: Database): Promise<void> {
    const users = await User.findAll();
    expect(users).to.have.length(count);
    for (const user of users)
      expect(user, user.lastName)
        .to.include({ ...userKeys(user), searchKey: 'x' })
        .and.to.deep.include({ updatedAt: moment });
    for (const course of await Course.findAll())
      expect(course, course.title)
        .to.include({ ...courseKeys(course), searchKey: 'x' })
        .and.to.deep.include({ updatedAt: moment });
  }

  it('makes the keys of all names and titles, and takes them away', async () => {
    const database = databases.open();
    await migrateUp(database);
    const { executed } = await migrationStatus(database);
    await migrateDown(database, executed.length - executed.indexOf(name));
    await fill(database);
    const former = [await rowsOf(database, 'users'), await rowsOf(database, 'courses')];
    await migrateUp(database);
    await expectRightKeys(database);
    await migrateDown(database, executed.length - executed.indexOf(name));
    expect([await rowsOf(database, 'users'), await rowsOf(database, 'courses')]).to.deep.equal(former);
  });

  it('finishes what an interrupted one has left', async () => {
    const database = databases.open();
    await migrateUp(database);
    await fill(database);
    const { Course, User } = database.models;
    const users = await User.findAll({
      attributes: ['id', 'lastName', 'firstName', 'email'],
      order: ['id'],
      limit: count / 2,
    });
    for (const user of users.slice(0, 20)) await User.update(userKeys(user), { where: { id: user.id }, silent: true });
    // As if it had been given another name by a former program.
    await User.update({ lastNameKey: 'other' }, { where: { id: users.at(-1)?.id ?? '' }, silent: true });
    await User.update({ searchKey: 'x' }, { where: {}, silent: true });
    await step.up(database.sequelize.getQueryInterface());
    await expectRightKeys(database);
    expect(await Course.count()).to.equal(count);
  });
});
