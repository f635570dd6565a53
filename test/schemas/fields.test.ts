import { expect } from 'chai';
import fc from 'fast-check';
import Joi from 'joi';
import * as fields from '../../src/schemas/fields.js';
import * as listing from '../../src/schemas/listing.js';
import { validate } from '../../src/schemas/validate.js';
import { failureOf } from '../db/support/failure.js';

/** Returns problems without their codes, which problems.test.ts checks. */
const messagesOf = (problems: readonly { path: string; message: string }[]) =>
  problems.map(({ path, message }) => ({ path, message }));

/** Returns the validated value. */
const taken = (atom: Joi.Schema, value: unknown) =>
  validate(Joi.object<{ field: unknown }>({ field: atom }), { field: value }).field;

/** Asserts that a schema leaves each value unchanged. */
function expectKept(atom: Joi.Schema, values: readonly unknown[]): void {
  for (const value of values) expect(taken(atom, value)).to.equal(value);
}

/** Asserts that a schema refuses each value with this message. */
async function expectRefused(atom: Joi.Schema, sentence: string, values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const { message } = await failureOf(() => taken(atom.required(), value));
    expect(message, JSON.stringify(value)).to.equal(sentence);
  }
}

const nonStrings = [5, true, null, {}, [], ['ab'], new Date(0)];

describe('Names', () => {
  const names = [
    [fields.firstName, 'First name'],
    [fields.lastName, 'Last name'],
  ] as const;

  it('have 2 to 50 code points after trimming', async () => {
    for (const [atom, label] of names) {
      expectKept(atom, ['Al', 'x'.repeat(50), '健太', '𝒜𝓁', '🦊'.repeat(50), 'Ñandú O’Brien-Łukasz']);
      expect(taken(atom, ' \t Mary  Ann \u00a0\n')).to.equal('Mary  Ann');
      expect(taken(atom, `${' '.repeat(500)}Ada${' '.repeat(500)}`)).to.equal('Ada');
      const wrong = [
        'A',
        '🦊',
        ' A ',
        'x'.repeat(51),
        '🦊'.repeat(51),
        `${' '.repeat(5000)}Ada`,
        '\u0301'.repeat(50_000),
      ];
      await expectRefused(atom, `${label} must be 2 to 50 characters.`, [...wrong, '\u202eA\u200b']);
      await expectRefused(atom, `${label} is required.`, [undefined, '', '   ']);
      await expectRefused(atom, `${label} must be a string.`, nonStrings);
    }
  });

  it('lose invisible characters that belong to no script', async () => {
    const [[atom]] = names;
    for (const sign of ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u202c', '\u2066', '\u2069', '\u3164'])
      expect(taken(atom, `${sign}A${sign}da ${sign}`)).to.equal('Ada');
    // "Mirzakhani-ye", as it is written in Persian: with a joiner that keeps letters apart.
    expectKept(atom, ['میرزاخانی\u200cها', 'क्\u200dष', '\u200fאדה']);
    const nothing = ['\u200b\u200b', '\u3164\u3164', '\u200d\u200f', '\u2800\u2800'];
    await expectRefused(atom, 'First name must contain visible characters.', nothing);
  });

  it('reject too many combining marks in a row, control characters and lone surrogates', async () => {
    const [[atom]] = names;
    expect(taken(atom, `b${'\u0301'.repeat(30)}o`)).to.have.length(32);
    const marks = ['\u0301'.repeat(31), '\u0301\u0316'.repeat(16), '\uff9e\u0301'.repeat(16)];
    const sentence = 'First name has too many combining marks in a row.';
    await expectRefused(
      atom,
      sentence,
      marks.map((many) => `Z${many}o`),
    );
    const signs = ['\0', '\n', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\ud83e', '\udd8a'];
    const wrong = signs.map((sign) => `Jo${sign}hn`);
    await expectRefused(atom, 'First name must not contain control characters.', wrong);
  });

  it('are normalised to NFC before their length is checked, like titles and categories', async () => {
    for (const [atom, label, minimum, maximum] of [
      [fields.firstName, 'First name', 2, 50],
      [fields.lastName, 'Last name', 2, 50],
      [fields.courseTitle, 'Title', 3, 200],
      [fields.category, 'Category', 2, 100],
    ] as const) {
      for (const length of [minimum, maximum])
        expect(taken(atom, 'e\u0301'.repeat(length))).to.equal('\u00e9'.repeat(length));
      const wrong = [minimum - 1, maximum + 1].map((length) => 'e\u0301'.repeat(length));
      await expectRefused(atom, `${label} must be ${minimum} to ${maximum} characters.`, wrong);
    }
  });
});

describe('Phones', () => {
  it('are any text of 1 to 50 characters, and stay unchanged', async () => {
    expect(taken(fields.phone, ' +1 (555) 010-9999 ')).to.equal('+1 (555) 010-9999');
    expectKept(fields.phone, ['1', '1 e\u0301']);
    await expectRefused(fields.phone, 'Phone must be at most 50 characters.', ['1'.repeat(51)]);
    await expectRefused(fields.phone, 'Phone is required.', [' ']);
    await expectRefused(fields.phone, 'Phone must be a string.', [15550100]);
    await expectRefused(fields.phone, 'Phone must not contain control characters.', ['1\n2']);
  });
});

describe('Emails', () => {
  it('are normalised', () => {
    expect(taken(fields.email, '  Ada.Lovelace@Example.ORG\n')).to.equal('ada.lovelace@example.org');
    expect(taken(fields.email, 'ＡＤＡ＠example.org')).to.equal('ada@example.org');
    expect(taken(fields.email, 'jose\u0301@example.org')).to.equal('josé@example.org');
    expect(taken(fields.email, 'ÖDÖN@BÜCHER.example')).to.equal('ödön@bücher.example');
  });

  it('are addresses of at most 254 characters, without spaces, encoded words and ideographic full stops', async () => {
    expectKept(fields.email, [`${'l'.repeat(64)}@${Array(3).fill('d'.repeat(61)).join('.')}.xy`.slice(0, 254)]);
    const wrong = ['ada', 'ada@', '@example.org', 'a b@example.org', 'ada@example', 'ada@@example.org', 'ada@-.org'];
    wrong.push(
      'a\0da@example.org',
      'ada\ud800@example.org',
      `${'l'.repeat(65)}@example.org`,
      `l@${'d.'.repeat(126)}org`,
    );
    for (const sign of ['\u1680', '\u2028', '\u2029', '\u2800', ' '])
      wrong.push(`a${sign}da@example.org`, `ada@exa${sign}mple.org`);
    wrong.push('ada@example\u3002org', 'ada@mail.example\uff61org', 'a\u3002da@example.org');
    wrong.push('=?utf-8?q?boss?=@example.org', 'ada＝？@example.org');
    await expectRefused(fields.email, 'Email must be a valid email address.', wrong);
    await expectRefused(fields.email, 'Email is required.', [undefined, '', ' \t ']);
    await expectRefused(fields.email, 'Email must be a string.', nonStrings);
  });
});

describe('Passwords', () => {
  const atoms = [
    [fields.password, 'Password'],
    [fields.loginPassword, 'Password'],
    [fields.currentPassword, 'Current password'],
    [fields.newPassword, 'New password'],
  ] as const;
  const unusable = ['secret\0', '\0secret', 'secret\ud83d', '\udd11secret'];

  it('have at least 6 code points, and are not normalised', async () => {
    for (const [atom, label] of atoms) {
      expectKept(atom, ['secret', '      ', '🔑🔑🔑🔑🔑🔑', ' Se cret ', 'jose\u0301s']);
      await expectRefused(atom, `${label} must be at least 6 characters.`, ['12345', '🔑🔑🔑🔑🔑', ' 1234']);
      await expectRefused(atom, `${label} is required.`, [undefined, '']);
      await expectRefused(atom, `${label} must be a string.`, nonStrings);
    }
  });

  it('that are set have at most 1,000 characters, without NUL and lone surrogates', async () => {
    const longest = ['x'.repeat(1000), '🔑'.repeat(1000), `e${'\u0301'.repeat(999)}`];
    for (const atom of [fields.password, fields.newPassword]) expectKept(atom, longest);
    const long = ['x'.repeat(1001), '🔑'.repeat(1001), 'x'.repeat(30_000)];
    await expectRefused(fields.password, 'Password must be at most 1000 characters.', long);
    await expectRefused(fields.password, "Password contains a character that can't be used.", unusable);
  });

  it('that are only compared have no maximum and no forbidden characters', () => {
    for (const atom of [fields.loginPassword, fields.currentPassword])
      expectKept(atom, [...unusable, 'x'.repeat(30_000), `e${'\u0301'.repeat(5000)}`]);
  });
});

describe('Closed lists, booleans and ids', () => {
  it('accept exact values only', async () => {
    expectKept(fields.role, fields.roles);
    const roles = ['admin', 'Trainer', ' trainee', '', 5, null, ['trainer']];
    await expectRefused(fields.role, 'Role must be one of super_admin, trainer, trainee.', roles);
    expectKept(fields.isActive, [true, false]);
    await expectRefused(fields.isActive, 'isActive must be true or false.', ['true', 1, 0, null, '']);
    expect(taken(fields.identifier, ' ada@example.org ')).to.equal('ada@example.org');
    await expectRefused(fields.identifier, 'Identifier must be a string.', [['ada@example.org']]);
    expect(taken(fields.id('courseId'), ' x ')).to.equal('x');
    await expectRefused(fields.id('courseId'), 'courseId must be at most 100 characters.', ['x'.repeat(101)]);
  });
});

describe('countCharacters', () => {
  it('counts code points', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 1 })), (list) => {
        expect(fields.countCharacters(list.join(''))).to.equal([...list.join('')].length);
      }),
    );
    expect(fields.countCharacters('a🦊é')).to.equal(3);
  });
});

describe('Parameters of listings', () => {
  const schema = Joi.object({ ...listing.paging(20), ...listing.sorting(['createdAt', 'title']) });
  const problemsOf = async (query: object) => (await failureOf(() => validate(schema, query))).details;

  it('are booleans as text, and a search that may be empty', async () => {
    const atom = listing.queryBoolean('isPublished');
    for (const value of [true, false]) expect(taken(atom, String(value))).to.equal(value);
    await expectRefused(atom, 'isPublished must be true or false.', ['TRUE', '1', 'yes', '', ['true']]);
    expect(taken(listing.search, '  ')).to.equal('');
    expect(taken(listing.search, '\u200bs\u202eql ')).to.equal('sql');
    await expectRefused(listing.search, 'search must be at most 200 characters.', ['x'.repeat(201)]);
    await expectRefused(listing.search, 'search must be a string.', [['sql']]);
  });

  it('have defaults for page and order, and messages with the permitted values', async () => {
    expect(validate(schema, {})).to.deep.equal({ page: 1, limit: 20, sortBy: 'createdAt', sortOrder: 'DESC' });
    const query = { page: '1000000', limit: '100', sortBy: 'title', sortOrder: 'ASC' };
    expect(validate(schema, query)).to.deep.equal({ ...query, page: 1_000_000, limit: 100 });
    for (const page of ['0', '-1', '1.5', '1000001', 'two', '', '1e99', '0x10', ['1'], {}]) {
      expect(messagesOf(await problemsOf({ page })), String(page)).to.deep.equal([
        { path: 'page', message: 'page must be a whole number from 1 to 1000000.' },
      ]);
    }
    expect(messagesOf(await problemsOf({ limit: '101', sortBy: 'password', sortOrder: 'asc' }))).to.deep.equal([
      { path: 'limit', message: 'limit must be a whole number from 1 to 100.' },
      { path: 'sortBy', message: 'sortBy must be one of createdAt, title.' },
      { path: 'sortOrder', message: 'sortOrder must be one of ASC, DESC.' },
    ]);
  });
});
