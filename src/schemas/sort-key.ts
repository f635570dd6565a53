import { decimalDigit, letterForms } from './keys.js';
import { lastCharacter } from './search-words.js';
import { isAscii, nonAscii, normalized, visiblePart } from './text.js';

/**
 * Keys whose byte order is about the order of a dictionary. They are stored, because SQLite, MariaDB and MySQL have no
 * collation in common: so the order is the same everywhere, and an index has it.
 *
 * White space comes first, then punctuation and symbols, digits, Latin letters, and the other scripts as Unicode has them. Case
 * and accents count only between texts that are the same without.
 */

/** Characters of the texts that have such keys. */
export const nameMaximum = 50;
export const titleMaximum = 200;
export const categoryMaximum = 100;

/** The maximum length of a key. @param most characters of the text */
export const sortKeyLength = (most: number): number => 2 * most + separator.length;

/** Below all that may follow in another key: in the folded text no two spaces follow each other. */
const separator = '  ';

const plainWord = /^[a-z]+$/i;

// The accents of alphabetic scripts, the points of Hebrew and of Arabic.
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
const shortI = /\u0438\u0306/g;

/**
 * Letters that have no decomposition. Those that are a form of another letter are that; a letter of its own that Unicode has in
 * another place comes after all words with the letter before it.
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

/** Lower case without accents. */
function folded(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  // Not й, which is a letter of its own.
  const plain = normalized(visiblePart(text), 'NFKD').toLowerCase().replace(shortI, '\u0439').replace(accents, '');
  return normalized(plain, 'NFC').replace(nonAscii, plainCharacter);
}

// Those from ! to . are below the digits as they are.
const aboveDigits = /(?![!-.])[\p{P}\p{S}]/gu;

/**
 * The key by which a name or title is sorted, bytewise. After the folded text it has the text itself, which decides between texts
 * that are folded to the same.
 * @param most characters that the text may have; as many of the folded text count
 */
export function sortKey(text: string, most: number): string {
  return foldedPart(text, most) + separator + text;
}

function foldedPart(text: string, most: number): string {
  // Nearly all names are.
  if (plainWord.test(text) && text.length <= most) return text.toLowerCase();
  // The slash is the last one before the digits.
  const ordered = folded(text).replace(aboveDigits, '/$&').replace(/\s+/g, ' ').trim();
  return ordered.length <= most ? ordered : Array.from(ordered).slice(0, most).join('').trimEnd();
}

/** The keys of all texts that begin like this one, case and accents aside. */
export function sortKeyBeginning(text: string, most: number): { from: string; below: string } {
  const part = foldedPart(text, most);
  return { from: part, below: part + lastCharacter };
}

/** The keys of all texts that are folded to the same as this one: they differ in case and accents at most. */
export function sortKeyRange(text: string, most: number): { from: string; below: string } {
  const part = foldedPart(text, most);
  // No key has a character below the exclamation mark there.
  return { from: part + separator, below: `${part} !` };
}
