import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre';
import { type XlsxColumn, type XlsxTable, type XlsxValue, xlsxBytes } from '../../../src/tables/write/xlsx.js';
import { isInstalled } from '../../deploy/files.js';
import { scaled } from '../../support/machine.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { outcomeOfFile } from '../workbook/support/workbooks.js';

const texts = (...headings: string[]): XlsxColumn[] => headings.map((heading) => ({ heading, isText: true }));

/** Tables, and the expected texts of their rows if different. */
const tables: Record<string, [columns: XlsxColumn[], rows: XlsxValue[][], shown?: string[][]]> = {
  texts: [
    texts('firstName', 'Letzter "Name"', '=heading', '0151'),
    [
      ['Zoë', "O'Neil & Söhne", '=1+1', '0151 234'],
      ['東京 🎓', '  padded  ', '+4915112345678', '00491511234567'],
      ['<b>&amp;</b>', 'two\nlines, and more', '@SUM(A1)', '4915112345678'],
      ['_x000D_', '_x005F_', "'quoted", '1E5'],
      ['TRUE', '2023-03-15', '#N/A', '12345678901234567890'],
      ['a;b,c\td', '"', '-', '1/2'],
    ],
  ],
  values: [
    [
      { heading: 'number' },
      { heading: 'yes or no' },
      { heading: 'day' },
      { heading: 'moment' },
      { heading: 'nothing' },
      { heading: 'end' },
    ],
    [
      [0, true, new Date('2023-03-15'), new Date('2023-03-15T12:30:15Z'), null, '.'],
      [-12.5, false, new Date('1999-12-31'), new Date('2024-02-29T23:59:59Z'), null, '.'],
      [4915112345678, true, new Date('1900-03-01'), new Date('2038-01-19T03:14:07Z'), null, '.'],
    ],
    [
      ['0', 'TRUE', '2023-03-15', '2023-03-15 12:30:15', '', '.'],
      ['-12.5', 'FALSE', '1999-12-31', '2024-02-29 23:59:59', '', '.'],
      ['4915112345678', 'TRUE', '1900-03-01', '2038-01-19 03:14:07', '', '.'],
    ],
  ],
  'wide rows': [
    texts(...Array.from({ length: 300 }, (_, at) => `column ${at}`)),
    [Array.from({ length: 300 }, (_, at) => `cell ${at}`)],
  ],
  'long cells': [texts('text'), [['x'.repeat(32_767)], ['&'.repeat(32_767)]]],
  'many rows': [texts('number', 'text'), Array.from({ length: 5000 }, (_, at) => [String(at), `Text ${at}`])],
  'choices of cells': [
    [
      { heading: 'role', choices: ['trainee', 'trainer'] },
      { heading: 'phone', isText: true },
    ],
    [['trainee', '0151']],
  ],
  'no rows': [texts('only', 'a header'), []],
};

const shownRows = ([columns, rows, shown]: (typeof tables)[string]) => [
  columns.map(({ heading }) => heading),
  ...(shown ?? rows.map((row) => row.map(String))),
];

async function writeWorkbook(file: string, table: XlsxTable): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of xlsxBytes(table)) pieces.push(piece);
  writeFileSync(file, Buffer.concat(pieces));
}

/** Returns a file as CSV in UTF-8 with the displayed cells. */
const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';

(isInstalled('soffice') ? describe : describe.skip)('Workbooks that we write (needs soffice)', function () {
  this.timeout(scaled(120_000));
  const folder = temporaryFolder();
  const fileOf = (name: string, kind: 'xlsx' | 'ods' | 'csv') => path.join(folder.path, kind, `${name}.${kind}`);
  after(() => folder.remove());

  /** Converts all files in one process. */
  const convert = (kind: 'ods' | 'csv', filter: string) =>
    execFileSync(
      'soffice',
      [
        `-env:UserInstallation=${pathToFileURL(path.join(folder.path, 'profile')).href}`,
        ...['--headless', '--convert-to', filter, '--outdir', path.dirname(fileOf('', kind))],
        ...Object.keys(tables).map((name) => fileOf(name, 'xlsx')),
      ],
      { stdio: 'pipe' },
    );

  before(async () => {
    for (const kind of ['xlsx', 'ods', 'csv'] as const) mkdirSync(path.join(folder.path, kind));
    for (const [name, [columns, rows]] of Object.entries(tables))
      await writeWorkbook(fileOf(name, 'xlsx'), { sheet: 'People', columns, rows });
    convert('ods', 'ods');
    convert('csv', csv);
  });

  for (const [name, table] of Object.entries(tables)) {
    const rows = shownRows(table);

    it(`with ${name} are opened by LibreOffice, cell by cell`, async () => {
      expect(parse(readFileSync(fileOf(name, 'csv')), { bom: true })).to.deep.equal(rows);
      const lines = Object.fromEntries(rows.map((row, at) => [at + 1, row]));
      expect(await outcomeOfFile(fileOf(name, 'ods'))).to.deep.equal({ People: lines });
    });

    it(`with ${name} are opened by a library, cell by cell`, async () => {
      const { sheets } = await readXlsx(readFileSync(fileOf(name, 'xlsx')));
      const read = sheets[0]?.rows.map((row) => row.map((cell) => (cell instanceof Date ? cell.toISOString() : cell)));
      const [columns, values] = table;
      const written = values.map((row) => row.map((cell) => (cell instanceof Date ? cell.toISOString() : cell)));
      expect(read).to.deep.equal([columns.map(({ heading }) => heading), ...written]);
    });
  }
});
