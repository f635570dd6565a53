import { longestKnown } from './headings.js';

/** The halves of a full name. */
export interface NameHalves {
  firstName: string;
  lastName: string;
  /** Whether the name has three words or more, so that somebody should look at the halves. */
  isGuess: boolean;
}

const list = (words: string) => new Set(words.split(' '));

/** Words that begin a last name, in the languages of the headings and their neighbours. */
const particles = list(
  'van von vom zu zum zur den der ter ten te de del della dello dei degli delle di da do dos das du des la le las los ' +
    "lo dela bin bint ibn abu al el af av 't",
);

/** Words that follow a last name and belong to it; "Ma" and "Sr" in other case may be names. */
const suffix =
  /^(\(.*\)|([Jj]r|JR|[Ss]r|SR|II|III|IV|Ph\.?D|PHD|MD|M\.D|MBA|M\.?Sc|MSC|B\.?Sc|BSC|M\.A|B\.A|DDS|Esq|CPA)\.?)$/;

/** The words of a text; words in parentheses are one. */
const wordsOf = (text: string): string[] => text.match(/\([^()]*\)|[^\s()]+|[()]/g) ?? [];

const isParticle = (word: string) => particles.has(word.toLowerCase());

/** Where the last name begins: at its last word that is no suffix, or the particles before that. */
function startOfLastName(words: readonly string[]): number {
  let start = Math.max(
    1,
    words.findLastIndex((word) => !suffix.test(word)),
  );
  while (start > 1 && isParticle(words[start - 1] ?? '')) start -= 1;
  return start;
}

/** `Berg, Pieter van der`: particles behind the first name belong to the last name. */
function reversed(last: string, first: string): [string, string] {
  const words = wordsOf(first);
  const given = words.findLastIndex((word) => !isParticle(word)) + 1;
  const moved = given === 0 ? [] : words.slice(given);
  return [words.slice(0, words.length - moved.length).join(' '), [...moved, last].join(' ')];
}

/**
 * First and last name of a full name: the last word is the last name, with the particles before it and the suffixes behind
 * it; a comma means that the last name comes first.
 * @returns nothing for a text that has no two halves, or that a comma doesn't divide in two
 */
export function nameHalves(fullName: string): NameHalves | undefined {
  if (fullName.length > longestKnown) return undefined;
  const [before = '', after, ...more] = fullName.split(',').map((part) => part.trim());
  if (more.length > 0) return undefined;
  const words = wordsOf(fullName.replace(',', ' '));
  const isGuess = words.length > 2;
  const isReversed = after !== undefined && !wordsOf(after).every((word) => suffix.test(word));
  if (isReversed) {
    const [firstName, lastName] = reversed(before, after);
    return firstName === '' || before === '' ? undefined : { firstName, lastName, isGuess };
  }
  if (words.length < 2) return undefined;
  const start = startOfLastName(words);
  return { firstName: words.slice(0, start).join(' '), lastName: words.slice(start).join(' '), isGuess };
}
