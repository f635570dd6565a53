import { expect } from 'chai';
import fc from 'fast-check';
import { foldCase, normalizeEmail, phoneKey, searchKey, searchKeyLength } from '../../src/schemas/keys.js';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('normalizeEmail', () => {
  it('trims, lower-cases and normalises compatibility forms', () => {
    const same = ['ada@example.org', ' ADA@EXAMPLE.ORG ', 'ＡＤＡ@example．org', '\u00a0Ada@Example.Org\ufeff'];
    for (const address of same) expect(normalizeEmail(address)).to.equal('ada@example.org');
    expect(normalizeEmail('JOSE\u0301@example.org')).to.equal('jos\u00e9@example.org');
    expect(normalizeEmail('JOSÉ@example.org')).not.to.equal(normalizeEmail('jose@example.org'));
  });

  it('is the same in every locale', () => {
    expect(normalizeEmail('INFO@example.org')).to.equal('info@example.org');
    expect(normalizeEmail('İnfo@example.org')).to.equal('i\u0307nfo@example.org');
    expect(normalizeEmail('ınfo@example.org')).to.equal('ınfo@example.org');
  });

  it('leaves Greek sigmas unchanged, because mail is sent to the address', () => {
    for (const address of ['νικος.παπας@πυργος.example', 'νικοσ.παπασ@πυργοσ.example'])
      expect(normalizeEmail(address)).to.equal(address);
  });

  it('removes invisible characters, which would allow a second account for one address', () => {
    for (const sign of '\u200b\u2060\u200d\ufeff\u00ad\u202e\u2066\u200f\u3164\ufe0f')
      for (const address of [`${sign}ada@example.org`, `a${sign}da@example.org`, `ada@example${sign}.org${sign}`])
        expect(normalizeEmail(address), JSON.stringify(address)).to.equal('ada@example.org');
  });

  it('converts both forms of an international domain to one', () => {
    for (const domain of ['bücher.example', 'BÜCHER.example', 'xn--bcher-kva.example', 'XN--Bcher-KVA.Example'])
      expect(normalizeEmail(`b@${domain}`), domain).to.equal('b@bücher.example');
    expect(normalizeEmail('b@xn--strae-oqa.example')).to.equal('b@straße.example');
    const others = [
      // Invalid names that must not decode to another domain.
      ...['xn--invalid-.example', 'xn--a', 'xn--b.example', 'xn--', 'a.xn--.b', '0x7f.1', 'bücher\u3002example'],
      // Names with an invisible joiner.
      ...['xn--pacc0tb3f.example', 'xn--fa-hia.xn--zz-', `xn--${'a'.repeat(300)}`],
    ];
    for (const domain of others) {
      const once = normalizeEmail(`b@${domain}`);
      expect(normalizeEmail(once), domain).to.equal(once);
      expect(once.endsWith('@invalid.example')).to.equal(false);
    }
    for (const domain of [
      'evil.example/ü',
      'evil.example?ü',
      'evil.example#ü',
      'x%2ebücher.example',
      'bü\tcher.example',
    ])
      expect(normalizeEmail(`b@${domain}`), domain).to.equal(`b@${domain}`);
    expect(normalizeEmail('b@xn--invalid-.example')).to.equal('b@xn--invalid-.example');
    expect(normalizeEmail('xn--bcher-kva.example')).to.equal('xn--bcher-kva.example');
  });

  it('leaves its own results unchanged, for every character', () => {
    const unstable: string[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const once = normalizeEmail(`Σ${String.fromCodePoint(point)}a`);
      if (normalizeEmail(once) !== once) unstable.push(point.toString(16));
      // IDNA is slow, so fewer domains are checked.
      if (point > 0x3000 && point % 17 !== 0) continue;
      const domain = normalizeEmail(`a@Σ${String.fromCodePoint(point)}a.example`);
      if (normalizeEmail(domain) !== domain) unstable.push(`@${point.toString(16)}`);
    }
    expect(unstable).to.deep.equal([]);
  });
});

describe('phoneKey', () => {
  const separators = [...' .-()/\t\u00a0\u2009–—‑\u2212\u200b\u202d\u00ad'];

  it('is equal for all spellings of a number, with digits of every script and invisible characters', () => {
    const same = ['+15550109999', '+1 (555) 010-9999', '+1.555.010.9999', ' +1\u00a0555\u2009010‑9999 '];
    same.push(
      '\u202a+1 555 010–9999\u202c',
      '＋１（５５５）０１０－９９９９',
      '+١٥٥٥٠١٠٩٩٩٩',
      '+۱۵۵۵۰۱۰۹۹۹۹',
      '+१५५५०१०९९९९',
    );
    same.push('+𝟏𝟓𝟓𝟓𝟎𝟏𝟎𝟗𝟗𝟗𝟗', '+1555\u31640109999\u3164', '\u2060+1555\ufeff0109999\uffa0');
    for (const phone of same) expect(phoneKey(phone), phone).to.equal('+15550109999');
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const sign = String.fromCodePoint(point);
      if (/\p{Nd}/u.test(sign)) expect(phoneKey(sign), point.toString(16)).to.match(/^[0-9]$/);
    }
  });

  it('ignores slashes and the tel: of links', () => {
    const slashes = ['0151/234567', '0151 / 234567', '0151／234567'];
    for (const phone of [...slashes, 'tel:0151234567', 'Tel: 0151-234567', 'tel:tel:0151234567'])
      expect(phoneKey(phone), phone).to.equal('0151234567');
    expect(phoneKey('tel:')).to.equal('tel:');
    expect(phoneKey('hotel:1')).to.equal('hotel:1');
  });

  it('differs for different numbers', () => {
    const phones = ['+15550109999', '15550109999', '0015550109999', '+15550109999x1', '+15550109999#1'];
    expect(new Set(phones.map(phoneKey)).size).to.equal(phones.length);
  });

  it('ignores separators', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789+#x'), { minLength: 1, maxLength: 20 });
    const between = fc.array(fc.constantFrom(...separators), { maxLength: 3 }).map((signs) => signs.join(''));
    fc.assert(
      fc.property(digits, fc.array(between, { minLength: 21, maxLength: 21 }), (number, gaps) => {
        const written = gaps[20] + number.map((digit, place) => digit + gaps[place]).join('');
        expect(phoneKey(written)).to.equal(number.join(''));
      }),
    );
  });

  it('is never empty for a phone, and never longer than the phone', () => {
    expect(phoneKey(' (-) ')).to.equal('(-)');
    fc.assert(
      fc.property(anyText, (text) => {
        const key = phoneKey(text);
        if (text.trim() !== '') expect(key).not.to.equal('');
        expect(key.length).to.be.at.most(text.length);
        expect(phoneKey(key)).to.equal(key);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('searchKey', () => {
  it('folds case, accents, compatibility forms and special letters such as ß', () => {
    const folded = {
      José: 'jose',
      'ŁUKASZ Żółć': 'lukasz zolc',
      'O’Brien O‘Brien Hawaiʻi': "o'brien o'brien hawai'i",
      'Straße STRAẞE': 'strasse strasse',
      'Işık Ðurić Øystein Ægir Œuvre Ħal': 'isik duric oystein aegir oeuvre hal',
      Ångström: 'angstrom',
      'Ｆｕｌｌ Ｗｉｄｔｈ': 'full width',
      İstanbul: 'istanbul',
      Ελένη: 'ελενη',
      'ﬁne № 5': 'fine no 5',
    };
    for (const [text, key] of Object.entries(folded)) expect(searchKey(text), text).to.equal(key);
  });

  it('keeps the marks that non-Latin scripts need', () => {
    expect(searchKey('हिन्दी')).to.equal('हिन्दी');
    expect(searchKey('はパバ')).to.equal('はパバ');
    expect(searchKey('한국어')).to.equal('한국어');
    expect(searchKey('שָׁלוֹם')).to.equal('שָׁלוֹם'.normalize('NFC'));
  });

  it('joins the given texts and skips absent ones', () => {
    expect(searchKey('Ada', null, '', undefined, 'ada@example.org')).to.equal('ada ada@example.org');
    expect(searchKey()).to.equal('');
  });

  it('finds a text by each part, in any case, in Greek too', () => {
    const text = 'Κώστας Παπάς Σίσυφος';
    const word = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 });
    const greek = fc
      .tuple(fc.nat(text.length - 1), fc.nat(20))
      .map(([from, length]) => text.slice(from, from + length));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), greek, (list, piece) => {
        const key = searchKey(...list);
        for (const one of list) expect(key).to.include(searchKey(one.toUpperCase()));
        for (const typed of [piece, piece.toUpperCase(), piece.toLowerCase()])
          expect(searchKey(text), typed).to.include(searchKey(typed));
      }),
      { numRuns: 500 },
    );
  });

  it('fits its column, in whole characters', () => {
    expect([...searchKey('🦊'.repeat(700))]).to.have.length(searchKeyLength);
    expect(searchKey('🦊'.repeat(700)).isWellFormed()).to.equal(true);
    expect([...searchKey('ﷺ'.repeat(50))].length).to.equal(searchKeyLength);
  });

  it('leaves its own results unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(searchKey(searchKey(text))).to.equal(searchKey(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('foldCase', () => {
  it('is equal for a text in capitals and in lower case, also for each of its parts', () => {
    for (const text of ['Straße', 'Κώστας', 'Σίσυφος', 'Ada']) {
      expect(foldCase(text.toUpperCase()), text).to.equal(foldCase(text));
      for (let length = 1; length <= text.length; length += 1)
        expect(foldCase(text), text).to.include(foldCase(text.slice(0, length).toUpperCase()));
    }
  });
});
