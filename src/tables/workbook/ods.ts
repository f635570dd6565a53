import type { Sheet } from '../table/table.js';
import { maxCellCharacters, maxColumns, maxRows } from '../write/limits.js';
import type { Archive } from './archive.js';
import type { WorkLimits } from './bounds.js';
import { expandExponent, generalFormat, isoDateText, numberText, percentFormat } from './numbers.js';
import { tooLarge, WorkbookProblem } from './problem.js';
import { addSheet, appendText, RowCollector, type SheetLayout, type SheetRow, type Workbook } from './sheet-row.js';
import { parseXml, readXml } from './xml.js';

type Attribute = (name: string) => string | undefined;

const content = 'content.xml';

/** Maximum repetitions of a row with content. No real table has more. */
const maxRepeatedRows = 1000;

/** Maximum rows that are yielded at a time: a few bytes of the file can repeat a row a thousand times. */
const maxRowsPerList = 200;

const repetitionsOf = (text: string | undefined, most: number) => Math.min(Math.max(1, Number(text ?? 1) || 1), most);

const maxHiddenStyles = 10_000;

async function assertUnencrypted(archive: Archive): Promise<void> {
  if (!archive.has('META-INF/manifest.xml')) return;
  await readXml(archive.read('META-INF/manifest.xml'), archive.workLimits, {
    open(element) {
      if (element === 'encryption-data') throw new WorkbookProblem('ENCRYPTED', 'it is protected by a password');
    },
  });
}

async function readSheets(archive: Archive): Promise<Sheet[]> {
  const hiddenStyles = new Set<string>();
  const sheets: Sheet[] = [];
  let style = '';
  let depth = 0;
  let isSpreadsheet = false;
  await readXml(archive.read(content), archive.workLimits, {
    open(element, attribute) {
      if (element === 'style') style = attribute('name') ?? '';
      if (element === 'table-properties' && attribute('display') === 'false') hiddenStyles.add(style);
      if (hiddenStyles.size > maxHiddenStyles)
        throw tooLarge(`it has more than ${maxHiddenStyles} styles that hide sheets`);
      isSpreadsheet ||= element === 'spreadsheet';
      if (element !== 'table') return;
      const isHidden = hiddenStyles.has(attribute('style-name') ?? '');
      if (depth === 0 && isSpreadsheet) addSheet(sheets, { name: attribute('name') ?? '', isHidden });
      depth += 1;
    },
    close(element) {
      if (element === 'table') depth -= 1;
    },
  });
  // Text documents have tables, too.
  if (!isSpreadsheet) throw new WorkbookProblem('NOT_A_WORKBOOK', 'it is no spreadsheet');
  return sheets;
}

/**
 * Returns the displayed text of a number if the value lacks a part of the text: a plus, leading zeros, a date, a word or an
 * error. Otherwise, returns the formatted value.
 */
function shownNumber(value: string, shown: string): string {
  const compact = shown.replace(/[\s()/-]/g, '');
  if (/^(?:\+\d+|0\d+)$/.test(compact) && compact.endsWith(expandExponent(value))) return compact;
  if (/^(?:\d{4}-\d\d-\d\d|\p{L}+|#\p{Lu}.*|Err:\d+)$/u.test(shown)) return shown;
  return numberText(value, /^-?[\d.,]+\s?%$/.test(shown) ? percentFormat : generalFormat, 1900);
}

/** Converts a time of day, which is stored as a duration such as `PT08H30M00S`. */
function timeText(value: string): string | undefined {
  const [, ...parts] = /^PT(\d{2})H(\d{2})M(\d{2})/.exec(value) ?? [];
  return parts.length === 0 ? undefined : parts.join(':');
}

/** Name of the attribute with the value of a cell, by the type of the value. For numbers, the name is `value`. */
const valueNames: Readonly<Record<string, string>> = {
  string: 'string-value',
  date: 'date-value',
  time: 'time-value',
  boolean: 'boolean-value',
};

/** Elements within a cell whose texts don't belong to the cell. */
const skippedElements: readonly string[] = ['annotation', 'ruby-text', 'note', 'shapes', 'frame'];

const isParagraphElement = (element: string) => element === 'p' || element === 'h';

/**
 * Replaces line breaks in the XML by spaces (OpenDocument 1.3, part 3, 6.1.2). Keeps consecutive spaces, although the standard
 * reduces them to one: LibreOffice writes each space of a text as it is.
 */
function oneLine(text: string): string {
  const [first = '', ...others] = text.split(/[\r\n]+/);
  if (others.length === 0) return text;
  const last = others.pop() ?? '';
  return [first.trimEnd(), ...others.map((line) => line.trim()), last.trimStart()].join(' ');
}

class SheetReader {
  readonly rows: RowCollector;
  readonly #workLimits: WorkLimits;
  readonly #wantedSheet: number;
  /** Receives merged rows and hidden columns; undefined if the caller doesn't need them. */
  readonly #layout: SheetLayout | undefined;
  #sheetIndex = -1;
  #tableDepth = 0;
  #skippedDepth = 0;
  #column = 0;
  /** Number of columns that `table-column` elements have described so far. */
  #declaredColumns = 0;
  /** Number of open column groups, counted from the outermost collapsed group. */
  #hiddenGroupDepth = 0;
  #rowTimes = 1;
  #cell: { times: number; type: string | undefined; value: string | undefined; hasFormula: boolean } | undefined;
  /** Text of the cell; each paragraph is a line. */
  #shown = '';
  #paragraphs = 0;
  #isInParagraph = false;
  /** Whether the last line of `#shown` is empty. Stored, because reading the end of the growing text would copy the text. */
  #isLineStart = true;

  constructor(workLimits: WorkLimits, wantedSheet: number, layout: SheetLayout | undefined) {
    this.rows = new RowCollector(workLimits);
    this.#workLimits = workLimits;
    this.#wantedSheet = wantedSheet;
    this.#layout = layout;
  }

  /** Whether the requested sheet was read completely. */
  get isDone(): boolean {
    return this.#sheetIndex > this.#wantedSheet || (this.#sheetIndex === this.#wantedSheet && this.#tableDepth === 0);
  }

  get #isInWantedSheet(): boolean {
    return this.#sheetIndex === this.#wantedSheet && this.#tableDepth === 1;
  }

  open(element: string, attribute: Attribute): void {
    if (element === 'table') {
      if (this.#tableDepth === 0) this.#sheetIndex += 1;
      this.#tableDepth += 1;
    }
    if (!this.#isInWantedSheet) return;
    if (skippedElements.includes(element)) this.#skippedDepth += 1;
    if (this.#skippedDepth > 0) return;
    if (element === 'table-column') this.#openColumns(attribute);
    else if (element === 'table-column-group') this.#openGroup(attribute);
    else if (element === 'table-row') this.#openRow(attribute);
    else if (element === 'table-cell' || element === 'covered-table-cell') this.#openCell(element, attribute);
    else if (this.#cell) this.#openText(element, attribute);
  }

  #openColumns(attribute: Attribute): void {
    const times = repetitionsOf(attribute('number-columns-repeated'), maxColumns);
    const isHidden = this.#hiddenGroupDepth > 0 || (attribute('visibility') ?? 'visible') !== 'visible';
    if (isHidden) this.#layout?.addHiddenColumns(this.#declaredColumns, times);
    this.#declaredColumns += times;
  }

  /** Counts a collapsed group, and all groups within it, because they are hidden, too. */
  #openGroup(attribute: Attribute): void {
    if (this.#hiddenGroupDepth > 0 || attribute('display') === 'false') this.#hiddenGroupDepth += 1;
  }

  #openRow(attribute: Attribute): void {
    this.#rowTimes = repetitionsOf(attribute('number-rows-repeated'), maxRows);
    this.rows.begin(undefined, (attribute('visibility') ?? 'visible') !== 'visible');
    this.#column = 0;
  }

  #openCell(element: string, attribute: Attribute): void {
    const times = repetitionsOf(attribute('number-columns-repeated'), maxColumns);
    this.#layout?.addMergedRows(this.rows.line, repetitionsOf(attribute('number-rows-spanned'), maxRows));
    const type = element === 'covered-table-cell' ? undefined : (attribute('value-type') ?? 'none');
    const value = attribute(valueNames[type ?? ''] ?? 'value');
    this.#cell = { times, type, value, hasFormula: attribute('formula') !== undefined };
    this.#shown = '';
    this.#isLineStart = true;
    this.#paragraphs = 0;
  }

  #openText(element: string, attribute: Attribute): void {
    if (isParagraphElement(element)) {
      this.#isInParagraph = true;
      if (this.#paragraphs > 0) this.#add('\n');
      this.#paragraphs += 1;
    }
    if (element === 's') this.#add(' '.repeat(repetitionsOf(attribute('c'), maxCellCharacters)));
    if (element === 'tab') this.#add('\t');
    if (element === 'line-break') this.#add('\n');
  }

  #add(text: string): void {
    // Ignores the text of a cell without a type: a merged cell covers it.
    if (!this.#isInParagraph || this.#cell?.type === undefined || text === '') return;
    this.#shown = appendText(this.#shown, text);
    this.#isLineStart = text === '\n';
  }

  text(text: string): void {
    if (!this.#isInWantedSheet || this.#skippedDepth > 0 || !this.#cell) return;
    const isIndented = this.#isLineStart && /^\s*[\r\n]/.test(text);
    this.#add(isIndented ? oneLine(text).trimStart() : oneLine(text));
  }

  close(element: string): void {
    if (this.#isInWantedSheet) {
      if (skippedElements.includes(element)) this.#skippedDepth -= 1;
      else if (this.#skippedDepth === 0 && isParagraphElement(element)) this.#isInParagraph = false;
      else if (element === 'table-column-group' && this.#hiddenGroupDepth > 0) this.#hiddenGroupDepth -= 1;
      else if (this.#skippedDepth === 0 && element === 'table-row') this.#closeRow();
      else if (this.#skippedDepth === 0 && this.#cell && /^(?:covered-)?table-cell$/.test(element)) this.#closeCell();
    }
    if (element === 'table') this.#tableDepth -= 1;
  }

  #closeCell(): void {
    if (!this.#cell) return;
    const { times, type, value, hasFormula } = this.#cell;
    // A program that doesn't calculate formulas writes no text into their cells, but may store zero as the value.
    const isUncalculated = hasFormula && this.#paragraphs === 0 && (value === undefined || isZero(type, value));
    const text = type === undefined || isUncalculated ? '' : textOf(type, value, this.#shown);
    // `rows.set` counts only the returned text. The displayed text was read, too, so it is counted here.
    if (text !== this.#shown) this.#workLimits.characters.add(this.#shown.length);
    const kind = isUncalculated ? 'uncalculated' : type === 'float' ? 'number' : 'text';
    this.rows.set(this.#column, text, kind, Math.min(times, maxColumns));
    this.#column += times;
    this.#cell = undefined;
  }

  #closeRow(): void {
    this.rows.end(this.#rowTimes, maxRepeatedRows);
  }
}

const isZero = (type: string | undefined, value: string) =>
  (type === 'float' || type === 'currency' || type === 'percentage') && Number(value) === 0;

function textOf(type: string, value: string | undefined, shown: string): string {
  switch (type) {
    case 'float':
    case 'currency':
      return value === undefined ? shown : shownNumber(value, shown);
    case 'percentage':
      return value === undefined ? shown : numberText(value, percentFormat, 1900);
    case 'date':
      return isoDateText(value ?? shown);
    case 'time':
      return timeText(value ?? '') ?? shown;
    case 'boolean':
      return value === undefined ? shown : value.toUpperCase();
    case 'string':
      return shown === '' ? (value ?? '') : shown;
    default:
      return shown;
  }
}

/** Reads an OpenDocument spreadsheet (ISO/IEC 26300). @throws WorkbookProblem */
export async function openOds(archive: Archive): Promise<Workbook> {
  await assertUnencrypted(archive);
  const sheets = await readSheets(archive);
  return {
    kind: 'ods',
    sheets,
    workLimits: archive.workLimits,
    async *rows(index, layout): AsyncGenerator<SheetRow[]> {
      const reader = new SheetReader(archive.workLimits, index, layout);
      for await (const _ of parseXml(archive.read(content), archive.workLimits, {
        open: (element, attribute) => reader.open(element, attribute),
        text: (text) => reader.text(text),
        close: (element) => reader.close(element),
      })) {
        const rows = reader.rows.take();
        for (let at = 0; at < rows.length; at += maxRowsPerList) yield rows.slice(at, at + maxRowsPerList);
        if (reader.isDone) return;
      }
    },
    close: async () => archive.close(),
  };
}
