/**
 * What is known of a text before anything is done to it. Normalising puts combining marks in order, which takes time that
 * grows with the square of how many follow each other: 48,000 of them take seconds.
 */

/** Combining marks that may follow each other: as many as in Unicode's Stream-Safe Text Format (UAX #15, section 13). */
const maxMarks = 30;

// With the half-width sound marks of Katakana, which are letters until they are normalised.
const mark = /^[\p{M}\uff9e\uff9f]$/u;

/** Below the first combining mark, U+0300. */
const firstMark = 0x300;

/** Whether more combining marks follow each other than in any script. Takes time in proportion to the length. */
export function hasTooManyMarks(text: string): boolean {
  let inARow = 0;
  for (const character of text) {
    inARow = (character.codePointAt(0) ?? 0) >= firstMark && mark.test(character) ? inARow + 1 : 0;
    if (inARow > maxMarks) return true;
  }
  return false;
}

/** Longer than any text that a key is made of, in units of UTF-16. */
const longestNormalized = 8192;

/**
 * The text in a normal form of Unicode: the only place where one is made. A text that would take long stays as it is:
 * no schema accepts it, so no account has it as a key.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.length > longestNormalized || hasTooManyMarks(text) ? text : text.normalize(form);
}

/** Spaces, and what a spreadsheet pads a cell with, in units of UTF-16. */
const padding = 1000;

/** How long a text may be before it is trimmed, in units of UTF-16, of which a character takes two at most. */
export function rawLength(maximumCharacters: number): number {
  return 2 * maximumCharacters + padding;
}

/** A text in which nothing needs to be normalised. */
export const isAscii = /^[\0-\x7f]*$/;
/** Each character that isn't ASCII. */
export const nonAscii = /[^\0-\x7f]/gu;

// Joiners and the marks of direction that people type are part of Persian, of Indic scripts, of Arabic, Hebrew and emoji. These
// only come along when something is pasted: they reverse text, or make two texts look the same.
const invisibleInText = /[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]/gu;

/** A line of text without what can't be seen and belongs to no script. */
export function withoutInvisible(text: string): string {
  return text.replace(invisibleInText, '');
}

const invisibleInKeys = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** A key without anything that can't be seen: what looks the same is to be the same. */
export function visiblePart(text: string): string {
  return text.replace(invisibleInKeys, '');
}
