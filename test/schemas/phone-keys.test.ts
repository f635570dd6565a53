import { expect } from 'chai';
import fc from 'fast-check';
import { phoneKey } from '../../src/schemas/keys.js';
import { isCountry, phoneKeysOf } from '../../src/schemas/phone-keys.js';

/** Phones in Germany, with their key if it differs from the key without a country. */
const german: [phone: string, key?: string][] = [
  ['+49 151 1234567', '+491511234567'],
  ['0049 151 1234567', '+491511234567'],
  ['0151 1234567', '+491511234567'],
  ['(0151) 123-45/67', '+491511234567'],
  ['tel:+49-151-1234567', '+491511234567'],
  ['+49 (0) 151 1234567', '+491511234567'],
  ['٠١٥١ ١٢٣٤٥٦٧', '+491511234567'],
  // A spreadsheet has dropped the first zero.
  ['151 1234567', '+491511234567'],
  ['+44 20 7946 0001', '+442079460001'],
  ['0044 20 7946 0001', '+442079460001'],
  // Too short: 1234 and 01234 would be the same.
  ['1234'],
  ['01234'],
  ['030 1234'],
  ['112'],
  // No number in the country has this length.
  ['+1 555 0100'],
  ['0151 1234567 1234567 1234567'],
  // An extension.
  ['030 1234567 x12'],
  ['030 1234567 ext. 12'],
  // Two zeros after the code of the country.
  ['+49 00 151 1234567'],
  ['0800 FLOWERS'],
  ['ada@example.org'],
  ['---'],
  ['0'],
  ['+49'],
  [''],
];

describe('Keys of phones in a country', () => {
  it('are equal for all spellings of a number in Germany; texts that are no phone numbers have their plain key', async () => {
    const { keyOf } = await phoneKeysOf('DE');
    for (const [phone, key = phoneKey(phone)] of german) expect(keyOf(phone), phone).to.equal(key);
  });

  const others: [country: string, phone: string, key: string][] = [
    ['GB', '020 7946 0001', '+442079460001'],
    ['US', '(212) 555-0100', '+12125550100'],
    ['US', '011 49 151 1234567', '+491511234567'],
    ['AT', '0664 1234567', '+436641234567'],
    // The first zero is a part of Italian numbers.
    ['IT', '06 1234 5678', '+390612345678'],
    ['IT', '+39 06 1234 5678', '+390612345678'],
    ['', '0151 1234567', '01511234567'],
    ['', '0049 151 1234567', '00491511234567'],
  ];
  it('follow the rules of each country', async () => {
    for (const [country, phone, key] of others)
      expect((await phoneKeysOf(country)).keyOf(phone), `${phone} in ${country}`).to.equal(key);
  });

  const character = fc.constantFrom(...'0123456789', ...'0149', '+', '+', ' ', '-', '(', ')', 'x', ';', '#', '٣', '٠');
  const phones = fc.oneof(
    fc.string({ unit: character, maxLength: 20 }),
    fc
      .tuple(fc.constantFrom('+49', '0049', '+490', '0', '00', '+39', '+54', '+52', '+1', '8'), fc.nat(999_999_999_999))
      .map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 50 }),
  );

  it('are keys of themselves, and depend only on the plain key', async () => {
    for (const country of ['DE', 'IT', 'AR', 'MX', 'US', 'RU', 'BR']) {
      const { keyOf } = await phoneKeysOf(country);
      const property = fc.property(phones, (phone) => {
        const key = keyOf(phone);
        expect(keyOf(key), country).to.equal(key);
        expect(keyOf(phoneKey(phone)), country).to.equal(key);
        expect(key.length).to.be.at.most(Math.max(50, phone.length));
      });
      fc.assert(property, { numRuns: 500 });
    }
  });

  it('can be searched by their beginning if the country is known', async () => {
    const { startsOf } = await phoneKeysOf('DE');
    const starts = await Promise.all(['0151 12', '0049151', '+49 151 1', 'Ada'].map(startsOf));
    expect(starts).to.deep.equal([['+4915112'], ['+49151'], ['+491511'], []]);
  });

  it('can be searched by a calling code without a country', async () => {
    const { startsOf } = await phoneKeysOf('');
    expect(await startsOf('+49 160 1000')).to.deep.equal(['+491601000', '01601000']);
    expect(await startsOf('0049 (0)160 1000')).to.deep.equal(['+4901601000', '01601000']);
    for (const digits of ['+4916', '+999160']) expect(await startsOf(digits)).to.deep.equal([digits]);
    for (const text of ['0160 1000', '160 1000', 'Ada', '+Ada', ''])
      expect(await startsOf(text), text).to.deep.equal([]);
  });

  it('know the countries', async () => {
    const texts = ['DE', 'AT', 'XX', 'de', '', '__proto__', 'constructor'];
    const answers = await Promise.all(texts.map(isCountry));
    expect(texts.filter((_, index) => answers[index])).to.deep.equal(['DE', 'AT']);
  });
});
