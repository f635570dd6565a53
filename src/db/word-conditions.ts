import { literal, type Sequelize } from 'sequelize';
import { wordCharacter, wordSeparators } from '../schemas/search-words.js';
import { plainSelect } from './plain-select.js';

/** What accounts are searched for by the beginnings of their words. Names of columns are those of the table `users`. */
export interface WordSearch {
  /** All must begin a word of the account. */
  words: readonly string[];
  /** Or the account's phone begins with one of these keys. */
  phones: readonly string[];
}

/** Above all that a text may have. */
const lastSign = '\u{10ffff}';

const begins = (sequelize: Sequelize, column: string, text: string): string =>
  `(${column} >= ${sequelize.escape(text)} AND ${column} < ${sequelize.escape(text + lastSign)})`;

const indexedColumns = ['first_name_key', 'last_name_key', 'email', 'email_domain'] as const;

/** One of the indexes in which the beginning of a word, or a phone, is looked up. */
interface LookUp {
  /** A query of the ids of the accounts; one may come twice. */
  ids: string;
  /** That an account, whose row is `User` in a query, is one of them. */
  condition: string;
}

function lookUps(sequelize: Sequelize, word: string, phones: readonly string[]): LookUp[] {
  const inColumn = (column: string, text: string): LookUp => ({
    ids: `SELECT id FROM users WHERE ${begins(sequelize, column, text)}`,
    condition: begins(sequelize, `\`User\`.\`${column}\``, text),
  });
  const inWords = `SELECT account_id AS id FROM account_words WHERE ${begins(sequelize, 'word', word)}`;
  return [
    ...indexedColumns.map((column) => inColumn(column, word)),
    ...phones.map((phone) => inColumn('phone_key', phone)),
    { ids: inWords, condition: `\`User\`.\`id\` IN (${inWords})` },
  ];
}

/** Accounts with a word that begins so, or with a phone. */
export interface WordCount {
  word: string;
  /** How many there are in the indexes together, at most as many as were counted of each. Some are counted twice. */
  accounts: number;
  /** Those in the index that has most, as a condition. */
  inLargest: ReturnType<typeof literal>;
  /** All of them, as a condition: their ids are collected from the indexes. */
  inAny: ReturnType<typeof literal>;
}

/** Counts the accounts with a word that begins so, or with a phone. @param most as many are counted in each index */
export async function countByWord(
  sequelize: Sequelize,
  word: string,
  phones: readonly string[],
  most: number,
): Promise<WordCount> {
  const all = lookUps(sequelize, word, phones);
  const counts = all.map(({ ids }, index) => `(SELECT COUNT(*) FROM (${ids} LIMIT ${most}) AS counted) AS c${index}`);
  const [row = []] = await plainSelect(sequelize, `SELECT ${counts.join(', ')}`);
  const found = all.map(({ condition }, index) => ({ condition, accounts: Number(row[index]) }));
  const largest = found.reduce((one, other) => (other.accounts > one.accounts ? other : one));
  return {
    word,
    accounts: found.reduce((sum, { accounts }) => sum + accounts, 0),
    inLargest: literal(largest.condition),
    inAny: literal(`\`User\`.\`id\` IN (SELECT id FROM (${all.map(({ ids }) => ids).join(' UNION ')}) AS found)`),
  };
}

/** That a key of {@link searchKey} has a word that begins so. @param key the SQL of its column */
function isInKey(sequelize: Sequelize, key: string, word: string): string {
  const position = (text: string) => `INSTR(${key}, ${sequelize.escape(text)})`;
  // Most rows don't contain the word anywhere.
  if (wordCharacter.test(word)) return `${position(word)} > 0`;
  const after = [' ', ...wordSeparators].map((separator) => `${position(separator + word)} > 0`);
  return `${position(word)} > 0 AND (${[`${position(word)} = 1`, ...after].join(' OR ')})`;
}

const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '1 = 0' : conditions.map((condition) => `(${condition})`).join(' AND ');

/** That an account, whose row is `User` in the query, has the words or the phone. Needs no index. */
export function hasWords(sequelize: Sequelize, { words, phones }: WordSearch) {
  const column = (name: string) => `\`User\`.\`${name}\``;
  const hasWord = (word: string) =>
    [
      isInKey(sequelize, column('search_key'), word),
      ...indexedColumns.map((name) => begins(sequelize, column(name), word)),
    ].join(' OR ');
  const either = phones.map((phone) => begins(sequelize, column('phone_key'), phone));
  return literal(`(${[`(${all(words.map(hasWord))})`, ...either].join(' OR ')})`);
}

/** That a course, whose row is `Course` in the query, has a word that begins so for each of these. Needs no index. */
export function courseHasWords(sequelize: Sequelize, words: readonly string[]) {
  return literal(`(${all(words.map((word) => isInKey(sequelize, '`Course`.`search_key`', word)))})`);
}

/** The same, by the index of the words of courses. */
export function courseIsFoundBy(sequelize: Sequelize, words: readonly string[]) {
  const found = words.map(
    (word) => `\`Course\`.\`id\` IN (SELECT course_id FROM course_words WHERE ${begins(sequelize, 'word', word)})`,
  );
  return literal(`(${all(found)})`);
}
