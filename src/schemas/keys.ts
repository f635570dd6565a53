import { domainToASCII, domainToUnicode } from 'node:url';
import { isAscii, nonAscii, normalized, visiblePart } from './text.js';

/**
 * The forms of what people type by which it is found and told apart. Made in the program, so that every database finds
 * and refuses the same.
 */

/**
 * Letters without a decomposition that are a form of other letters: what people type who don't have them on their keyboard. And
 * the apostrophes that phones and word processors type in place of that of keyboards.
 */
export const letterForms: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ς: 'σ' }),
  ...Object.entries({ '‘': "'", '’': "'", ʻ: "'", ʼ: "'" }),
]);

const letterFormPattern = new RegExp(`[${[...letterForms.keys()].join('')}]`, 'g');

/**
 * A text in which case doesn't count: in capitals ß is SS, and the Greek sigmas are one. toLowerCase() is the same in every locale, but
 * makes ς or σ of the capital Σ, depending on what follows.
 */
export const foldCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');

/** The longest domain name, in characters (RFC 1035, section 2.3.4). */
const longestDomain = 253;

/** Characters of no domain: a parser of addresses ends a domain at some, decodes others, and drops the rest. */
const foreignToDomains = /[\s/\\?#%:@\p{Cc}]/u;

/**
 * An address with its domain in the Unicode form of IDNA (UTS #46), if it has one: mail to both forms arrives in one mailbox. Other
 * domains, and those whose form has invisible characters, stay as they are.
 */
function withUnicodeDomain(address: string): string {
  const start = address.lastIndexOf('@') + 1;
  const domain = address.slice(start);
  const isInternational = (!isAscii.test(domain) && !domain.includes('\u3002')) || /(^|\.)xn--/.test(domain);
  if (start === 0 || !isInternational || domain.length > longestDomain || foreignToDomains.test(domain)) return address;
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  // Node also decodes names that no domain has, some of them to plain ASCII.
  const isSame = ascii !== '' && domainToASCII(unicode) === ascii;
  return isSame && visiblePart(normalized(unicode, 'NFKC')) === unicode ? address.slice(0, start) + unicode : address;
}

/**
 * The stored form of an email address and the form that logins are matched in: trimmed, NFKC, lower case, without characters
 * that can't be seen, which would make a second account of the same address. So would a domain as `xn--`. Letters are otherwise left
 * as they are, ς too: mail is sent to it.
 */
export function normalizeEmail(address: string): string {
  // Lower-casing can undo NFKC (U+0130), hence twice. toLowerCase is the same in every locale.
  const plain = visiblePart(normalized(normalized(visiblePart(address), 'NFKC').toLowerCase(), 'NFKC')).trim();
  return withUnicodeDomain(plain);
}

const digit = /^\p{Nd}$/u;

/** A decimal digit of any script as 0 to 9; every other character as it is. */
export function decimalDigit(character: string): string {
  if (!digit.test(character) || character <= '9') return character;
  // The digits of a script follow each other from its zero.
  let value = 0;
  const point = character.codePointAt(0) ?? 0;
  while (digit.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value % 10);
}

/** A digit of any script as 0 to 9, a full-width character as it stands on keyboards; every other character as it is. */
function plainCharacter(character: string): string {
  const compatible = normalized(character, 'NFKC');
  return decimalDigit(compatible.length === 1 ? compatible : character);
}

/**
 * What makes two phone numbers the same: spaces, dots, dashes, slashes, parentheses and what can't be seen don't count, nor do the
 * script of its digits and `tel:` in front, with which links begin. A text of nothing else stands for itself.
 */
export function phoneKey(phoneNumber: string): string {
  const trimmed = phoneNumber.trim();
  // Nearly all are ASCII, in which everything can be seen.
  const plain = isAscii.test(trimmed) ? trimmed : visiblePart(trimmed).replace(nonAscii, plainCharacter);
  return plain.replace(/[\s.()/\p{Pd}\u2212]/gu, '').replace(/^(tel:)+/i, '') || trimmed;
}

/** Length of the column that searches look in, in characters. */
export const searchKeyLength = 500;
/** Longest text that is folded, in UTF-16 units: one character can become 18. */
const longestFolded = 2000;

/**
 * The folded text that a search looks in, and the folded form of what is looked for: compatibility forms, case, the accents of
 * alphabetic scripts and {@link letterForms} don't count.
 */
export function searchKey(...parts: readonly (string | null | undefined)[]): string {
  const text = parts.filter((part) => part).join(' ');
  const plain = normalized(text.slice(0, longestFolded), 'NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  const folded = normalized(plain, 'NFC').replace(letterFormPattern, (letter) => letterForms.get(letter) ?? letter);
  // Whole characters; a text that is short in UTF-16 units is short in characters too.
  if (folded.length <= searchKeyLength) return folded;
  return Array.from(folded.slice(0, 2 * searchKeyLength))
    .slice(0, searchKeyLength)
    .join('');
}
