import { editDistance } from '../../../../edit-distance.js';
import { normalized, withoutInvisible } from '../../../../schemas/text.js';

/** A column of a file. */
export interface Column {
  heading: string;
  /** Which cell of a row it is, from 0. */
  index: number;
}

/** The number of cells up to the last one that isn't blank. */
export const filledWidth = (cells: readonly string[]): number => cells.findLastIndex((cell) => cell.trim() !== '') + 1;

/** Columns that a rejects file adds; they are dropped when it is imported. */
export const rejectColumns = ['line', 'code', 'reason'] as const;

/** Index of the first column that a rejects file added; -1 when there is none. Only all of them in order count. */
export const addedColumns = (headings: readonly string[]): number =>
  headings.findLastIndex((_, start) => rejectColumns.every((name, at) => headings[start + at] === name));

/** Longer than any name of a field or role, in UTF-16 units: a longer heading is compared by its exact text only. */
export const longestKnown = 200;

/**
 * The form in which headings and words are compared: without case, accents, spaces, punctuation, and Arabic vowel signs and
 * strokes. Empty for a heading that is too long to be a name.
 */
export const headingKey = (heading: string): string =>
  heading.length > longestKnown
    ? ''
    : normalized(heading, 'NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]|\u0640/gu, '');

/** The words of a heading in the form in which they are compared, with a space around each; also of `camelCase`. */
export const headingWords = (heading: string): string =>
  ` ${normalized(heading.slice(0, longestKnown).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'), 'NFKD')
    .toLowerCase()
    .replace(/[\p{M}\u0640]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

const longestShown = 60;

/** A heading or a cell for messages: in one line, and shortened. */
export function shownText(text: string): string {
  const line = withoutInvisible(text.slice(0, longestKnown))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line.toWellFormed());
  return characters.length > longestShown ? `${characters.slice(0, longestShown).join('')}…` : characters.join('');
}

/** The words of lists, a language or so in each line, with ` | ` between them. */
export const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' | '));

/** Whether a cell is an email address: then the first line is no header. */
export function isAddress(cell: string): boolean {
  if (cell.length > 300) return false;
  const [, domain = ''] = /^\s*[^\s@]+@([^\s@]+)\s*$/.exec(cell) ?? [];
  return domain.slice(1, -1).includes('.');
}

const longestCompared = 100;

const folded = (text: string) =>
  normalized(text.slice(0, longestCompared), 'NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .slice(0, longestCompared);

/** The candidate that differs least, if at most a third of the text differs. Only the first 100 characters count. */
export function suggestionFor(text: string, candidates: readonly string[]): string | undefined {
  const wanted = folded(text);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length * 0.34)) + 1;
  for (const candidate of candidates) {
    const other = folded(candidate);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const difference = editDistance(wanted, other);
    if (difference >= least) continue;
    [best, least] = [candidate, difference];
  }
  return best;
}
