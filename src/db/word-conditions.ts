import { literal, type Sequelize } from 'sequelize';
import { isOfLetters, lastCharacter, wordCharacter, wordSeparators } from '../schemas/search-words.js';
import { isSqlite } from './dialect.js';
import { plainSelect } from './plain-select.js';

/** What accounts are searched for by the beginnings of their words. Names of columns are those of the table `users`. */
export interface WordSearch {
  /** All must begin a word of the account. */
  words: readonly string[];
  /** Or the account's phone begins with one of these keys. */
  phones: readonly string[];
}

const begins = (sequelize: Sequelize, column: string, text: string): string =>
  `(${column} >= ${sequelize.escape(text)} AND ${column} < ${sequelize.escape(text + lastCharacter)})`;

/** Their indexes have all that most searches read of an account (migration 34). */
const nameColumns = ['first_name_key', 'last_name_key'] as const;

/** The attributes in whose order listings may be. */
const attributes: Readonly<Record<string, string>> = {
  first_name_key: 'firstNameKey',
  last_name_key: 'lastNameKey',
  email: 'email',
};

/** One of the indexes in which the beginning of a word, or a phone, is looked up. */
interface LookUp {
  /** The entries of the index, after SELECT and columns. */
  from: string;
  /** The column of the id. */
  id: string;
  /** What an entry counts. */
  weight: number;
  part: WordPart;
}

/** An entry without the row's order and filters counts as so many that have them, where the row is read for it. */
const rowWeight = 3;

/** Accounts that are found in one index. */
export interface WordPart {
  /** As a condition of an account, whose row is `User` in a query. */
  where: ReturnType<typeof literal>;
  /** The attribute in whose order the index has them, where listings can be sorted by it. */
  sortedBy?: string | undefined;
  /** Whether each entry of the index is another account. */
  isDistinct: boolean;
}

function lookUps(sequelize: Sequelize, word: string, phones: readonly string[]): LookUp[] {
  const inColumn = (column: string, text: string, weight = rowWeight): LookUp => ({
    from: `FROM users WHERE ${begins(sequelize, column, text)}`,
    id: 'id',
    weight,
    part: {
      where: literal(begins(sequelize, `\`User\`.\`${column}\``, text)),
      sortedBy: attributes[column],
      isDistinct: true,
    },
  });
  const byIds = (table: string, column: string, id: string, isDistinct: boolean): LookUp => {
    const from = `FROM ${table} WHERE ${begins(sequelize, column, word)}`;
    return {
      from,
      id,
      weight: rowWeight,
      part: { where: literal(`\`User\`.\`id\` IN (SELECT ${id} ${from})`), isDistinct },
    };
  };
  return [
    ...nameColumns.map((column) => inColumn(column, word, 1)),
    // Letters with which an email begins are stored where no name begins so (src/schemas/search-words.ts).
    ...(isOfLetters(word) ? [] : [inColumn('email', word)]),
    ...phones.map((phone) => inColumn('phone_key', phone)),
    // A generated column that isn't stored: by the ids of its index alone, without its value in the row.
    byIds('users', 'email_domain', 'id', true),
    byIds('account_words', 'word', 'account_id', false),
  ];
}

/** All accounts with a word that begins so, or with a phone, as a condition: their ids are collected from the indexes. */
export function isInAny(sequelize: Sequelize, word: string, phones: readonly string[]): ReturnType<typeof literal> {
  const ids = lookUps(sequelize, word, phones).map(({ id, from }) => `SELECT ${id} AS id ${from}`);
  return literal(`\`User\`.\`id\` IN (SELECT id FROM (${ids.join(' UNION ')}) AS found)`);
}

/** The accounts with a word that begins so, or with a phone, by the indexes that have them. */
export interface WordParts {
  /** Together all of them, the largest first. An account may be in several. */
  parts: WordPart[];
  /** How many entries the index of the first part has, at least. */
  largest: number;
  /**
   * How many entries all have, unless one has more than were counted; an account may have several. Those without what most
   * searches read of an account count more.
   */
  entries: number | undefined;
}

/**
 * Counts the accounts with a word that begins so, or with a phone.
 * @param few the bound: no more entries of an index are counted, and where the first one has more, nothing else is
 * @param sortedBy the attribute of an index whose entries don't count
 * @param onlyIds whether no rows of accounts are read: then each entry counts once
 */
export async function partsByWord(
  sequelize: Sequelize,
  word: string,
  phones: readonly string[],
  { few, sortedBy, onlyIds = false }: { few: number; sortedBy?: string | undefined; onlyIds?: boolean | undefined },
): Promise<WordParts> {
  const all = lookUps(sequelize, word, phones).map((one) => {
    const counts = sortedBy === undefined || one.part.sortedBy !== sortedBy;
    const weight = onlyIds ? 1 : one.weight;
    return { ...one, counts, weight, most: Math.floor(few / weight) };
  });
  /** Up to one more than the bound of each. */
  const numbersOf = async (some: typeof all): Promise<number[]> => {
    const numbers = some.map(
      ({ from, most }) => `(SELECT COUNT(*) FROM (SELECT 1 ${from} LIMIT ${most + 1}) AS counted)`,
    );
    const [row = []] = await plainSelect(
      sequelize,
      `SELECT ${numbers.map((sql, index) => `${sql} AS c${index}`).join(', ')}`,
    );
    return row.map(Number);
  };
  // The index of first names, mostly: what very many accounts have begins their first names, and needs no other number.
  const [first, ...others] = all.toSorted((one, other) => Number(other.counts) - Number(one.counts));
  if (!first) return { parts: [], largest: 0, entries: 0 };
  const [number = 0] = await numbersOf([first]);
  if (number > first.most)
    return { parts: [first, ...others].map(({ part }) => part), largest: number, entries: undefined };
  const numbers = [number, ...(await numbersOf(others))];
  const found = [first, ...others]
    .map((one, index) => ({ ...one, number: numbers[index] ?? 0 }))
    .filter((one) => one.number > 0)
    .sort((one, other) => other.number - one.number);
  const counted = found.filter(({ counts }) => counts);
  const areFew = counted.every((one) => one.number <= one.most);
  return {
    parts: found.map(({ part }) => part),
    largest: found[0]?.number ?? 0,
    entries: areFew ? counted.reduce((sum, one) => sum + one.weight * one.number, 0) : undefined,
  };
}

/** That a key of {@link searchKey} has a word that begins so. @param key the SQL of its column */
function isInKey(sequelize: Sequelize, key: string, word: string): string {
  // By bytes: MySQL and MariaDB take two to three times as long to look for characters, and UTF-8 needs no more.
  const text = isSqlite(sequelize) ? key : `CAST(${key} AS BINARY)`;
  const position = (sought: string) => `INSTR(${text}, ${sequelize.escape(sought)})`;
  // Most rows don't contain the word anywhere.
  if (wordCharacter.test(word)) return `${position(word)} > 0`;
  const after = [' ', ...wordSeparators].map((separator) => `${position(separator + word)} > 0`);
  return `${position(word)} > 0 AND (${[`${position(word)} = 1`, ...after].join(' OR ')})`;
}

const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '1 = 0' : conditions.map((condition) => `(${condition})`).join(' AND ');

/**
 * That an account, whose row is `User` in the query, has the words or the phone. Needs no index. Its email is in its key, so
 * that, without phones, indexes of names have all that is compared.
 */
export function hasWords(sequelize: Sequelize, { words, phones }: WordSearch) {
  const column = (name: string) => `\`User\`.\`${name}\``;
  const hasWord = (word: string) =>
    [
      ...nameColumns.map((name) => begins(sequelize, column(name), word)),
      isInKey(sequelize, column('search_key'), word),
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
