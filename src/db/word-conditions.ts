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

const domainColumn = 'email_domain';
const keyColumns = ['first_name_key', 'last_name_key', 'email'] as const;
const indexedColumns = [...keyColumns, domainColumn] as const;

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
  part: WordPart;
}

/** Accounts that are found in one index. */
export interface WordPart {
  /** As a condition of an account, whose row is `User` in a query. */
  where: ReturnType<typeof literal>;
  /** The attribute in whose order the index has them, where listings can be sorted by it. */
  sortedBy?: string | undefined;
  /** Whether an account has one entry in the index at most. */
  isDistinct: boolean;
}

function lookUps(sequelize: Sequelize, word: string, phones: readonly string[]): LookUp[] {
  const inColumn = (column: string, text: string): LookUp => ({
    from: `FROM users WHERE ${begins(sequelize, column, text)}`,
    id: 'id',
    part: {
      where: literal(begins(sequelize, `\`User\`.\`${column}\``, text)),
      sortedBy: attributes[column],
      isDistinct: true,
    },
  });
  const byIds = (from: string, id: string, isDistinct: boolean): LookUp => ({
    from,
    id,
    part: { where: literal(`\`User\`.\`id\` IN (SELECT ${id} ${from})`), isDistinct },
  });
  return [
    ...keyColumns.map((column) => inColumn(column, word)),
    ...phones.map((phone) => inColumn('phone_key', phone)),
    // A generated column that isn't stored: by the ids of its index alone, without its value in the row.
    byIds(`FROM users WHERE ${begins(sequelize, domainColumn, word)}`, 'id', true),
    byIds(`FROM account_words WHERE ${begins(sequelize, 'word', word)}`, 'account_id', false),
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
  /** How many entries all have, unless one has more than were counted; an account may have several. */
  entries: number | undefined;
}

/**
 * Counts the accounts with a word that begins so, or with a phone.
 * @param few the bound: where an index has more entries, nothing else is counted, and its part is the first
 * @param sortedBy the attribute of an index whose entries don't count
 */
export async function partsByWord(
  sequelize: Sequelize,
  word: string,
  phones: readonly string[],
  { few, sortedBy }: { few: number; sortedBy?: string | undefined },
): Promise<WordParts> {
  const all = lookUps(sequelize, word, phones).map((one) => ({
    ...one,
    counts: sortedBy === undefined || one.part.sortedBy !== sortedBy,
    // An entry behind so many shows that there are more, without a temporary table.
    isMore: `(SELECT 1 ${one.from} LIMIT 1 OFFSET ${few}) = 1`,
  }));
  // Those after the first that applies aren't looked up.
  const cases = all.flatMap(({ counts, isMore }, index) => (counts ? [`WHEN ${isMore} THEN ${index}`] : []));
  const [first] = await plainSelect(sequelize, `SELECT CASE ${cases.join(' ')} END`);
  const large = typeof first?.[0] === 'number' ? all[first[0]] : undefined;
  if (large) {
    const parts = [large, ...all.filter((one) => one !== large)].map(({ part }) => part);
    return { parts, largest: few + 1, entries: undefined };
  }
  const numbers = all.map(({ counts, isMore, from }, index) => {
    const number = `(SELECT COUNT(*) ${from})`;
    return `${counts ? number : `CASE WHEN ${isMore} THEN ${few + 1} ELSE ${number} END`} AS c${index}`;
  });
  const [row = []] = await plainSelect(sequelize, `SELECT ${numbers.join(', ')}`);
  const found = all
    .map(({ part, counts }, index) => ({ part, counts, number: Number(row[index]) }))
    .filter(({ number }) => number > 0)
    .sort((one, other) => other.number - one.number);
  const entries = found.reduce((sum, { counts, number }) => (counts ? sum + number : sum), 0);
  return {
    parts: found.map(({ part }) => part),
    largest: found[0]?.number ?? 0,
    entries,
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
