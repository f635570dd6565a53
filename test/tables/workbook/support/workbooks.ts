import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileProblem } from '../../../../src/tables/encoding/source-file.js';
import { openWorkbook } from '../../../../src/tables/workbook/open-workbook.js';
import { WorkbookProblem } from '../../../../src/tables/workbook/problem.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import type { Part } from './zip.js';

/** Returns a workbook from the test files. */
export const fixture = (name: string) => fileURLToPath(new URL(`../../../fixtures/workbooks/${name}`, import.meta.url));

/** Cells of a sheet by line; hidden lines are marked. */
export type Cells = Record<string, string[]>;

/** Sheets of a workbook by name, with hidden sheets marked; or the reason for refusing it. */
export type Outcome = Record<string, Cells> | string;

const named = (name: string | number, isHidden: boolean) => (isHidden ? `${name} (hidden)` : String(name));

/** Reads all sheets of a file. Throws errors other than refusals. */
export async function outcomeOfFile(file: string): Promise<Outcome> {
  try {
    const workbook = await openWorkbook(file);
    const read: Record<string, Cells> = {};
    try {
      for (const [index, sheet] of workbook.sheets.entries()) {
        const cells: Cells = {};
        for await (const rows of workbook.rows(index))
          for (const row of rows) cells[named(row.line, row.isHidden)] = row.cells;
        read[named(sheet.name, sheet.isHidden)] = cells;
      }
    } finally {
      await workbook.close();
    }
    return read;
  } catch (error) {
    if (error instanceof WorkbookProblem) return `${error.fault}: ${error.message}`;
    if (error instanceof FileProblem) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

/** Provides a function that reads any bytes as a workbook. */
export function useWorkbooks() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'workbook');
  after(() => folder.remove());
  return {
    file,
    outcomeOf: (bytes: Uint8Array) => {
      writeFileSync(file, bytes);
      return outcomeOfFile(file);
    },
  };
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns the relationships of a part: targets by their types. */
export const relationsXml = (targets: Readonly<Record<string, string>>, types = relationships) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(targets)
    .map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${types}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export const sheetXml = (rows: string) => `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;

/** Returns the parts of a workbook with one sheet. @param others further or replaced parts; null removes a part */
export function xlsxParts(rows: string, others: Readonly<Record<string, string | Uint8Array | null>> = {}): Part[] {
  const parts: Record<string, string | Uint8Array | null> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationsXml({ officeDocument: 'xl/workbook.xml' }),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'worksheets/sheet1.xml' }),
    'xl/worksheets/sheet1.xml': sheetXml(rows),
    ...others,
  };
  return Object.entries(parts).flatMap(([name, content]) => (content === null ? [] : [{ name, content }]));
}

const namespaces = ['office', 'style', 'table', 'text', 'dc', 'draw', 'calcext']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ');

/**
 * Returns the parts of a document.
 * @param body content of the document
 * @param styles styles of the document
 */
export const odsParts = (body: string, styles = ''): Part[] => [
  { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', method: 'stored' },
  {
    name: 'content.xml',
    content: `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${namespaces}><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
  },
];

/** Returns a spreadsheet with one sheet of these rows. */
export const odsSheet = (rows: string) =>
  odsParts(`<office:spreadsheet><table:table table:name="People">${rows}</table:table></office:spreadsheet>`);
