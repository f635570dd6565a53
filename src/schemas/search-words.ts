/**
 * The words by which accounts and courses are found in large databases. A word begins where a text does, and after a space, an
 * apostrophe, a hyphen or an @; and with every character of Chinese, Japanese and Korean, which have no spaces. Made of the
 * folded text of {@link searchKey}, so that case and accents don't count.
 */

/** Characters of a word that count. */
export const wordLength = 64;

/** Above all that a text may have: what begins with a text is below that text with it. */
export const lastCharacter = '\u{10ffff}';

/** After them a word begins; so it does after a space. */
export const wordSeparators = ['-', "'", '@'] as const;

const separator = /[-'@]/;
const leadingSeparators = /^[-'@]+/;

/** A character that is a word, or begins one, wherever it stands. */
export const wordCharacter = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const truncate = (text: string): string =>
  text.length <= wordLength ? text : Array.from(text).slice(0, wordLength).join('');

/** The words of a search, each once. @param key of the search, by {@link searchKey} */
export function searchedWords(key: string): string[] {
  const words = key.split(' ').map((word) => truncate(word.replace(leadingSeparators, '')));
  return [...new Set(words)].filter((word) => word !== '');
}

/** Where words begin in a text without spaces. */
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

/** The words of a text, each once, with the rest of the text up to the next space. @param key of the text, by {@link searchKey} */
export function indexedWords(key: string): string[] {
  const words = key.split(' ').flatMap((text) => wordStarts(text).map((at) => truncate(text.slice(at))));
  return [...new Set(words)];
}

/** An account as far as its words are made of it. */
export interface SearchedAccount {
  searchKey: string;
  firstNameKey: string;
  lastNameKey: string;
  email: string;
}

/** As the database has it, in a column of its own. */
const domainOf = (email: string): string => email.slice(email.indexOf('@') + 1);

const letters = /^[a-z]+/;

/** Whether a word is of letters that begin an email: those are stored, unless they begin a name. */
export const isAsciiLetters = (word: string): boolean => letters.exec(word)?.[0] === word;

/**
 * The words by which an account must be stored to be found: all but those with which its email, the domain of its email or a
 * key of its name begins, because these have indexes; and the letters with which its email begins, unless a name or the domain
 * does: a word of letters needn't be looked up among emails, most of which begin with a name.
 */
export function storedWords({ searchKey, firstNameKey, lastNameKey, email }: SearchedAccount): string[] {
  const indexed = [firstNameKey, lastNameKey, domainOf(email)];
  const beginsOne = (word: string) => indexed.some((column) => column.startsWith(word));
  const words = indexedWords(searchKey).filter((word) => !beginsOne(word) && !email.startsWith(word));
  const [beginning] = letters.exec(email) ?? [];
  return beginning === undefined || beginsOne(beginning) ? words : [...words, truncate(beginning)];
}
