import { expect } from 'chai';
import fc from 'fast-check';
import Joi from 'joi';
import * as fields from '../../src/schemas/fields.js';
import { validate } from '../../src/schemas/validate.js';
import { failureOf } from '../db/support/failure.js';

/** The value that an atom gives. */
const taken = (atom: Joi.Schema, value: unknown) =>
  validate(Joi.object<{ field: unknown }>({ field: atom }), { field: value }).field;

/** The sentence in which an atom refuses a value. */
const refusalOf = async (atom: Joi.Schema, value: unknown) =>
  (await failureOf(() => taken(atom.required(), value))).message;

const nonStrings = [5, true, null, {}, [], ['ab'], new Date(0)];

for (const [atom, label] of [
  [fields.firstName, 'First name'],
  [fields.lastName, 'Last name'],
] as const) {
  describe(`${label}`, () => {
    it('has 2 to 50 characters, counted as people count them', async () => {
      for (const name of ['Al', 'x'.repeat(50), '健太', '𝒜𝓁', '🦊'.repeat(50)])
        expect(taken(atom, name)).to.equal(name);
      for (const name of ['A', '🦊', 'x'.repeat(51), '🦊'.repeat(51)]) {
        expect(await refusalOf(atom, name)).to.equal(`${label} must be 2 to 50 characters.`);
      }
    });

    it('is trimmed before it is counted, and otherwise kept as it is', async () => {
      expect(taken(atom, ' \t Mary  Ann \u00a0\n')).to.equal('Mary  Ann');
      expect(taken(atom, 'Ñandú O’Brien-Łukasz')).to.equal('Ñandú O’Brien-Łukasz');
      expect(await refusalOf(atom, ' A ')).to.equal(`${label} must be 2 to 50 characters.`);
    });

    it('is required', async () => {
      for (const nothing of [undefined, '', '   ']) {
        expect(await refusalOf(atom, nothing)).to.equal(`${label} is required.`);
      }
    });

    it('is a string', async () => {
      for (const value of nonStrings) expect(await refusalOf(atom, value)).to.equal(`${label} must be a string.`);
    });

    it('loses marks that cannot be seen and are part of no script', async () => {
      for (const sign of ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u202c', '\u2066', '\u2069', '\u3164'])
        expect(taken(atom, `${sign}A${sign}da ${sign}`)).to.equal('Ada');
      // "Mirzakhani-ye", as it is written in Persian: with a joiner that keeps letters apart.
      for (const name of ['میرزاخانی\u200cها', 'क्\u200dष', '\u200fאדה']) expect(taken(atom, name)).to.equal(name);
      for (const nothing of ['\u200b\u200b', '\u3164\u3164', '\u200d\u200f', '\u2800\u2800'])
        expect(await refusalOf(atom, nothing)).to.equal(`${label} must contain visible characters.`);
      expect(await refusalOf(atom, '\u202eA\u200b')).to.equal(`${label} must be 2 to 50 characters.`);
    });

    it('has no more combining marks in a row than any script needs', async () => {
      expect(taken(atom, `b${'\u0301'.repeat(30)}o`)).to.have.length(32);
      for (const marks of ['\u0301'.repeat(31), '\u0301\u0316'.repeat(16), '\uff9e\u0301'.repeat(16)])
        expect(await refusalOf(atom, `Z${marks}o`)).to.equal(`${label} has too many combining marks in a row.`);
      expect(await refusalOf(atom, '\u0301'.repeat(50_000))).to.equal(`${label} must be 2 to 50 characters.`);
    });

    it('may be padded, within reason', async () => {
      expect(taken(atom, `${' '.repeat(500)}Ada${' '.repeat(500)}`)).to.equal('Ada');
      expect(await refusalOf(atom, `${' '.repeat(5000)}Ada`)).to.equal(`${label} must be 2 to 50 characters.`);
    });

    it('has no control characters and no half characters', async () => {
      for (const sign of ['\0', '\n', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\ud83e', '\udd8a']) {
        expect(await refusalOf(atom, `Jo${sign}hn`)).to.equal(`${label} must not contain control characters.`);
      }
    });
  });
}

describe('Phone', () => {
  it('is any text of 1 to 50 characters', async () => {
    expect(taken(fields.phone, ' +1 (555) 010-9999 ')).to.equal('+1 (555) 010-9999');
    expect(taken(fields.phone, '1')).to.equal('1');
    expect(await refusalOf(fields.phone, '1'.repeat(51))).to.equal('Phone must be at most 50 characters.');
    expect(await refusalOf(fields.phone, ' ')).to.equal('Phone is required.');
    expect(await refusalOf(fields.phone, 15550100)).to.equal('Phone must be a string.');
    expect(await refusalOf(fields.phone, '1\n2')).to.equal('Phone must not contain control characters.');
  });
});

describe('Email', () => {
  it('is normalised', () => {
    expect(taken(fields.email, '  Ada.Lovelace@Example.ORG\n')).to.equal('ada.lovelace@example.org');
    expect(taken(fields.email, 'ＡＤＡ＠example.org')).to.equal('ada@example.org');
    expect(taken(fields.email, 'jose\u0301@example.org')).to.equal('josé@example.org');
    expect(taken(fields.email, 'ÖDÖN@BÜCHER.example')).to.equal('ödön@bücher.example');
  });

  it('is an email address of at most 254 characters', async () => {
    const longest = `${'l'.repeat(64)}@${Array(3).fill('d'.repeat(61)).join('.')}.xy`.slice(0, 254);
    expect(taken(fields.email, longest)).to.equal(longest);
    const wrong = ['ada', 'ada@', '@example.org', 'a b@example.org', 'ada@example', 'ada@@example.org', 'ada@-.org'];
    const strange = ['a\0da@example.org', 'ada\ud800@example.org', `${'l'.repeat(65)}@example.org`, 'ada@exa mple.org'];
    for (const text of [...wrong, ...strange, `l@${'d.'.repeat(126)}org`]) {
      expect(await refusalOf(fields.email, text), text).to.equal('Email must be a valid email address.');
    }
  });

  it('has no space of any kind, nor a full stop that mail programs take for a dot', async () => {
    for (const sign of ['\u1680', '\u2028', '\u2029', '\u2800'])
      for (const text of [`a${sign}da@example.org`, `ada@exa${sign}mple.org`])
        expect(await refusalOf(fields.email, text)).to.equal('Email must be a valid email address.');
    for (const text of ['ada@example\u3002org', 'ada@mail.example\uff61org', 'a\u3002da@example.org'])
      expect(await refusalOf(fields.email, text)).to.equal('Email must be a valid email address.');
  });

  it('is required, and a string', async () => {
    for (const nothing of [undefined, '', ' \t ']) {
      expect(await refusalOf(fields.email, nothing)).to.equal('Email is required.');
    }
    for (const value of nonStrings) expect(await refusalOf(fields.email, value)).to.equal('Email must be a string.');
  });
});

describe('Names and titles', () => {
  it('are NFC before they are counted, and as they are stored', async () => {
    for (const [atom, minimum, maximum] of [
      [fields.firstName, 2, 50],
      [fields.lastName, 2, 50],
      [fields.courseTitle, 3, 200],
      [fields.category, 2, 100],
    ] as const) {
      for (const length of [minimum, maximum])
        expect(taken(atom, 'e\u0301'.repeat(length))).to.equal('\u00e9'.repeat(length));
      for (const length of [minimum - 1, maximum + 1])
        expect(await refusalOf(atom, 'e\u0301'.repeat(length))).to.include(
          ` must be ${minimum} to ${maximum} characters.`,
        );
    }
  });

  it('are told from phones, which are kept as given', () => {
    expect(taken(fields.phone, '1 e\u0301')).to.equal('1 e\u0301');
  });
});

describe('Password', () => {
  const atoms = [
    [fields.password, 'Password'],
    [fields.presented, 'Password'],
    [fields.currentPassword, 'Current password'],
    [fields.newPassword, 'New password'],
  ] as const;

  it('has at least 6 characters, counted as people count them', async () => {
    for (const [atom, label] of atoms) {
      for (const text of ['secret', '      ', '🔑🔑🔑🔑🔑🔑']) expect(taken(atom, text)).to.equal(text);
      for (const text of ['12345', '🔑🔑🔑🔑🔑', ' 1234']) {
        expect(await refusalOf(atom, text)).to.equal(`${label} must be at least 6 characters.`);
      }
    }
  });

  it('is kept as it is typed', () => {
    expect(taken(fields.password, ' Se cret ')).to.equal(' Se cret ');
    expect(taken(fields.password, 'jose\u0301s')).to.equal('jose\u0301s');
  });

  const unusable = ['secret\0', '\0secret', 'secret\ud83d', '\udd11secret'];

  it('that is new has at most 1,000 characters, whatever their bytes and marks are', async () => {
    for (const text of ['x'.repeat(1000), '🔑'.repeat(1000), `e${'\u0301'.repeat(999)}`])
      for (const atom of [fields.password, fields.newPassword]) expect(taken(atom, text)).to.equal(text);
    for (const text of ['x'.repeat(1001), '🔑'.repeat(1001), 'x'.repeat(30_000)])
      expect(await refusalOf(fields.password, text)).to.equal('Password must be at most 1000 characters.');
  });

  it('that is new has nothing that would end it early or be stored as something else', async () => {
    for (const text of unusable)
      expect(await refusalOf(fields.password, text)).to.equal("Password contains a character that can't be used.");
  });

  it('that is presented is measured only', () => {
    for (const text of [...unusable, 'x'.repeat(30_000), `e${'\u0301'.repeat(5000)}`])
      for (const atom of [fields.presented, fields.currentPassword]) expect(taken(atom, text)).to.equal(text);
  });

  it('is required, and a string', async () => {
    for (const [atom, label] of atoms) {
      for (const nothing of [undefined, '']) expect(await refusalOf(atom, nothing)).to.equal(`${label} is required.`);
      for (const value of nonStrings) expect(await refusalOf(atom, value)).to.equal(`${label} must be a string.`);
    }
  });
});

describe('closed lists and booleans', () => {
  it('take a role to the letter', async () => {
    for (const role of fields.roles) expect(taken(fields.role, role)).to.equal(role);
    for (const value of ['admin', 'Trainer', ' trainee', '', 5, null, ['trainer']]) {
      expect(await refusalOf(fields.role, value)).to.equal('Role must be one of super_admin, trainer, trainee.');
    }
  });

  it('take true and false from JSON', async () => {
    for (const value of [true, false]) expect(taken(fields.isActive, value)).to.equal(value);
    for (const value of ['true', 1, 0, null, '']) {
      expect(await refusalOf(fields.isActive, value)).to.equal('isActive must be true or false.');
    }
  });
});

describe('identifiers and ids', () => {
  it('take any line of text, trimmed', async () => {
    expect(taken(fields.identifier, ' ada@example.org ')).to.equal('ada@example.org');
    expect(await refusalOf(fields.identifier, ['ada@example.org'])).to.equal('Identifier must be a string.');
    expect(taken(fields.id('courseId'), ' x ')).to.equal('x');
    expect(await refusalOf(fields.id('courseId'), 'x'.repeat(101))).to.equal(
      'courseId must be at most 100 characters.',
    );
  });
});

describe('characters', () => {
  it('counts code points', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 1 })), (list) => {
        expect(fields.characters(list.join(''))).to.equal([...list.join('')].length);
      }),
    );
    expect(fields.characters('a🦊é')).to.equal(3);
  });
});
