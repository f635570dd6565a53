import { expect } from 'chai';
import fc from 'fast-check';
import { csvOf, neutralizeFormulas } from '../../src/console/ui/save-file.js';
import { workbookOf } from '../../src/console/ui/workbook.js';
import { neutralizeCell } from '../../src/tables/write/cells.js';
import { rowsInBytes } from '../support/workbooks.js';

describe('The files that the web console writes', () => {
  it('have an apostrophe exactly where files of the service have one', () => {
    const piece = fc.constantFrom(...'=+-@\t\r\n,;|\'"\uff1da1 ');
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (cell) => neutralizeFormulas(cell) === neutralizeCell(cell, true)),
      { numRuns: 2000 },
    );
  });

  it('have no cell that runs as a formula, with any delimiter', () => {
    expect(csvOf([['Ann;=1+1', 'ann@example.org', '-x']])).to.equal("\ufeffAnn;'=1+1,ann@example.org,'-x\r\n");
  });

  it('can be workbooks with unchanged texts', async () => {
    const lines = [
      ['name', 'email', 'password'],
      ['=1+1 & <b>"Ann"', ' ann@example.org', '0049'],
    ];
    expect(await rowsInBytes(workbookOf(lines))).to.deep.equal(lines);
  });
});
