import { normalized } from '../../../schemas/text.js';

/** Longer than any name of a field or role, in units of UTF-16: a longer heading is known by its own text alone. */
export const longestKnown = 200;

/**
 * Case, accents, spaces and punctuation of a heading or a word don't matter, nor do the vowel signs and strokes of Arabic.
 * Empty for one that is too long to be a name.
 */
export const headingKey = (heading: string): string =>
  heading.length > longestKnown
    ? ''
    : normalized(heading, 'NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]|\u0640/gu, '');
