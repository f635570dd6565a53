import fc from 'fast-check';

/** Pieces of names and titles in many scripts that are hard to sort: case, accents, marks, digits, punctuation, emoji. */
const pieces = [
  ...`a A b z Z ann Anna lee é É e\u0301 ß ss ẞ æ ae ø o ł l đ ı İ i ŋ þ ﬁ Ｆ № Σ ς α й и і ї Ґ є я ѓ א שָׁ ﷺ أ
    ا हि が か 한 佐 𠮷 0 9 10 ٣ ０ - – ' ’ . / : [ _ ~ « ¿ € 🦊 👩🏽‍🚀`.split(/\s+/),
  ...[' ', '  ', '\u00a0', 'é'.repeat(40)],
];

/**
 * Generates names and titles of any kind.
 * @param most maximum number of characters
 */
export const anyName = (most: number) =>
  fc
    .array(
      fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: 'grapheme', maxLength: 3 })),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((parts) => {
      const line = parts
        .join('')
        .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
        .trim();
      return Array.from(line).slice(0, most).join('').trim() || 'a';
    });

/** Compares texts as databases compare stored keys. */
export const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
