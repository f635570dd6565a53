import { cut, displayWidth, type Extent, gap, layout, wrap } from '../output/fit.js';
import { counted, type Display } from '../output/output.js';
import { printableLine } from '../output/printable.js';
import type { Column, Value } from './columns.js';

/** Deviations from the default display. */
interface TableOptions {
  /** Shows full times at a terminal, too. */
  absolute?: boolean | undefined;
  /** Shows all columns, with whole ids, because `--columns` names them. */
  chosen?: boolean | undefined;
  /** Fills the whole width, because later rows may be wider. */
  fillsWidth?: boolean | undefined;
}

export interface Table<T> {
  heading: string;
  lines(items: readonly T[]): string[];
  /** Columns that a narrow terminal has no space for. */
  leftOut: Column<T>[];
}

const shortId = 8;

/** Converts `lastLogin` to LAST LOGIN. */
const headingOf = <T>({ name, heading }: Column<T>) =>
  heading ?? name.replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();

function textOf(value: Value, isId: boolean, { width, now }: Display, { absolute, chosen }: TableOptions): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return width === undefined || absolute ? value.toISOString() : relativeTime(value, now);
  const text = printableLine(String(value));
  return isId && width !== undefined && !chosen ? text.slice(-shortId) : text;
}

const isCuttable = <T>({ fit = 'cut' }: Column<T>) => fit !== 'whole' && fit !== 'id';

/** Whether a column has texts. Numbers and times are never shortened. */
const hasTexts = <T>({ value }: Column<T>, items: readonly T[]) =>
  items.some((item) => typeof value(item) === 'string');

/** Distributes the unused width among columns whose later rows may have longer texts. */
function widened(widths: readonly number[], canGrow: readonly boolean[], width: number) {
  const used = widths.filter((one) => one > 0);
  const growing = widths.filter((columnWidth, index) => columnWidth > 0 && canGrow[index]).length;
  const spare = width - used.reduce((sum, one) => sum + one, gap * (used.length - 1));
  const more = growing === 0 ? 0 : Math.max(0, Math.floor(spare / growing));
  return widths.map((columnWidth, index) => (columnWidth > 0 && canGrow[index] ? columnWidth + more : columnWidth));
}

function extentOf<T>(column: Column<T>, canShrink: boolean, texts: readonly string[]): Extent {
  const heading = displayWidth(headingOf(column));
  const natural = Math.max(heading, ...texts.map((text) => displayWidth(text)));
  const minimum = Math.max(heading, column.minimum ?? 10);
  const priority = typeof column.priority === 'number' ? column.priority : 0;
  return { natural, minimum: canShrink ? Math.min(natural, minimum) : natural, priority };
}

function cellLines<T>(column: Column<T>, text: string, value: Value, width: number): string[] {
  if (typeof value !== 'string' || !isCuttable(column) || displayWidth(text) <= width) return [text];
  const { fit = 'cut' } = column;
  return fit === 'cut' ? [cut(text, width)] : wrap(text, width, fit === 'words');
}

const padded = (text: string, width: number, toTheRight: boolean) => {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return toTheRight ? space + text : text + space;
};

/** Fits a table to these rows and the terminal. Later rows use the same widths. */
export function tableOf<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  display: Display,
  options: TableOptions = {},
): Table<T> {
  const { width } = display;
  const text = (column: Column<T>, item: T) => textOf(column.value(item), column.fit === 'id', display, options);
  const texts = columns.map((column) => hasTexts(column, items));
  const extents = columns.map((column, index) => {
    const cells = items.map((item) => text(column, item));
    const extent = extentOf(column, isCuttable(column) && Boolean(texts[index]), cells);
    return options.chosen ? { ...extent, priority: 0 } : extent;
  });
  const canGrow = columns.map(({ fit }, index) => fit !== 'id' && Boolean(texts[index]));
  const fitting = layout(extents, width);
  const widths = options.fillsWidth && width !== undefined ? widened(fitting, canGrow, width) : fitting;
  const shown = columns.flatMap((column, index) => {
    const columnWidth = widths[index] ?? 0;
    const isNumeric = items.some((item) => typeof column.value(item) === 'number');
    return columnWidth > 0 ? [{ column, width: columnWidth, isNumeric }] : [];
  });

  function lines(item: T): string[] {
    const cells = shown.map(({ column, width: columnWidth }) =>
      cellLines(
        column,
        text(column, item),
        column.value(item),
        width === undefined ? Number.POSITIVE_INFINITY : columnWidth,
      ),
    );
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) =>
      shown
        .map(({ width: columnWidth, isNumeric }, index) => padded(cells[index]?.[line] ?? '', columnWidth, isNumeric))
        .join(' '.repeat(gap))
        .trimEnd(),
    );
  }

  const heading = shown
    .map(({ column, width: columnWidth, isNumeric }) => padded(headingOf(column), columnWidth, isNumeric))
    .join(' '.repeat(gap))
    .trimEnd();
  return {
    heading,
    lines: (rows) => rows.flatMap(lines),
    leftOut: columns.filter((_, index) => widths[index] === 0),
  };
}

/** Returns a whole table as text, for commands that print several tables. */
export function tableText<T>(columns: readonly Column<T>[], items: readonly T[], display: Display): string {
  const { heading, lines } = tableOf(columns, items, display);
  return [heading, ...lines(items)].join('\n');
}

type Row = readonly (string | number)[];

/** Returns rows as a table. At a narrow terminal, wraps the texts of the column with index `wrapped`. */
export function rowsText(headings: readonly string[], rows: readonly Row[], display: Display, wrapped = 1): string {
  const columns = headings.map(
    (heading, index): Column<Row> => ({
      name: heading,
      heading,
      value: (row) => row[index],
      fit: index === wrapped ? 'words' : 'whole',
      minimum: 12,
      priority: 0,
    }),
  );
  return tableText(columns, rows, display);
}

/** Returns a table of fields. Omits empty fields; a text of several lines takes several rows. */
export function fieldsText(
  fields: readonly (readonly [field: string, value: string | null])[],
  display: Display,
): string {
  const rows = fields.flatMap(([field, value]) =>
    value === null || value === ''
      ? []
      : value.split(/\r\n|\r|\n/).map((line, index) => [index === 0 ? field : '', line]),
  );
  return rowsText(['FIELD', 'VALUE'], rows, display);
}

const units: readonly [unit: string, seconds: number][] = [
  ['year', 365.25 * 86_400],
  ['month', 30.4375 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Returns a time relative to now: "3 days ago", "in 2 hours". */
export function relativeTime(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of units) {
    const number = Math.trunc(Math.abs(seconds) / length);
    if (number > 0) return seconds > 0 ? `in ${counted(number, unit)}` : `${counted(number, unit)} ago`;
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}
