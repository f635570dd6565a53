import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { assertFitsWorkbook } from '../../../src/tables/write/limits.js';
import { type Table, type TableRow, tablePieces } from '../../../src/tables/write/table.js';
import { rowsInBytes, sheetXmlOf } from '../../support/workbooks.js';

const columns = [{ heading: 'name' }, { heading: 'phone', isText: true }, { heading: 'n' }, { heading: 'at' }];
const moment = new Date('2026-01-31T08:30:00.000Z');
const day = new Date('2026-01-31T00:00:00.000Z');
const batches: readonly (readonly TableRow[])[] = [
  [
    ['=1+1', '+49 151 1234567', 12, moment],
    ['A & <B>', '0151 1234567', true, day],
  ],
  [['', null, 1.5, null]],
];

/** Returns a table that records requests for its batches. */
function tableOf(rows: Iterable<readonly TableRow[]>): Table {
  const source = rows[Symbol.iterator]();
  return { sheet: 'Things', columns, next: async () => source.next().value };
}

describe('A table', () => {
  it('is written as CSV without formulas, one chunk for each batch, with a byte order mark unless it is omitted', async () => {
    const pieces: unknown[] = [];
    for await (const piece of tablePieces(tableOf(batches), 'csv')) pieces.push(piece);
    expect(pieces).to.deep.equal([
      "\ufeffname,phone,n,at\n'=1+1,+49 151 1234567,12,2026-01-31T08:30:00.000Z\nA & <B>,0151 1234567,true,2026-01-31T00:00:00.000Z\n",
      ',,1.5,\n',
      '',
    ]);
    const empty: unknown[] = [];
    for await (const piece of tablePieces({ ...tableOf([]), omitsByteOrderMark: true }, 'csv')) empty.push(piece);
    expect(empty).to.deep.equal(['name,phone,n,at\n']);
  });

  it('is written as a workbook with cells of the right types, and a bold, frozen header', async () => {
    const bytes = await buffer(tablePieces(tableOf(batches), 'xlsx'));
    expect(await rowsInBytes(bytes)).to.deep.equal([
      ['name', 'phone', 'n', 'at'],
      ['=1+1', '+49 151 1234567', '12', '2026-01-31 08:30:00'],
      ['A & <B>', '0151 1234567', 'TRUE', '2026-01-31'],
      ['', '', '1.5'],
    ]);
    const xml = sheetXmlOf(bytes);
    expect(xml).to.include('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
    // The styles of headings, of texts and of times.
    expect(xml).to.match(/<c r="A1" s="1" t="inlineStr">/);
    expect(xml).to.match(/<col min="2" max="2" width="17" customWidth="1" style="4"\/>/);
    expect(xml).to.match(/<c r="B3" s="4" t="inlineStr"><is><t xml:space="preserve">0151 1234567</);
    expect(xml).to.match(/<c r="D2" s="3"><v>46053\.354\d+<\/v><\/c>/);
    expect(xml).to.match(/<c r="D3" s="2"><v>46053<\/v><\/c>/);
    expect(xml).to.include('<c r="C2"><v>12</v></c>').and.to.include('<c r="C3" t="b"><v>1</v></c>');
    expect(xml).not.to.include('<f>');
  });

  it('requests only the rows that its reader takes, and none after the reader stops', async () => {
    let asked = 0;
    function* many() {
      for (; asked < 1000; asked += 1) yield Array.from({ length: 100 }, () => [`${Math.random()}`, '', asked, moment]);
    }
    const pieces = tablePieces(tableOf(many()), 'xlsx');
    for (let count = 0; count < 3; count += 1) expect((await pieces.next()).done).to.equal(false);
    expect(asked).to.be.below(100);
    await pieces.return(undefined);
    expect(asked).to.be.below(100);
  });

  it('is refused if a cell, a heading or the number of rows exceeds the limits of a workbook', async () => {
    const written = (table: Table) => buffer(tablePieces(table, 'xlsx')).catch((error: unknown) => error);
    const refusal = { code: 'VALIDATION' };
    const withCell = (length: number) => tableOf([[['', 'x'.repeat(length)]]]);
    expect(await written(withCell(32_767))).to.be.instanceOf(Buffer);
    expect(await written(withCell(32_768))).to.include(refusal);
    const heading = 'x'.repeat(32_768);
    expect(await written({ ...tableOf([]), columns: [{ heading }] })).to.include(refusal);
    const ofFour = (maxRows: number) => ({ ...tableOf([[[], [], []]]), maxRows });
    expect(await written(ofFour(4))).to.be.instanceOf(Buffer);
    expect(await written(ofFour(3))).to.include(refusal);
    // The default limit is the number of rows of a sheet.
    expect(() => assertFitsWorkbook(1_048_576, [])).not.to.throw();
    expect(() => assertFitsWorkbook(1_048_577, [])).to.throw();
  });

  it("gives no partial workbook if it can't be read", async () => {
    const pieces = tablePieces({ ...tableOf([]), next: () => Promise.reject(new Error('away')) }, 'xlsx');
    const first = await pieces.next().catch((error: unknown) => error);
    expect(first).to.have.property('message', 'away');
  });
});
