import type { Sheet } from '../table/table.js';
import { maxCellCharacters, maxColumns, maxRows } from '../write/limits.js';
import type { WorkLimits } from './bounds.js';
import { damaged, tooLarge } from './problem.js';

/** Maximum length of a cell's text before escapes such as `_x000D_` are replaced. */
const maxStoredCharacters = maxCellCharacters * '_x000D_'.length;
const maxRowCharacters = 8 * 1024 * 1024;
const maxSheets = 256;
const maxSheetNameLength = 255;
const maxMergedRows = 10_000;
/** Matches a number from which a spreadsheet may have dropped a leading zero. */
const longNumber = /^[1-9]\d{5,}$/;

/** Appends a piece to a text. @throws WorkbookProblem if the text gets too long for a cell */
export function appendText(text: string, piece: string): string {
  if (text.length + piece.length > maxStoredCharacters)
    throw tooLarge(`a cell has more than ${maxCellCharacters} characters`);
  return text + piece;
}

/** @throws WorkbookProblem if a row needs more memory than any real table */
export function assertRowLength(characters: number): void {
  if (characters > maxRowCharacters) throw tooLarge(`a row has more than ${maxRowCharacters} characters`);
}

/** Adds a sheet to a list. @throws WorkbookProblem if there are too many sheets, or the name is too long */
export function addSheet<T extends { name: string }>(sheets: T[], sheet: T): void {
  if (sheets.length === maxSheets) throw tooLarge(`it has more than ${maxSheets} sheets`);
  if (sheet.name.length > maxSheetNameLength)
    throw tooLarge(`the name of a sheet has more than ${maxSheetNameLength} characters`);
  sheets.push(sheet);
}

/** A set of row or column numbers that is built from ranges. The ranges may overlap; their number doesn't slow `list` down. */
class Ranges {
  /** For each number, the count of ranges that begin there minus the ranges that end before it. */
  #changes: Int32Array | undefined;

  /**
   * @param end number after the last possible number
   * @param maxListed maximum numbers that are listed
   */
  constructor(
    readonly end: number,
    readonly maxListed: number,
  ) {}

  add(first: number, count: number): void {
    if (!(first >= 0 && first < this.end && count >= 1)) return;
    this.#changes ??= new Int32Array(this.end + 1);
    this.#changes[first] = (this.#changes[first] ?? 0) + 1;
    const end = Math.min(first + count, this.end);
    this.#changes[end] = (this.#changes[end] ?? 0) - 1;
  }

  /** Returns the first numbers in ascending order. */
  list(): readonly number[] {
    const numbers: number[] = [];
    let ranges = 0;
    for (const [number, change] of this.#changes?.entries() ?? []) {
      ranges += change;
      if (ranges > 0) numbers.push(number);
      if (numbers.length === this.maxListed) break;
    }
    return numbers;
  }
}

/** Merged rows and hidden columns of a sheet. */
export class SheetLayout {
  readonly #merged = new Ranges(maxRows + 1, maxMergedRows);
  readonly #hidden = new Ranges(maxColumns, maxColumns);

  /**
   * Records the rows that a merged cell covers, except the first row, which has its value.
   * @param first first row of the merged cell, from 1
   * @param count number of its rows
   */
  addMergedRows(first: number, count: number): void {
    this.#merged.add(first + 1, count - 1);
  }

  /** @param first first hidden column, from 0 */
  addHiddenColumns(first: number, count: number): void {
    this.#hidden.add(first, count);
  }

  /** Rows that merged cells cover, except the first row of each merged cell. Complete after all rows were read. */
  get mergedLines(): readonly number[] {
    return this.#merged.list();
  }

  /** Hidden columns, from 0. Complete after the first row was read. */
  get hiddenColumns(): readonly number[] {
    return this.#hidden.list();
  }
}

export interface SheetRow {
  /** Number of the row in the sheet, from 1. */
  line: number;
  /** Cells up to the last one that isn't blank. */
  cells: string[];
  isHidden: boolean;
  /** Columns with a formula whose result isn't in the file, from 0. */
  uncalculatedColumns?: number[];
  longNumberColumns?: number[];
}

/** Kind of a cell: text, number, or a formula whose result isn't in the file. */
export type CellKind = 'text' | 'number' | 'uncalculated';

export interface Workbook {
  kind: 'xlsx' | 'ods';
  /** Sheets in the order of the file. */
  sheets: readonly Sheet[];
  readonly workLimits: WorkLimits;
  /**
   * Yields the rows of a sheet, several at a time.
   * @param index index of the sheet, from 0
   * @param layout receives the merged rows and hidden columns
   * @throws WorkbookProblem
   */
  rows(index: number, layout?: SheetLayout): AsyncGenerator<SheetRow[]>;
  close(): Promise<void>;
}

/** Collects the rows of a sheet. Blank cells and rows take no memory. */
export class RowCollector {
  #rows: SheetRow[] = [];
  /** Cells of the current row that have a text. */
  #texts: { column: number; text: string }[] = [];
  #uncalculatedColumns: number[] = [];
  #longNumberColumns: number[] = [];
  #lastFilled = -1;
  #line = 0;
  #isHidden = false;
  #characters = 0;
  readonly #workLimits: WorkLimits;

  /** @param workLimits counts the characters and repeated cells of all rows, including blank ones */
  constructor(workLimits: WorkLimits) {
    this.#workLimits = workLimits;
  }

  /** Begins a row. @param line number from 1; the next one if absent */
  begin(line: number | undefined, isHidden: boolean): void {
    const next = line ?? this.#line + 1;
    if (!Number.isInteger(next) || next <= this.#line) throw damaged(`its row ${line} is out of order`);
    if (next > maxRows) throw tooLarge(`it has more than ${maxRows} rows`);
    this.#line = next;
    this.#isHidden = isHidden;
    this.#texts = [];
    this.#uncalculatedColumns = [];
    this.#longNumberColumns = [];
    this.#lastFilled = -1;
    this.#characters = 0;
  }

  get line(): number {
    return this.#line;
  }

  /** Sets a cell, or several equal cells side by side. @param column from 0 */
  set(column: number, text: string, kind: CellKind, times = 1): void {
    if (text === '' && kind !== 'uncalculated') return;
    this.#workLimits.repeatedCells.add(times - 1);
    for (let at = 0; at < times; at += 1) this.#setOne(column + at, text, kind);
  }

  #setOne(column: number, text: string, kind: CellKind): void {
    if (column < 0 || column >= maxColumns) throw tooLarge(`it has more than ${maxColumns} columns`);
    if (text.length > maxCellCharacters)
      throw tooLarge(`a cell in its row ${this.#line} has more than ${maxCellCharacters} characters`);
    this.#characters += text.length;
    assertRowLength(this.#characters);
    this.#workLimits.characters.add(text.length);
    this.#texts.push({ column, text });
    if (kind === 'uncalculated') this.#uncalculatedColumns.push(column);
    else if (kind === 'number' && longNumber.test(text)) this.#longNumberColumns.push(column);
    if (text.trim() !== '' || kind === 'uncalculated') this.#lastFilled = Math.max(this.#lastFilled, column);
  }

  /**
   * Ends a row.
   * @param times how often the row is repeated
   * @param most maximum repetitions of a row with content
   */
  end(times = 1, most = 1): void {
    const [line, isHidden] = [this.#line, this.#isHidden];
    this.#line += times - 1;
    if (this.#lastFilled < 0) return;
    if (times > most) throw tooLarge(`its row ${line} is repeated ${times} times`);
    const cells = new Array<string>(this.#lastFilled + 1).fill('');
    for (const { column, text } of this.#texts) if (column < cells.length) cells[column] = text;
    this.#workLimits.repeatedCells.add((times - 1) * cells.length);
    this.#workLimits.characters.add((times - 1) * this.#characters);
    const kinds = {
      ...(this.#uncalculatedColumns.length > 0 && { uncalculatedColumns: this.#uncalculatedColumns }),
      ...(this.#longNumberColumns.length > 0 && { longNumberColumns: this.#longNumberColumns }),
    };
    for (let at = 0; at < times; at += 1) this.#rows.push({ line: line + at, cells, isHidden, ...kinds });
  }

  /** Returns the rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
