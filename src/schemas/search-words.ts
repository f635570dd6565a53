/**
 * The words by which accounts are found in large databases. A word begins where a text does, and after a space, an apostrophe,
 * a hyphen or an @; and with every character of Chinese, Japanese and Korean, which have no spaces. Made of the folded text of
 * {@link searchKey}, so that case and accents don't count.
 */

/** Characters of a word that count. */
export const wordLength = 64;

/** After them a word begins; so it does after a space. */
export const wordSeparators = ['-', "'", '’', '@'] as const;

const separator = /[-'’@]/;
const leadingSeparators = /^[-'’@]+/;

/** A character that is a word, or begins one, wherever it stands. */
export const wordCharacter = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const cut = (text: string): string =>
  text.length <= wordLength ? text : Array.from(text).slice(0, wordLength).join('');

/** The words of a search, each once. @param key of the search, by {@link searchKey} */
export function searchedWords(key: string): string[] {
  const words = key.split(' ').map((word) => cut(word.replace(leadingSeparators, '')));
  return [...new Set(words)].filter((word) => word !== '');
}

/** Where words begin in a text without spaces. */
function beginnings(text: string): number[] {
  const found: number[] = [];
  let afterSeparator = true;
  let at = 0;
  for (const sign of text) {
    const isSeparator = separator.test(sign);
    if (!isSeparator && (afterSeparator || (sign > '\x7f' && wordCharacter.test(sign)))) found.push(at);
    afterSeparator = isSeparator;
    at += sign.length;
  }
  return found;
}

/** An account as far as its words are made of it. */
export interface SearchedAccount {
  searchKey: string;
  firstNameKey: string;
  lastNameKey: string;
  email: string;
}

/**
 * The words by which an account must be stored to be found: all but those with which its email or a key of its name begins,
 * because these have indexes. Each is followed by the rest of the text up to the next space.
 */
export function storedWords({ searchKey, firstNameKey, lastNameKey, email }: SearchedAccount): string[] {
  const words = new Set<string>();
  for (const text of searchKey.split(' '))
    for (const at of beginnings(text)) {
      const word = cut(text.slice(at));
      const isIndexed = [firstNameKey, lastNameKey, email].some((column) => column.startsWith(word));
      if (!isIndexed) words.add(word);
    }
  return [...words];
}
