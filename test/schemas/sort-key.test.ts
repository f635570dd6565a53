import { expect } from 'chai';
import fc from 'fast-check';
import { countCharacters } from '../../src/schemas/fields.js';
import { nameMaximum, sortKey, sortKeyBeginning, sortKeyLength, titleMaximum } from '../../src/schemas/sort-key.js';
import { anyName, byBytes } from '../support/names.js';

const sorted = (names: readonly string[]) =>
  names.toSorted((one, other) => byBytes(sortKey(one, nameMaximum), sortKey(other, nameMaximum)));

describe('sortKey', () => {
  const orders = {
    'without case and accents first': 'adam|Émile|emma|Zoe|Zoë|Zoé B',
    'words before longer words': 'Ann|Ann Lee|Anna|Anna Lee|Annabel',
    'punctuation and symbols before digits, and digits before letters': '[Draft]|«Intro»|🦊 Fox|3 y|٣ z|3D|Adam',
    'hyphens and apostrophes of all kinds alike': "O'Brien|O’Brien|O'Connor|Oakes",
    'letters without a decomposition': 'Adler|Æsir|Aesop|Dora|Đorđe|Lukas|Łukasz|Ølberg|Olsen|Weiß|Weissmann|Weisz',
    'forms of the letter i': 'ISTANBUL|Istanbul|İstanbul|ıstanbul|Izmir',
    'Latin before Greek before Cyrillic': 'Zoe|Ελένη|Ωμέγα|Іван|Яна',
    'Cyrillic in alphabetical order': 'Вера|Ганна|Ґалаґан|Ева|Ёлкин|Євген|Иванов|Ігор|Їжак|Йенсен|Яна',
    'scripts without case': 'אבי|שָׁלוֹם|أحمد|اسعد|हिन्दी|か|が|佐藤|가나|각',
    'texts that differ in case and accents only by the texts': 'Emile|emile|Émile|émile|emilé x',
  };
  it('sorts names as people expect', () => {
    for (const [what, text] of Object.entries(orders)) {
      const names = text.split('|');
      expect(sorted(names), what).to.deep.equal(names);
      expect(sorted(names.toReversed()), what).to.deep.equal(names);
    }
  });

  it('sorts Latin names as ICU does', () => {
    const { compare } = new Intl.Collator('und', { sensitivity: 'base' });
    const letters = fc.constantFrom(...('abzABZ059 éÉñÑüÜçÇåÅøØłŁđĐæÆœŒßẞ'.match(/./gu) ?? []));
    const latin = fc
      .string({ unit: letters, minLength: 1, maxLength: 12 })
      .map((text) => text.trim().replace(/ +/g, ' ') || 'a');
    fc.assert(
      fc.property(latin, latin, (one, other) => {
        const expected = compare(one, other);
        if (expected !== 0) expect(byBytes(sortKey(one, nameMaximum), sortKey(other, nameMaximum))).to.equal(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('is equal only for equal texts, and ends with the text', () => {
    fc.assert(
      fc.property(anyName(nameMaximum), anyName(nameMaximum), (one, other) => {
        expect(sortKey(one, nameMaximum) === sortKey(other, nameMaximum)).to.equal(one === other);
        expect(sortKey(one, nameMaximum).endsWith(`  ${one}`)).to.equal(true);
      }),
    );
  });

  it('fits its column, in whole characters', () => {
    for (const text of ['ﷺ', 'æ', '🦊', '/', '👩🏽‍🚀', '한', 'Ａ'].map((sign) =>
      Array.from(sign.repeat(titleMaximum)).slice(0, titleMaximum).join(''),
    )) {
      const key = sortKey(text, titleMaximum);
      expect(countCharacters(key), text).to.be.at.most(sortKeyLength(titleMaximum));
      expect(key.isWellFormed()).to.equal(true);
    }
    expect(countCharacters(sortKey('æ'.repeat(titleMaximum), titleMaximum))).to.equal(sortKeyLength(titleMaximum));
  });

  it('has no double space before the text, so that shorter texts sort first', () => {
    fc.assert(
      fc.property(anyName(nameMaximum), (text) => {
        const counted = sortKey(text, nameMaximum).slice(0, -text.length - 2);
        expect(counted).to.equal(counted.trim());
        expect(counted).not.to.include('  ');
        expect(counted.slice(0, 1) >= ' ' || counted === '').to.equal(true);
      }),
    );
  });
});

describe('sortKeyBeginning', () => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const isBetween = (text: string, typed: string) => {
    const { from, below } = sortKeyBeginning(typed, titleMaximum);
    const key = sortKey(text, titleMaximum);
    return byBytes(from, key) <= 0 && byBytes(key, below) < 0;
  };

  it('covers the keys of all texts with this beginning, in any case', () => {
    fc.assert(
      fc.property(anyName(nameMaximum), fc.nat(), (name, length) => {
        const typed = [...graphemes.segment(name)].slice(0, length % 20).map(({ segment }) => segment);
        return isBetween(name, typed.join('')) && isBetween(name, typed.join('').toLowerCase());
      }),
    );
    for (const typed of ['', 'W', 'weaving', 'Weaving ', 'Weaving b'])
      expect(isBetween('Weaving by hand: 花子', typed), typed).to.equal(true);
  });

  it('covers no other keys', () => {
    for (const typed of ['a', 'weavings', 'x', 'weaving c'])
      expect(isBetween('Weaving by hand', typed)).to.equal(false);
  });
});
