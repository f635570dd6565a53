import type { Sheet } from '../table/table.js';
import { damaged, tooLarge } from './problem.js';

export const mostColumns = 16_384;
export const mostRows = 1_048_576;
export const mostCellCharacters = 32_767;
/** What a text may have before `_x000D_` and the like become characters. */
const mostStoredCharacters = mostCellCharacters * '_x000D_'.length;
/** Characters of a row at most: 256 columns of the longest cells have as many. */
const mostRowCharacters = 8 * 1024 * 1024;
const mostSheets = 10_000;
const longestSheetName = 1000;

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

/** A row of a sheet that has any content. */
export interface SheetRow {
  /** Its number in the sheet, from 1. */
  line: number;
  /** Up to the last one that isn't empty. */
  cells: string[];
  isHidden: boolean;
}

/** An open workbook. */
export interface Workbook {
  kind: 'xlsx' | 'ods';
  /** In the order of the file. */
  sheets: readonly Sheet[];
  /** The rows of a sheet, in lists as they are read. @param index from 0 @throws WorkbookProblem */
  rows(index: number): AsyncGenerator<SheetRow[]>;
  close(): Promise<void>;
}

/** Collects the rows of a sheet. Empty cells and rows take no memory. */
export class RowCollector {
  #rows: SheetRow[] = [];
  #cells: string[] = [];
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
    this.#cells = [];
    this.#characters = 0;
  }

  get line(): number {
    return this.#line;
  }

  /** @param column from 0 */
  set(column: number, text: string): void {
    if (column < 0 || column >= mostColumns) throw tooLarge(`it has more than ${mostColumns} columns`);
    if (text === '') return;
    if (text.length > mostCellCharacters)
      throw tooLarge(`a cell in its row ${this.#line} has more than ${mostCellCharacters} characters`);
    this.#characters += text.length;
    assertRowLength(this.#characters);
    while (this.#cells.length < column) this.#cells.push('');
    this.#cells[column] = text;
  }

  /**
   * Ends a row that is repeated so many times.
   * @param most repetitions of a row with content
   */
  end(times = 1, most = 1): void {
    const [line, cells, isHidden] = [this.#line, this.#cells, this.#isHidden];
    const isFilled = cells.some((cell) => cell.trim() !== '');
    if (isFilled && times > most) throw tooLarge(`its row ${line} is repeated ${times} times`);
    if (isFilled) for (let at = 0; at < times; at += 1) this.#rows.push({ line: line + at, cells, isHidden });
    this.#line += times - 1;
  }

  /** The rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
