import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { xlsxBytes } from '../src/tables/write/xlsx.js';
import { passwordHash, personAt } from './people.js';

/** Formats in which people save tables. Excel shares the texts of cells, most programs don't. */
export const tableKinds = ['csv', 'xlsx', 'shared.xlsx', 'ods'] as const;
export type TableKind = (typeof tableKinds)[number];

const heading = [
  'firstName',
  'lastName',
  'email',
  'phone',
  'passwordHash',
  'role',
  'notes',
  'class',
  'room',
  'since',
] as const;

/** Yields the cells of people, all different. */
function* peopleRows(count: number): Generator<string[]> {
  for (let index = 0; index < count; index += 1) {
    const { firstName, lastName, email } = personAt(index);
    const [phone, since] = [`+44 7${String(index).padStart(9, '0')}`, `20${10 + (index % 15)}-09-01`];
    const own = [`Class ${index % 40}`, `Room ${index % 300}`, since];
    yield [firstName, lastName, email, phone, passwordHash, 'trainee', `Note ${index}`, ...own];
  }
}

/** Pieces of a part of a workbook, generated during the compression. */
type PartContent = Iterable<string>;

async function* zipParts(parts: Readonly<Record<string, PartContent>>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  for (const [name, pieces] of Object.entries(parts)) {
    const part = new ZipDeflate(name, { level: 6 });
    zip.add(part);
    for (const piece of pieces) {
      part.push(strToU8(piece));
      yield* ready;
      ready = [];
    }
    part.push(new Uint8Array(), true);
  }
  zip.end();
  yield* ready;
}

function* inChunks(texts: Iterable<string>): PartContent {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* enclosed(start: string, texts: Iterable<string>, end: string): PartContent {
  yield start;
  yield* inChunks(texts);
  yield end;
}

function* mapped<From, To>(values: Iterable<From>, map: (value: From, index: number) => To): Generator<To> {
  let index = 0;
  for (const value of values) yield map(value, index++);
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006/relationships';

const relations = (...types: [string, string][]) => [
  `<Relationships xmlns="${packaged}">${types
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${relationships}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`,
];

/** Returns the parts of a workbook whose cells refer to shared texts by number, as Excel writes them. */
function sharedParts(rows: () => Iterable<string[]>): Record<string, PartContent> {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const cellOf = (text: string, column: number, line: number) =>
    `<c r="${String.fromCharCode(65 + column)}${line}" s="1" t="s"><v>${numberOf(text)}</v></c>`;
  const rowOf = (cells: string[], index: number) =>
    `<row r="${index + 1}" spans="1:10">${cells.map((text, column) => cellOf(text, column, index + 1)).join('')}</row>`;
  const texts = function* () {
    for (const text of numbers.keys()) yield `<si><t>${text}</t></si>`;
  };
  return {
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': [
      `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    'xl/_rels/workbook.xml.rels': relations(
      ['worksheet', 'worksheets/sheet1.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
    ),
    'xl/worksheets/sheet1.xml': enclosed(
      `<worksheet xmlns="${main}"><sheetData>`,
      mapped(rows(), rowOf),
      '</sheetData></worksheet>',
    ),
    'xl/sharedStrings.xml': enclosed(`<sst xmlns="${main}">`, texts(), '</sst>'),
  };
}

/** Returns the parts of an OpenDocument spreadsheet, as LibreOffice writes it. */
function odsParts(rows: () => Iterable<string[]>): Record<string, PartContent> {
  const cellOf = (text: string) =>
    `<table:table-cell office:value-type="string" calcext:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
  const names = ['office', 'table', 'text', 'calcext'];
  const namespaces = names.map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(' ');
  const start = `<office:document-content ${namespaces}><office:body><office:spreadsheet><table:table table:name="People">`;
  const end = '</table:table></office:spreadsheet></office:body></office:document-content>';
  const row = (cells: string[]) =>
    `<table:table-row table:style-name="ro1">${cells.map(cellOf).join('')}</table:table-row>`;
  return { 'content.xml': enclosed(start, mapped(rows(), row), end) };
}

function bytesOf(kind: TableKind, count: number): Iterable<string> | AsyncIterable<Uint8Array> {
  const rows = function* (): Generator<string[]> {
    yield [...heading];
    yield* peopleRows(count);
  };
  switch (kind) {
    case 'csv':
      return inChunks(mapped(rows(), (cells) => `${cells.join()}\n`));
    case 'xlsx':
      return xlsxBytes({
        sheet: 'People',
        columns: heading.map((name) => ({ heading: name })),
        rows: peopleRows(count),
      });
    case 'shared.xlsx':
      return zipParts(sharedParts(rows));
    case 'ods':
      return zipParts(odsParts(rows));
  }
}

/**
 * Writes the same people, in ten columns, in any format.
 * @returns the file
 */
export async function writeTable(folder: string, kind: TableKind, count: number): Promise<string> {
  const file = `${folder}/table-${count}.${kind}`;
  await pipeline(Readable.from(bytesOf(kind, count)), createWriteStream(file));
  return file;
}
