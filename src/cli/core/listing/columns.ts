import { choice } from '../command/declaration.js';

/** Value of a cell. Tables show booleans as yes and no, and may show relative times. Null is an empty cell. */
export type Value = string | number | boolean | Date | null | undefined;

export interface Column<T> {
  /** Name in `--columns` and CSV: the name of the API field, if one exists. */
  name: string;
  /** Heading in tables; by default the name in capitals. */
  heading?: string;
  value: (item: T) => Value;
  /** Whether cells of a workbook remain text when edited, such as phones. */
  isText?: boolean;
  /**
   * Handling of texts that are wider than the column:
   * - `cut` (default), or `wrap` over several lines;
   * - `words`: wrapped between words only, so that paths can be copied;
   * - `whole`: never shortened, for texts that people copy;
   * - `id`: the last 8 characters, which commands accept.
   * Numbers and times are never shortened.
   */
  fit?: 'cut' | 'wrap' | 'words' | 'whole' | 'id';
  /** Minimum width of texts in terminal columns. A narrower terminal omits the column. */
  minimum?: number;
  /**
   * Order of omission at a narrow terminal: the highest number first, 0 never. `on request`: tables have the column only
   * with `--columns`, CSV always.
   */
  priority: number | 'on request';
  /** Whether tables omit the column if no row of the first page has a value, unless `--columns` names it. */
  hideEmpty?: boolean;
  /** The usual value: tables omit the column if all rows of the first page have it, unless `--columns` names it. */
  usual?: string;
}

const namesOf = (columns: readonly Pick<Column<never>, 'name'>[]) => columns.map(({ name }) => name).join(', ');

const formats = ['table', 'json', 'csv', 'yaml', 'xlsx'] as const;

/** Options of commands with paginated lists. @param items plural noun, such as "courses" */
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
 * Option of sortable listings.
 * @param keys sort keys for the help, such as "title or createdAt"
 * @param example one of the keys
 */
export const sortOption = (keys: string, example = 'createdAt') => ({
  '--sort <field>': `${keys}; descending with a minus: -${example}`,
});

/** Returns the query parameters of the API for `--sort`. */
export function sortingOf({ sort }: { sort?: string }): { sortBy?: string; sortOrder?: 'ASC' | 'DESC' } {
  if (sort === undefined) return {};
  return sort.startsWith('-') ? { sortBy: sort.slice(1), sortOrder: 'DESC' } : { sortBy: sort, sortOrder: 'ASC' };
}
