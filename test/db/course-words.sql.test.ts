import { expect } from 'chai';
import fc from 'fast-check';
import { Op, type WhereOptions } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import type { Course } from '../../src/db/models/course.js';
import { insertRows } from '../../src/db/sql/insert.js';
import { courseHasWords, courseIsFoundBy } from '../../src/db/sql/words.js';
import { searchKey } from '../../src/schemas/keys.js';
import { searchedWords, wordsOf } from '../../src/schemas/search-words.js';
import { userKeys } from '../../src/services/accounts/store.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { newIds } from '../../src/services/ids.js';
import { atDepth } from '../support/depth.js';
import { scaled } from '../support/machine.js';
import { anyName } from '../support/names.js';
import { useDatabases } from './support/databases.js';

const count = 620;
const moment = new Date('2026-01-31T08:00:00.123Z');

describe('The words of courses', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases();

  /** Courses with titles in all scripts, and their words. */
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
      const words = courses.flatMap(({ id, searchKey: key }) => wordsOf(key).map((word) => ({ word, courseId: id })));
      await insertRows(models.CourseWord, words, transaction);
    });
  }

  /** Where words begin, said in another way than the program does. */
  function begins({ searchKey: key }: Course, word: string): boolean {
    const script = '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Hangul}';
    const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    return new RegExp(`(?:^|[-'’@ ]|(?=${script}))${escaped}`, 'u').test(key);
  }

  it('find the same courses by index, by reading all courses, and by the rule; they go with their course', async () => {
    const database = databases.open();
    const { sequelize, models } = database;
    await fill(database);
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
    expect(hits).to.be.above(20);
    await models.Course.destroy({ where: {} });
    expect(await models.CourseWord.count()).to.equal(0);
  });
});
