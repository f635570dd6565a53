import { maxHeadingLength } from '../../../../tables/table/text.js';
import { headingWords } from './headings.js';

/** The halves of a full name. */
export interface NameHalves {
  firstName: string;
  lastName: string;
  /** Whether the name could be split elsewhere, so that somebody should look at the halves. */
  isGuess: boolean;
}

const wordSet = (words: string) => new Set(words.split(' '));

/** Words that begin a last name, in the languages of the headings and their neighbours. */
const particles = wordSet(
  'van von vom zu zum zur den der ter ten te de del della dello dei degli delle di da do dos das du des la le las los ' +
    "lo dela bin bint ibn abu al el af av 't",
);

/** Words that follow a last name and belong to it; "Ma" and "Sr" in other case may be names. */
const suffix =
  /^(\(.*\)|([Jj]r|JR|[Ss]r|SR|II|III|IV|Ph\.?D|PHD|MD|M\.D|MBA|M\.?Sc|MSC|B\.?Sc|BSC|M\.A|B\.A|DDS|Esq|CPA)\.?)$/;

const lastNames = 'noms?|name|nachname|familienname|apellidos?|sobrenomes?|apelidos?|last name|surname';
const firstNames = 'prenoms?|vornamen?|nombres?|nome|first names?|given names?';

/** "Nom et prénom", "Nachname, Vorname"; in some languages any full name has the last name first. */
const lastNameFirst = new RegExp(` ((${lastNames}) ((and|und|et|y|e) )?(${firstNames})|nev|фио|ho va ten) `, 'u');

/** Whether a heading of full names says that the last name comes first, without a comma too. */
export const isLastNameFirst = (heading: string): boolean => lastNameFirst.test(headingWords(heading));

/** Scripts in which the last name comes first; a name in katakana alone is a foreign one. */
const eastAsian =
  /^(?=.*[\p{Script=Han}\p{Script=Hangul}])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\s]+$/u;

/** "DUPONT", not the initials of "JP". */
const isCapitals = (word = '') => /^[\p{Lu}\p{M}'’-]{3,}$/u.test(word);

/** Whether capitals tell the last name, as in "DUPONT Jean". */
function hasLastNameInCapitals(words: readonly string[]): boolean {
  const first = words.find((word) => !isParticle(word));
  return isCapitals(first) && !isCapitals(words.at(-1)) && words.some((word) => /\p{Ll}/u.test(word));
}

/** Words of the last name at the beginning: particles, one word, and further ones in capitals. */
function findEndOfLastName(words: readonly string[]): number {
  let end = words.findIndex((word) => !isParticle(word)) + 1;
  if (isCapitals(words[end - 1])) while (isCapitals(words[end])) end += 1;
  return Math.min(Math.max(end, 1), words.length - 1);
}

/** The words of a text; words in parentheses are one. */
const splitWords = (text: string): string[] => text.match(/\([^()]*\)|[^\s()]+|[()]/g) ?? [];

const isParticle = (word: string) => particles.has(word.toLowerCase());

/** Where the last name begins: at its last word that is no suffix, or the particles before that. */
function findStartOfLastName(words: readonly string[]): number {
  let start = Math.max(
    1,
    words.findLastIndex((word) => !suffix.test(word)),
  );
  while (start > 1 && isParticle(words[start - 1] ?? '')) start -= 1;
  return start;
}

/** `Berg, Pieter van der`: particles behind the first name belong to the last name. */
function splitReversedName(last: string, first: string): [string, string] {
  const words = splitWords(first);
  const given = words.findLastIndex((word) => !isParticle(word)) + 1;
  const moved = given === 0 ? [] : words.slice(given);
  return [words.slice(0, words.length - moved.length).join(' '), [...moved, last].join(' ')];
}

/**
 * First and last name of a full name: the last word is the last name, with the particles before it and the suffixes behind
 * it; a comma means that the last name comes first.
 * @param lastNameFirst whether it does so without a comma; also where the script or capitals say so
 * @returns nothing for a text that has no two halves, or that a comma doesn't divide in two
 */
export function splitFullName(fullName: string, lastNameFirst = false): NameHalves | undefined {
  if (fullName.length > maxHeadingLength) return undefined;
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
