import { literal, QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import { isAsciiLetters, lastCharacter, wordCharacter, wordSeparators } from '../../schemas/search-words.js';
import { isSqlite } from '../dialect.js';
import { runSelect } from './select.js';

/** What accounts are searched for by the beginnings of their words. Names of columns are those of the table `users`. */
export interface WordSearch {
  /** All must begin a word of the account. */
  words: readonly string[];
  /** Or the account's phone begins with one of these keys. */
  phones: readonly string[];
}

const startsWithSql = (sequelize: Sequelize, column: string, text: string): string =>
  `(${column} >= ${sequelize.escape(text)} AND ${column} < ${sequelize.escape(text + lastCharacter)})`;

/** Their indexes have all that most searches read of an account (migration 34). */
const nameColumns = ['first_name_key', 'last_name_key'] as const;

/** One of the indexes in which the beginning of a word, or a phone, is looked up. */
interface IndexLookup {
  /** Selects the ids of the accounts, each once except for those of further words. */
  ids: string;
  /** As a condition of an account, whose row is `User` in a query. */
  where: ReturnType<typeof literal>;
}

function indexLookups(sequelize: Sequelize, word: string, phones: readonly string[]): IndexLookup[] {
  const inColumn = (column: string, text: string): IndexLookup => ({
    ids: `SELECT id FROM users WHERE ${startsWithSql(sequelize, column, text)}`,
    where: literal(startsWithSql(sequelize, `\`User\`.\`${column}\``, text)),
  });
  const byIds = (ids: string): IndexLookup => ({ ids, where: literal(`\`User\`.\`id\` IN (${ids})`) });
  return [
    ...nameColumns.map((column) => inColumn(column, word)),
    // Letters with which an email begins are stored where no name begins so (src/schemas/search-words.ts).
    ...(isAsciiLetters(word) ? [] : [inColumn('email', word)]),
    ...phones.map((phone) => inColumn('phone_key', phone)),
    // A generated column that isn't stored: by the ids of its index alone, without its value in the row.
    byIds(`SELECT id FROM users WHERE ${startsWithSql(sequelize, 'email_domain', word)}`),
    byIds(`SELECT account_id AS id FROM account_words WHERE ${startsWithSql(sequelize, 'word', word)}`),
  ];
}

/** The accounts with a word that begins so, or with a phone. */
export interface WordMatches {
  word: string;
  /** Conditions that find them, each by an index, that of most first; an account may be in several. */
  parts: IndexLookup['where'][];
  /** Entries of these indexes; of each one, no more are counted than asked for. */
  entries: number;
  /** All of them as one condition: their ids are collected from the indexes. */
  isInAny: ReturnType<typeof literal>;
}

/** Looks words up, or phones, in all indexes. @param most so many entries of an index are counted */
export async function lookUpWords(
  sequelize: Sequelize,
  words: readonly string[],
  phones: readonly string[],
  most: number,
): Promise<WordMatches[]> {
  if (words.length === 0) return [];
  const all = words.map((word) => indexLookups(sequelize, word, phones));
  const numbers = all.flat().map(({ ids }) => `(SELECT COUNT(*) FROM (${ids} LIMIT ${most}) AS counted)`);
  const select = numbers.map((sql, index) => `${sql} AS c${index}`).join(', ');
  const [row = []] = await runSelect(sequelize, `SELECT ${select}`);
  let at = 0;
  return all.map((indexes, index) => {
    const found = indexes
      .map((one) => ({ ...one, entries: Number(row[at++]) }))
      .filter(({ entries }) => entries > 0)
      .sort((one, other) => other.entries - one.entries);
    return {
      word: words[index] ?? '',
      parts: found.map(({ where }) => where),
      entries: found.reduce((sum, { entries }) => sum + entries, 0),
      isInAny: literal(
        `\`User\`.\`id\` IN (SELECT id FROM (${indexes.map(({ ids }) => ids).join(' UNION ')}) AS found)`,
      ),
    };
  });
}

/** Matches a {@link searchKey} with a word that begins so. @param key the SQL of its column */
function keyHasWordSql(sequelize: Sequelize, key: string, word: string): string {
  // By bytes: MySQL and MariaDB take two to three times as long to look for characters, and UTF-8 needs no more.
  const text = isSqlite(sequelize) ? key : `CAST(${key} AS BINARY)`;
  const position = (sought: string) => `INSTR(${text}, ${sequelize.escape(sought)})`;
  // Most rows don't contain the word anywhere.
  if (wordCharacter.test(word)) return `${position(word)} > 0`;
  const after = [' ', ...wordSeparators].map((separator) => `${position(separator + word)} > 0`);
  return `${position(word)} > 0 AND (${[`${position(word)} = 1`, ...after].join(' OR ')})`;
}

const allOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '1 = 0' : conditions.map((condition) => `(${condition})`).join(' AND ');

/**
 * Matches accounts, `User` in the query, with the words or the phone. Needs no index. The email is in the key, so
 * that, without phones, indexes of names have all that is compared.
 */
export function accountHasWords(sequelize: Sequelize, { words, phones }: WordSearch) {
  const column = (name: string) => `\`User\`.\`${name}\``;
  const hasWord = (word: string) =>
    [
      ...nameColumns.map((name) => startsWithSql(sequelize, column(name), word)),
      keyHasWordSql(sequelize, column('search_key'), word),
    ].join(' OR ');
  const either = phones.map((phone) => startsWithSql(sequelize, column('phone_key'), phone));
  return literal(`(${[`(${allOf(words.map(hasWord))})`, ...either].join(' OR ')})`);
}

/** Matches courses, `Course` in the query, with words that begin with each of these. Needs no index. */
export function courseHasWords(sequelize: Sequelize, words: readonly string[]) {
  return literal(`(${allOf(words.map((word) => keyHasWordSql(sequelize, '`Course`.`search_key`', word)))})`);
}

/** Matches courses with words that begin with each of these, by the index of the words of courses. */
export function courseHasIndexedWords(sequelize: Sequelize, words: readonly string[]) {
  const found = words.map(
    (word) =>
      `\`Course\`.\`id\` IN (SELECT course_id FROM course_words WHERE ${startsWithSql(sequelize, 'word', word)})`,
  );
  return literal(`(${allOf(found)})`);
}

/** The rows of a statement: SQLite bounds how deep an expression is. */
const rowsPerStatement = 100;

/** Deletes words of accounts, as far as they are stored. */
export async function deleteWords(
  sequelize: Sequelize,
  rows: readonly { word: string; accountId: string }[],
  transaction: Transaction,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    // Not as pairs: MariaDB finds those without the index.
    const these = rows
      .slice(at, at + rowsPerStatement)
      .map(
        ({ word, accountId }) => `(word = ${sequelize.escape(word)} AND account_id = ${sequelize.escape(accountId)})`,
      );
    await sequelize.query(`DELETE FROM account_words WHERE ${these.join(' OR ')}`, {
      type: QueryTypes.DELETE,
      transaction,
    });
  }
}
