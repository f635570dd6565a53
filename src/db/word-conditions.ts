import { literal, type Sequelize } from 'sequelize';
import { wordCharacter, wordSeparators } from '../schemas/search-words.js';

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

const indexedColumns = ['first_name_key', 'last_name_key', 'email'] as const;

/** The ids of the accounts with a word that begins so, from indexes alone. Some come twice. */
function idsByWord(sequelize: Sequelize, word: string): string[] {
  return [
    ...indexedColumns.map((column) => `SELECT id FROM users WHERE ${begins(sequelize, column, word)}`),
    `SELECT account_id AS id FROM account_words WHERE ${begins(sequelize, 'word', word)}`,
  ];
}

const idsByPhone = (sequelize: Sequelize, phones: readonly string[]): string[] =>
  phones.map((phone) => `SELECT id FROM users WHERE ${begins(sequelize, 'phone_key', phone)}`);

/** How many accounts have a word or phone that begins so, at most `most` of each index. Some are counted twice. */
export function wordCountSql(sequelize: Sequelize, word: string, phones: readonly string[], most: number): string {
  const parts = [...idsByWord(sequelize, word), ...idsByPhone(sequelize, phones)].map(
    (ids) => `(SELECT COUNT(*) FROM (${ids} LIMIT ${most}) AS counted)`,
  );
  return `SELECT ${parts.join(' + ')} AS total`;
}

/** That an account, whose row is `account` in the query, has the words or the phone. Needs no index. */
export function hasWords(sequelize: Sequelize, account: string, { words, phones }: WordSearch) {
  const column = (name: string) => `\`${account}\`.\`${name}\``;
  const key = column('search_key');
  const position = (text: string) => `INSTR(${key}, ${sequelize.escape(text)})`;
  const isWord = (word: string) =>
    [`${position(word)} = 1`, ...[' ', ...wordSeparators].map((separator) => `${position(separator + word)} > 0`)].join(
      ' OR ',
    );
  const hasWord = (word: string) =>
    [
      // Most rows don't contain the word anywhere.
      `${position(word)} > 0${wordCharacter.test(word) ? '' : ` AND (${isWord(word)})`}`,
      ...indexedColumns.map((name) => begins(sequelize, column(name), word)),
    ].join(' OR ');
  const all = words.map((word) => `(${hasWord(word)})`).join(' AND ');
  const either = phones.map((phone) => begins(sequelize, column('phone_key'), phone));
  return literal(`(${[...(all === '' ? ['1 = 0'] : [`(${all})`]), ...either].join(' OR ')})`);
}

/**
 * That `column` is the id of an account with a word that begins so, or with the phone. The ids are read from indexes, all of
 * them: for words of few accounts.
 */
export function isAmongThoseWith(sequelize: Sequelize, column: string, word: string, phones: readonly string[]) {
  const ids = [...idsByWord(sequelize, word), ...idsByPhone(sequelize, phones)].join(' UNION ');
  return literal(`${column} IN (SELECT id FROM (${ids}) AS found)`);
}
