import { strToU8, Zip, ZipDeflate } from 'fflate';
import { assertFitsWorkbook } from './limits.js';

/** Value of a cell. Texts stay texts, whatever they look like: phones keep their zeros, and no formula runs. */
export type XlsxValue = string | number | boolean | Date | null;

export interface XlsxColumn {
  heading: string;
  /** Whether values that people enter in empty cells are stored as text, as phones need. */
  isText?: boolean;
  /** Values of the drop-down list of the column's cells. */
  choices?: readonly string[];
}

export interface XlsxTable {
  /** Name of the sheet: up to 31 characters. */
  sheet: string;
  columns: readonly XlsxColumn[];
  rows: AsyncIterable<readonly XlsxValue[]> | Iterable<readonly XlsxValue[]>;
  /** Maximum rows, including the header. Tests replace it. */
  maxRows?: number;
}

const measuredRows = 200;
const [minWidth, maxWidth] = [8, 60];
const chunkCharacters = 64 * 1024;
/** The default memory level keeps 2 MiB for each workbook that waits for its reader. The lower level makes no file larger. */
const compression = { level: 6, mem: 4 } as const;
/** Last row whose cells have drop-down lists. */
const lastChoiceRow = 10_000;

/** Indexes of the styles in `cellXfs` below. */
const styles = { plain: 0, heading: 1, date: 2, moment: 3, text: 4 } as const;

const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationshipsNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Escapes text for XML. Characters that XML can't contain become `_x0001_`. Text that already looks like this escape gets a
 * leading `_x005F_` (ECMA-376, 22.9.2.19).
 */
function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML can't contain these characters
      /[\0-\x08\x0b-\x1f\ufffe\uffff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

/** Returns the letters of a column, counted from 0: `A`, ..., `Z`, `AA`. */
function columnName(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : columnName(Math.floor(index / 26) - 1) + columnName(index % 26);
}

const dayMs = 86_400_000;
/** Day 0 of workbooks, correct for dates since March 1900. */
const epoch = Date.UTC(1899, 11, 30);
const firstDay = Date.UTC(1900, 2, 1);

function dateCell(at: string, moment: Date): string {
  if (!(moment.getTime() >= firstDay)) return textCell(at, Number.isNaN(moment.getTime()) ? '' : moment.toISOString());
  const days = (moment.getTime() - epoch) / dayMs;
  return `<c r="${at}" s="${Number.isInteger(days) ? styles.date : styles.moment}"><v>${days}</v></c>`;
}

const textCell = (at: string, text: string, style: number = styles.plain) =>
  text === ''
    ? ''
    : `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;

function cellOf(value: XlsxValue, at: string, style: number): string {
  if (value === null) return '';
  if (value instanceof Date) return dateCell(at, value);
  if (typeof value === 'boolean') return `<c r="${at}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'number') return Number.isFinite(value) ? `<c r="${at}"><v>${value}</v></c>` : '';
  return textCell(at, value, style);
}

const shownLength = (value: XlsxValue) =>
  value instanceof Date
    ? 16
    : Math.max(
        ...String(value ?? '')
          .split('\n', 20)
          .map((line) => line.length),
      );

function rowXml(line: number, values: readonly XlsxValue[], styleOf: (index: number) => number): string {
  const cells = values.map((value, index) => cellOf(value, `${columnName(index)}${line}`, styleOf(index)));
  return `<row r="${line}">${cells.join('')}</row>`;
}

function sheetHead(columns: readonly XlsxColumn[], measured: readonly (readonly XlsxValue[])[]): string {
  const cols = columns.map(({ heading, isText }, index) => {
    const longest = Math.max(heading.length, ...measured.map((row) => shownLength(row[index] ?? null)));
    const width = Math.min(maxWidth, Math.max(minWidth, longest + 2));
    const style = isText ? ` style="${styles.text}"` : '';
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${style}/>`;
  });
  const frozen = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const header = rowXml(
    1,
    columns.map(({ heading }) => heading),
    () => styles.heading,
  );
  return `${xmlDeclaration}<worksheet xmlns="${mainNamespace}"><sheetViews><sheetView workbookViewId="0">${frozen}</sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>${header}`;
}

function sheetTail(columns: readonly XlsxColumn[]): string {
  const lists = columns.flatMap(({ choices }, index) => {
    if (!choices) return [];
    const name = columnName(index);
    return `<dataValidation type="list" allowBlank="1" sqref="${name}2:${name}${lastChoiceRow}"><formula1>"${xmlText(choices.join(','))}"</formula1></dataValidation>`;
  });
  const validations =
    lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`;
  return `</sheetData>${validations}</worksheet>`;
}

const partsOf = (sheet: string): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `${xmlDeclaration}<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  '_rels/.rels': `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationshipsNamespace}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${xmlDeclaration}<workbook xmlns="${mainNamespace}" xmlns:r="${relationshipsNamespace}"><sheets><sheet name="${xmlText(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationshipsNamespace}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationshipsNamespace}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${xmlDeclaration}<styleSheet xmlns="${mainNamespace}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
});

async function* sheetXml({ columns, rows, maxRows }: XlsxTable): AsyncGenerator<string> {
  const styleOf = (index: number) => (columns[index]?.isText ? styles.text : styles.plain);
  let line = 1;
  assertFitsWorkbook(
    line,
    columns.map(({ heading }) => heading),
  );
  const xmlOf = (row: readonly XlsxValue[]) => {
    line += 1;
    assertFitsWorkbook(line, row, maxRows);
    return rowXml(line, row, styleOf);
  };
  let measured: (readonly XlsxValue[])[] | undefined = [];
  let xml = '';
  for await (const row of rows) {
    if (measured) {
      measured.push(row);
      if (measured.length < measuredRows) continue;
      xml = sheetHead(columns, measured) + measured.map(xmlOf).join('');
      measured = undefined;
    } else xml += xmlOf(row);
    if (xml.length < chunkCharacters) continue;
    yield xml;
    xml = '';
  }
  if (measured) xml = sheetHead(columns, measured) + measured.map(xmlOf).join('');
  yield xml + sheetTail(columns);
}

/**
 * Writes a table as an Office Open XML workbook (ECMA-376): memory doesn't grow with the rows.
 * @throws TooLargeForWorkbook
 */
export async function* xlsxBytes(table: XlsxTable): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let fault: Error | undefined;
  const zip = new Zip((error, bytes) => {
    if (error) fault = error;
    else ready.push(bytes);
  });
  const takeBytes = () => {
    if (fault) throw fault;
    const bytes = ready;
    ready = [];
    return bytes;
  };
  const add = (name: string) => {
    // A fixed time makes the same rows give the same bytes.
    const part = Object.assign(new ZipDeflate(name, compression), { mtime: new Date(1980, 0) });
    zip.add(part);
    return part;
  };
  for (const [name, xml] of Object.entries(partsOf(table.sheet))) add(name).push(strToU8(xml), true);
  const sheet = add('xl/worksheets/sheet1.xml');
  for await (const xml of sheetXml(table)) {
    sheet.push(strToU8(xml));
    yield* takeBytes();
  }
  sheet.push(new Uint8Array(), true);
  zip.end();
  yield* takeBytes();
}
