/**
 * The forms of what people type by which it is found and told apart. Made in the program, so that every database finds
 * and refuses the same.
 */

/** The stored form of an email address and the form that logins are matched in: trimmed, NFKC, lower case. */
export function normalizeEmail(address: string): string {
  // Lower-casing can undo NFKC (U+0130), hence twice. toLowerCase is the same in every locale.
  return address.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}

/**
 * What makes two phone numbers the same: spaces, dots, dashes, parentheses and invisible marks don't count.
 * A text of nothing else stands for itself.
 */
export function phoneKey(phoneNumber: string): string {
  const trimmed = phoneNumber.trim();
  return trimmed.replace(/[\s.()\p{Pd}\u2212\p{Cf}]/gu, '') || trimmed;
}

/** Length of the column that searches look in, in characters. */
export const searchKeyLength = 600;

/**
 * The folded text that a search looks in, and the folded form of what is looked for: compatibility forms, case and
 * the accents of alphabetic scripts don't count.
 */
export function searchKey(...parts: readonly (string | null | undefined)[]): string {
  const folded = parts
    .filter((part) => part)
    .join(' ')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC');
  // Whole characters; a text that is short in UTF-16 units is short in characters too.
  return folded.length <= searchKeyLength ? folded : Array.from(folded).slice(0, searchKeyLength).join('');
}
