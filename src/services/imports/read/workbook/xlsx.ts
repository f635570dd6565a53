import path from 'node:path/posix';
import type { Sheet } from '../table/table.js';
import type { Archive } from './archive.js';
import { formatOf, general, isoDateText, type NumberFormat, numberText } from './numbers.js';
import { damaged, tooLarge, WorkbookProblem } from './problem.js';
import { addSheet, joined, RowCollector, type SheetRow, type Workbook } from './sheet-row.js';
import { parseXml, readXml } from './xml.js';

/** Bytes and texts of shared strings at most, and bytes of each other part that is held in memory. */
const mostStringBytes = 256 * 1024 * 1024;
const mostStrings = 4_000_000;
const mostHeldBytes = 32 * 1024 * 1024;

/** Where parts are, by the ids of relationships. */
type Targets = ReadonlyMap<string, { target: string; type: string }>;

const relationsOf = (part: string) => path.join(path.dirname(part), '_rels', `${path.basename(part)}.rels`);

async function readRelations(archive: Archive, part: string): Promise<Targets> {
  const targets = new Map<string, { target: string; type: string }>();
  const name = relationsOf(part);
  if (!archive.has(name)) return targets;
  await readXml(archive.read(name, mostHeldBytes), {
    open(element, attribute) {
      const [id, target, type] = [attribute('Id'), attribute('Target'), attribute('Type')];
      // What is external is never opened.
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
  await readXml(archive.read(main, mostHeldBytes), {
    open(element, attribute) {
      // Texts and presentations are archives of the same kind.
      isWorkbook ||= element === 'workbook';
      if (!isWorkbook) throw notAWorkbook();
      if (element === 'workbookPr' && isTrue(attribute('date1904'))) dateSystem = 1904;
      if (element !== 'sheet') return;
      const [name = '', target] = [attribute('name'), targets.get(attribute('id') ?? '')];
      if (!target) throw damaged(`its sheet ${name.slice(0, 31)} is missing`);
      // Charts have sheets, too, without cells.
      if (target.type !== 'worksheet') return;
      const isHidden = (attribute('state') ?? 'visible') !== 'visible';
      addSheet(sheets, { name, isHidden, part: target.target });
    },
  });
  return { sheets, dateSystem, strings: partOf('sharedStrings'), styles: partOf('styles') };
}

/** `_x000D_` is a character that XML can't have (ECMA-376, part 1, 22.9.2.19). */
const unescaped = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

/** Collects the text of an element, of rich text too; phonetic text is left out. */
class TextCollector {
  #text = '';
  #isText = false;
  #phonetic = 0;

  open(element: string): void {
    if (element === 'rPh') this.#phonetic += 1;
    this.#isText = element === 't' && this.#phonetic === 0;
  }

  close(element: string): void {
    if (element === 'rPh') this.#phonetic -= 1;
    if (element === 't') this.#isText = false;
  }

  add(text: string): void {
    if (this.#isText) this.#text = joined(this.#text, text);
  }

  take(): string {
    const text = unescaped(this.#text);
    this.#text = '';
    return text;
  }
}

async function readStrings(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  const text = new TextCollector();
  await readXml(archive.read(part, mostStringBytes), {
    open: (element) => text.open(element),
    text: (piece) => text.add(piece),
    close(element) {
      text.close(element);
      if (element !== 'si') return;
      if (strings.length === mostStrings) throw tooLarge(`it has more than ${mostStrings} texts`);
      strings.push(text.take());
    },
  });
  return strings;
}

/** The number formats by the numbers of styles. */
async function readFormats(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (part === undefined) return formats;
  const codes = new Map<number, string>();
  let isOfCells = false;
  await readXml(archive.read(part, mostHeldBytes), {
    open(element, attribute) {
      if (element === 'numFmt') codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '');
      if (element === 'cellXfs') isOfCells = true;
      if (element !== 'xf' || !isOfCells) return;
      const id = Number(attribute('numFmtId') ?? 0);
      formats.push(formatOf(id, codes.get(id)));
    },
    close(element) {
      if (element === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

/** The column of an address such as `AB12`, from 0. */
function columnOf(address: string): number {
  const letters = /^\$?([A-Z]{1,3})\$?\d+$/i.exec(address)?.[1]?.toUpperCase();
  if (letters === undefined) throw damaged(`it has a cell with the address ${address.slice(0, 20)}`);
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

interface Cell {
  column: number;
  type: string;
  style: number;
}

/** Reads cells as texts. */
class SheetReader {
  readonly rows = new RowCollector();
  readonly #strings: readonly string[];
  readonly #formats: readonly NumberFormat[];
  readonly #dateSystem: 1900 | 1904;
  readonly #text = new TextCollector();
  #cell: Cell | undefined;
  #nextColumn = 0;
  #value = '';
  #isValue = false;

  constructor(strings: readonly string[], formats: readonly NumberFormat[], dateSystem: 1900 | 1904) {
    this.#strings = strings;
    this.#formats = formats;
    this.#dateSystem = dateSystem;
  }

  open(element: string, attribute: (name: string) => string | undefined): void {
    this.#text.open(element);
    if (element === 'v') this.#isValue = true;
    if (element === 'row') {
      const line = attribute('r');
      this.rows.begin(line === undefined ? undefined : Number(line), isTrue(attribute('hidden')));
      this.#nextColumn = 0;
    } else if (element === 'c') {
      const address = attribute('r');
      const column = address === undefined ? this.#nextColumn : columnOf(address);
      this.#nextColumn = column + 1;
      this.#cell = { column, type: attribute('t') ?? 'n', style: Number(attribute('s') ?? 0) };
    }
  }

  text(text: string): void {
    if (this.#isValue) this.#value = joined(this.#value, text);
    else this.#text.add(text);
  }

  close(element: string): void {
    this.#text.close(element);
    if (element === 'v') this.#isValue = false;
    if (element === 'row') this.rows.end();
    if (element !== 'c' || !this.#cell) return;
    this.rows.set(this.#cell.column, this.#textOf(this.#cell));
    this.#cell = undefined;
    this.#value = '';
    this.#text.take();
  }

  #textOf({ type, style }: Cell): string {
    const value = this.#value;
    switch (type) {
      case 's': {
        if (value === '') return '';
        const text = this.#strings[Number(value)];
        if (text === undefined) throw damaged(`a cell in its row ${this.rows.line} has no text`);
        return text;
      }
      case 'inlineStr':
        return this.#text.take();
      case 'str':
        return unescaped(value);
      case 'b':
        return isTrue(value) ? 'TRUE' : 'FALSE';
      case 'd':
        return isoDateText(value);
      case 'e':
        return value;
      default:
        return numberText(value, this.#formats[style] ?? general, this.#dateSystem);
    }
  }
}

/** Reads an Office Open XML workbook (ECMA-376). @throws WorkbookProblem */
export async function openXlsx(archive: Archive): Promise<Workbook> {
  const { sheets, dateSystem, ...parts } = await readContents(archive);
  let shared: Promise<[string[], NumberFormat[]]> | undefined;
  return {
    kind: 'xlsx',
    sheets,
    async *rows(index): AsyncGenerator<SheetRow[]> {
      const sheet = sheets[index];
      if (!sheet) throw new Error(`There is no sheet ${index}.`);
      shared ??= Promise.all([readStrings(archive, parts.strings), readFormats(archive, parts.styles)]);
      const reader = new SheetReader(...(await shared), dateSystem);
      for await (const _ of parseXml(archive.read(sheet.part), {
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
