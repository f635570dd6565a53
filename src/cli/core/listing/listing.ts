import type Joi from 'joi';
import { AppError } from '../../../errors.js';
import { validate } from '../../../schemas/validate.js';
import type { Page } from '../../../services/paging.js';
import type { Result, Run } from '../command/run.js';
import { suggestValue } from '../command/suggestions.js';
import { wrap } from '../output/fit.js';
import { counted } from '../output/output.js';
import { writePaged } from '../output/pager.js';
import { printable } from '../output/printable.js';
import type { Column, listingOptions } from './columns.js';
import { assertShowable, tableTarget, writeData } from './file-output.js';
import { csvOf, jsonOf, type Pages, xlsxOf, yamlOf } from './listing-formats.js';
import { tableOf } from './table.js';

export interface Listing<T> {
  /** Key of the items in the response of the API, such as "users". */
  key: string;
  /** Singular noun, such as "account". */
  singular: string;
  plural?: string;
  columns: readonly Column<T>[];
  /** Items per page of the API; 20 by default. */
  pageSize?: number;
}

export interface PageQuery {
  page: string | undefined;
  limit: string | undefined;
  /** Id of the last item of the previous page. */
  afterId?: string | undefined;
}

type ListingRun = Run<'', ReturnType<typeof listingOptions>>;

export const presented = <From, To>({ items, pagination }: Page<From>, present: (item: From) => To): Page<To> => ({
  items: items.map((item) => present(item)),
  pagination,
});

const pageSize = '100';

const idOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string' ? item.id : undefined;

/** Yields the requested page, or all pages for `--limit all`. */
export async function* pagesOf<T>(
  read: (query: PageQuery) => Promise<Page<T>>,
  { page, limit }: Partial<Pick<PageQuery, 'page' | 'limit'>>,
): AsyncGenerator<Page<T>> {
  if (limit !== 'all') {
    yield await read({ page, limit });
    return;
  }
  let [isLast, afterId]: [boolean, string | undefined] = [false, undefined];
  for (let number = 1; !isLast; number += 1) {
    const found: Page<T> = await read({ page: String(number), limit: pageSize, afterId });
    // Reads on after a full page: deletions during the listing may have lowered the number of pages.
    isLast = number >= found.pagination.totalPages && found.items.length < Number(pageSize);
    afterId = idOf(found.items.at(-1));
    yield found;
  }
}

/** Screen lines besides the rows of a table: heading, footer and shell prompt. */
const otherLines = 6;

const minRows = 5;

/** Returns the items per page. Pipes and files get all items. At a terminal, a page and its heading fit the screen. */
function limitFor({ io, options }: ListingRun, format: string, pageSize: number): string | undefined {
  const { limit, page } = options;
  if (limit !== undefined || format === 'json' || format === 'yaml') return limit;
  if (!io.stdout.isTTY || tableTarget(options.output).file !== undefined) return page === undefined ? 'all' : undefined;
  const rows = Math.max(minRows, (io.stdout.rows ?? 24) - otherLines);
  return format === 'table' && rows < pageSize ? String(rows) : undefined;
}

/**
 * Returns the columns of `--columns`, or undefined without that option.
 * @throws AppError `USAGE` for unknown columns and for conflicting options
 */
function chosenColumns<T>({ options }: ListingRun, columns: readonly Column<T>[]): Column<T>[] | undefined {
  const { columns: names, output, json, page, limit } = options;
  if (json && output !== undefined && output !== 'json')
    throw new AppError('USAGE', `--json and --output ${output} cannot be used together.`);
  if (limit === 'all' && page !== undefined)
    throw new AppError('USAGE', '--page and --limit all cannot be used together.');
  if (names === undefined) return undefined;
  if (json || output === 'yaml')
    throw new AppError('USAGE', 'JSON and YAML have the fields of the API: --columns works with table, csv and xlsx.');
  return names.split(',').map((name) => {
    const column = columns.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
    if (column) return column;
    const allowed = columns.map((one) => one.name);
    const suggestion = suggestValue(name, allowed);
    const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    throw new AppError('USAGE', `--columns must be among ${allowed.join(', ')}: not "${name.trim()}".${hint}`);
  });
}

/**
 * Checks the options of a listing.
 * @param query further parameters of the API that need no lookup
 * @throws AppError `USAGE`, `VALIDATION`
 */
export function checkListing<T>(
  run: ListingRun,
  columns: readonly Column<T>[],
  schema: Joi.ObjectSchema,
  query: object = {},
): void {
  chosenColumns(run, columns);
  const { page, limit, output } = run.options;
  assertShowable(run.io, tableTarget(output));
  validate(schema, { ...query, page, limit: limit === 'all' ? undefined : limit });
}

/** Returns the lines below a listing: page, counts and omitted columns. */
function footer<T>(
  { singular, plural = `${singular}s` }: Pick<Listing<T>, 'singular' | 'plural'>,
  { items, pagination }: Page<T>,
  isAll: boolean,
  leftOut: readonly Column<T>[],
): string {
  const { currentPage, totalPages, totalItems, totalItemsCapped } = pagination;
  const all = `${totalItemsCapped ? 'more than ' : ''}${counted(totalItems, singular, plural)}`;
  if (totalItems === 0) return `No ${plural}.`;
  if (items.length === 0) return `No page ${currentPage}: ${counted(totalPages, 'page')}, ${all}.`;
  const isLast = !totalItemsCapped && currentPage >= totalPages;
  const on = isLast ? '' : ` Add --page ${currentPage + 1} for the next page, or --limit all.`;
  const which = isAll ? `${all}.` : `Page ${currentPage}${totalItemsCapped ? '' : ` of ${totalPages}`}, ${all}.${on}`;
  const missing = leftOut.map(({ name }) => name).join(', ');
  return missing === '' ? which : `${which}\nColumns left out: ${missing}. Choose with --columns`;
}

/**
 * Lists items page by page, in the requested format and columns.
 * @param open called after the check of the options; returns a function that reads a page
 * @throws AppError `USAGE`, and the errors of `open` and its function
 */
export async function listing<T>(
  run: ListingRun,
  { columns, pageSize = 20, ...listed }: Listing<T>,
  open: () => Promise<(query: PageQuery) => Promise<Page<T>>>,
): Promise<Result> {
  const chosen = chosenColumns(run, columns);
  const { options, display } = run;
  const wanted = options.json ? 'json' : (options.output ?? 'table');
  const limit = limitFor(run, wanted, pageSize);
  const isAll = limit === 'all';
  const pages = pagesOf(await open(), { page: options.page, limit });
  // Reads the first page before any output, because reading may fail.
  const first = await pages.next();
  if (first.done) throw new Error('A listing has a first page.');
  let last = first.value;
  async function* read(): Pages<T> & AsyncGenerator<Page<T>> {
    yield last;
    for await (const page of pages) {
      last = page;
      yield page;
    }
  }
  const { items, pagination } = first.value;
  const isWhole = options.limit === 'all' || (isAll && pagination.totalPages > 1);
  const hasValue = ({ value }: Column<T>) => items.some((item) => value(item) !== null && value(item) !== undefined);
  const isUnusual = ({ value, usual }: Column<T>) => usual === undefined || items.some((item) => value(item) !== usual);
  const inTable = columns.filter(
    (column) => column.priority !== 'on request' && (!column.hideEmpty || hasValue(column)) && isUnusual(column),
  );
  let leftOut: Column<T>[] = [];
  async function* lines(): AsyncGenerator<string> {
    if (items.length === 0) return;
    const fillsWidth = isAll && pagination.totalPages > 1;
    const tableOptions = { absolute: options.absolute, chosen: chosen !== undefined, fillsWidth };
    const table = tableOf(chosen ?? inTable, items, display, tableOptions);
    ({ leftOut } = table);
    yield `${run.paint.bold(table.heading)}\n`;
    for await (const page of read()) for (const item of page.items) yield `${table.lines([item]).join('\n')}\n`;
  }
  /** Escapes control characters for a terminal only. */
  async function* shown(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of pieces) yield display.width === undefined ? piece : printable(piece);
  }
  const { format, file } = tableTarget(options.output);
  function text(): AsyncIterable<string> {
    if (wanted === 'json') return jsonOf(read(), listed.key, isAll);
    if (wanted === 'yaml') return yamlOf(read(), listed.key, isAll);
    return wanted === 'csv' ? shown(csvOf(read(), chosen ?? columns, run.io.stdout)) : lines();
  }
  return {
    async write() {
      if (format === 'xlsx') await writeData(run.io, file, xlsxOf(read(), chosen ?? columns, listed));
      else await writePaged(run.io, text(), options.pager !== false);
      const counts = footer(listed, { items, pagination: last.pagination }, isWhole, leftOut);
      const summary = format === 'xlsx' && file !== undefined ? `Written to ${file}. ${counts}` : counts;
      const { width } = display;
      run.say(
        width === undefined
          ? summary
          : summary
              .split('\n')
              .flatMap((line) => wrap(line, width))
              .join('\n'),
      );
    },
  };
}
