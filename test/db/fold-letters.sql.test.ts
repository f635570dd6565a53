import { createRequire } from 'node:module';
import { expect } from 'chai';
import fc from 'fast-check';
import { insertRows } from '../../src/db/bulk-insert.js';
import type { Database } from '../../src/db/connection.js';
import { storedWords, wordsOf } from '../../src/schemas/search-words.js';
import { nameMaximum } from '../../src/schemas/sort-key.js';
import { userKeys } from '../../src/services/accounts/store.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { newIds } from '../../src/services/ids.js';
import { scaled } from '../support/machine.js';
import { anyName } from '../support/names.js';
import { useDatabases } from './support/databases.js';
import { migration } from './support/migration.js';

const step = migration('20260101000037-fold-letters.cjs');

/** More than a batch of the migration, and no multiple of it. */
const count = 450;
const moment = new Date('2026-01-31T08:00:00.123Z');
const folded = ['Κώστας', 'Παπάς', 'Łukasz', 'WEIẞ', 'Søren-Ægir', 'Işık', 'O’Brien'];

/** The words of the former program, which began after ’ too. */
const former = createRequire(import.meta.url)('../../migrations/lib/search-words.cjs') as {
  storedWords(columns: Record<'search_key' | 'first_name_key' | 'last_name_key' | 'email', string>): string[];
  wordsOf(key: string): string[];
};

/** The key of searches as the former program made it. */
const formerKey = (...parts: (string | null)[]): string => {
  const text = parts.filter((part) => part).join(' ');
  const unaccented = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  return Array.from(unaccented.toLowerCase().normalize('NFC')).slice(0, 500).join('');
};

describe('The migration that folds letters that are forms of others', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases();

  /** Accounts and courses with their words, as the former program stored them. */
  async function fill({ inTransaction, models }: Database): Promise<void> {
    const names = fc.sample(anyName(nameMaximum), { numRuns: count, seed: 37 });
    const users = newIds(count).map((id, index) => {
      const firstName = names[index] ?? '';
      const lastName = folded[index % 8] ?? names.at(-index - 1) ?? '';
      const email = index % 3 === 0 ? `νικος.παπας.${index}@πυργος.example` : `p${index}@example.org`;
      const keys = { ...userKeys({ firstName, lastName, email }), searchKey: formerKey(firstName, lastName, email) };
      const phone = `+30 ${index}`;
      const others = { phone, phoneKey: `+30${index}`, passwordHash: 'x', createdAt: moment, updatedAt: moment };
      return { id, firstName, lastName, email, role: 'trainer' as const, ...keys, ...others };
    });
    const courses = newIds(count).map((id, index) => {
      const title = `${folded[index % 8] ?? 'Course'} ${names[index]}`;
      // Also one whose key grows beyond its column.
      const tags = index % 5 === 0 ? ['ήλιος', 'φως', 'ß'.repeat(index)] : [];
      const category = index % 2 === 0 ? 'Κόσμος' : null;
      const keys = { ...courseKeys({ title, category, tags }), searchKey: formerKey(title, category, ...tags) };
      const others = { description: 'x', createdAt: moment, updatedAt: moment };
      return { id, trainerId: users[0]?.id ?? '', title, category, tagsJson: JSON.stringify(tags), ...keys, ...others };
    });
    await inTransaction(async (transaction) => {
      await insertRows(models.User, users, transaction);
      const words = users.flatMap(({ id, email, searchKey, firstNameKey, lastNameKey }) => {
        const keys = { search_key: searchKey, first_name_key: firstNameKey, last_name_key: lastNameKey };
        return former.storedWords({ email, ...keys }).map((word) => ({ word, accountId: id }));
      });
      await insertRows(models.AccountWord, words, transaction);
      await insertRows(models.Course, courses, transaction);
      const ofCourses = courses.flatMap(({ id, searchKey }) =>
        former.wordsOf(searchKey).map((word) => ({ word, courseId: id })),
      );
      await insertRows(models.CourseWord, ofCourses, transaction);
    });
  }

  const contents = async ({ models }: Database) => ({
    users: (await models.User.findAll({ order: ['id'] })).map((user) => user.get()),
    accountWords: (await models.AccountWord.findAll()).map(({ accountId, word }) => `${accountId} ${word}`).sort(),
    courses: (await models.Course.findAll({ order: ['id'] })).map((course) => course.get()),
    courseWords: (await models.CourseWord.findAll()).map(({ courseId, word }) => `${courseId} ${word}`).sort(),
  });

  it('makes keys and words as they are made now, and can be repeated after an interruption', async () => {
    const database = databases.open();
    const { models, sequelize } = database;
    await fill(database);
    const before = await contents(database);
    await step.up(sequelize.getQueryInterface());
    const current = await contents(database);
    for (const [index, user] of current.users.entries()) {
      expect(user).to.deep.equal({ ...before.users[index], ...userKeys(user) });
    }
    const words = current.users.flatMap((user) => storedWords(user).map((word) => `${user.id} ${word}`));
    expect(current.accountWords).to.deep.equal(words.sort());
    for (const [index, course] of current.courses.entries()) {
      const tags = JSON.parse(course.tagsJson ?? '[]') as string[];
      expect(course).to.deep.equal({ ...before.courses[index], ...courseKeys({ ...course, tags }) });
    }
    const ofCourses = current.courses.flatMap(({ id, searchKey }) => wordsOf(searchKey).map((word) => `${id} ${word}`));
    expect(current.courseWords).to.deep.equal(ofCourses.sort());

    // Rows are written last: an interruption leaves them as they were.
    for (const { id, searchKey } of before.users.slice(0, 30))
      await models.User.update({ searchKey }, { where: { id }, silent: true });
    for (const { id, searchKey } of before.courses.slice(0, 30))
      await models.Course.update({ searchKey }, { where: { id }, silent: true });
    await step.up(sequelize.getQueryInterface());
    expect(await contents(database)).to.deep.equal(current);
  });

  it('restores the former keys and words', async () => {
    const database = databases.open();
    const { sequelize } = database;
    await fill(database);
    const before = await contents(database);
    await step.up(sequelize.getQueryInterface());
    await step.down(sequelize.getQueryInterface());
    expect(await contents(database)).to.deep.equal(before);
  });

  it('folds the rows of plans', async () => {
    const database = databases.open();
    const { models, sequelize } = database;
    const importFile = { fileName: 'a', filePath: '/a', fileSha256: 'a', optionsJson: '{}', origin: 'http' as const };
    await models.Import.create({ id: '1', number: 1, status: 'planned', createdAt: moment, ...importFile });
    const row = { importId: '1', outcome: 'created' as const, cellsJson: '[]' };
    await models.ImportPlanRow.bulkCreate([
      { ...row, line: 2, searchKey: 'κωστας παπας' },
      { ...row, line: 3, searchKey: 'ada' },
      { ...row, line: 4, searchKey: 'ß'.repeat(500) },
      { ...row, line: 5, searchKey: 'o’brien' },
    ]);
    await step.up(sequelize.getQueryInterface());
    const rows = await models.ImportPlanRow.findAll({ order: ['line'] });
    expect(rows.map(({ searchKey }) => searchKey)).to.deep.equal(['κωστασ παπασ', 'ada', 's'.repeat(500), "o'brien"]);
  });
});
