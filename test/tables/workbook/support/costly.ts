import { odsSheet, relationsXml, sheetXml, xlsxParts } from './workbooks.js';
import { zip } from './zip.js';

/** Workbooks of a few kilobytes that cause much work: with blank texts, which are discarded, and with rows that cells share. */

/** Returns blank rows whose cells refer to one text. @param text in XML */
export function sharedText(text: string, rows: number, cells: number): Buffer {
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(cells)}</row>`;
  return zip(
    xlsxParts(row.repeat(rows), {
      'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'worksheets/sheet1.xml', sharedStrings: 'strings.xml' }),
      'xl/strings.xml': `<sst><si><t xml:space="preserve">${text}</t></si></sst>`,
    }),
  );
}

export const escapedSpaces = '_x0020_'.repeat(32_767);

/** Returns cells of one element with as many spaces as a cell can have. @param type type of the cells */
export function repeatedSpaces(cells: number, type = 'string'): Buffer {
  const cell = `<table:table-cell office:value-type="${type}" office:value="1"><text:p><text:s text:c="32767"/></text:p></table:table-cell>`;
  return zip(odsSheet(`<table:table-row>${cell}</table:table-row>`.repeat(cells)));
}

/** Returns equal ranges of merged cells. */
export const mergedRanges = (rows: string, ranges: number): Buffer =>
  zip(
    xlsxParts(rows, {
      'xl/worksheets/sheet1.xml': sheetXml(rows).replace(
        '</worksheet>',
        `<mergeCells>${'<mergeCell ref="A1:A9999"/>'.repeat(ranges)}</mergeCells></worksheet>`,
      ),
    }),
  );

/** Returns rows with cells that span the rows below. */
export const spannedRows = (rows: number, cells: number): Buffer =>
  zip(
    odsSheet(
      `<table:table-row>${'<table:table-cell table:number-rows-spanned="9999"/>'.repeat(cells)}</table:table-row>`.repeat(
        rows,
      ),
    ),
  );
