import { decimalDigit, letterForms } from './keys.js';
import { lastCharacter } from './search-words.js';
import { isAscii, nonAscii, normalized, visiblePart } from './text.js';

/**
 * Keys whose byte order is roughly the order of a dictionary. They are stored, because SQLite, MariaDB and MySQL have no common
 * collation. So the order is the same everywhere, and an index supports it.
 *
 * White space comes first, then punctuation and symbols, digits, Latin letters, and other scripts in the order of Unicode. Case and
 * accents count only between otherwise equal texts.
 */

/** Maximum lengths of texts with sort keys, in characters. */
export const nameMaximum = 50;
export const titleMaximum = 200;
export const categoryMaximum = 100;
export const groupNameMaximum = 100;

/** Returns the maximum length of a key. @param most maximum length of the text */
export const sortKeyLength = (most: number): number => 2 * most + separator.length;

/** Sorts below everything that may follow in another key, because folded text has no double spaces. */
const separator = '  ';

const plainWord = /^[a-z]+$/i;

// Accents of alphabetic scripts, and points of Hebrew and Arabic.
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
const shortI = /\u0438\u0306/g;

/**
 * Letters without a decomposition. A variant of another letter sorts as that letter. A separate letter that Unicode has in another place
 * sorts after all words with the preceding letter.
 */
const letters = new Map([
  ...letterForms,
  ...Object.entries({ ŋ: 'nŋ', ŧ: 'tŧ', ə: 'eə' }),
  ...Object.entries({ ґ: 'гґ', ђ: 'дђ', є: 'еє', ѕ: 'зѕ', і: 'иі', ј: 'йј', љ: 'лљ', њ: 'нњ', ћ: 'тћ', џ: 'чџ' }),
  ...Object.entries({ '“': '"', '”': '"', '„': '"' }),
]);
const dash = /^\p{Pd}$/u;

function plainCharacter(character: string): string {
  return letters.get(character) ?? (dash.test(character) ? '-' : decimalDigit(character));
}

/** Returns lower case without accents. */
function folded(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // Keeps й, which is a separate letter.
  const plain = normalized(visiblePart(text), 'NFKD').toLowerCase().replace(shortI, '\u0439').replace(accents, '');
  return normalized(plain, 'NFC').replace(nonAscii, plainCharacter);
}

// Characters from ! to . already sort below the digits.
const aboveDigits = /(?![!-.])[\p{P}\p{S}]/gu;

/**
 * Returns the key by which a name or title is sorted, bytewise. It consists of the folded text and the text itself, which orders texts
 * with the same folded text.
 * @param most maximum length of the text, and of the folded text
 */
export function sortKey(text: string, most: number): string {
  return foldedPart(text, most) + separator + text;
}

function foldedPart(text: string, most: number): string {
  // Fast path for nearly all names.
  if (plainWord.test(text) && text.length <= most) return text.toLowerCase();
  // The slash is the last character before the digits.
  const ordered = folded(text).replace(aboveDigits, '/$&').replace(/\s+/g, ' ').trim();
  return ordered.length <= most ? ordered : Array.from(ordered).slice(0, most).join('').trimEnd();
}

/** Returns the range of the keys of all texts with this beginning, regardless of case and accents. */
export function sortKeyBeginning(text: string, most: number): { from: string; below: string } {
  const part = foldedPart(text, most);
  return { from: part, below: part + lastCharacter };
}

/** Returns the range of the keys of all texts that equal this one, regardless of case and accents. */
export function sortKeyRange(text: string, most: number): { from: string; below: string } {
  const part = foldedPart(text, most);
  // No key has a character below the exclamation mark at this position.
  return { from: part + separator, below: `${part} !` };
}
