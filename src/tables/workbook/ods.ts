import type { Sheet } from '../table/table.js';
import { maxCellCharacters, maxColumns, maxRows } from '../write/limits.js';
import type { Archive } from './archive.js';
import type { Work } from './bounds.js';
import { expandExponent, generalFormat, isoDateText, numberText, percentFormat } from './numbers.js';
import { tooLarge, WorkbookProblem } from './problem.js';
import { addSheet, appendText, RowCollector, type SheetMarks, type SheetRow, type Workbook } from './sheet-row.js';
import { parseXml, readXml } from './xml.js';

type Attribute = (name: string) => string | undefined;

const content = 'content.xml';

/** Maximum repetitions of a row with content. No real table has more. */
const maxRepeatedRows = 1000;

/** Maximum rows in a list: one chunk of the file may repeat a row very often. */
const maxRowsPerList = 200;

const repetitionsOf = (text: string | undefined, most: number) => Math.min(Math.max(1, Number(text ?? 1) || 1), most);

const maxHiddenStyles = 10_000;

async function assertUnencrypted(archive: Archive): Promise<void> {
  if (!archive.has('META-INF/manifest.xml')) return;
  await readXml(archive.read('META-INF/manifest.xml'), archive.work, {
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
  await readXml(archive.read(content), archive.work, {
    open(element, attribute) {
      if (element === 'style') style = attribute('name') ?? '';
      if (element === 'table-properties' && attribute('display') === 'false') hiddenStyles.add(style);
      if (hiddenStyles.size > maxHiddenStyles) throw tooLarge(`it has more than ${maxHiddenStyles} hidden styles`);
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
 * Returns the displayed text of a number if it says more than the value: a plus, leading zeros, a date, a percentage, a word
 * or an error. Otherwise returns the value.
 */
function shownNumber(value: string, shown: string): string {
  const compact = shown.replace(/[\s()/-]/g, '');
  if (/^(?:\+\d+|0\d+)$/.test(compact) && compact.endsWith(expandExponent(value))) return compact;
  if (/^(?:\d{4}-\d\d-\d\d|\p{L}+|#\p{Lu}.*|Err:\d+)$/u.test(shown)) return shown;
  return numberText(value, /^-?[\d.,]+\s?%$/.test(shown) ? percentFormat : generalFormat, 1900);
}

/** Converts a time of day, which is stored as a duration. */
function timeText(value: string): string | undefined {
  const [, ...parts] = /^PT(\d{2})H(\d{2})M(\d{2})/.exec(value) ?? [];
  return parts.length === 0 ? undefined : parts.join(':');
}

/** Attributes that hold the values of types. Numbers have their value in `value`. */
const valueNames: Readonly<Record<string, string>> = {
  string: 'string-value',
  date: 'date-value',
  time: 'time-value',
  boolean: 'boolean-value',
};

/** Elements within a cell whose texts don't belong to the cell. */
const skippedElements: readonly string[] = ['annotation', 'ruby-text', 'note', 'shapes', 'frame'];

const isParagraph = (element: string) => element === 'p' || element === 'h';

/**
 * Replaces line breaks of the file by spaces (OpenDocument 1.3, part 3, 6.1.2). Keeps several spaces, because LibreOffice
 * writes spaces literally.
 */
function oneLine(text: string): string {
  const [first = '', ...others] = text.split(/[\r\n]+/);
  if (others.length === 0) return text;
  const last = others.pop() ?? '';
  return [first.trimEnd(), ...others.map((line) => line.trim()), last.trimStart()].join(' ');
}

class SheetReader {
  readonly rows: RowCollector;
  readonly #work: Work;
  readonly #wanted: number;
  readonly #marks: SheetMarks | undefined;
  #sheet = -1;
  #tables = 0;
  #skippedDepth = 0;
  #column = 0;
  #headedColumns = 0;
  #hiddenGroups = 0;
  #rowTimes = 1;
  #cell: { times: number; type: string | undefined; value: string | undefined; hasFormula: boolean } | undefined;
  /** Text of the cell; each paragraph is a line. */
  #shown = '';
  #paragraphs = 0;
  #isParagraph = false;
  /** Whether the last line of `#shown` is empty. Inspecting the text instead would copy it each time. */
  #isLineStart = true;

  constructor(work: Work, wanted: number, marks: SheetMarks | undefined) {
    this.rows = new RowCollector(work);
    this.#work = work;
    this.#wanted = wanted;
    this.#marks = marks;
  }

  /** Whether the requested sheet was read completely. */
  get isDone(): boolean {
    return this.#sheet > this.#wanted || (this.#sheet === this.#wanted && this.#tables === 0);
  }

  get #isWanted(): boolean {
    return this.#sheet === this.#wanted && this.#tables === 1;
  }

  open(element: string, attribute: Attribute): void {
    if (element === 'table') {
      if (this.#tables === 0) this.#sheet += 1;
      this.#tables += 1;
    }
    if (!this.#isWanted) return;
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
    const isHidden = this.#hiddenGroups > 0 || (attribute('visibility') ?? 'visible') !== 'visible';
    if (isHidden) this.#marks?.addHiddenColumns(this.#headedColumns, times);
    this.#headedColumns += times;
  }

  /** All groups within a collapsed group are hidden. */
  #openGroup(attribute: Attribute): void {
    if (this.#hiddenGroups > 0 || attribute('display') === 'false') this.#hiddenGroups += 1;
  }

  #openRow(attribute: Attribute): void {
    this.#rowTimes = repetitionsOf(attribute('number-rows-repeated'), maxRows);
    this.rows.begin(undefined, (attribute('visibility') ?? 'visible') !== 'visible');
    this.#column = 0;
  }

  #openCell(element: string, attribute: Attribute): void {
    const times = repetitionsOf(attribute('number-columns-repeated'), maxColumns);
    this.#marks?.addMerged(this.rows.line, repetitionsOf(attribute('number-rows-spanned'), maxRows));
    const type = element === 'covered-table-cell' ? undefined : (attribute('value-type') ?? 'none');
    const value = attribute(valueNames[type ?? ''] ?? 'value');
    this.#cell = { times, type, value, hasFormula: attribute('formula') !== undefined };
    this.#shown = '';
    this.#isLineStart = true;
    this.#paragraphs = 0;
  }

  #openText(element: string, attribute: Attribute): void {
    if (isParagraph(element)) {
      this.#isParagraph = true;
      if (this.#paragraphs > 0) this.#add('\n');
      this.#paragraphs += 1;
    }
    if (element === 's') this.#add(' '.repeat(repetitionsOf(attribute('c'), maxCellCharacters)));
    if (element === 'tab') this.#add('\t');
    if (element === 'line-break') this.#add('\n');
  }

  #add(text: string): void {
    // Cells that are covered by merged cells have no text.
    if (!this.#isParagraph || this.#cell?.type === undefined || text === '') return;
    this.#shown = appendText(this.#shown, text);
    this.#isLineStart = text === '\n';
  }

  text(text: string): void {
    if (!this.#isWanted || this.#skippedDepth > 0 || !this.#cell) return;
    const isIndented = this.#isLineStart && /^\s*[\r\n]/.test(text);
    this.#add(isIndented ? oneLine(text).trimStart() : oneLine(text));
  }

  close(element: string): void {
    if (this.#isWanted) {
      if (skippedElements.includes(element)) this.#skippedDepth -= 1;
      else if (this.#skippedDepth === 0 && isParagraph(element)) this.#isParagraph = false;
      else if (element === 'table-column-group' && this.#hiddenGroups > 0) this.#hiddenGroups -= 1;
      else if (this.#skippedDepth === 0 && element === 'table-row') this.#closeRow();
      else if (this.#skippedDepth === 0 && this.#cell && /^(?:covered-)?table-cell$/.test(element)) this.#closeCell();
    }
    if (element === 'table') this.#tables -= 1;
  }

  #closeCell(): void {
    if (!this.#cell) return;
    const { times, type, value, hasFormula } = this.#cell;
    // Programs that don't calculate formulas show nothing, but may store a zero.
    const isUncalculated = hasFormula && this.#paragraphs === 0 && (value === undefined || isZero(type, value));
    const text = type === undefined || isUncalculated ? '' : textOf(type, value, this.#shown);
    // Counts displayed text that is discarded in favor of the value.
    if (text !== this.#shown) this.#work.characters.add(this.#shown.length);
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
    work: archive.work,
    async *rows(index, marks): AsyncGenerator<SheetRow[]> {
      const reader = new SheetReader(archive.work, index, marks);
      for await (const _ of parseXml(archive.read(content), archive.work, {
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
