import type { Sheet } from '../table/table.js';
import { mostCellCharacters, mostColumns, mostRows } from '../write/limits.js';
import type { Work } from './bounds.js';
import { damaged, tooLarge } from './problem.js';

/** What a text may have before `_x000D_` and the like become characters. */
const mostStoredCharacters = mostCellCharacters * '_x000D_'.length;
/** Characters of a row at most: 256 columns of the longest cells have as many. */
const mostRowCharacters = 8 * 1024 * 1024;
const mostSheets = 256;
const longestSheetName = 255;
/** Merged rows that are listed. */
const mostMergedRows = 10_000;

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
  /** By line, merged ranges that begin there less those that end before it: any number of ranges is added up in one pass. */
  #changes: Int32Array | undefined;

  /** @param first row of merged cells, from 1 @param count of their rows */
  add(first: number, count: number): void {
    if (first < 1 || first >= mostRows || count < 2) return;
    this.#changes ??= new Int32Array(mostRows + 2);
    this.#changes[first + 1] = (this.#changes[first + 1] ?? 0) + 1;
    const end = Math.min(first + count, mostRows + 1);
    this.#changes[end] = (this.#changes[end] ?? 0) - 1;
  }

  /** The first of them in their order, once all rows were read. */
  get lines(): readonly number[] {
    const lines: number[] = [];
    let ranges = 0;
    for (const [line, change] of this.#changes?.entries() ?? []) {
      ranges += change;
      if (ranges > 0) lines.push(line);
      if (lines.length === mostMergedRows) break;
    }
    return lines;
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
    this.#work.repeatedCells.add(times - 1);
    for (let at = 0; at < times; at += 1) this.#setOne(column + at, text);
  }

  #setOne(column: number, text: string): void {
    if (column < 0 || column >= mostColumns) throw tooLarge(`it has more than ${mostColumns} columns`);
    if (text.length > mostCellCharacters)
      throw tooLarge(`a cell in its row ${this.#line} has more than ${mostCellCharacters} characters`);
    this.#characters += text.length;
    assertRowLength(this.#characters);
    this.#work.characters.add(text.length);
    this.#texts.push({ column, text });
    if (text.trim() !== '') this.#lastFilled = Math.max(this.#lastFilled, column);
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
    for (let at = 0; at < times; at += 1) this.#rows.push({ line: line + at, cells, isHidden });
  }

  /** The rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}
