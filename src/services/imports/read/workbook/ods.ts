import type { Sheet } from '../table/table.js';
import type { Archive } from './archive.js';
import { allDigits, numberText } from './numbers.js';
import { WorkbookProblem } from './problem.js';
import { mostColumns, mostRows, RowCollector, type SheetRow, type Workbook } from './sheet-row.js';
import { parseXml, readXml } from './xml.js';

type Attribute = (name: string) => string | undefined;

const content = 'content.xml';

/** Rows with content that are made of one that is repeated: more can't be meant. */
const mostRepeatedRows = 1000;

const timesOf = (text: string | undefined, most: number) => Math.min(Math.max(1, Number(text ?? 1) || 1), most);

async function assertReadable(archive: Archive): Promise<void> {
  if (!archive.has(content)) throw new WorkbookProblem('NOT_A_WORKBOOK', 'it is no spreadsheet');
  if (!archive.has('META-INF/manifest.xml')) return;
  await readXml(archive.read('META-INF/manifest.xml'), {
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
  await readXml(archive.read(content), {
    open(element, attribute) {
      if (element === 'style') style = attribute('name') ?? '';
      if (element === 'table-properties' && attribute('display') === 'false') hiddenStyles.add(style);
      if (element !== 'table') return;
      if (depth === 0)
        sheets.push({ name: attribute('name') ?? '', isHidden: hiddenStyles.has(attribute('style-name') ?? '') });
      depth += 1;
    },
    close(element) {
      if (element === 'table') depth -= 1;
    },
  });
  return sheets;
}

/** What a number is shown as, where that says more than its value: a plus, zeros before it, a date, a percentage. */
function shownNumber(value: string, shown: string): string {
  const digits = allDigits(value);
  const compact = shown.replace(/[\s()/-]/g, '');
  const isPadded = /^\+?\d+$/.test(compact) && compact.replace(/^\+?0*/, '') === digits;
  if (isPadded || /^\d{4}-\d\d-\d\d$/.test(shown) || /^-?[\d.,]+\s?%$/.test(shown)) return shown.trim();
  return numberText(value, { kind: 'general' }, 1900);
}

/** Texts within a cell that aren't its own. */
const foreign: readonly string[] = ['annotation', 'ruby-text', 'note', 'shapes', 'frame'];

/** Reads one sheet of a document. */
class SheetReader {
  readonly rows = new RowCollector();
  readonly #wanted: number;
  #sheet = -1;
  #tables = 0;
  #foreign = 0;
  #column = 0;
  #rowTimes = 1;
  #cell: { times: number; type: string | undefined; value: string | undefined } | undefined;
  #paragraphs: string[] = [];

  constructor(wanted: number) {
    this.#wanted = wanted;
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
    if (foreign.includes(element)) this.#foreign += 1;
    if (this.#foreign > 0) return;
    if (element === 'table-row') this.#openRow(attribute);
    else if (element === 'table-cell' || element === 'covered-table-cell') this.#openCell(element, attribute);
    else if (this.#cell) this.#openText(element, attribute);
  }

  #openRow(attribute: Attribute): void {
    this.#rowTimes = timesOf(attribute('number-rows-repeated'), mostRows);
    this.rows.begin(undefined, (attribute('visibility') ?? 'visible') !== 'visible');
    this.#column = 0;
  }

  #openCell(element: string, attribute: Attribute): void {
    const times = timesOf(attribute('number-columns-repeated'), mostColumns);
    const type = element === 'covered-table-cell' ? undefined : (attribute('value-type') ?? 'none');
    const value =
      attribute('value') ?? attribute('date-value') ?? attribute('boolean-value') ?? attribute('time-value');
    this.#cell = { times, type, value };
    this.#paragraphs = [];
  }

  #openText(element: string, attribute: Attribute): void {
    if (element === 'p' || element === 'h') this.#paragraphs.push('');
    if (element === 's') this.#add(' '.repeat(timesOf(attribute('c'), 1000)));
    if (element === 'tab') this.#add('\t');
    if (element === 'line-break') this.#add('\n');
  }

  #add(text: string): void {
    const last = this.#paragraphs.length - 1;
    if (last >= 0) this.#paragraphs[last] += text;
  }

  /** Spaces and line breaks of the file are one space (OpenDocument 1.3, part 3, 6.1.2). */
  text(text: string): void {
    if (this.#isWanted && this.#foreign === 0 && this.#cell) this.#add(text.replace(/[ \t\r\n]+/g, ' '));
  }

  close(element: string): void {
    if (this.#isWanted) {
      if (foreign.includes(element)) this.#foreign -= 1;
      else if (this.#foreign === 0 && element === 'table-row') this.#closeRow();
      else if (this.#foreign === 0 && this.#cell && /^(?:covered-)?table-cell$/.test(element)) this.#closeCell();
    }
    if (element === 'table') this.#tables -= 1;
  }

  #closeCell(): void {
    if (!this.#cell) return;
    const { times, type, value } = this.#cell;
    const shown = this.#paragraphs.join('\n');
    const text = type === undefined ? '' : textOf(type, value, shown);
    // Empty ones are as many as fill the sheet.
    if (text !== '')
      for (let at = 0; at < Math.min(times, mostColumns); at += 1) this.rows.set(this.#column + at, text);
    this.#column += times;
    this.#cell = undefined;
  }

  #closeRow(): void {
    this.rows.end(this.#rowTimes, mostRepeatedRows);
  }
}

function textOf(type: string, value: string | undefined, shown: string): string {
  switch (type) {
    case 'float':
    case 'currency':
      return value === undefined ? shown : shownNumber(value, shown);
    case 'percentage':
      return shown;
    case 'date':
      return (value ?? shown).replace('T', ' ').replace(/ 00:00:00(?:\.0+)?$/, '');
    case 'boolean':
      return value === undefined ? shown : value.toUpperCase();
    default:
      return shown;
  }
}

/** Reads an OpenDocument spreadsheet (ISO/IEC 26300). @throws WorkbookProblem */
export async function openOds(archive: Archive): Promise<Workbook> {
  await assertReadable(archive);
  const sheets = await readSheets(archive);
  return {
    kind: 'ods',
    sheets,
    async *rows(index): AsyncGenerator<SheetRow[]> {
      const reader = new SheetReader(index);
      for await (const _ of parseXml(archive.read(content), {
        open: (element, attribute) => reader.open(element, attribute),
        text: (text) => reader.text(text),
        close: (element) => reader.close(element),
      })) {
        const rows = reader.rows.take();
        if (rows.length > 0) yield rows;
      }
    },
    close: () => archive.close(),
  };
}
