import { expect } from 'chai';
import { type Outcome, odsParts, odsSheet, useWorkbooks } from './support/workbooks.js';
import { zip } from './support/zip.js';

const people = (cells: Record<string, string[]>): Outcome => ({ People: cells });
const cell = (content: string, attributes = 'office:value-type="string"') =>
  `<table:table-cell ${attributes}>${content}</table:table-cell>`;
const p = (text: string) => `<text:p>${text}</text:p>`;
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const number = (value: string, shown: string, type = 'float') =>
  cell(p(shown), `office:value-type="${type}" office:value="${value}"`);

describe('A cell of an OpenDocument spreadsheet', () => {
  const workbooks = useWorkbooks();
  const cells: Record<string, [cells: string, read: string[]]> = {
    'keeps its spaces, and has a space for a line break in the XML': [
      cell(p('a  b<text:s text:c="2"/>c')) + cell(p('\n  Ada\n  King')) + cell(`\n  ${p('Ada')}\n  ${p('King')}\n`),
      ['a  b  c', 'Ada King', 'Ada\nKing'],
    ],
    'has lines, tabs and paragraphs': [
      cell(`${p('a<text:line-break/>b<text:tab/>c')}${p('')}${p('d')}`),
      ['a\nb\tc\n\nd'],
    ],
    'has the text of spans and links': [
      cell(p('a<text:span>b<text:span>c</text:span></text:span><text:a>d</text:a>')),
      ['abcd'],
    ],
    'has no comments, pictures or phonetic text': [
      cell(
        `<office:annotation><dc:creator>me</dc:creator>${p('no')}</office:annotation><draw:frame>${p('no')}</draw:frame>${p('<text:ruby><text:ruby-base>東</text:ruby-base><text:ruby-text>no</text:ruby-text></text:ruby>')}`,
      ),
      ['東'],
    ],
    'has the value of its attribute if it shows no text': [
      cell('', 'office:value-type="string" office:string-value="Ada"'),
      ['Ada'],
    ],
    'has all digits of a number, whatever its format': [
      number('4915112345678', '4.92E+12') +
        number('4.915112345678E12', '4,92E+12') +
        number('1234.50', '1.234,50 €', 'currency'),
      ['4915112345678', '4915112345678', '1234.5'],
    ],
    'has the displayed plus, zeros and words': [
      number('151', '+151') +
        number('151', '0151') +
        number('1', 'WAHR') +
        number('151', '(0)151') +
        number('151', '+49 151'),
      ['+151', '0151', 'WAHR', '0151', '+49151'],
    ],
    'has an exponent if a number has lost digits': [
      number('1234567890123450', '1234567890123450'),
      ['1.23456789012345E+15'],
    ],
    'has percentages, dates, times and booleans': [
      number('0.125', '12,50 %', 'percentage') +
        number('0.125', '13%') +
        cell(p('15.3.'), 'office:value-type="date" office:date-value="2023-03-15"') +
        cell(p('15.3.'), 'office:value-type="date" office:date-value="2023-03-15T12:30:00.000000000"') +
        cell(p('8:05'), 'office:value-type="time" office:time-value="PT08H05M00S"') +
        cell(p('WAHR'), 'office:value-type="boolean" office:boolean-value="true"'),
      ['12.5%', '12.5%', '2023-03-15', '2023-03-15 12:30:00', '08:05:00', 'TRUE'],
    ],
    'has the displayed error, even if a number is stored': [
      cell(p('#N/A'), 'office:value-type="string" office:string-value="" calcext:value-type="error"') +
        number('0', '#DIV/0!') +
        number('0', 'Err:502'),
      ['#N/A', '#DIV/0!', 'Err:502'],
    ],
    'may be repeated, and has no text if a merged cell covers it': [
      `${cell(p('x'), 'office:value-type="string" table:number-columns-repeated="2"')}<table:covered-table-cell>${p('no')}</table:covered-table-cell>${cell('', 'table:number-columns-repeated="2"')}${cell(p('y'))}`,
      ['x', 'x', '', '', '', 'y'],
    ],
    'ignores nested sheets': [
      cell(`${p('a')}<table:table>${row(cell(p('no')))}</table:table>`) + cell(p('b')),
      ['a', 'b'],
    ],
  };
  for (const [title, [given, read]] of Object.entries(cells))
    it(title, async () => {
      expect(await workbooks.outcomeOf(zip(odsSheet(row(given))))).to.deep.equal(people({ 1: read }));
    });
});

describe('The rows of an OpenDocument spreadsheet', () => {
  const workbooks = useWorkbooks();
  const x = cell(p('x'));
  const rows: Record<string, [rows: string, outcome: Outcome]> = {
    'may be repeated, grouped or marked as header rows': [
      `<table:table-header-rows>${row(x)}</table:table-header-rows>${row('', 'table:number-rows-repeated="3"')}<table:table-row-group>${row(x, 'table:number-rows-repeated="2"')}</table:table-row-group>${row('', 'table:number-rows-repeated="1048570"')}`,
      people({ 1: ['x'], 5: ['x'], 6: ['x'] }),
    ],
    'may be hidden': [
      row(x, 'table:visibility="collapse"') +
        row(x, 'table:visibility="filter"') +
        row(x, 'table:visibility="visible"'),
      people({ '1 (hidden)': ['x'], '2 (hidden)': ['x'], 3: ['x'] }),
    ],
    'are refused if a filled row is repeated too often': [
      row(x, 'table:number-rows-repeated="1001"'),
      'TOO_LARGE: its row 1 is repeated 1001 times',
    ],
    'are refused beyond the last row': [
      row('', 'table:number-rows-repeated="1048576"') + row(x),
      'TOO_LARGE: it has more than 1048576 rows',
    ],
    'are refused beyond the last column': [
      row(cell('', 'table:number-columns-repeated="16384"') + x),
      'TOO_LARGE: it has more than 16384 columns',
    ],
  };
  for (const [title, [given, outcome]] of Object.entries(rows))
    it(title, async () => {
      expect(await workbooks.outcomeOf(zip(odsSheet(given)))).to.deep.equal(outcome);
    });
});

describe('An OpenDocument file', () => {
  const workbooks = useWorkbooks();
  const table = `<table:table table:name="People">${row(cell(p('Ada')))}</table:table>`;

  it('is refused unless it is a spreadsheet', async () => {
    const refused = 'NOT_A_WORKBOOK: it is no spreadsheet';
    expect(await workbooks.outcomeOf(zip(odsParts(`<office:text>${table}</office:text>`)))).to.equal(refused);
  });

  it('is refused if its parts or the whole file are encrypted', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const parts = odsParts(`<office:spreadsheet>${table}</office:spreadsheet>`);
    for (const locked of [
      [...parts, { name: 'META-INF/manifest.xml', content: manifest }],
      [{ name: 'encrypted-package', content: 'x' }],
    ])
      expect(await workbooks.outcomeOf(zip(locked))).to.equal('ENCRYPTED: it is protected by a password');
  });
});
