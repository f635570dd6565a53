import { expect } from 'chai';
import fc from 'fast-check';
import { Op, type WhereOptions } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import type { User } from '../../src/db/models/user.js';
import { insertRows } from '../../src/db/sql/insert.js';
import { hasWords, lookUpWords } from '../../src/db/sql/words.js';
import { normalizeEmail, phoneKey, searchKey } from '../../src/schemas/keys.js';
import { searchedWords } from '../../src/schemas/search-words.js';
import { nameMaximum } from '../../src/schemas/sort-key.js';
import { userKeys } from '../../src/services/accounts/store.js';
import { wordsOfAccount } from '../../src/services/accounts/words.js';
import { newIds } from '../../src/services/ids.js';
import { atDepth } from '../support/depth.js';
import { scaled } from '../support/machine.js';
import { anyName } from '../support/names.js';
import { useDatabases } from './support/databases.js';

const count = 1100;
const moment = new Date('2026-01-31T08:00:00.123Z');

describe('The words of accounts', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases();

  /** Accounts with names in all scripts, and their words. */
  async function fill(database: Database): Promise<void> {
    const names = fc.sample(anyName(nameMaximum), { numRuns: 2 * count, seed: 16 });
    const ids = newIds(count);
    const rows = ids.map((id, index) => {
      const [firstName = '', lastName = ''] = [names[2 * index], names[2 * index + 1]];
      const email = normalizeEmail(
        `${(names[index] ?? '').replace(/[\s@]/g, '')}.${index}@${index % 3 === 0 ? 'büro' : 'firm'}-${index % 7}.example`,
      );
      return {
        id,
        firstName,
        lastName,
        email,
        phone: `+44 ${index}`,
        phoneKey: `+44${index}`,
        passwordHash: 'x',
        role: 'trainee' as const,
        ...userKeys({ firstName, lastName, email }),
        createdAt: moment,
        updatedAt: moment,
      };
    });
    await database.inTransaction(async (transaction) => {
      await insertRows(database.models.User, rows, transaction);
      await insertRows(database.models.AccountWord, rows.flatMap(wordsOfAccount), transaction);
    });
  }

  /** Where words begin, said in another way than the program does. */
  function begins(user: User, word: string): boolean {
    const script = '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Hangul}';
    const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const inKey = new RegExp(`(?:^|[-'’@ ]|(?=${script}))${escaped}`, 'u').test(user.searchKey);
    return (
      inKey ||
      [user.firstNameKey, user.lastNameKey, user.email, user.email.replace(/^.*?@/s, '')].some((column) =>
        column.startsWith(word),
      )
    );
  }

  it('find the same accounts by index, by reading all accounts, and by the rule', async () => {
    const database = databases.open();
    const { sequelize, models } = database;
    await fill(database);
    const users = await models.User.findAll();
    const found = async (where: WhereOptions<User>) => {
      const rows = await models.User.findAll({ attributes: ['id'], where: { [Op.and]: [where] } });
      return rows.map(({ id }) => id).sort();
    };
    const piece = fc
      .tuple(fc.nat({ max: count - 1 }), fc.nat({ max: 400 }), fc.integer({ min: 1, max: 9 }))
      .map(([index, from, length]) => {
        const text = Array.from(users[index]?.searchKey ?? '');
        const start = from % Math.max(1, text.length);
        return text.slice(start, start + length).join('');
      });
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(piece, anyName(8)), fc.option(piece, { nil: '' }), async (one, other) => {
        const words = searchedWords(searchKey(one, other));
        const phones = /^\d/.test(one) ? [`+44${phoneKey(one)}`] : [];
        const sought = { words, phones };
        const expected = users
          .filter((user) => {
            const hasPhone = phones.some((phone) => user.phoneKey?.startsWith(phone));
            return hasPhone || (words.length > 0 && words.every((word) => begins(user, word)));
          })
          .map(({ id }) => id)
          .sort();
        hits += expected.length;
        const byWords = hasWords(sequelize, sought);
        expect(await found(byWords), `${words} by reading`).to.deep.equal(expected);
        for (const { word, parts, entries, isInAny } of await lookUpWords(sequelize, words, phones, count)) {
          expect(await found({ [Op.and]: [isInAny, byWords] }), `${words} by ${word}`).to.deep.equal(expected);
          if (words.length > 1) continue;
          expect(await found(isInAny), `${word} by index`).to.deep.equal(expected);
          expect(await found({ [Op.or]: parts }), `${word} by parts`).to.deep.equal(expected);
          expect(entries).to.be.at.least(expected.length);
          const [few] = await lookUpWords(sequelize, words, phones, 1);
          expect(few?.entries, `${word}, one entry an index`).to.equal(parts.length);
        }
      }),
      { numRuns: atDepth(150, 1500) },
    );
    expect(hits).to.be.above(20);
  });
});
