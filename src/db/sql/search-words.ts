import { literal, QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import {
  isAsciiLetters,
  lastCharacter,
  type SearchedWord,
  wordCharacter,
  wordSeparators,
} from '../../schemas/search-words.js';
import { isSqlite } from '../dialect.js';
import { runSelect } from './select.js';

/** Search for accounts by the beginnings of words. Column names are those of the table `users`. */
export interface WordSearch {
  /** Each must be the beginning of a word of the account. */
  words: readonly SearchedWord[];
  /** Alternatively, the account's phone begins with one of these keys. */
  phones: readonly string[];
}

const startsWithSql = (sequelize: Sequelize, column: string, text: string): string =>
  `(${column} >= ${sequelize.escape(text)} AND ${column} < ${sequelize.escape(text + lastCharacter)})`;

/** Keys of names. Their indexes contain all columns that most searches read. */
const nameColumns = ['first_name_key', 'last_name_key'] as const;

/** Lookup of a word or phone in one index. */
interface IndexLookup {
  /** SQL for the ids of the accounts. Only ids from `account_words` may repeat. */
  ids: string;
  /** Condition on an account, whose row is `User` in the query. */
  where: ReturnType<typeof literal>;
}

function indexLookups(sequelize: Sequelize, word: SearchedWord, phones: readonly string[]): IndexLookup[] {
  const inColumn = (column: string, text: string): IndexLookup => ({
    ids: `SELECT id FROM users WHERE ${startsWithSql(sequelize, column, text)}`,
    where: literal(startsWithSql(sequelize, `\`User\`.\`${column}\``, text)),
  });
  const byIds = (ids: string): IndexLookup => ({ ids, where: literal(`\`User\`.\`id\` IN (${ids})`) });
  const bySpelling = (text: string): IndexLookup[] => [
    ...nameColumns.map((column) => inColumn(column, text)),
    // A word of letters needs no lookup by email: the first letters of an email are stored as a word, unless a name or the
    // domain begins with them, which other lookups find (src/schemas/search-words.ts).
    ...(isAsciiLetters(text) ? [] : [inColumn('email', text)]),
    // `email_domain` is a virtual column. A subquery for ids reads only its index, and computes no value from rows.
    byIds(`SELECT id FROM users WHERE ${startsWithSql(sequelize, 'email_domain', text)}`),
    byIds(`SELECT account_id AS id FROM account_words WHERE ${startsWithSql(sequelize, 'word', text)}`),
  ];
  return [...word.flatMap(bySpelling), ...phones.map((phone) => inColumn('phone_key', phone))];
}

/** Accounts that match a word or a phone. */
export interface WordMatches {
  word: SearchedWord;
  /** Conditions that each find accounts by one index, the index with the most matches first. They may overlap. */
  parts: IndexLookup['where'][];
  /** Number of matches in these indexes, each counted up to the given maximum. */
  entries: number;
  /** Matches accounts that at least one index finds: a UNION of their ids. */
  isInAny: ReturnType<typeof literal>;
}

/**
 * Looks words and phones up in all indexes.
 * @param most maximum count of entries of an index
 */
export async function lookUpWords(
  sequelize: Sequelize,
  words: readonly SearchedWord[],
  phones: readonly string[],
  most: number,
): Promise<WordMatches[]> {
  if (words.length === 0) return [];
  const all = words.map((word) => indexLookups(sequelize, word, phones));
  const numbers = all.flat().map(({ ids }) => `(SELECT COUNT(*) FROM (${ids} LIMIT ${most}) AS counted)`);
  const select = numbers.map((sql, index) => `${sql} AS c${index}`).join(', ');
  const [row = []] = await runSelect(sequelize, `SELECT ${select}`);
  let at = 0;
  return words.map((word, index) => {
    const indexes = all[index] ?? [];
    const found = indexes
      .map((one) => ({ ...one, entries: Number(row[at++]) }))
      .filter(({ entries }) => entries > 0)
      .sort((one, other) => other.entries - one.entries);
    return {
      word,
      parts: found.map(({ where }) => where),
      entries: found.reduce((sum, { entries }) => sum + entries, 0),
      isInAny: literal(
        `\`User\`.\`id\` IN (SELECT id FROM (${indexes.map(({ ids }) => ids).join(' UNION ')}) AS found)`,
      ),
    };
  });
}

/**
 * Returns SQL that is true if a {@link searchKey} contains a word that begins with `word`.
 * @param key SQL of the column
 */
function keyHasWordSql(sequelize: Sequelize, key: string, word: string): string {
  // By bytes: MySQL and MariaDB need two to three times as long to compare characters, and the result is the same in
  // UTF-8.
  const text = isSqlite(sequelize) ? key : `CAST(${key} AS BINARY)`;
  const position = (sought: string) => `INSTR(${text}, ${sequelize.escape(sought)})`;
  // A word of Chinese, Japanese or Korean may begin after any character.
  if (wordCharacter.test(word)) return `${position(word)} > 0`;
  const after = [' ', ...wordSeparators].map((separator) => `${position(separator + word)} > 0`);
  // The first test suffices for most rows, which don't contain the text at all.
  return `${position(word)} > 0 AND (${[`${position(word)} = 1`, ...after].join(' OR ')})`;
}

const allOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '1 = 0' : conditions.map((condition) => `(${condition})`).join(' AND ');

/**
 * Matches accounts (`User` in the query) with all words, or with a phone. It is correct without any index. A search
 * without phones reads only columns of the indexes of names, because the search key contains the email.
 */
export function accountHasWords(sequelize: Sequelize, { words, phones }: WordSearch) {
  const column = (name: string) => `\`User\`.\`${name}\``;
  const hasWord = (word: SearchedWord) =>
    word
      .flatMap((one) => [
        ...nameColumns.map((name) => startsWithSql(sequelize, column(name), one)),
        keyHasWordSql(sequelize, column('search_key'), one),
      ])
      .join(' OR ');
  const either = phones.map((phone) => startsWithSql(sequelize, column('phone_key'), phone));
  return literal(`(${[`(${allOf(words.map(hasWord))})`, ...either].join(' OR ')})`);
}

/**
 * Matches rows whose {@link searchKey} has words that begin with each of these. Needs no index.
 * @param key SQL of the column
 */
export function keyHasWords(sequelize: Sequelize, key: string, words: readonly SearchedWord[]) {
  const hasWord = (word: SearchedWord) => word.map((one) => keyHasWordSql(sequelize, key, one)).join(' OR ');
  return literal(`(${allOf(words.map(hasWord))})`);
}

/** Matches courses with words that begin with each of these. Uses the index of course words. */
export function courseHasIndexedWords(sequelize: Sequelize, words: readonly SearchedWord[]) {
  const found = words.map((word) => {
    const begins = word.map((one) => startsWithSql(sequelize, 'word', one)).join(' OR ');
    return `\`Course\`.\`id\` IN (SELECT course_id FROM course_words WHERE ${begins})`;
  });
  return literal(`(${allOf(found)})`);
}

/** Maximum rows of a statement: SQLite limits the depth of an expression. */
const rowsPerStatement = 100;

/** Deletes words of accounts. Missing rows are ignored. */
export async function deleteWords(
  sequelize: Sequelize,
  rows: readonly { word: string; accountId: string }[],
  transaction: Transaction,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    // Not as tuples: MariaDB doesn't use the index for tuples.
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
