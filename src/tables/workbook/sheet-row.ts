import type { Sheet } from '../table/table.js';
import { maxCellCharacters, maxColumns, maxRows } from '../write/limits.js';
import type { Work } from './bounds.js';
import { damaged, tooLarge } from './problem.js';

/** What a text may have before `_x000D_` and the like become characters. */
const maxStoredCharacters = maxCellCharacters * '_x000D_'.length;
/** Characters of a row at most: 256 columns of the longest cells have as many. */
const maxRowCharacters = 8 * 1024 * 1024;
const maxSheets = 256;
const maxSheetNameLength = 255;
/** Merged rows that are listed. */
const maxMergedRows = 10_000;
/** A number in which a spreadsheet may have dropped a zero. */
const longNumber = /^[1-9]\d{5,}$/;

/** A text with another piece. @throws WorkbookProblem when it gets too long for any cell */
export function appendText(text: string, piece: string): string {
  if (text.length + piece.length > maxStoredCharacters)
    throw tooLarge(`a cell has more than ${maxCellCharacters} characters`);
  return text + piece;
}

/** @throws WorkbookProblem for a row that takes more memory than any table needs */
export function assertRowLength(characters: number): void {
  if (characters > maxRowCharacters) throw tooLarge(`a row has more than ${maxRowCharacters} characters`);
}

/** Adds a sheet, or what else there is one of for each. @throws WorkbookProblem */
export function addSheet<T extends { name: string }>(sheets: T[], sheet: T): void {
  if (sheets.length === maxSheets) throw tooLarge(`it has more than ${maxSheets} sheets`);
  if (sheet.name.length > maxSheetNameLength)
    throw tooLarge(`the name of a sheet has more than ${maxSheetNameLength} characters`);
  sheets.push(sheet);
}

/** Rows or columns in ranges. Any number of ranges is added up in one pass. */
class Ranges {
  /** By number, ranges that begin there less those that end before it. */
  #changes: Int32Array | undefined;

  /** @param end number after the last one @param maxListed numbers that are listed */
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

  /** The first numbers in their order. */
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

/** Marks of a sheet besides its cells. */
export class SheetMarks {
  readonly #merged = new Ranges(maxRows + 1, maxMergedRows);
  readonly #hidden = new Ranges(maxColumns, maxColumns);

  /** @param first row of merged cells, from 1 @param count of their rows */
  addMerged(first: number, count: number): void {
    this.#merged.add(first + 1, count - 1);
  }

  /** @param first column, from 0 */
  addHiddenColumns(first: number, count: number): void {
    this.#hidden.add(first, count);
  }

  /** Rows that cells of an earlier row are merged with, once all rows were read: the values belong to the first row. */
  get mergedLines(): readonly number[] {
    return this.#merged.list();
  }

  /** Hidden columns from 0, once a row was read. */
  get hiddenColumns(): readonly number[] {
    return this.#hidden.list();
  }
}

/** A row of a sheet that has any content. */
export interface SheetRow {
  /** Its number in the sheet, from 1. */
  line: number;
  /** Up to the last one that isn't blank. */
  cells: string[];
  isHidden: boolean;
  /** Columns with a formula whose result isn't in the file, from 0. */
  uncalculatedColumns?: number[];
  /** Columns with a long number, from 0. */
  longNumberColumns?: number[];
}

/** How a cell of a sheet has its text. */
export type CellKind = 'text' | 'number' | 'uncalculated';

/** An open workbook. */
export interface Workbook {
  kind: 'xlsx' | 'ods';
  /** In the order of the file. */
  sheets: readonly Sheet[];
  readonly work: Work;
  /** The rows of a sheet, in lists as they are read. @param index from 0 @throws WorkbookProblem */
  rows(index: number, marks?: SheetMarks): AsyncGenerator<SheetRow[]>;
  close(): Promise<void>;
}

/** Collects the rows of a sheet. Blank cells and rows take no memory. */
export class RowCollector {
  #rows: SheetRow[] = [];
  /** The cells of the row that have a text, and the last of them that isn't blank. */
  #texts: { column: number; text: string }[] = [];
  #uncalculatedColumns: number[] = [];
  #longNumberColumns: number[] = [];
  #lastFilled = -1;
  #line = 0;
  #isHidden = false;
  #characters = 0;
  readonly #work: Work;

  /** @param work counts what rows and cells ask for, blank ones too */
  constructor(work: Work) {
    this.#work = work;
  }

  /** Begins a row. @param line from 1; the next one when absent */
  begin(line: number | undefined, isHidden: boolean): void {
    const next = line ?? this.#line + 1;
    if (!Number.isInteger(next) || next <= this.#line) throw damaged(`its row ${line} is not in its place`);
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

  /** Sets a cell that may be repeated to the right. @param column from 0 */
  set(column: number, text: string, kind: CellKind, times = 1): void {
    if (text === '' && kind !== 'uncalculated') return;
    this.#work.repeatedCells.add(times - 1);
    for (let at = 0; at < times; at += 1) this.#setOne(column + at, text, kind);
  }

  #setOne(column: number, text: string, kind: CellKind): void {
    if (column < 0 || column >= maxColumns) throw tooLarge(`it has more than ${maxColumns} columns`);
    if (text.length > maxCellCharacters)
      throw tooLarge(`a cell in its row ${this.#line} has more than ${maxCellCharacters} characters`);
    this.#characters += text.length;
    assertRowLength(this.#characters);
    this.#work.characters.add(text.length);
    this.#texts.push({ column, text });
    if (kind === 'uncalculated') this.#uncalculatedColumns.push(column);
    else if (kind === 'number' && longNumber.test(text)) this.#longNumberColumns.push(column);
    if (text.trim() !== '' || kind === 'uncalculated') this.#lastFilled = Math.max(this.#lastFilled, column);
  }

  /**
   * Ends a row that is repeated so many times.
   * @param most repetitions of a row with content
   */
  end(times = 1, most = 1): void {
    const [line, isHidden] = [this.#line, this.#isHidden];
    this.#line += times - 1;
    if (this.#lastFilled < 0) return;
    if (times > most) throw tooLarge(`its row ${line} is repeated ${times} times`);
    const cells = new Array<string>(this.#lastFilled + 1).fill('');
    for (const { column, text } of this.#texts) if (column < cells.length) cells[column] = text;
    this.#work.repeatedCells.add((times - 1) * cells.length);
    this.#work.characters.add((times - 1) * this.#characters);
    const kinds = {
      ...(this.#uncalculatedColumns.length > 0 && { uncalculatedColumns: this.#uncalculatedColumns }),
      ...(this.#longNumberColumns.length > 0 && { longNumberColumns: this.#longNumberColumns }),
    };
    for (let at = 0; at < times; at += 1) this.#rows.push({ line: line + at, cells, isHidden, ...kinds });
  }

  /** The rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
