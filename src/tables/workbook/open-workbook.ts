import { openArchive } from './archive.js';
import { openOds } from './ods.js';
import { unsupportedWorkbook, WorkbookProblem } from './problem.js';
import type { Workbook } from './sheet-row.js';
import { openXlsx } from './xlsx.js';

/**
 * Opens an Excel workbook (.xlsx) or an OpenDocument spreadsheet. The contents decide the type, not the file name.
 * @param file path of a ZIP file
 * @param signal stops later reads of the workbook, too
 * @throws WorkbookProblem
 * @throws AppError `IMPORT_FILE_INVALID` for a Numbers spreadsheet or a binary Excel workbook (.xlsb)
 * @throws the reason of the signal
 */
export async function openWorkbook(file: string, signal?: AbortSignal): Promise<Workbook> {
  const archive = await openArchive(file, signal);
  try {
    if (archive.has('Index/Document.iwa')) throw unsupportedWorkbook('a Numbers spreadsheet (.numbers)');
    if (archive.has('xl/workbook.bin')) throw unsupportedWorkbook('a binary Excel workbook (.xlsb)');
    if (archive.has('encrypted-package')) throw new WorkbookProblem('ENCRYPTED', 'it is protected by a password');
    return archive.has('content.xml') ? await openOds(archive) : await openXlsx(archive);
  } catch (error) {
    archive.close();
    throw error;
  }
}
