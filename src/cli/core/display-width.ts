import fastStringWidth from 'fast-string-width';

/** Marks with a column of their own, such as vowel signs of Devanagari, Tamil, Burmese and Khmer; all other marks have none. */
const spacingMarks = /\p{Mc}/gu;

/** How many columns of a terminal the text takes: wide characters take two, marks that are drawn into another character none. */
export function displayWidth(text: string): number {
  // The package counts no mark at all.
  return fastStringWidth(text) + (text.match(spacingMarks)?.length ?? 0);
}
