import { expect } from 'chai';
import fc from 'fast-check';
import { Op, type WhereOptions } from 'sequelize';
import type { Database } from '../../../src/db/connection.js';
import type { Course } from '../../../src/db/models/course.js';
import type { User } from '../../../src/db/models/user.js';
import { insertRows } from '../../../src/db/sql/insert.js';
import { accountHasWords, courseHasIndexedWords, keyHasWords, lookUpWords } from '../../../src/db/sql/search-words.js';
import { normalizeEmail, phoneKey } from '../../../src/schemas/keys.js';
import { indexedWords, type SearchedWord, searchedWords } from '../../../src/schemas/search-words.js';
import { nameMaximum } from '../../../src/schemas/sort-key.js';
import { accountWordRows } from '../../../src/services/accounts/effects.js';
import { userKeys } from '../../../src/services/accounts/keys.js';
import { courseKeys } from '../../../src/services/courses/commands.js';
import { newIds } from '../../../src/services/new-ids.js';
import { atDepth } from '../../support/depth.js';
import { scaled } from '../../support/machine.js';
import { anyName } from '../../support/names.js';
import { useDatabases } from '../support/databases.js';

const moment = new Date('2026-01-31T08:00:00.123Z');
const dates = { createdAt: moment, updatedAt: moment };

const account = (id: string, firstName: string, lastName: string, email: string, phone: string) => ({
  id,
  firstName,
  lastName,
  email,
  phone,
  phoneKey: phoneKey(phone),
  passwordHash: 'x',
  role: 'trainee' as const,
  ...userKeys({ firstName, lastName, email }),
  ...dates,
});

/** Inserts accounts with names in all scripts, and their words. */
async function fillAccounts({ models, inTransaction }: Database, count: number): Promise<void> {
  const names = fc.sample(anyName(nameMaximum), { numRuns: 2 * count, seed: 16 });
  const rows = newIds(count).map((id, index) => {
    const local = (names[index] ?? '').replace(/[\s@]/g, '');
    const email = normalizeEmail(`${local}.${index}@${index % 3 === 0 ? 'büro' : 'firm'}-${index % 7}.example`);
    return account(id, names[2 * index] ?? '', names[2 * index + 1] ?? '', email, `+44${index}`);
  });
  await inTransaction(async (transaction) => {
    await insertRows(models.User, rows, transaction);
    await insertRows(models.AccountWord, rows.flatMap(accountWordRows), transaction);
  });
}

/** Inserts courses with titles in all scripts, and their words. */
async function fillCourses({ models, inTransaction }: Database, count: number): Promise<void> {
  const [trainerId = '', ...ids] = newIds(count + 1);
  const texts = fc.sample(anyName(60), { numRuns: 3 * count, seed: 31 });
  const courses = ids.map((id, index) => {
    const [title = '', category = '', tag = ''] = texts.slice(3 * index, 3 * index + 3);
    const keys = courseKeys({ title, category, tags: [tag] });
    return { id, trainerId, title, description: 'x', category, ...keys, ...dates };
  });
  const trainer = account(trainerId, 'Tina', 'Trainer', 'tina@example.org', '+441');
  await inTransaction(async (transaction) => {
    await insertRows(models.User, [{ ...trainer, role: 'trainer' as const }], transaction);
    await insertRows(models.Course, courses, transaction);
    const words = courses.flatMap(({ id, searchKey: key }) =>
      indexedWords(key).map((word) => ({ word, courseId: id })),
    );
    await insertRows(models.CourseWord, words, transaction);
  });
}

/** Whether a word of a key begins with `word`. Implemented differently than in the program. */
function begins(key: string, word: string): boolean {
  const script = '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Hangul}';
  const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?:^|[-'’@, ]|(?=${script}))${escaped}`, 'u').test(key);
}

/**
 * Searches for pieces of the rows' keys and other names.
 * @param look compares the results for the words
 */
async function searchAll(
  rows: readonly { searchKey: string }[],
  look: (words: SearchedWord[], first: string) => Promise<void>,
): Promise<void> {
  const piece = fc
    .tuple(fc.constantFrom(...rows), fc.nat({ max: 400 }), fc.integer({ min: 1, max: 9 }))
    .map(([row, from, length]) => {
      const text = Array.from(row.searchKey);
      const start = from % Math.max(1, text.length);
      return text.slice(start, start + length).join('');
    });
  const property = fc.asyncProperty(fc.oneof(piece, anyName(8)), fc.option(piece, { nil: '' }), (one, other) =>
    look(searchedWords(`${one} ${other}`), one),
  );
  await fc.assert(property, { numRuns: atDepth(150, 1500) });
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();

describe('A search by words', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases();

  it('finds the same accounts by index, by a full scan, and by the test itself', async () => {
    const database = databases.open();
    const { sequelize, models } = database;
    await fillAccounts(database, 1100);
    const users = await models.User.findAll();
    const found = async (where: WhereOptions<User>) =>
      idsOf(await models.User.findAll({ attributes: ['id'], where: { [Op.and]: [where] } }));
    let hits = 0;
    await searchAll(users, async (words, first) => {
      const phones = /^\d/.test(first) ? [`+44${phoneKey(first)}`] : [];
      const expected = idsOf(
        users.filter(({ searchKey: key, firstNameKey, lastNameKey, email, phoneKey: phone }) => {
          const columns = [firstNameKey, lastNameKey, email, email.replace(/^.*?@/s, '')];
          const has = (word: string) => begins(key, word) || columns.some((column) => column.startsWith(word));
          return (
            phones.some((one) => phone?.startsWith(one)) || (words.length > 0 && words.every((word) => word.some(has)))
          );
        }),
      );
      hits += expected.length;
      const byWords = accountHasWords(sequelize, { words, phones });
      expect(await found(byWords), `${words} by reading`).to.deep.equal(expected);
      for (const { word, parts, entries, isInAny } of await lookUpWords(sequelize, words, phones, users.length)) {
        expect(await found({ [Op.and]: [isInAny, byWords] }), `${words} by ${word}`).to.deep.equal(expected);
        if (words.length > 1) continue;
        expect(await found(isInAny), `${word} by index`).to.deep.equal(expected);
        expect(await found({ [Op.or]: parts }), `${word} by parts`).to.deep.equal(expected);
        expect(entries).to.be.at.least(expected.length);
        const [few] = await lookUpWords(sequelize, words, phones, 1);
        expect(few?.entries, `${word}, one entry an index`).to.equal(parts.length);
      }
    });
    expect(hits).to.be.above(20);
  });

  it('finds the same courses by index, by a full scan, and by the test itself; words are deleted with their course', async () => {
    const database = databases.open();
    const { sequelize, models } = database;
    await fillCourses(database, 620);
    const courses = await models.Course.findAll();
    const found = async (where: WhereOptions<Course>) =>
      idsOf(await models.Course.findAll({ attributes: ['id'], where: { [Op.and]: [where] } }));
    let hits = 0;
    await searchAll(courses, async (words) => {
      const expected = idsOf(
        courses.filter(
          ({ searchKey: key }) => words.length > 0 && words.every((word) => word.some((one) => begins(key, one))),
        ),
      );
      hits += expected.length;
      expect(await found(keyHasWords(sequelize, '`Course`.`search_key`', words)), `${words} by reading`).to.deep.equal(
        expected,
      );
      expect(await found(courseHasIndexedWords(sequelize, words)), `${words} by index`).to.deep.equal(expected);
    });
    expect(hits).to.be.above(20);
    await models.Course.destroy({ where: {} });
    expect(await models.CourseWord.count()).to.equal(0);
  });
});
