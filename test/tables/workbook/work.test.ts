import { expect } from 'chai';
import { newWorkLimits } from '../../../src/tables/workbook/bounds.js';
import { RowCollector, SheetLayout } from '../../../src/tables/workbook/sheet-row.js';
import { scaled } from '../../support/machine.js';
import { escapedSpaces, mergedRanges, repeatedSpaces, sharedText, spannedRows } from './support/costly.js';
import { useWorkbooks } from './support/workbooks.js';

const tooMuch = 'TOO_LARGE: its cells have more than 268435456 characters';

describe('The work on a small workbook', () => {
  const workbooks = useWorkbooks();

  it('is limited for a text that blank cells share', async () => {
    for (const text of [escapedSpaces, ' '.repeat(32_767)]) {
      expect(await workbooks.outcomeOf(sharedText(text, 10, 255))).to.deep.equal({ People: {} });
      expect(await workbooks.outcomeOf(sharedText(text, 40, 255))).to.equal(tooMuch);
    }
  }).timeout(scaled(10_000));

  it('is limited for spaces that one element repeats, even if the cell shows a value instead', async () => {
    expect(await workbooks.outcomeOf(repeatedSpaces(100))).to.deep.equal({ People: {} });
    for (const type of ['string', 'boolean'])
      expect(await workbooks.outcomeOf(repeatedSpaces(9000, type)), type).to.equal(tooMuch);
  }).timeout(scaled(10_000));

  it("doesn't grow with the sizes of merged ranges", async () => {
    expect(await workbooks.outcomeOf(mergedRanges('<row><c><v>1</v></c></row>', 50_000))).to.deep.equal({
      People: { 1: ['1'] },
    });
    expect(await workbooks.outcomeOf(spannedRows(50, 1000))).to.deep.equal({ People: {} });
    const layout = new SheetLayout();
    for (let count = 0; count < 1_000_000; count += 1) layout.addMergedRows(1, 9999);
    layout.addMergedRows(10_000, 3);
    layout.addMergedRows(20_000, 1);
    layout.addMergedRows(1_048_576, 5);
    const lines = Array.from({ length: 9998 }, (_, index) => index + 2);
    expect(layout.mergedLines).to.deep.equal([...lines, 10_001, 10_002]);
  }).timeout(scaled(10_000));

  it('counts repeated rows', () => {
    const limits = newWorkLimits();
    const rows = new RowCollector(limits);
    rows.begin(1, false);
    rows.set(0, 'x'.repeat(100), 'text', 5);
    rows.end(1000, 1000);
    expect(limits.characters.count).to.equal(500_000);
    expect(limits.repeatedCells.count).to.equal(4 + 999 * 5);
  });
});
