import { normalized } from '../../../../schemas/text.js';
import { maxHeadingLength } from '../../../../tables/table/text.js';

/** A column of a file. */
export interface Column {
  heading: string;
  /** Which cell of a row it is, from 0. */
  index: number;
  /** Hidden in its sheet. */
  hidden?: true;
}

/** Columns that a rejects file adds; they are dropped when it is imported. */
export const rejectColumns = ['line', 'code', 'reason'] as const;

/** Index of the first column that a rejects file added; -1 when there is none. Only all of them in order count. */
export const indexOfAddedColumns = (headings: readonly string[]): number =>
  headings.findLastIndex((_, start) => rejectColumns.every((name, at) => headings[start + at] === name));

/**
 * The form in which headings and words are compared: without case, accents, spaces, punctuation, and Arabic vowel signs and
 * strokes. Empty for a heading that is too long to be a name.
 */
export const headingKey = (heading: string): string =>
  heading.length > maxHeadingLength
    ? ''
    : normalized(heading, 'NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]|\u0640/gu, '');

/** The words of a heading in the form in which they are compared, with a space around each; also of `camelCase`. */
export const headingWords = (heading: string): string =>
  ` ${normalized(heading.slice(0, maxHeadingLength).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'), 'NFKD')
    .toLowerCase()
    .replace(/[\p{M}\u0640]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** The words of lists, a language or so in each line, with ` | ` between them. */
export const splitList = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' | '));

/** Whether a cell is an email address: then the first line is no header. */
export function isEmailAddress(cell: string): boolean {
  if (cell.length > 300) return false;
  const [, domain = ''] = /^\s*[^\s@]+@([^\s@]+)\s*$/.exec(cell) ?? [];
  return domain.slice(1, -1).includes('.');
}
