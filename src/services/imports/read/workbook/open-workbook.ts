import { openArchive } from './archive.js';
import { openOds } from './ods.js';
import { WorkbookProblem } from './problem.js';
import type { Workbook } from './sheet-row.js';
import { openXlsx } from './xlsx.js';

/**
 * Opens a workbook, whatever its name is.
 * @param file a ZIP file
 * @throws WorkbookProblem
 */
export async function openWorkbook(file: string): Promise<Workbook> {
  const archive = await openArchive(file);
  try {
    if (archive.has('Index/Document.iwa')) throw new WorkbookProblem('NOT_A_WORKBOOK', 'it is a Numbers spreadsheet');
    if (archive.has('xl/workbook.bin')) throw new WorkbookProblem('NOT_A_WORKBOOK', 'it is a binary Excel workbook');
    return archive.has('content.xml') ? await openOds(archive) : await openXlsx(archive);
  } catch (error) {
    archive.close();
    throw error;
  }
}
