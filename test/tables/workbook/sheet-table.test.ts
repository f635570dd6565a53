import { copyFileSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { planImport } from '../../../src/services/imports/plan/plan.js';
import { xlsxBytes } from '../../../src/tables/write/xlsx.js';
import { failureOf } from '../../db/support/failure.js';
import { useImporting } from '../../services/imports/support/importing.js';
import { scaled } from '../../support/machine.js';
import { odsSheet, relationsXml, sheetXml, xlsxParts } from './support/workbooks.js';
import { zip } from './support/zip.js';

const fixture = (name: string) => `test/fixtures/workbooks/${name}`;
const header = ['Vorname', 'Nachname', 'E-Mail', 'Handy'];
const ada = ['Ada', 'King', 'ada@example.org', '0151 2'];

describe('A workbook', () => {
  const importing = useImporting();
  const { signal } = new AbortController();
  const planOf = (file: string, options: object = {}) => planImport(importing.context, { file, options, signal });
  const refusalOf = (file: string, options?: object) => failureOf(() => planOf(file, options));

  /** Returns a workbook with one sheet that begins with these rows. */
  async function sheetOf(...[first = [], ...rows]: string[][]): Promise<string> {
    const bytes: Uint8Array[] = [];
    const columns = first.map((heading) => ({ heading }));
    for await (const part of xlsxBytes({ sheet: 'People', columns, rows })) bytes.push(part);
    return importing.write('people.xlsx', Buffer.concat(bytes));
  }

  it('is read from its first visible sheet with a matching header, without the lines above the header', async () => {
    const plan = await planOf(fixture('three-sheets.ods'));
    expect(plan.format.workbook).to.deep.equal({
      kind: 'ods',
      sheet: 'Teilnehmer 2026',
      sheets: [
        { name: 'Listen', isHidden: true },
        { name: 'Hinweise', isHidden: false },
        { name: 'Teilnehmer 2026', isHidden: false },
      ],
    });
    expect(plan.counts).to.include({ rows: 32, created: 28, rejected: 4 });
    expect(plan.lines).to.equal(35);
    expect(plan.warnings.map(({ code, rows, examples }) => [code, rows, examples])).to.deep.equal([
      ['LINES_ABOVE', [], ['Teilnehmerliste Herbst 2026']],
      ['ROW_HIDDEN', [15], []],
    ]);
    expect(plan.reasons.map(({ code, rows }) => [code, rows])).to.have.deep.members([
      ['EMAIL_MISSING', [9]],
      ['COURSE_UNKNOWN', [11]],
      ['PHONE_MANGLED', [34]],
      ['EMAIL_INVALID', [35]],
    ]);
  });

  it('is read from a sheet by name, or by its number among the visible sheets', async () => {
    const file = fixture('three-sheets.ods');
    for (const sheet of ['Listen', ' listen ']) expect((await planOf(file, { sheet })).counts.rows).to.equal(1);
    expect((await planOf(file, { sheet: '2' })).counts.rows).to.equal(32);
    expect((await refusalOf(file, { sheet: '1' })).message).to.include('has no header');
    const unknown = await refusalOf(file, { sheet: 'Teilnemer 2026' });
    expect(unknown).to.include({ reason: 'SHEET_UNKNOWN' });
    expect(unknown.message).to.equal(
      'The workbook has no sheet "Teilnemer 2026". Did you mean "Teilnehmer 2026"? Its sheets are: "Hinweise", "Teilnehmer 2026"',
    );
    const csv = importing.write('people.csv', `${header.join()}\n${ada.join()}\n`);
    expect(await refusalOf(csv, { sheet: '1' })).to.include({ reason: 'SHEET_UNKNOWN' });
  });

  it('is searched quickly for its header, even with wide rows', async () => {
    const wide = Array.from({ length: 250 }, (_, at) => `x${at}`);
    const file = await sheetOf(['Titel'], ...new Array<string[]>(300).fill(wide));
    expect((await refusalOf(file)).message).to.include('has no header');
  }).timeout(scaled(5000));

  it('causes a warning about rows without the value of merged cells', async () => {
    const [bob, cy] = [
      ['Bob', 'King', 'bob@example.org', '0151 3'],
      ['Cy', 'King', 'cy@example.org', '0151 4'],
    ];
    const rows = [header, ada, bob, cy];
    const xlsxRows = rows.map((row) => `<row>${row.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`);
    const sheet = sheetXml(xlsxRows.join('')).replace(
      '</sheetData>',
      '</sheetData><mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="E2:E4"/></mergeCells>',
    );
    const cellOf = (content: string, more = '') =>
      `<table:table-cell office:value-type="string"${more}><text:p>${content}</text:p></table:table-cell>`;
    const odsRows = rows.map((row, at) => {
      const merged = at === 1 ? cellOf('', ' table:number-rows-spanned="3"') : '';
      return `<table:table-row>${row.map((cell) => cellOf(cell)).join('')}${merged}</table:table-row>`;
    });
    for (const parts of [xlsxParts('', { 'xl/worksheets/sheet1.xml': sheet }), odsSheet(odsRows.join(''))]) {
      const { warnings } = await planOf(importing.write('merged.xlsx', Buffer.from(zip(parts))));
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.deep.include({ code: 'CELLS_MERGED', count: 2, rows: [3, 4] });
    }
  });

  it('gets another plan id for another sheet', async () => {
    const file = fixture('three-sheets.ods');
    const ids = new Set<string>();
    for (const options of [{}, { sheet: 'Listen' }, { sheet: '2' }]) ids.add((await planOf(file, options)).id);
    expect(ids.size).to.equal(3);
  });

  it('is recognized by its content, not by its name', async () => {
    const named = importing.write('people.csv', readFileSync(fixture('hiddenfirst.xlsx')));
    expect((await planOf(named)).format.workbook).to.include({ kind: 'xlsx', sheet: 'People' });
    const file = importing.write('csv.xlsx', `${header.join()}\n${ada.join()}\n`);
    expect((await planOf(file)).format.workbook).to.equal(null);
  });

  it('may have notes next to its table, in columns without a heading', async () => {
    const bob = ['Bob', 'King', 'bob@example.org', '0151 3'];
    const plan = await planOf(await sheetOf(header, [...ada, '', 'asked for leave'], bob));
    expect(plan.counts).to.include({ rows: 2, created: 2 });
    expect(plan.columns.filter(({ field }) => field === null)).to.deep.equal([]);
  });

  it('may have a column without a heading, mapped by its number', async () => {
    const file = await sheetOf(header.slice(0, 3), [...ada.slice(0, 3), '', '0151 2']);
    expect((await planOf(file, { map: ['#5=phone'] })).counts).to.include({ created: 1 });
  });

  it('is refused with advice that fits the fault', async () => {
    const whole = readFileSync(fixture('edge.xlsx'));
    const encrypted = Buffer.alloc(2048);
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0]).copy(encrypted);
    Buffer.from('EncryptedPackage', 'utf16le').copy(encrypted, 1024);
    for (const [content, reason, words] of [
      [whole.subarray(0, whole.length / 2), 'WORKBOOK_DAMAGED', 'damaged or incomplete'],
      [readFileSync(fixture('entities.xlsx')), 'WORKBOOK_DAMAGED', 'document type'],
      [readFileSync(fixture('edge.xls')), 'WORKBOOK_TYPE', 'an old Excel workbook (.xls)'],
      [encrypted, 'WORKBOOK_LOCKED', 'protected by a password'],
    ] as const) {
      const refusal = await refusalOf(importing.write('people.xlsx', content));
      expect(refusal).to.include({ code: 'IMPORT_FILE_INVALID', reason });
      expect(refusal.message).to.include(words);
    }
    expect((await refusalOf(await sheetOf(header))).message).to.include('a header and no rows below it');
    expect((await refusalOf(await sheetOf([]))).message).to.equal('The sheet "People" is empty.');
  });

  it('is refused if cells refer to a shared text too often', async () => {
    const row = `<row>${'<c t="s"><v>4</v></c>'.repeat(31)}</row>`;
    const texts = [...header, 'x'.repeat(32_700)].map((text) => `<si><t>${text}</t></si>`);
    const headings = `<row>${header.map((_, index) => `<c t="s"><v>${index}</v></c>`).join('')}</row>`;
    const parts = xlsxParts(headings + row.repeat(300), {
      'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'worksheets/sheet1.xml', sharedStrings: 'strings.xml' }),
      'xl/strings.xml': `<sst>${texts.join('')}</sst>`,
    });
    const refusal = await refusalOf(importing.write('people.xlsx', zip(parts)));
    expect(refusal).to.include({ reason: 'WORKBOOK_TOO_LARGE' });
    expect(refusal.message).to.include('its cells have more than 268435456 characters');
  });

  it('is imported, and the plan names its sheet', async () => {
    copyFileSync(fixture('three-sheets.ods'), `${importing.folder}/list.ods`);
    const { stdout } = await importing.run('list.ods', '--dry-run');
    expect(stdout).to.match(
      /list\.ods: 32 rows \(sheet "Teilnehmer 2026"\)\n {2}Not read: "Listen" \(hidden\), "Hinweise"\. To import another sheet: --sheet "NAME"\n/,
    );
    const { counts } = await importing.json('list.ods', '--sheet', '2');
    expect(counts).to.include({ created: 28, rejected: 4 });
  });
});
