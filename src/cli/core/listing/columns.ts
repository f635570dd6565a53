import { choice } from '../command/declaration.js';

/** What a column shows. In tables true and false are yes and no, and times may be relative; nothing is an empty cell. */
export type Value = string | number | boolean | Date | null | undefined;

/** A column of a listing: declared once, and used by tables and CSV. */
export interface Column<T> {
  /** What it is called in `--columns` and CSV: as the API calls the field, where there is one. */
  name: string;
  /** Its heading in tables, where that isn't the name in capitals. */
  heading?: string;
  value: (item: T) => Value;
  /** Whether its cells in a workbook stay text when they are edited: phones. */
  isText?: boolean;
  /**
   * What becomes of a text that the terminal has no space for: it is cut, wrapped over several lines (`words`: only between
   * words, so that paths can be copied), or shown whole, as what people copy must be. `id`: its last 8 characters are shown,
   * which commands accept. Numbers and times are always whole.
   */
  fit?: 'cut' | 'wrap' | 'words' | 'whole' | 'id';
  /** How narrow a text may become before a column is left out. */
  minimum?: number;
  /**
   * Which columns are left out first where the terminal is narrow: those with the highest number. Those with 0 never are.
   * `on request`: tables have it for `--columns` only; CSV always.
   */
  priority: number | 'on request';
  /** Tables are without it where no row of the first page has a value, unless it was asked for. */
  hideEmpty?: boolean;
}

/** What the columns of a listing are called, for the help. */
const namesOf = (columns: readonly Pick<Column<never>, 'name'>[]) => columns.map(({ name }) => name).join(', ');

/** The formats of listings. */
const formats = ['table', 'json', 'csv', 'yaml', 'xlsx'] as const;

/**
 * The options of commands that list pages.
 * @param items what a page has, such as "courses"
 */
export const listingOptions = (items: string, columns: readonly Pick<Column<never>, 'name'>[]) => ({
  '--page <number>': 'page number, from 1',
  '--limit <number>': `${items} per page, 1 to 100; "all" lists all pages`,
  '--columns <names>': `columns to show, separated by commas: ${namesOf(columns)}`,
  '--output <format>': choice<(typeof formats)[number] | `${string}.xlsx`>(
    'format, by default a table; yaml has the fields of json; --json is short for --output json; or a new file for a workbook, such as list.xlsx',
    formats,
    '.xlsx',
  ),
  '--absolute': 'show times in full instead of "3 days ago"',
  '--no-pager': "don't use a pager ($PAGER) when the list is longer than the screen",
});

/**
 * The option of listings that can be sorted.
 * @param keys what to sort by, such as "title or createdAt"
 * @param example one of them
 */
export const sortOption = (keys: string, example = 'createdAt') => ({
  '--sort <field>': `${keys}; descending with a minus: -${example}`,
});

/** The order of `--sort` as the API takes it. */
export function sortingOf({ sort }: { sort?: string }): { sortBy?: string; sortOrder?: 'ASC' | 'DESC' } {
  if (sort === undefined) return {};
  return sort.startsWith('-') ? { sortBy: sort.slice(1), sortOrder: 'DESC' } : { sortBy: sort, sortOrder: 'ASC' };
}
