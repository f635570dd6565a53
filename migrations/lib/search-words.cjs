/**
 * A copy of `storedWords` and `wordsOf` in src/schemas/search-words.ts, for what runs beside the built program, or beside the source alone:
 * migrations and seeders. Other words need another file, as the result of a migration must not change later.
 */

const wordLength = 64;
// Former keys have ’, too.
const separator = /[-'’@]/;
const wordCharacter = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const cut = (text) => (text.length <= wordLength ? text : Array.from(text).slice(0, wordLength).join(''));

/** Where words begin in a text without spaces. */
function beginnings(text) {
  const found = [];
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

/** The words of a text. @param key the column `search_key` */
function wordsOf(key) {
  const words = key.split(' ').flatMap((text) => beginnings(text).map((at) => cut(text.slice(at))));
  return [...new Set(words)];
}

/** The words by which an account must be stored to be found. @param account its columns `search_key`, `email` and keys of names */
function storedWords({ search_key: key, first_name_key: firstName, last_name_key: lastName, email }) {
  const indexed = [firstName, lastName, email.slice(email.indexOf('@') + 1)];
  const beginsOne = (word) => indexed.some((column) => column.startsWith(word));
  const words = wordsOf(key).filter((word) => !beginsOne(word) && !email.startsWith(word));
  const [beginning] = /^[a-z]+/.exec(email) ?? [];
  return beginning === undefined || beginsOne(beginning) ? words : [...words, cut(beginning)];
}

module.exports = { storedWords, wordLength, wordsOf };
