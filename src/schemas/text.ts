/**
 * Checks of a text before any other work. Normalising sorts combining marks, in time proportional to the square of their number in a row:
 * 48,000 marks take seconds.
 */

/** Maximum number of combining marks in a row, as in Unicode's Stream-Safe Text Format (UAX #15, section 13). */
const maxMarks = 30;

// Includes the half-width sound marks of Katakana, which become combining marks when normalised.
const mark = /^[\p{M}\uff9e\uff9f]$/u;

/** First combining mark, U+0300. */
const firstMark = 0x300;

/** Whether a text has more combining marks in a row than any script needs. Takes linear time. */
export function hasTooManyMarks(text: string): boolean {
  let inARow = 0;
  for (const character of text) {
    inARow = (character.codePointAt(0) ?? 0) >= firstMark && mark.test(character) ? inARow + 1 : 0;
    if (inARow > maxMarks) return true;
  }
  return false;
}

/** Maximum length of normalised texts, in UTF-16 units. Texts with keys are shorter. */
const longestNormalized = 8192;

/**
 * Returns a text in a normal form of Unicode; no other function normalises text. A text that would take too long stays unchanged. No
 * schema accepts such a text, so no account has it as a key.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.length > longestNormalized || hasTooManyMarks(text) ? text : text.normalize(form);
}

/** Allowance for spaces and other padding of spreadsheet cells, in UTF-16 units. */
const padding = 1000;

/** Returns the maximum length of a text before trimming, in UTF-16 units. A character takes at most two. */
export function rawLength(maximumCharacters: number): number {
  return 2 * maximumCharacters + padding;
}

/** Matches a text that needs no normalisation. */
export const isAscii = /^[\0-\x7f]*$/;
export const nonAscii = /[^\0-\x7f]/gu;

// People type joiners and direction marks in Persian, Indic scripts, Arabic, Hebrew and emoji, so these are kept. The characters below
// only come with pasted text: they reverse text, or make two texts look the same.
const invisibleInText = /[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]/gu;

/** Removes invisible characters that belong to no script. */
export function withoutInvisible(text: string): string {
  return text.replace(invisibleInText, '');
}

const invisibleInKeys = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes all invisible characters of a key, so that keys that look equal are equal. */
export function visiblePart(text: string): string {
  return text.replace(invisibleInKeys, '');
}
