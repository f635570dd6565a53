import { expect } from 'chai';
import fc from 'fast-check';
import { isAppError } from '../../src/errors.js';
import { importColumns } from '../../src/schemas/import.js';
import { importedPersonSchema, quickPerson } from '../../src/schemas/imported-person.js';
import { validate } from '../../src/schemas/validate.js';
import { atDepth } from '../support/depth.js';

/** Returns the schema's value for a row; undefined if the schema refuses the row. */
function judged(input: object): object | undefined {
  try {
    return { ...validate(importedPersonSchema, input) };
  } catch (error) {
    if (!isAppError(error, 'VALIDATION')) throw error;
    return undefined;
  }
}

const letters = (alphabet: string, lengths: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...alphabet), ...lengths });

/** Texts with lengths around a limit: padded, with combining marks, or with separators. */
function around(bound: number, text: (length: number) => fc.Arbitrary<string>, separators: string) {
  const length = fc.constantFrom(bound - 1, bound, bound + 1);
  const padding = fc.constantFrom('', ' ', '\t', '   ', '\u00a0', ' '.repeat(990), ' '.repeat(1200));
  const gap = letters(separators, { minLength: 0, maxLength: bound });
  return fc.oneof(
    fc.tuple(padding, length.chain(text), padding).map((parts) => parts.join('')),
    // The length reaches the limit with or without combining marks, or not at all.
    fc
      .tuple(length.chain(text), fc.constantFrom('\u0301', '\u0301\u0316', '\u200b', '\uff9e'), fc.nat(40), fc.nat(60))
      .map(([base, mark, times, at]) => base.slice(0, at) + mark.repeat(times) + base.slice(at + mark.length * times)),
    gap,
    fc.tuple(text(6), gap).map(([base, between]) => base.slice(0, 3) + between + base.slice(3)),
  );
}

const ofLetters = (alphabet: string) => (length: number) =>
  letters(alphabet, { minLength: Math.max(length, 0), maxLength: Math.max(length, 0) });
const addressOf = (length: number) =>
  fc
    .tuple(fc.constantFrom(1, 20, 63, 64, 65), fc.constantFrom('x.org', 'mail.example.org', 'd.d.d.d.d.xy'))
    .map(
      ([local, domain]) =>
        `${'l'.repeat(local)}@${'d.'.repeat(Math.max(0, length - local - domain.length - 1) / 2)}${domain}`,
    );

const name = fc.oneof(
  letters("abcÄéøžŁ .'-×÷Aß", { minLength: 0, maxLength: 52 }),
  around(2, ofLetters('aéŁ'), " .'-"),
  around(50, ofLetters("aéŁ '-"), " .'-"),
  fc.constantFrom('Ada', 'José', "O'Hara", 'van Dijk', 'Anne-Marie', ' Ada', 'Ada ', '李小龙'),
  fc.string(),
);
const email = fc.oneof(
  fc.emailAddress(),
  around(64, addressOf, '.@-_+ '),
  around(254, addressOf, '.@-_+ '),
  letters('aB1.@-_+ x', { minLength: 0, maxLength: 70 }),
  fc
    .tuple(letters('aB1._+-', { minLength: 1, maxLength: 66 }), letters('aB1.-', { minLength: 1, maxLength: 66 }))
    .map(([local, domain]) => `${local}@${domain}.org`),
  fc.constantFrom('Ada@Example.ORG', 'ada@example.org ', 'ada@example', 'a..b@example.org', 'a@b.c', 'a@xn--b.org'),
);
const phone = fc.oneof(
  letters('+0123456789 ()-.', { minLength: 0, maxLength: 54 }),
  letters('0123456789.,E+', { minLength: 1, maxLength: 12 }),
  around(50, ofLetters('0123456789'), ' ()-'),
  around(50, ofLetters('0123456789 ()-'), ' ()-'),
  around(25, ofLetters('0123456789'), ' ()-'),
  around(4, ofLetters('0123456789'), ' ()-.+'),
  fc.constantFrom('+44 20 7946 0001', '(020) 7946-0001', '4.41E+11', '441234567.0', '+', '1', "'+44"),
  fc.string(),
);
const other = fc.constantFrom(
  '',
  ' ',
  'de',
  'trainee',
  'trainer',
  'Trainer',
  'super_admin',
  'yes',
  'no',
  'secret of mine',
);
const hash = fc.constantFrom('', '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', '$2b$31$x', 'md5');

const needed = { firstName: name, lastName: name, email, phone };
const others = Object.fromEntries(importColumns.map((column) => [column, other]));
const row = fc.record(
  { ...others, ...needed, passwordHash: hash },
  { requiredKeys: ['firstName', 'lastName', 'email', 'phone'] },
);

describe('quickPerson()', () => {
  it('returns exactly what the schema returns', () => {
    fc.assert(
      fc.property(row, (input) => {
        const quick = quickPerson(input);
        if (quick !== undefined) expect(quick).to.deep.equal(judged(input));
      }),
      { numRuns: atDepth(5000, 50_000) },
    );
  });

  it('drops no column of a plain row', () => {
    const plain = { firstName: 'Ada', lastName: 'King', email: 'a@example.org', phone: '0207946' };
    for (const column of importColumns)
      for (const value of ['', 'de', 'trainer', 'Chemistry']) {
        const quick = quickPerson({ ...plain, [column]: value });
        if (quick !== undefined) expect(quick, column).to.deep.equal(judged({ ...plain, [column]: value }));
      }
  });

  it('accepts fields up to the maximum length', () => {
    const plain = { firstName: 'Ada', lastName: 'King', email: 'a@example.org', phone: '0207946' };
    const phoneOf = (length: number) => `1${' '.repeat(length - 5)}2345`.slice(0, length);
    for (const [longest, longer] of [
      [{ firstName: 'x'.repeat(50) }, { firstName: 'x'.repeat(51) }],
      [{ lastName: 'x'.repeat(50) }, { lastName: 'x'.repeat(51) }],
      [{ phone: phoneOf(50) }, { phone: phoneOf(51) }],
      [{ phone: `1${' -'.repeat(23)}234` }, { phone: `1${' -'.repeat(24)}234` }],
    ]) {
      expect(quickPerson({ ...plain, ...longest }), JSON.stringify(longest)).to.deep.equal({ ...plain, ...longest });
      expect(quickPerson({ ...plain, ...longer }), JSON.stringify(longer)).to.equal(undefined);
      expect(judged({ ...plain, ...longer }), JSON.stringify(longer)).to.equal(undefined);
    }
  });

  it('accepts rows of typical files, and leaves unusual rows to the schema', () => {
    const plain = { firstName: 'Ada', lastName: 'King', email: 'a@example.org', phone: '0207946' };
    for (const usual of [
      { email: 'Ada.King@Example.org', phone: '+44 20 7946 0001' },
      { firstName: 'José', lastName: "O'Hara-Müller", email: 'j+1@mail.example.org', phone: '020) 7946-0001' },
      { role: 'trainer', isActive: '' },
    ])
      expect(quickPerson({ ...plain, ...usual }), JSON.stringify(usual)).to.be.an('object');
    for (const unusual of [
      { firstName: '李小龙' },
      { email: 'josé@example.org' },
      { phone: '441234567.0' },
      { isActive: 'no' },
      { password: 'secret' },
      { course: 'Knots' },
      { passwordHash: 'md5' },
      { role: 'super_admin' },
    ])
      expect(quickPerson({ ...plain, ...unusual }), JSON.stringify(unusual)).to.equal(undefined);
  });
});
