import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { openWorkbook } from '../../src/tables/workbook/open-workbook.js';
import { temporaryFolder } from './temporary-folder.js';

/** Returns the texts of the first sheet, as an import reads them. */
export async function rowsOfWorkbook(file: string): Promise<string[][]> {
  const workbook = await openWorkbook(file);
  try {
    const rows: string[][] = [];
    for await (const some of workbook.rows(0)) rows.push(...some.map(({ cells }) => cells));
    return rows;
  } finally {
    workbook.close();
  }
}

/** Returns the texts of the first sheet of a workbook in memory. */
export async function rowsInBytes(bytes: Uint8Array): Promise<string[][]> {
  const folder = temporaryFolder();
  try {
    const file = path.join(folder.path, 'some.xlsx');
    writeFileSync(file, bytes);
    return await rowsOfWorkbook(file);
  } finally {
    folder.remove();
  }
}

/** Returns the XML of the first sheet. */
export function sheetXmlOf(workbook: string | Uint8Array): string {
  const bytes = typeof workbook === 'string' ? readFileSync(workbook) : workbook;
  return strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
}
