import { normalized } from '../../../../schemas/text.js';
import { maxHeadingLength } from '../../../../tables/table/text.js';

export interface Column {
  heading: string;
  /** Index of the column, from 0. */
  index: number;
  hidden?: true;
}

/** Columns that a rejects file adds. An import drops them. */
export const rejectColumns = ['line', 'code', 'reason'] as const;

/** Returns the index of the first column that a rejects file added; -1 if there is none. Only all columns in order count. */
export const indexOfAddedColumns = (headings: readonly string[]): number =>
  headings.findLastIndex((_, start) => rejectColumns.every((name, at) => headings[start + at] === name));

/**
 * Normalizes headings and words for comparison: without case, accents, spaces, punctuation, and Arabic vowel signs and
 * strokes. Returns an empty text for a heading that is too long to be a name.
 */
export const headingKey = (heading: string): string =>
  heading.length > maxHeadingLength
    ? ''
    : normalized(heading, 'NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]|\u0640/gu, '');

/** Normalizes the words of a heading, including the words of `camelCase`, with a space around each word. */
export const headingWords = (heading: string): string =>
  ` ${normalized(heading.slice(0, maxHeadingLength).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'), 'NFKD')
    .toLowerCase()
    .replace(/[\p{M}\u0640]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** Splits lists of words that are separated by ` | `, usually one line for each language. */
export const splitList = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' | '));

/** Whether a cell is an email address. A line with an email address is no header. */
export function isEmailAddress(cell: string): boolean {
  if (cell.length > 300) return false;
  const [, domain = ''] = /^\s*[^\s@]+@([^\s@]+)\s*$/.exec(cell) ?? [];
  return domain.slice(1, -1).includes('.');
}

const lastNames = 'noms?|name|nachname|familienname|apellidos?|sobrenomes?|apelidos?|last name|surname';
const firstNames = 'prenoms?|vornamen?|nombres?|nome|first names?|given names?';

/** Matches headings such as "Nachname, Vorname", and headings in languages with the last name first. */
const lastNameFirst = new RegExp(` ((${lastNames}) ((and|und|et|y|e) )?(${firstNames})|nev|фио|ho va ten) `, 'u');

/** Whether a heading of full names says that the last name comes first, even without a comma. */
export const isLastNameFirst = (heading: string): boolean => lastNameFirst.test(headingWords(heading));
