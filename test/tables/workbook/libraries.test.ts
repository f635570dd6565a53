import { expect } from 'chai';
import { type WriteSheet, writeOds, writeXlsx } from 'hucre';
import writeExcelFile from 'write-excel-file/node';
import { type Outcome, useWorkbooks } from './support/workbooks.js';

const noon = new Date(Date.UTC(2023, 2, 15, 12));
const day = new Date(Date.UTC(2023, 2, 15));

/** People as programs write them, and as they are read. */
const rows = [
  ['firstName', 'phone', 'joined', 'left', 'active', 'notes'],
  ['Zoë & "Q"', 4915112345678, day, noon, true, ' two\nlines '],
  ['', '0151 99', null, null, false, '=1+1'],
  [null, null, null, null, null, null],
  ['東京 🎓', 0.1, null, null, null, '<b>&amp;</b>'],
];
const read = {
  1: ['firstName', 'phone', 'joined', 'left', 'active', 'notes'],
  2: ['Zoë & "Q"', '4915112345678', '2023-03-15', '2023-03-15 12:00:00', 'TRUE', ' two\nlines '],
  3: ['', '0151 99', '', '', 'FALSE', '=1+1'],
  5: ['東京 🎓', '0.1', '', '', '', '<b>&amp;</b>'],
};

const people: WriteSheet = { name: 'People', rows };
const hidden: WriteSheet = { name: 'Hidden', rows: [['secret']], hidden: true };

describe('The workbooks of libraries are read cell by cell', () => {
  const workbooks = useWorkbooks();
  const cases: Record<string, [write: () => Promise<Uint8Array>, outcome: Outcome]> = {
    'of hucre with shared texts': [() => writeXlsx({ sheets: [people] }), { People: read }],
    'of hucre with texts in their cells': [
      () => writeXlsx({ sheets: [people], stringMode: 'inline' }),
      { People: read },
    ],
    'of hucre since 1904': [() => writeXlsx({ sheets: [people], dateSystem: '1904' }), { People: read }],
    'of hucre with several sheets': [
      () => writeXlsx({ sheets: [people, hidden, { ...hidden, name: 'Very', hidden: false, veryHidden: true }] }),
      { People: read, 'Hidden (hidden)': { 1: ['secret'] }, 'Very (hidden)': { 1: ['secret'] } },
    ],
    'of hucre with all decorations of a sheet': [
      () =>
        writeXlsx({
          sheets: [
            {
              ...people,
              columns: [{ hidden: true, width: 9 }],
              rowDefs: new Map([[2, { hidden: true }]]),
              merges: [{ startRow: 4, startCol: 0, endRow: 5, endCol: 0 }],
              autoFilter: { range: 'A1:F5' },
              freezePane: { rows: 1 },
              dataValidations: [{ type: 'list', range: 'E2:E9', values: ['TRUE', 'FALSE'] }],
              cells: new Map([
                ['1,0', { value: 'Zoë & "Q"', comment: { text: 'no' }, hyperlink: { target: 'https://example.org' } }],
                ['4,6', { richText: [{ text: 'Rich', font: { bold: true } }, { text: 'Text' }], type: 'richText' }],
                ['4,7', { formula: '1+1', formulaResult: 2 }],
                ['4,8', { formula: '"a"&"b"', formulaResult: 'ab' }],
                ['4,9', { value: '#REF!', type: 'error' }],
                ['4,10', { value: 491511234567, style: { numFmt: '"+"0' } }],
                ['4,11', { value: 1067, style: { numFmt: '00000' } }],
                ['4,12', { value: 0.5, style: { numFmt: '0%' } }],
              ]),
            },
          ],
        }),
      {
        People: {
          1: read[1],
          2: read[2],
          '3 (hidden)': read[3],
          5: [...read[5], 'RichText', '2', 'ab', '#REF!', '+491511234567', '01067', '50%'],
        },
      },
    ],
    'of hucre with a password': [
      () => writeXlsx({ sheets: [people], encryption: { password: 'secret', spinCount: 1 } }),
      'DAMAGED: it is damaged or incomplete',
    ],
    // The library writes line breaks as spaces in OpenDocument.
    'of hucre in OpenDocument': [
      () => writeOds({ sheets: [people, { name: 'Other', rows: [['x']] }] }),
      { People: { ...read, 2: [...read[2].slice(0, 5), ' two lines '] }, Other: { 1: ['x'] } },
    ],
    'of write-excel-file': [
      () =>
        writeExcelFile(
          rows.map((row) =>
            row.map((value) => (value instanceof Date ? { value, type: Date, format: 'dd/mm/yyyy hh:mm' } : value)),
          ),
          { sheet: 'People' },
        ).toBuffer(),
      { People: read },
    ],
    'of write-excel-file with formats and several sheets': [
      () =>
        writeExcelFile([
          {
            data: [
              [
                { value: 491511234567, type: Number, format: '"+"0' },
                { value: 1067, type: Number, format: '00000' },
                { value: '0151', type: String, format: '@' },
              ],
            ],
            sheet: 'One',
          },
          { data: [['x']], sheet: 'Two & more' },
        ]).toBuffer(),
      { One: { 1: ['+491511234567', '01067', '0151'] }, 'Two & more': { 1: ['x'] } },
    ],
  };
  for (const [title, [write, outcome]] of Object.entries(cases))
    it(title, async () => {
      expect(await workbooks.outcomeOf(await write())).to.deep.equal(outcome);
    });
});
