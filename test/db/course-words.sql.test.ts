import { expect } from 'chai';
import fc from 'fast-check';
import { Op, type WhereOptions } from 'sequelize';
import { insertRows } from '../../src/db/bulk-insert.js';
import type { Database } from '../../src/db/connection.js';
import { migrateDown, migrateUp, migrationStatus } from '../../src/db/migrator.js';
import type { Course } from '../../src/db/models/course.js';
import { courseHasWords, courseIsFoundBy } from '../../src/db/word-conditions.js';
import { searchKey } from '../../src/schemas/keys.js';
import { searchedWords, wordsOf } from '../../src/schemas/search-words.js';
import { userKeys } from '../../src/services/accounts/store.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { newIds } from '../../src/services/ids.js';
import { atDepth } from '../support/depth.js';
import { scaled } from '../support/machine.js';
import { anyName } from '../support/names.js';
import { useDatabases } from './support/databases.js';
import { migration } from './support/migration.js';

const name = '20260101000031-create-course-words.cjs';
const step = migration(name);

/** More than a batch of the migration, and no multiple of it. */
const count = 620;
const moment = new Date('2026-01-31T08:00:00.123Z');

describe('The words of courses', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases();

  /** Courses with titles in all scripts, without words. */
  async function fill({ models, inTransaction }: Database): Promise<void> {
    const [trainerId = '', ...ids] = newIds(count + 1);
    const texts = fc.sample(anyName(60), { numRuns: 3 * count, seed: 31 });
    const trainer = { firstName: 'Tina', lastName: 'Trainer', email: 'tina@example.org' };
    const dates = { createdAt: moment, updatedAt: moment };
    const courses = ids.map((id, index) => {
      const [title = '', category = '', tag = ''] = texts.slice(3 * index, 3 * index + 3);
      return {
        id,
        trainerId,
        title,
        description: 'x',
        category,
        ...courseKeys({ title, category, tags: [tag] }),
        ...dates,
      };
    });
    await inTransaction(async (transaction) => {
      const account = { ...trainer, phone: '+44 1', phoneKey: '+441', passwordHash: 'x', role: 'trainer' as const };
      await insertRows(models.User, [{ id: trainerId, ...account, ...userKeys(trainer), ...dates }], transaction);
      await insertRows(models.Course, courses, transaction);
    });
  }

  async function expectRightWords({ models: { Course, CourseWord } }: Database): Promise<void> {
    const courses = await Course.findAll();
    expect(courses).to.have.length(count);
    const expected = courses.flatMap(({ id, searchKey: key }) => wordsOf(key).map((word) => `${id} ${word}`));
    const rows = await CourseWord.findAll();
    expect(rows.map(({ word, courseId }) => `${courseId} ${word}`).sort()).to.deep.equal(expected.sort());
  }

  it('are made by the migration, which can be repeated, and taken away; they go with their course', async () => {
    const database = databases.open();
    const { Course, CourseWord } = database.models;
    await fill(database);
    const { executed } = await migrationStatus(database);
    await migrateDown(database, executed.length - executed.indexOf(name));
    await migrateUp(database);
    await expectRightWords(database);
    // As an interrupted one leaves it.
    const half = await Course.findAll({ attributes: ['id'], order: ['id'], offset: count / 2 });
    await CourseWord.destroy({ where: { courseId: half.map(({ id }) => id) } });
    await step.up(database.sequelize.getQueryInterface());
    await expectRightWords(database);
    await Course.destroy({ where: {} });
    expect(await CourseWord.count()).to.equal(0);
  });

  /** Where words begin, said in another way than the program does. */
  function begins({ searchKey: key }: Course, word: string): boolean {
    const script = '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Hangul}';
    const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    return new RegExp(`(?:^|[-'’@ ]|(?=${script}))${escaped}`, 'u').test(key);
  }

  it('find the same courses by index, by reading all courses, and by the rule', async () => {
    const database = databases.open();
    const { sequelize, models } = database;
    await fill(database);
    await step.up(sequelize.getQueryInterface());
    const courses = await models.Course.findAll();
    const found = async (where: WhereOptions<Course>) => {
      const rows = await models.Course.findAll({ attributes: ['id'], where: { [Op.and]: [where] } });
      return rows.map(({ id }) => id).sort();
    };
    const piece = fc
      .tuple(fc.nat({ max: count - 1 }), fc.nat({ max: 400 }), fc.integer({ min: 1, max: 9 }))
      .map(([index, from, length]) => {
        const text = Array.from(courses[index]?.searchKey ?? '');
        const start = from % Math.max(1, text.length);
        return text.slice(start, start + length).join('');
      });
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(piece, anyName(8)), fc.option(piece, { nil: '' }), async (one, other) => {
        const words = searchedWords(searchKey(one, other));
        const expected = courses
          .filter((course) => words.length > 0 && words.every((word) => begins(course, word)))
          .map(({ id }) => id)
          .sort();
        hits += expected.length;
        expect(await found(courseHasWords(sequelize, words)), `${words} by reading`).to.deep.equal(expected);
        expect(await found(courseIsFoundBy(sequelize, words)), `${words} by index`).to.deep.equal(expected);
      }),
      { numRuns: atDepth(150, 1500) },
    );
    expect(hits).to.be.above(100);
  });
});
