import path from 'node:path/posix';
import type { Sheet } from '../table/table.js';
import { maxColumns } from '../write/limits.js';
import type { Archive } from './archive.js';
import {
  builtInFormat,
  generalFormat,
  isoDateText,
  type NumberFormat,
  numberText,
  parseNumberFormat,
} from './numbers.js';
import { damaged, tooLarge, WorkbookProblem } from './problem.js';
import { SharedStrings } from './shared-strings.js';
import {
  addSheet,
  appendText,
  assertRowLength,
  type CellKind,
  RowCollector,
  type SheetLayout,
  type SheetRow,
  type Workbook,
} from './sheet-row.js';
import { TextCollector, unescapeText } from './text-collector.js';
import { parseXml, readXml } from './xml.js';

/** Maximum bytes of each part that is kept in memory, except the shared texts. */
const maxPartBytes = 32 * 1024 * 1024;

type Targets = ReadonlyMap<string, { target: string; type: string }>;

const relationsOf = (part: string) => path.join(path.dirname(part), '_rels', `${path.basename(part)}.rels`);

async function readRelations(archive: Archive, part: string): Promise<Targets> {
  const targets = new Map<string, { target: string; type: string }>();
  const name = relationsOf(part);
  if (!archive.has(name)) return targets;
  await readXml(archive.read(name, maxPartBytes), archive.workLimits, {
    open(element, attribute) {
      const [id, target, type] = [attribute('Id'), attribute('Target'), attribute('Type')];
      // External targets are never opened.
      if (element !== 'Relationship' || !id || !target || attribute('TargetMode') === 'External') return;
      const resolved = target.startsWith('/') ? target.slice(1) : path.join(path.dirname(part), target);
      targets.set(id, { target: resolved, type: type?.slice(type.lastIndexOf('/') + 1) ?? '' });
    },
  });
  return targets;
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true';

interface Contents {
  sheets: (Sheet & { part: string })[];
  dateSystem: 1900 | 1904;
  /** Whether a zero may be a placeholder, because the program that wrote the file doesn't calculate formulas. */
  hasPlaceholders: boolean;
  strings: string | undefined;
  styles: string | undefined;
}

const notAWorkbook = () => new WorkbookProblem('NOT_A_WORKBOOK', 'it is no workbook');

async function readContents(archive: Archive): Promise<Contents> {
  const root = [...(await readRelations(archive, '')).values()];
  const main = root.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  if (!archive.has(main)) throw notAWorkbook();
  const targets = await readRelations(archive, main);
  const partOf = (type: string) => [...targets.values()].find((relation) => relation.type === type)?.target;
  const sheets: Contents['sheets'] = [];
  let dateSystem: 1900 | 1904 = 1900;
  let isWorkbook = false;
  // Programs that calculate formulas write a `calcPr` element.
  let hasPlaceholders = true;
  await readXml(archive.read(main, maxPartBytes), archive.workLimits, {
    open(element, attribute) {
      // Text documents and presentations are archives of the same kind.
      isWorkbook ||= element === 'workbook';
      if (!isWorkbook) throw notAWorkbook();
      if (element === 'workbookPr' && isTrue(attribute('date1904'))) dateSystem = 1904;
      if (element === 'calcPr') hasPlaceholders = isTrue(attribute('fullCalcOnLoad'));
      if (element !== 'sheet') return;
      const [name = '', target] = [attribute('name'), targets.get(attribute('id') ?? '')];
      if (!target) throw damaged(`its sheet ${name.slice(0, 31)} is missing`);
      // Charts have sheets, too, but no cells.
      if (target.type !== 'worksheet') return;
      const isHidden = (attribute('state') ?? 'visible') !== 'visible';
      addSheet(sheets, { name, isHidden, part: target.target });
    },
  });
  return { sheets, dateSystem, hasPlaceholders, strings: partOf('sharedStrings'), styles: partOf('styles') };
}

async function readFormats(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (part === undefined) return formats;
  const own = new Map<number, NumberFormat>();
  let isCellStyle = false;
  await readXml(archive.read(part, maxPartBytes), archive.workLimits, {
    open(element, attribute) {
      if (element === 'numFmt')
        own.set(Number(attribute('numFmtId')), parseNumberFormat(attribute('formatCode') ?? ''));
      if (element === 'cellXfs') isCellStyle = true;
      if (element !== 'xf' || !isCellStyle) return;
      const id = Number(attribute('numFmtId') ?? 0);
      formats.push(own.get(id) ?? builtInFormat(id));
    },
    close(element) {
      if (element === 'cellXfs') isCellStyle = false;
    },
  });
  return formats;
}

/** Returns the column of an address such as `AB12`, from 0. */
function columnIndexOf(address: string): number {
  if (!/^\$?[A-Z]{1,3}\$?\d+$/i.test(address)) throw damaged(`it has a cell with the address ${address.slice(0, 20)}`);
  let column = 0;
  for (let at = 0; at < address.length; at += 1) {
    // The last five bits of a letter, in either case, are its number in the alphabet.
    const code = address.charCodeAt(at);
    if (code >= 65) column = column * 26 + (code & 31);
  }
  return column - 1;
}

interface Cell {
  column: number;
  type: string;
  style: number;
  /** A number, the index of a shared text, or the text itself. */
  value: string;
  hasFormula: boolean;
  /** Range of cells that share an array formula with this cell, such as `E2:E9`. */
  array: string | undefined;
  hasValue: boolean;
}

interface StoredRow {
  line: number | undefined;
  isHidden: boolean;
  cells: Cell[];
}

class SheetReader {
  readonly #text = new TextCollector();
  #rows: StoredRow[] = [];
  #row: StoredRow | undefined;
  #cell: Cell | undefined;
  #nextColumn = 0;
  #characters = 0;
  #isValue = false;

  open(element: string, attribute: (name: string) => string | undefined): void {
    this.#text.open(element);
    if (element === 'v') this.#isValue = true;
    if (element === 'v' && this.#cell) this.#cell.hasValue = true;
    if (element === 'f' && this.#cell) {
      this.#cell.hasFormula = true;
      this.#cell.array = attribute('t') === 'array' ? attribute('ref') : undefined;
    }
    if (element === 'row') {
      const line = attribute('r');
      const isHidden = isTrue(attribute('hidden'));
      this.#row = { line: line === undefined ? undefined : Number(line), isHidden, cells: [] };
      this.#nextColumn = 0;
      this.#characters = 0;
    } else if (element === 'c') {
      const address = attribute('r');
      const column = address === undefined ? this.#nextColumn : columnIndexOf(address);
      this.#nextColumn = column + 1;
      const [type, style] = [attribute('t') ?? 'n', Number(attribute('s') ?? 0)];
      this.#cell = { column, type, style, value: '', hasFormula: false, array: undefined, hasValue: false };
    }
  }

  text(text: string): void {
    if (!this.#isValue) this.#text.add(text);
    else if (this.#cell) this.#cell.value = appendText(this.#cell.value, text);
  }

  close(element: string): void {
    this.#text.close(element);
    if (element === 'v') this.#isValue = false;
    else if (element === 'c') this.#closeCell();
    else if (element === 'row' && this.#row) {
      this.#rows.push(this.#row);
      this.#row = undefined;
    }
  }

  #closeCell(): void {
    const text = this.#text.take();
    const cell = this.#cell;
    this.#cell = undefined;
    if (!cell || !this.#row) return;
    if (cell.type === 'inlineStr') cell.value = text;
    if (this.#row.cells.push(cell) > maxColumns) throw tooLarge(`it has more than ${maxColumns} columns`);
    this.#characters += cell.value.length;
    assertRowLength(this.#characters);
  }

  /** Returns the rows since the last call. */
  take(): StoredRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** Facts of a workbook that are needed to interpret its cells. */
interface CellContext {
  strings: SharedStrings;
  formats: readonly NumberFormat[];
  dateSystem: 1900 | 1904;
  hasPlaceholders: boolean;
}

/** Whether the result of a formula isn't in the file. An empty text is a result. */
function isUncalculated({ type, value, hasFormula, hasValue }: Cell, { hasPlaceholders }: CellContext): boolean {
  if (!hasFormula) return false;
  if (value.trim() === '') return type !== 'str' || !hasValue;
  return hasPlaceholders && type === 'n' && Number(value) === 0;
}

/** Maximum array formulas without results that are remembered: programs write few. */
const maxArrayFormulas = 100;

/** Determines the kinds of cells. If an array formula has no result, the other cells of its range contain zeros. */
class CellKinds {
  readonly #context: CellContext;
  readonly #arrays: { lastLine: number; first: number; last: number }[] = [];

  constructor(context: CellContext) {
    this.#context = context;
  }

  of(cell: Cell, line: number): CellKind {
    const { column, type, value, array } = cell;
    if (isUncalculated(cell, this.#context)) {
      if (array !== undefined && this.#arrays.length < maxArrayFormulas) this.#rememberArray(array);
      return 'uncalculated';
    }
    if (type !== 'n') return 'text';
    const isFiller = this.#arrays.some(
      ({ lastLine, first, last }) => line <= lastLine && column >= first && column <= last,
    );
    return isFiller && Number(value) === 0 ? 'uncalculated' : 'number';
  }

  #rememberArray(range: string): void {
    const [, first = '', last = '', lastLine] = /^(\D+\d+):(\D+(\d+))$/.exec(range) ?? [];
    if (lastLine === undefined) return;
    this.#arrays.push({ lastLine: Number(lastLine), first: columnIndexOf(first), last: columnIndexOf(last) });
  }
}

/**
 * Returns the text that people see in a cell.
 * @param line row number for error messages
 * @throws WorkbookProblem
 */
function textOf({ type, style, value }: Cell, { strings, formats, dateSystem }: CellContext, line: number): string {
  switch (type) {
    case 's': {
      if (value === '') return '';
      const text = strings.at(Number(value));
      if (text === undefined) throw damaged(`a cell in its row ${line} has no text`);
      return text;
    }
    case 'inlineStr':
    case 'str':
      return unescapeText(value);
    case 'b':
      return isTrue(value) ? 'TRUE' : 'FALSE';
    case 'd':
      return isoDateText(value);
    case 'e':
      return value;
    default:
      return numberText(value, formats[style] ?? generalFormat, dateSystem);
  }
}

/** Converts stored rows to rows of texts, after reading the shared texts that their cells refer to. */
async function collect(
  stored: readonly StoredRow[],
  rows: RowCollector,
  context: CellContext,
  kinds: CellKinds,
): Promise<SheetRow[]> {
  let last = -1;
  for (const { cells } of stored)
    for (const { type, value } of cells) if (type === 's' && Number(value) > last) last = Number(value);
  await context.strings.readTo(last);
  for (const { line, isHidden, cells } of stored) {
    rows.begin(line, isHidden);
    for (const cell of cells) {
      const kind = kinds.of(cell, rows.line);
      rows.set(cell.column, kind === 'uncalculated' ? '' : textOf(cell, context, rows.line), kind);
    }
    rows.end();
  }
  return rows.take();
}

/** @param range cells such as `B3:C5` */
function addMergedRange(layout: SheetLayout, range: string): void {
  const [, first, last] = /^\D+(\d{1,7}):\D+(\d{1,7})$/.exec(range) ?? [];
  if (last !== undefined) layout.addMergedRows(Number(first), Number(last) - Number(first) + 1);
}

/** Records hidden columns, which include the columns of a collapsed group. */
function addColumns(layout: SheetLayout, attribute: (name: string) => string | undefined): void {
  if (!isTrue(attribute('hidden')) && Number(attribute('width') ?? 1) !== 0) return;
  const [first, last] = [Number(attribute('min')), Number(attribute('max'))];
  layout.addHiddenColumns(first - 1, last - first + 1);
}

/** Reads an Office Open XML workbook (ECMA-376). @throws WorkbookProblem */
export async function openXlsx(archive: Archive): Promise<Workbook> {
  const { sheets, dateSystem, hasPlaceholders, ...parts } = await readContents(archive);
  const strings = new SharedStrings(archive, parts.strings);
  let formats: Promise<NumberFormat[]> | undefined;
  return {
    kind: 'xlsx',
    sheets,
    workLimits: archive.workLimits,
    async *rows(index, layout): AsyncGenerator<SheetRow[]> {
      const sheet = sheets[index];
      if (!sheet) throw new Error(`There is no sheet ${index}.`);
      formats ??= readFormats(archive, parts.styles);
      const context = { strings, formats: await formats, dateSystem, hasPlaceholders };
      const [collector, kinds] = [new RowCollector(archive.workLimits), new CellKinds(context)];
      const reader = new SheetReader();
      for await (const _ of parseXml(archive.read(sheet.part), archive.workLimits, {
        open: (element, attribute) => {
          if (element === 'mergeCell' && layout) addMergedRange(layout, attribute('ref') ?? '');
          else if (element === 'col' && layout) addColumns(layout, attribute);
          else reader.open(element, attribute);
        },
        text: (text) => reader.text(text),
        close: (element) => reader.close(element),
      })) {
        const stored = reader.take();
        const rows = stored.length === 0 ? [] : await collect(stored, collector, context, kinds);
        if (rows.length > 0) yield rows;
      }
      // Reads the shared texts to their end, where the checksum shows whether they are damaged.
      await strings.readTo(Number.POSITIVE_INFINITY);
    },
    async close() {
      await strings.close();
      archive.close();
    },
  };
}
