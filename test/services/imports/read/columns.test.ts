import { expect } from 'chai';
import fc from 'fast-check';
import { importColumns } from '../../../../src/schemas/import.js';
import { mapColumns } from '../../../../src/services/imports/read/columns.js';
import { failureOf } from '../../../db/support/failure.js';

const required = ['firstName', 'lastName', 'email', 'phone'];

const positions = (header: readonly string[]) => Object.fromEntries(mapColumns(header).fields);
const refusalOf = async (header: readonly string[]) => {
  const failure = await failureOf(() => mapColumns(header));
  expect(failure.code).to.equal('IMPORT_FILE_INVALID');
  return failure.message;
};

describe('The header of an import file', () => {
  it('names the columns in any order', () => {
    expect(positions(required)).to.deep.equal({ firstName: 0, lastName: 1, email: 2, phone: 3 });
    fc.assert(
      fc.property(fc.shuffledSubarray([...importColumns], { minLength: importColumns.length }), (header) => {
        expect(positions(header)).to.deep.equal(Object.fromEntries(header.map((name, index) => [name, index])));
      }),
    );
  });

  it('names them in any case, with spaces, underscores and dashes', () => {
    for (const header of [
      ['FIRSTNAME', 'LASTNAME', 'EMAIL', 'PHONE', 'ISACTIVE'],
      ['first_name', 'last_name', 'e_mail', 'phone_', 'is_active'],
      ['First Name', ' Last  Name ', 'E-Mail', 'Phone:', 'Is active?'],
      ['ｆｉｒｓｔName', 'last\u00a0name', 'email\ufeff', 'Phone', 'is-Active'],
    ]) {
      expect(positions(header), header.join()).to.deep.equal({
        firstName: 0,
        lastName: 1,
        email: 2,
        phone: 3,
        isActive: 4,
      });
    }
  });

  it('may have unknown columns, which are listed in their order', () => {
    const mapping = mapColumns(['Shoe size', 'phone', 'email', 'Dept.', 'lastName', 'firstName', '', ' ']);
    expect(mapping.ignored).to.deep.equal(['Shoe size', 'Dept.']);
    expect(Object.fromEntries(mapping.fields)).to.deep.equal({ phone: 1, email: 2, lastName: 4, firstName: 5 });
  });

  it('lists missing columns, those not understood, and all that exist', async () => {
    expect(await refusalOf(['firstName', 'Clan', 'Pone', 'email'])).to.equal(
      'The header lacks lastName, phone. Did you mean --map "Pone=phone"? Not understood: Clan, Pone. Say which column is lastName, such as --map "HEADING=lastName". ' +
        `The columns are: ${importColumns.join()}`,
    );
    for (const name of required) {
      const message = await refusalOf(required.filter((other) => other !== name));
      const begin = name === 'phone' ? 'The file has no phone column: .*' : `The header lacks ${name}\\.`;
      expect(message).to.match(new RegExp(`^${begin} The columns are: `));
    }
  });

  it('must not name a column twice', async () => {
    expect(await refusalOf([...required, 'E-mail'])).to.equal(
      'The header has the column email twice. Remove one of them, or ignore one: --map "#5=".',
    );
    expect(await refusalOf(['PASSWORD', ...required, 'password'])).to.match(/has the column password twice/);
  });

  it('must be there', async () => {
    for (const header of [['Ada', 'Lovelace', 'ada@example.org', '+44 1'], ['Ada'], ['']]) {
      expect(await refusalOf(header)).to.equal(
        `The file has no header. Its first line must name the columns: ${importColumns.join()}`,
      );
    }
  });
});

describe('The columns that a rejects file adds', () => {
  it('are dropped when it is imported, and not listed', () => {
    const mapping = mapColumns([...required, 'line', 'code', 'reason']);
    expect(mapping.ignored).to.deep.equal([]);
    expect(mapping.own).to.deep.equal(required.map((heading, index) => ({ heading, index })));
  });

  it('are found among columns that were added since', () => {
    const mapping = mapColumns(['firstName', 'line', 'code', 'reason', 'lastName', 'email', 'phone', 'Seen by']);
    expect(mapping.ignored).to.deep.equal(['Seen by']);
    expect(mapping.own.map(({ index }) => index)).to.deep.equal([0, 4, 5, 6, 7]);
  });

  it("are not mistaken for the file's own columns of these names", () => {
    const mapping = mapColumns([...required, 'code', 'Reason']);
    expect(mapping.ignored).to.deep.equal(['code', 'Reason']);
    expect(mapping.own.map(({ heading }) => heading)).to.deep.equal([...required, 'code', 'Reason']);
    const again = mapColumns([...required, 'code', 'Reason', 'line', 'code', 'reason']);
    expect(again.own.map(({ heading }) => heading)).to.deep.equal([...required, 'code', 'Reason']);
  });
});
