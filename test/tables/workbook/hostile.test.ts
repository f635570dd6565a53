import { readdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { openArchive } from '../../../src/tables/workbook/archive.js';
import { newWorkLimits } from '../../../src/tables/workbook/bounds.js';
import { openWorkbook } from '../../../src/tables/workbook/open-workbook.js';
import { damaged, toFileProblem } from '../../../src/tables/workbook/problem.js';
import { openXlsx } from '../../../src/tables/workbook/xlsx.js';
import { parseXml } from '../../../src/tables/workbook/xml.js';
import { itAtFullDepth } from '../../support/depth.js';
import { fixture, odsParts, odsSheet, relationsXml, sheetXml, useWorkbooks, xlsxParts } from './support/workbooks.js';
import { type Part, zip } from './support/zip.js';

const text = (content: string) => `<row r="1"><c t="inlineStr"><is>${content}</is></c></row>`;
const ada = text('<t>Ada</t>');
const read = { People: { 1: ['Ada'] } };
const megabyte = 1024 * 1024;

/** Returns the parts of a workbook with this sheet. */
const withSheet = (sheet: Partial<Part>) =>
  xlsxParts(ada).map((part) => (part.name.endsWith('sheet1.xml') ? { ...part, ...sheet } : part));

/** Returns the error that work throws, or undefined. */
const thrownBy = (work: () => Promise<void>): Promise<unknown> =>
  work().then(
    () => undefined,
    (error: unknown) => error,
  );

describe('The archive of a workbook', () => {
  const workbooks = useWorkbooks();
  const outcomes: Record<string, [parts: Part[], outcome: unknown]> = {
    'may have uncompressed parts': [withSheet({ method: 'stored' }), read],
    'may have sizes after the parts': [withSheet({ method: 'data descriptor' }), read],
    'may be in the format for large files': [withSheet({ method: 'zip64' }), read],
    'may have folders': [[{ name: 'xl/', content: '' }, ...xlsxParts(ada)], read],
    'is refused if a part is larger than stated': [
      withSheet({ told: { size: 10 } }),
      /^DAMAGED: it is damaged or incomplete/,
    ],
    'is refused if a part is smaller than stated': [
      withSheet({ told: { size: 1e6 } }),
      /^DAMAGED: it is damaged or incomplete/,
    ],
    'is refused with a wrong checksum': [
      withSheet({ told: { checksum: 1 } }),
      'DAMAGED: its part xl/worksheets/sheet1.xml is damaged',
    ],
    'is refused if two part names differ only in case': [
      [...xlsxParts(ada), { name: 'XL/worksheets/Sheet1.xml', content: sheetXml(text('<t>Eve</t>')) }],
      'DAMAGED: it has two parts that are called XL/worksheets/Sheet1.xml',
    ],
    'is refused with an encrypted part': [
      withSheet({ method: 'encrypted' }),
      'ENCRYPTED: it is protected by a password',
    ],
    'is refused with too many parts, including folders': [
      Array.from({ length: 2001 }, (_, at) => ({ name: at % 2 ? `${at}/` : `${at}`, content: '' })),
      'TOO_LARGE: it has more than 2000 parts',
    ],
  };
  for (const [title, [parts, outcome]] of Object.entries(outcomes))
    it(title, async () => {
      const found = await workbooks.outcomeOf(zip(parts));
      if (outcome instanceof RegExp) expect(found).to.match(outcome);
      else expect(found).to.deep.equal(outcome);
    });

  it('is refused if it is cut off at any position', async () => {
    for (const bytes of [zip(xlsxParts(ada)), zip(odsSheet(''))])
      for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 60))
        expect(await workbooks.outcomeOf(bytes.subarray(0, length)), `${length} bytes`).to.match(/^DAMAGED: /);
  });

  it('is limited by the actual bytes of its parts, not by the stated sizes', async () => {
    await workbooks.outcomeOf(zip([{ name: 'one', content: Buffer.alloc(3 * megabyte) }]));
    const archive = await openArchive(workbooks.file);
    let bytes = 0;
    const failure = await thrownBy(async () => {
      for await (const chunk of archive.read('one', megabyte)) bytes += chunk.length;
    });
    archive.close();
    expect(failure).to.include({ fault: 'TOO_LARGE', message: 'its part one has more than 1 MiB' });
    expect(bytes).to.be.within(1, megabyte);
  });

  it('is not read further after its reader stops', async () => {
    await workbooks.outcomeOf(zip([{ name: 'one', content: Buffer.alloc(3 * megabyte) }]));
    const leaving = new AbortController();
    const archive = await openArchive(workbooks.file, leaving.signal);
    const left = new AppError('BODY_INCOMPLETE');
    let chunks = 0;
    const failure = await thrownBy(async () => {
      for await (const _ of archive.read('one')) {
        chunks += 1;
        leaving.abort(left);
      }
    });
    archive.close();
    expect([failure, chunks]).to.deep.equal([left, 1]);
  });

  itAtFullDepth('has parts whose bytes are counted together, however often they are read', async () => {
    await workbooks.outcomeOf(zip([{ name: 'one', content: Buffer.alloc(300 * megabyte) }]));
    const archive = await openArchive(workbooks.file);
    let parts = 0;
    const failure = await thrownBy(async () => {
      for (; parts < 10; parts += 1) for await (const _ of archive.read('one'));
    });
    archive.close();
    expect(failure).to.include({ fault: 'TOO_LARGE', message: 'it has more than 1280 MiB' });
    expect(parts).to.equal(4);
  });

  it('is closed after its reader stops, and after a refusal', async () => {
    const opened = () => readdirSync('/proc/self/fd').length;
    const before = opened();
    for (let time = 0; time < 20; time += 1) {
      const workbook = await openWorkbook(fixture('layout.xlsx'));
      for await (const rows of workbook.rows(0)) if (rows.length > 0) break;
      await workbook.close();
      await workbooks.outcomeOf(zip([{ name: 'x', content: 'x' }]));
    }
    expect(opened() - before).to.be.below(5);
  });
});

describe('A small workbook that expands to a large one', () => {
  const workbooks = useWorkbooks();
  const spreadsheet = (body: string, styles?: string) =>
    odsParts(`<office:spreadsheet>${body}</office:spreadsheet>`, styles);
  const inOdsCell = (content: string) =>
    odsSheet(
      `<table:table-row><table:table-cell office:value-type="string">${content}</table:table-cell></table:table-row>`,
    );
  const strings = (items: string, named = 0) =>
    xlsxParts(`<row r="1"><c t="s"><v>${named}</v></c></row>`, {
      'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'worksheets/sheet1.xml', sharedStrings: 'strings.xml' }),
      'xl/strings.xml': `<sst>${items}</sst>`,
    });
  const sheets = (count: number) =>
    xlsxParts(ada, {
      'xl/workbook.xml': `<workbook><sheets>${'<sheet name="x" id="rId1"/>'.repeat(count)}</sheets></workbook>`,
    });
  const longCell = 'TOO_LARGE: a cell has more than 32767 characters';
  const deep = 'DAMAGED: its elements are nested more than 100 levels deep';
  const endless = 'DAMAGED: it has an endless text';

  const refused: Record<string, [parts: Part[], outcome: string]> = {
    'with an endless text': [xlsxParts(text(`<t>${'a'.repeat(3 * megabyte)}</t>`)), endless],
    'with an endless tag': [xlsxParts(`<row x="${'a'.repeat(3 * megabyte)}"/>`), endless],
    'with an endless comment': [xlsxParts(`<!--${'a'.repeat(3 * megabyte)}-->`), endless],
    'with a text in many pieces': [xlsxParts(text('<r><t>aaaa</t></r>'.repeat(60_000))), longCell],
    'with a value in many pieces': [xlsxParts(`<row><c>${'<v>1111</v>'.repeat(60_000)}</c></row>`), longCell],
    'with a cell that is too long': [
      xlsxParts(text(`<t>${'a'.repeat(32_768)}</t>`)),
      'TOO_LARGE: a cell in its row 1 has more than 32767 characters',
    ],
    'with a shared text in many pieces': [strings(`<si>${'<r><t>aaaa</t></r>'.repeat(60_000)}</si>`), longCell],
    'with too many shared texts': [
      strings(`<si><t>${'a'.repeat(32_767)}</t></si>`.repeat(3100), 4000),
      'TOO_LARGE: its texts have more than 96 MiB',
    ],
    'with a row that is too long': [
      strings(`<si><t>${'a'.repeat(32_767)}</t></si>`).map((part) =>
        part.name.endsWith('sheet1.xml')
          ? { ...part, content: sheetXml(`<row>${'<c t="s"><v>0</v></c>'.repeat(300)}</row>`) }
          : part,
      ),
      'TOO_LARGE: a row has more than 8388608 characters',
    ],
    'with too many cells at the same address': [
      xlsxParts(`<row>${'<c r="A1"><v>1</v></c>'.repeat(16_385)}</row>`),
      'TOO_LARGE: it has more than 16384 columns',
    ],
    'with too deeply nested elements': [xlsxParts('<row>'.repeat(101)), deep],
    'with too many sheets': [sheets(257), 'TOO_LARGE: it has more than 256 sheets'],
    'with too many spaces in OpenDocument': [
      inOdsCell(`<text:p>${'<text:s text:c="30000"/>'.repeat(20)}</text:p>`),
      longCell,
    ],
    'with too many paragraphs in OpenDocument': [inOdsCell('<text:p/>'.repeat(300_000)), longCell],
    'with too many sheets in OpenDocument': [
      spreadsheet('<table:table table:name="x"/>'.repeat(257)),
      'TOO_LARGE: it has more than 256 sheets',
    ],
    'with a sheet name that is too long in OpenDocument': [
      spreadsheet(`<table:table table:name="${'x'.repeat(256)}"/>`),
      'TOO_LARGE: the name of a sheet has more than 255 characters',
    ],
    'with too many styles in OpenDocument': [
      spreadsheet(
        '',
        Array.from(
          { length: 10_001 },
          (_, at) => `<style:style style:name="${at}"><style:table-properties table:display="false"/></style:style>`,
        ).join(''),
      ),
      'TOO_LARGE: it has more than 10000 styles that hide sheets',
    ],
    'with too deeply nested elements in OpenDocument': [spreadsheet('<table:table>'.repeat(101)), deep],
    'with entities': [
      xlsxParts(ada, { 'xl/worksheets/sheet1.xml': `<!DOCTYPE a [<!ENTITY a "aaa">]>${sheetXml(ada)}` }),
      'DOCUMENT_TYPE: it declares a document type, which no spreadsheet program writes',
    ],
    'with a document type without entities': [
      odsSheet('').map((part) => ({ ...part, content: `<!DOCTYPE a SYSTEM "file:///etc/passwd">${part.content}` })),
      'DOCUMENT_TYPE: it declares a document type, which no spreadsheet program writes',
    ],
  };
  for (const [title, [parts, outcome]] of Object.entries(refused))
    it(`${title} is refused`, async () => {
      expect(await workbooks.outcomeOf(zip(parts))).to.equal(outcome);
    });

  it('with too many elements is refused', async () => {
    const chunks = async function* () {
      yield Buffer.from('<row>');
      for (;;) yield Buffer.from('<c/>'.repeat(50));
    };
    const work = newWorkLimits();
    work.elements.max = 1000;
    const reading = (async () => {
      for await (const _ of parseXml(chunks(), work, {}));
    })();
    expect(await reading.catch((error: unknown) => error)).to.include({
      fault: 'TOO_LARGE',
      message: 'it has more than 1000 elements',
    });
  });

  it('with many sheets of the same part is refused, because its elements count for each sheet', async () => {
    writeFileSync(workbooks.file, zip(sheets(3)));
    const archive = await openArchive(workbooks.file);
    const workbook = await openXlsx(archive);
    const readSheet = async (index: number) => {
      for await (const _ of workbook.rows(index));
    };
    const before = archive.workLimits.elements.count;
    await readSheet(0);
    archive.workLimits.elements.max = 2 * archive.workLimits.elements.count - before;
    await readSheet(1);
    expect(await thrownBy(() => readSheet(2))).to.include({ fault: 'TOO_LARGE' });
    await workbook.close();
  });

  it('with too many repeated cells and rows is refused', async () => {
    const wide =
      '<table:table-cell table:number-columns-repeated="250" office:value-type="string"><text:p>x</text:p></table:table-cell>';
    const row = `<table:table-row table:number-rows-repeated="1000">${wide}</table:table-row>`;
    expect(await workbooks.outcomeOf(zip(odsSheet(row.repeat(21))))).to.equal(
      'TOO_LARGE: it repeats more than 5000000 cells',
    );
  });

  it('loses blank cells at the end of a row', async () => {
    const row = '<row><c r="A1" t="str"><v>x</v></c><c r="XFD1" t="str"><v> </v></c></row>';
    writeFileSync(workbooks.file, zip(xlsxParts(row.repeat(3))));
    const workbook = await openWorkbook(workbooks.file);
    for await (const rows of workbook.rows(0)) for (const { cells } of rows) expect(cells).to.deep.equal(['x']);
    await workbook.close();
  });

  it('loses invalid characters', async () => {
    const cell = (code: string) => text(`<t>a_x${code}_b</t>`);
    for (const code of ['0000', 'FFFE', 'FFFF', 'D800'])
      expect(await workbooks.outcomeOf(zip(xlsxParts(cell(code))))).to.deep.equal({ People: { 1: ['a\ufffdb'] } });
  });

  it('is refused with a short message', () => {
    const { message } = toFileProblem(damaged(`its part \u202e${'x'.repeat(1000)} is missing`)) as Error;
    expect(message).to.have.length.below(400).and.not.include('\u202e');
  });
});
