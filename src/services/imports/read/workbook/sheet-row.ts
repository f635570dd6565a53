import { mostCellCharacters, mostColumns, mostRows } from '../../../../workbook/limits.js';
import type { Sheet } from '../table/table.js';
import { damaged, tooLarge } from './problem.js';

/** What a text may have before `_x000D_` and the like become characters. */
const mostStoredCharacters = mostCellCharacters * '_x000D_'.length;
/** Characters of a row at most: 256 columns of the longest cells have as many. */
const mostRowCharacters = 8 * 1024 * 1024;
const mostSheets = 256;
const longestSheetName = 255;
/** Merged rows that are told. */
const mostMergedRows = 10_000;
/** Cells that are made of repeated ones, in a sheet: a file of some bytes could fill it. */
const mostRepeatedCells = 5_000_000;

/** A text with another piece. @throws WorkbookProblem when it gets too long for any cell */
export function joined(text: string, piece: string): string {
  if (text.length + piece.length > mostStoredCharacters)
    throw tooLarge(`a cell has more than ${mostCellCharacters} characters`);
  return text + piece;
}

/** @throws WorkbookProblem for a row that takes more memory than any table needs */
export function assertRowLength(characters: number): void {
  if (characters > mostRowCharacters) throw tooLarge(`a row has more than ${mostRowCharacters} characters`);
}

/** Adds a sheet, or what else there is one of for each. @throws WorkbookProblem */
export function addSheet<T extends { name: string }>(sheets: T[], sheet: T): void {
  if (sheets.length === mostSheets) throw tooLarge(`it has more than ${mostSheets} sheets`);
  if (sheet.name.length > longestSheetName)
    throw tooLarge(`the name of a sheet has more than ${longestSheetName} characters`);
  sheets.push(sheet);
}

/** Rows that cells of an earlier row are merged with: their values belong to the first row. */
export class MergedRows {
  readonly #lines = new Set<number>();

  /** @param first row of merged cells @param count of their rows */
  add(first: number, count: number): void {
    for (let line = first + 1; line < first + count && this.#lines.size < mostMergedRows; line += 1)
      this.#lines.add(line);
  }

  /** In their order, once all rows were read. */
  get lines(): readonly number[] {
    return [...this.#lines].sort((one, other) => one - other);
  }
}

/** A row of a sheet that has any content. */
export interface SheetRow {
  /** Its number in the sheet, from 1. */
  line: number;
  /** Up to the last one that isn't blank. */
  cells: string[];
  isHidden: boolean;
}

/** An open workbook. */
export interface Workbook {
  kind: 'xlsx' | 'ods';
  /** In the order of the file. */
  sheets: readonly Sheet[];
  /** The rows of a sheet, in lists as they are read. @param index from 0 @throws WorkbookProblem */
  rows(index: number, merged?: MergedRows): AsyncGenerator<SheetRow[]>;
  close(): Promise<void>;
}

/** Collects the rows of a sheet. Blank cells and rows take no memory. */
export class RowCollector {
  #rows: SheetRow[] = [];
  /** The cells of the row that have a text, and the last of them that isn't blank. */
  #texts: { column: number; text: string }[] = [];
  #lastFilled = -1;
  #repeated = 0;
  #line = 0;
  #isHidden = false;
  #characters = 0;

  /** Begins a row. @param line from 1; the next one when absent */
  begin(line: number | undefined, isHidden: boolean): void {
    const next = line ?? this.#line + 1;
    if (!Number.isInteger(next) || next <= this.#line) throw damaged(`its row ${line} is not in its place`);
    if (next > mostRows) throw tooLarge(`it has more than ${mostRows} rows`);
    this.#line = next;
    this.#isHidden = isHidden;
    this.#texts = [];
    this.#lastFilled = -1;
    this.#characters = 0;
  }

  get line(): number {
    return this.#line;
  }

  /** Sets a cell that may be repeated to the right. @param column from 0 */
  set(column: number, text: string, times = 1): void {
    if (text === '') return;
    this.#countRepeated(times - 1);
    for (let at = 0; at < times; at += 1) this.#setOne(column + at, text);
  }

  #setOne(column: number, text: string): void {
    if (column < 0 || column >= mostColumns) throw tooLarge(`it has more than ${mostColumns} columns`);
    if (text.length > mostCellCharacters)
      throw tooLarge(`a cell in its row ${this.#line} has more than ${mostCellCharacters} characters`);
    this.#characters += text.length;
    assertRowLength(this.#characters);
    this.#texts.push({ column, text });
    if (text.trim() !== '') this.#lastFilled = Math.max(this.#lastFilled, column);
  }

  #countRepeated(cells: number): void {
    this.#repeated += cells;
    if (this.#repeated > mostRepeatedCells) throw tooLarge(`it repeats more than ${mostRepeatedCells} cells`);
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
    this.#countRepeated((times - 1) * cells.length);
    for (let at = 0; at < times; at += 1) this.#rows.push({ line: line + at, cells, isHidden });
  }

  /** The rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
