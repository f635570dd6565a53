import { isAppError } from '../../errors.js';
import { FileProblem } from '../encoding/source-file.js';
import {
  firstRowCount,
  type HeaderRules,
  maxRowsAboveHeader,
  readAhead,
  rowsAfter,
  type Sheet,
  type SourceLimits,
  type SourceRow,
  type SourceTable,
  sumLengths,
  type TableWarning,
} from '../table/table.js';
import { filledWidth, findSuggestion, shownText } from '../table/text.js';
import { readCell } from '../write/cells.js';
import { openWorkbook } from './open-workbook.js';
import { toFileProblem } from './problem.js';
import { SheetLayout, type SheetRow, type Workbook } from './sheet-row.js';

/** First rows of a sheet, and the position of the header. */
interface SheetStart {
  sheet: Sheet;
  layout: SheetLayout;
  first: SourceRow[];
  all: AsyncGenerator<SourceRow[]>;
  /** Index of the header in `first`. */
  header: number;
  /** Score of the header: 0 if no row looks like one, infinite if all columns are found. */
  score: number;
}

/**
 * Opens the requested sheet of a workbook. Without a request, opens the visible sheet whose header fits best.
 * @throws AppError `IMPORT_FILE_INVALID`
 * @throws the reason of the signal
 */
export async function openSheet(
  file: string,
  wanted: string | undefined,
  limits: SourceLimits,
  rules: HeaderRules,
  signal?: AbortSignal,
): Promise<SourceTable> {
  const workbook = await openWorkbook(file, signal).catch((error: unknown) => {
    throw toFileProblem(error);
  });
  const sheets = workbook.sheets.map(({ name, isHidden }) => ({ name, isHidden }));
  try {
    const start = await chooseSheet(workbook, wanted, limits, rules);
    const { sheet, layout, first, all, header: at } = start;
    const header = first[at];
    if (header === undefined) throw new FileProblem('NO_ROWS', `The sheet "${shownText(sheet.name)}" is empty.`);
    const unread = wanted === undefined ? await findOtherFittingSheets(workbook, sheet, limits, rules) : [];
    let lastLine = header.line;
    const rows = async function* () {
      for await (const list of rowsAfter(all, header.line)) {
        lastLine = list.at(-1)?.line ?? lastLine;
        yield list;
      }
    };
    return {
      format: {
        encoding: 'utf-8',
        delimiter: ',',
        byteOrderMark: false,
        sepLine: false,
        workbook: { kind: workbook.kind, sheet: sheet.name, sheets },
      },
      header: padHeader(header.cells, first.slice(at + 1), rules),
      headerLine: header.line,
      hiddenColumns: layout.hiddenColumns,
      warnings: [
        ...(at === 0 ? [] : [linesAboveWarning(first.slice(0, at), header.line)]),
        ...(unread.length === 0 ? [] : [sheetsNotReadWarning(unread)]),
      ],
      first: first.slice(at + 1),
      rows: rows(),
      lines: () => lastLine,
      mergedLines: () => layout.mergedLines.filter((line) => line > header.line && line <= lastLine),
      close: async () => {
        await all.return(undefined);
        await workbook.close();
      },
    };
  } catch (error) {
    await workbook.close();
    if (error instanceof FileProblem) error.sheets = sheets;
    throw error;
  }
}

/** Chooses the sheet and returns its first rows. Closes the other sheets. */
async function chooseSheet(
  workbook: Workbook,
  wanted: string | undefined,
  limits: SourceLimits,
  rules: HeaderRules,
): Promise<SheetStart> {
  const visible = workbook.sheets.filter(({ isHidden }) => !isHidden);
  const candidates = wanted === undefined ? visible : [findSheet(workbook.sheets, visible, wanted)];
  let best: SheetStart | undefined;
  for (const sheet of candidates) {
    const start = await readSheetStart(workbook, sheet, limits, rules);
    const isBetter =
      best === undefined || start.score > best.score || (best.first.length === 0 && start.first.length > 0);
    const other = isBetter ? best : start;
    await other?.all.return(undefined);
    if (isBetter) best = start;
    if (start.score === Number.POSITIVE_INFINITY) break;
  }
  if (best === undefined)
    throw new FileProblem('NO_ROWS', 'The workbook has no visible sheet. Name the one to import with --sheet.');
  return best;
}

/** Maximum parsed elements for comparing sheets: OpenDocument files are parsed from the beginning for each sheet. */
const maxComparedElements = 5_000_000;

/** Returns the other visible sheets that could be imported; none for a large workbook, which is not searched. */
async function findOtherFittingSheets(
  workbook: Workbook,
  chosen: Sheet,
  limits: SourceLimits,
  rules: HeaderRules,
): Promise<Sheet[]> {
  const others = workbook.sheets.filter((sheet) => !sheet.isHidden && sheet !== chosen);
  const fitting: Sheet[] = [];
  if (workbook.workLimits.elements.count * others.length > maxComparedElements) return fitting;
  for (const sheet of others) {
    try {
      const { score, all } = await readSheetStart(workbook, sheet, limits, rules);
      await all.return(undefined);
      if (score === Number.POSITIVE_INFINITY) fitting.push(sheet);
    } catch (error) {
      // A damaged sheet must not prevent the import of another one.
      if (!isAppError(error, 'IMPORT_FILE_INVALID')) throw error;
    }
  }
  return fitting;
}

const maxListedSheets = 10;

const listNames = (sheets: readonly Sheet[]) => {
  const names = sheets.slice(0, maxListedSheets).map(({ name }) => `"${shownText(name)}"`);
  return `${names.join(', ')}${sheets.length > maxListedSheets ? ` and ${sheets.length - maxListedSheets} more` : ''}`;
};

function sheetsNotReadWarning(sheets: readonly Sheet[]): TableWarning {
  const one = shownText(sheets[0]?.name ?? '');
  return {
    code: 'SHEETS_NOT_READ',
    message: `Other sheets have people, too, and are not read. To import one: --sheet "${one}"`,
    example: listNames(sheets),
  };
}

/** Finds a sheet by its name, or by its number among the visible sheets. @throws FileProblem */
function findSheet(sheets: readonly Sheet[], visible: readonly Sheet[], wanted: string): Sheet {
  const name = wanted.trim().toLowerCase();
  const found =
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => sheet.name.trim().toLowerCase() === name) ??
    (/^\d{1,4}$/.test(name) ? visible[Number(name) - 1] : undefined);
  if (found) return found;
  const near = findSuggestion(
    wanted,
    sheets.map((sheet) => sheet.name),
  );
  const suggestion = near === undefined ? '' : ` Did you mean "${shownText(near)}"?`;
  throw new FileProblem(
    'SHEET_UNKNOWN',
    `The workbook has no sheet "${shownText(wanted)}".${suggestion} Its sheets are: ${listNames(visible)}`,
  );
}

async function readSheetStart(
  workbook: Workbook,
  sheet: Sheet,
  limits: SourceLimits,
  rules: HeaderRules,
): Promise<SheetStart> {
  const layout = new SheetLayout();
  const rows = checkRows(workbook.rows(workbook.sheets.indexOf(sheet), layout), limits, rules);
  const { first: lists, all } = await readAhead(rows, (read) => sumLengths(read) > firstRowCount);
  const first = lists.flat().slice(0, firstRowCount);
  // Throws the fault before the first row, if there is one.
  if (first.length === 0) for await (const _ of all);
  const ranked = first
    .slice(0, maxRowsAboveHeader + 1)
    .map((_, at) => ({ header: at, score: scoreOf(first, at, rules) }));
  const { header, score } = ranked.reduce((best, next) => (next.score > best.score ? next : best), {
    header: 0,
    score: 0,
  });
  return { sheet, layout, first, all, header, score };
}

/** Rates a row as a header, see `HeaderRules.score`. The last row gets a lower score, because no rows are below it. */
function scoreOf(first: readonly SourceRow[], at: number, rules: HeaderRules): number {
  const score = rules.score(first[at]?.cells ?? []);
  return score === Number.POSITIVE_INFINITY && first.length === at + 1 ? Number.MAX_VALUE : score;
}

/** Converts the rows of a sheet to source rows, and checks their sizes. @throws AppError `IMPORT_FILE_INVALID` */
async function* checkRows(
  source: AsyncGenerator<SheetRow[]>,
  limits: SourceLimits,
  { maxAddedColumns }: HeaderRules,
): AsyncGenerator<SourceRow[]> {
  try {
    for await (const rows of source)
      yield rows.map(({ line, cells, isHidden, ...kinds }) => {
        const length = sumLengths(cells);
        if (cells.length > limits.columns + maxAddedColumns)
          throw new FileProblem('WORKBOOK_TOO_LARGE', `Line ${line} has more than ${limits.columns} columns.`, line);
        if (length > limits.recordBytes)
          throw new FileProblem(
            'WORKBOOK_TOO_LARGE',
            `Line ${line} has more than ${limits.recordBytes} characters.`,
            line,
          );
        return {
          line,
          cells: cells.map((cell, index) => checkCell(cell, line, index, limits)),
          ...(isHidden && { isHidden }),
          ...kinds,
        };
      });
  } catch (error) {
    throw toFileProblem(error);
  }
}

function checkCell(cell: string, line: number, index: number, { fieldBytes }: SourceLimits): string {
  if (cell.length * 3 > fieldBytes && Buffer.byteLength(cell) > fieldBytes)
    throw new FileProblem(
      'WORKBOOK_TOO_LARGE',
      `Line ${line}, column ${index + 1} has more than ${fieldBytes} bytes.`,
      line,
    );
  // Removes the apostrophes that this program writes to CSV: a spreadsheet keeps them if the sheet was opened from CSV.
  return readCell(cell);
}

/** Pads the header with blank headings for columns to the right of the table, such as notes. */
function padHeader(cells: readonly string[], rows: readonly SourceRow[], { countAdded }: HeaderRules): string[] {
  if (countAdded(cells) > 0) return [...cells];
  const width = Math.max(...rows.map((row) => filledWidth(row.cells)), 0);
  return [...cells, ...new Array<string>(Math.max(0, width - cells.length)).fill('')];
}

function linesAboveWarning(above: readonly SourceRow[], headerLine: number): TableWarning {
  const [first, last] = [above[0]?.line ?? 1, above.at(-1)?.line ?? 1];
  const lines = first === last ? `Line ${first} is` : `Lines ${first} to ${last} are`;
  return {
    code: 'LINES_ABOVE',
    message: `${lines} above the header on line ${headerLine}, and not imported.`,
    example: shownText(above[0]?.cells.find((cell) => cell.trim() !== '') ?? ''),
  };
}
