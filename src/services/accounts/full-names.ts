export interface NameHalves {
  firstName: string;
  lastName: string;
  /** Whether another split is possible, so that somebody should check the result. */
  isGuess: boolean;
}

/** Maximum length of a full name that is split, in UTF-16 units. Longer texts are no names. */
const longestName = 200;

const wordSet = (words: string) => new Set(words.split(' '));

/** Words that begin a last name, in the languages of the headings and in related languages. */
const particles = wordSet(
  'van von vom zu zum zur den der ter ten te de del della dello dei degli delle di da do dos das du des la le las los ' +
    "lo dela bin bint ibn abu al el af av 't",
);

/** Matches words that belong to a preceding last name. "Ma" and "Sr" in other case may be names. */
const suffix =
  /^(\(.*\)|([Jj]r|JR|[Ss]r|SR|II|III|IV|Ph\.?D|PHD|MD|M\.D|MBA|M\.?Sc|MSC|B\.?Sc|BSC|M\.A|B\.A|DDS|Esq|CPA)\.?)$/;

/** Matches names in scripts with the last name first. A name in katakana alone is foreign. */
const eastAsian =
  /^(?=.*[\p{Script=Han}\p{Script=Hangul}])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\s]+$/u;

/** Whether a word is in capitals like "DUPONT". Initials such as "JP" don't count. */
const isCapitals = (word = '') => /^[\p{Lu}\p{M}'’-]{3,}$/u.test(word);

/** Whether capitals mark the last name, as in "DUPONT Jean". */
function hasLastNameInCapitals(words: readonly string[]): boolean {
  const first = words.find((word) => !isParticle(word));
  return isCapitals(first) && !isCapitals(words.at(-1)) && words.some((word) => /\p{Ll}/u.test(word));
}

/** Counts the leading words of the last name: particles, one word, and further words in capitals. */
function findEndOfLastName(words: readonly string[]): number {
  let end = words.findIndex((word) => !isParticle(word)) + 1;
  if (isCapitals(words[end - 1])) while (isCapitals(words[end])) end += 1;
  return Math.min(Math.max(end, 1), words.length - 1);
}

/** Splits a text into words. Words in parentheses count as one. */
const splitWords = (text: string): string[] => text.match(/\([^()]*\)|[^\s()]+|[()]/g) ?? [];

const isParticle = (word: string) => particles.has(word.toLowerCase());

/** Returns the index at which the last name begins: its last word that is no suffix, or the particles before that word. */
function findStartOfLastName(words: readonly string[]): number {
  let start = Math.max(
    1,
    words.findLastIndex((word) => !suffix.test(word)),
  );
  while (start > 1 && isParticle(words[start - 1] ?? '')) start -= 1;
  return start;
}

/** Splits `Berg, Pieter van der`: particles after the first name belong to the last name. */
function splitReversedName(last: string, first: string): [string, string] {
  const words = splitWords(first);
  const given = words.findLastIndex((word) => !isParticle(word)) + 1;
  const moved = given === 0 ? [] : words.slice(given);
  return [words.slice(0, words.length - moved.length).join(' '), [...moved, last].join(' ')];
}

/**
 * Splits a full name. The last word is the last name, with the particles before it and the suffixes after it. A comma means
 * that the last name comes first.
 * @param lastNameFirst whether the last name comes first without a comma; the script or capitals may also show this
 * @returns undefined if the text can't be split in two, or has several commas
 */
export function splitFullName(fullName: string, lastNameFirst = false): NameHalves | undefined {
  if (fullName.length > longestName) return undefined;
  const [before = '', after, ...more] = fullName.split(',').map((part) => part.trim());
  if (more.length > 0) return undefined;
  const words = splitWords(fullName.replace(',', ' '));
  const isGuess = words.length > 2;
  const isReversed = after !== undefined && !splitWords(after).every((word) => suffix.test(word));
  if (isReversed) {
    const [firstName, lastName] = splitReversedName(before, after);
    return firstName === '' || before === '' ? undefined : { firstName, lastName, isGuess };
  }
  if (words.length < 2) return undefined;
  const isMarked = eastAsian.test(fullName) || hasLastNameInCapitals(words);
  if (after === undefined && (lastNameFirst || isMarked)) {
    const end = findEndOfLastName(words);
    const [lastName, firstName] = [words.slice(0, end).join(' '), words.slice(end).join(' ')];
    return { firstName, lastName, isGuess: isGuess || !lastNameFirst };
  }
  const start = findStartOfLastName(words);
  return { firstName: words.slice(0, start).join(' '), lastName: words.slice(start).join(' '), isGuess };
}
