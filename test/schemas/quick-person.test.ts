import { expect } from 'chai';
import fc from 'fast-check';
import { isAppError } from '../../src/errors.js';
import { importedPersonSchema, quickPerson } from '../../src/schemas/import.js';
import { validate } from '../../src/schemas/validate.js';

/** What the schema makes of a row; nothing when it refuses it. */
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
const name = fc.oneof(
  letters("abcÄéøžŁ .'-×÷Aß", { minLength: 0, maxLength: 52 }),
  fc.constantFrom(
    'Ada',
    'José',
    "O'Hara",
    'van Dijk',
    'Anne-Marie',
    ' Ada',
    'Ada ',
    '李小龙',
    'x'.repeat(50),
    'x'.repeat(51),
  ),
  fc.string(),
);
const email = fc.oneof(
  fc.emailAddress(),
  letters('aB1.@-_+ x', { minLength: 0, maxLength: 70 }),
  fc
    .tuple(letters('aB1._+-', { minLength: 1, maxLength: 66 }), letters('aB1.-', { minLength: 1, maxLength: 66 }))
    .map(([local, domain]) => `${local}@${domain}.org`),
  fc.constantFrom(
    'Ada@Example.ORG',
    'ada@example.org ',
    'ada@example',
    'a..b@example.org',
    'a@b.c',
    'a@-b.org',
    'a@xn--b.org',
  ),
);
const phone = fc.oneof(
  letters('+0123456789 ()-.', { minLength: 0, maxLength: 54 }),
  letters('0123456789.,E+', { minLength: 1, maxLength: 12 }),
  fc.constantFrom('+44 20 7946 0001', '(020) 7946-0001', '4.41E+11', '441234567.0', '+', '1', "'+44"),
  fc.string(),
);
const other = fc.constantFrom(
  '',
  ' ',
  'trainee',
  'trainer',
  'Trainer',
  'super_admin',
  'yes',
  'no',
  'secret of mine',
  'x',
);
const hash = fc.constantFrom('', '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', '$2b$31$x', 'md5');

const row = fc.record(
  {
    ...{ firstName: name, lastName: name, email, phone, role: other, isActive: other, password: other },
    ...{ passwordHash: hash, course: other, enrollmentStatus: other, notes: other },
  },
  { requiredKeys: ['firstName', 'lastName', 'email', 'phone'] },
);

describe('The quick way to a person', () => {
  it('never knows better than the schema', () => {
    fc.assert(
      fc.property(row, (input) => {
        const quick = quickPerson(input);
        if (quick !== undefined) expect(quick).to.deep.equal(judged(input));
      }),
      { numRuns: 5000 },
    );
  });

  it('is taken by the rows that most files consist of', () => {
    for (const input of [
      { firstName: 'Ada', lastName: 'King', email: 'Ada.King@Example.org', phone: '+44 20 7946 0001' },
      {
        firstName: 'José',
        lastName: "O'Hara-Müller",
        email: 'j+1@mail.example.org',
        phone: '(020) 7946-0001'.slice(1),
      },
      { firstName: 'Ada', lastName: 'King', email: 'a@example.org', phone: '0207946', role: 'trainer', isActive: '' },
    ])
      expect(quickPerson(input), JSON.stringify(input)).to.be.an('object');
  });

  it('is not taken by anything out of the ordinary', () => {
    const plain = { firstName: 'Ada', lastName: 'King', email: 'a@example.org', phone: '0207946' };
    for (const change of [
      ...[{ firstName: '李小龙' }, { email: 'josé@example.org' }, { phone: '441234567.0' }, { isActive: 'no' }],
      ...[{ password: 'secret' }, { course: 'Knots' }, { passwordHash: 'md5' }, { role: 'super_admin' }],
    ])
      expect(quickPerson({ ...plain, ...change }), JSON.stringify(change)).to.equal(undefined);
  });
});
