import { expect } from 'chai';
import fc from 'fast-check';
import { importColumns } from '../../../../src/schemas/import.js';
import { mapColumns } from '../../../../src/services/imports/read/columns.js';

const required = ['firstName', 'lastName', 'email', 'phone'];

/** The first column of each field. */
const positions = (header: readonly string[]) =>
  Object.fromEntries([...mapColumns(header).columns].map(([field, [index]]) => [field, index]));

describe('The header of an import file', () => {
  it('names the columns in any order', () => {
    expect(positions(required)).to.deep.equal({ firstName: 0, lastName: 1, email: 2, phone: 3 });
    fc.assert(
      fc.property(fc.shuffledSubarray([...importColumns], { minLength: importColumns.length }), (header) => {
        expect(positions(header)).to.deep.equal(Object.fromEntries(header.map((name, index) => [name, index])));
      }),
    );
  });

  it('may have unknown columns, which are listed in their order', () => {
    const header = ['Shoe size', 'phone', 'email', 'Dept.', 'lastName', 'firstName', '', ' '];
    expect(mapColumns(header).ignored).to.deep.equal(['Shoe size', 'Dept.']);
    expect(positions(header)).to.deep.equal({ phone: 1, email: 2, lastName: 4, firstName: 5 });
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
