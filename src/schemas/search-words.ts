import { searchKey } from './keys.js';
import { normalized } from './text.js';

/**
 * Words by which accounts and courses are found in large databases. A word starts at the beginning of a text, and after a space, a
 * comma, an apostrophe, a hyphen or an @. In Chinese, Japanese and Korean, a word starts at every character. Words derive from the folded text
 * of {@link searchKey}, so that case and accents don't count.
 */

/** Maximum length of a word, in characters. */
export const wordLength = 64;

/** Highest character. All texts with a given beginning sort below that beginning followed by this character. */
export const lastCharacter = '\u{10ffff}';

/** Characters after which a word starts, besides the space. */
export const wordSeparators = ['-', "'", '@', ','] as const;

const separator = /[-'@,]/;
const leadingSeparators = /^[-'@]+/;

/** Matches a character that always starts a word. */
export const wordCharacter = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const truncate = (text: string): string =>
  text.length <= wordLength ? text : Array.from(text).slice(0, wordLength).join('');

/** Spellings of a searched word. An account or course with any of them has the word. */
export type SearchedWord = readonly [string, ...string[]];

/** Letters with the two letters that people type if their keyboard lacks them. */
const digraphs = new Map(Object.entries({ ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', Ä: 'ae', Ö: 'oe', Ü: 'ue', Ø: 'oe' }));
const letterWithDigraph = new RegExp(`[${[...digraphs.keys()].join('')}]`, 'g');

/** Digraphs within a word. Excludes names that end with one, such as Zoe, and the separate vowels of Bauer. */
const digraph = /(?<![aeq])([aou])e(?=\p{L})/gu;

/** Splits a folded text at spaces and commas. */
const wordsOf = (key: string): string[] =>
  key.split(/[ ,]/).map((word) => truncate(word.replace(leadingSeparators, '')));

/**
 * Returns the words of a search without duplicates: mueller also has the spelling muller, which is the key of Müller. And Müller also
 * has the spelling mueller.
 */
export function searchedWords(search: string): SearchedWord[] {
  const plain = wordsOf(searchKey(search));
  const spelt = wordsOf(
    searchKey(normalized(search, 'NFC').replace(letterWithDigraph, (letter) => digraphs.get(letter) ?? letter)),
  );
  const found = new Map<string, SearchedWord>();
  for (const [index, word] of plain.entries()) {
    const others = new Set([spelt[index] ?? word, word.replace(digraph, '$1')]);
    others.delete(word);
    if (word !== '') found.set(word, [word, ...others]);
  }
  return [...found.values()];
}

/** Returns the positions where words start in a text without spaces. */
function wordStarts(text: string): number[] {
  const found: number[] = [];
  let afterSeparator = true;
  let at = 0;
  for (const character of text) {
    const isSeparator = separator.test(character);
    if (!isSeparator && (afterSeparator || (character > '\x7f' && wordCharacter.test(character)))) found.push(at);
    afterSeparator = isSeparator;
    at += character.length;
  }
  return found;
}

/** Returns the words of a text without duplicates, each up to the next space. @param key {@link searchKey} of the text */
export function indexedWords(key: string): string[] {
  const words = key.split(' ').flatMap((text) => wordStarts(text).map((at) => truncate(text.slice(at))));
  return [...new Set(words)];
}

/** Fields of an account that its words derive from. */
export interface SearchedAccount {
  searchKey: string;
  firstNameKey: string;
  lastNameKey: string;
  email: string;
}

/** Returns the domain as in the column of the database. */
const domainOf = (email: string): string => email.slice(email.indexOf('@') + 1);

const letters = /^[a-z]+/;

/** Whether a word consists of the letters a to z: {@link storedWords} contain the first letters of emails. */
export const isAsciiLetters = (word: string): boolean => letters.exec(word)?.[0] === word;

/**
 * Returns the words that must be stored to find an account. Leaves out words that begin its email, the domain of its email,
 * or a key of its name: these columns have indexes. Adds the first letters of its email, unless a name or the domain begins
 * with them. So a search for a word of letters needn't read emails. This adds few words, because most emails begin with a
 * name.
 */
export function storedWords({ searchKey, firstNameKey, lastNameKey, email }: SearchedAccount): string[] {
  const indexed = [firstNameKey, lastNameKey, domainOf(email)];
  const beginsIndexed = (word: string) => indexed.some((column) => column.startsWith(word));
  const words = indexedWords(searchKey).filter((word) => !beginsIndexed(word) && !email.startsWith(word));
  const [beginning] = letters.exec(email) ?? [];
  return beginning === undefined || beginsIndexed(beginning) ? words : [...words, truncate(beginning)];
}
