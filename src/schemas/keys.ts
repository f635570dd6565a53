import { domainToASCII, domainToUnicode } from 'node:url';
import { isAscii, nonAscii, normalized, visiblePart } from './text.js';

/**
 * Keys by which the program finds and compares texts that people enter. The program computes the keys, so that all
 * databases find and refuse the same texts.
 */

/**
 * Letters that Unicode doesn't decompose, with the letters that people type if their keyboard lacks such a letter. Also the
 * apostrophes that phones and word processors insert instead of the keyboard's apostrophe.
 */
export const letterForms: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ς: 'σ' }),
  ...Object.entries({ '‘': "'", '’': "'", ʻ: "'", ʼ: "'" }),
]);

const letterFormPattern = new RegExp(`[${[...letterForms.keys()].join('')}]`, 'g');

/**
 * Folds the case of a text: ß becomes ss, and all Greek sigmas become equal. toLowerCase() alone would convert Σ to ς or σ,
 * depending on the next letter. The result is the same in every locale.
 */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');

/** Maximum length of a domain name, in characters (RFC 1035, section 2.3.4). */
const longestDomain = 253;

/** Characters that no domain contains. A URL parser ends the domain at some, decodes others, and drops the rest. */
const foreignToDomains = /[\s/\\?#%:@\p{Cc}]/u;

/**
 * Converts the domain of an address to the Unicode form of IDNA (UTS #46). Mail to both forms of a domain arrives in one
 * mailbox. Other domains, and domains whose Unicode form has invisible characters, stay unchanged.
 */
function withUnicodeDomain(address: string): string {
  const start = address.lastIndexOf('@') + 1;
  const domain = address.slice(start);
  const isInternational = (!isAscii.test(domain) && !domain.includes('\u3002')) || /(^|\.)xn--/.test(domain);
  if (start === 0 || !isInternational || domain.length > longestDomain || foreignToDomains.test(domain)) return address;
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  // Node also decodes invalid names, some of them to plain ASCII.
  const isSame = ascii !== '' && domainToASCII(unicode) === ascii;
  return isSame && visiblePart(normalized(unicode, 'NFKC')) === unicode ? address.slice(0, start) + unicode : address;
}

/**
 * Returns the form of an email address that is stored and matched at logins. It is trimmed, NFKC and lower case, without invisible
 * characters, with a Unicode domain. Otherwise one address could have two accounts. Other letters stay unchanged, even ς, because
 * mail is sent to the address.
 */
export function normalizeEmail(address: string): string {
  // Applies NFKC twice, because lower-casing can undo it (U+0130). toLowerCase is the same in every locale.
  const plain = visiblePart(normalized(normalized(visiblePart(address), 'NFKC').toLowerCase(), 'NFKC')).trim();
  return withUnicodeDomain(plain);
}

const digit = /^\p{Nd}$/u;

/** Converts a decimal digit of any script to 0 to 9. Returns other characters unchanged. */
export function decimalDigit(character: string): string {
  if (!digit.test(character) || character <= '9') return character;
  // The digits of a script have consecutive code points from its zero.
  let value = 0;
  const point = character.codePointAt(0) ?? 0;
  while (digit.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value % 10);
}

/** Converts a digit of any script to 0 to 9, and a full-width character to the usual one. Returns others unchanged. */
function plainCharacter(character: string): string {
  const compatible = normalized(character, 'NFKC');
  return decimalDigit(compatible.length === 1 ? compatible : character);
}

/**
 * Returns the key of a phone number. Equal numbers have equal keys. Ignores spaces, dots, dashes, slashes, parentheses, invisible
 * characters, the script of digits, and `tel:` at the beginning of links. A text of ignored characters only is its own key.
 */
export function phoneKey(phoneNumber: string): string {
  const trimmed = phoneNumber.trim();
  // Fast path: nearly all phones are ASCII, which has no invisible format characters.
  const plain = isAscii.test(trimmed) ? trimmed : visiblePart(trimmed).replace(nonAscii, plainCharacter);
  return plain.replace(/[\s.()/\p{Pd}\u2212]/gu, '').replace(/^(tel:)+/i, '') || trimmed;
}

/** Length of the column for searches, in characters. */
export const searchKeyLength = 500;
/** Maximum length of folded texts, in UTF-16 units: one character can become 18. */
const longestFolded = 2000;

/**
 * Returns the folded form of a text, for the stored text and for the search. Ignores compatibility forms, case, the accents of alphabetic
 * scripts and {@link letterForms}.
 */
export function searchKey(...parts: readonly (string | null | undefined)[]): string {
  const text = parts.filter((part) => part).join(' ');
  const plain = normalized(text.slice(0, longestFolded), 'NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  const folded = normalized(plain, 'NFC').replace(letterFormPattern, (letter) => letterForms.get(letter) ?? letter);
  // Truncates to whole characters. A text with few UTF-16 units also has few characters.
  if (folded.length <= searchKeyLength) return folded;
  return Array.from(folded.slice(0, 2 * searchKeyLength))
    .slice(0, searchKeyLength)
    .join('');
}
