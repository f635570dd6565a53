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

/** What is listed. */
export interface Listing<T> {
  /** What the API calls it, such as "users". */
  key: string;
  /** Its noun, such as "account". */
  one: string;
  many?: string;
  columns: readonly Column<T>[];
  /** Items of a page of the API; 20 when absent. */
  pageSize?: number;
}

/** Which page. */
export interface PageQuery {
  page: string | undefined;
  limit: string | undefined;
  /** The last item of the page before. */
  afterId?: string | undefined;
}

type ListingRun = Run<'', ReturnType<typeof listingOptions>>;

/** A page with its items as they are shown. */
export const presented = <From, To>({ items, pagination }: Page<From>, present: (item: From) => To): Page<To> => ({
  items: items.map((item) => present(item)),
  pagination,
});

const pageSize = '100';

/** The id of an item, of those that have one. */
const idOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string' ? item.id : undefined;

/** The page that was asked for, or all of them. */
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
    // Others may follow a full page, although rows that were shown are no longer counted.
    isLast = number >= found.pagination.totalPages && found.items.length < Number(pageSize);
    afterId = idOf(found.items.at(-1));
    yield found;
  }
}

/** Lines of a screen beside the rows of a table: the heading, what is below it, and the prompt of the shell. */
const otherLines = 6;

const leastRows = 5;

/** The items per page: a pipe and a file get all. On a screen the heading stays in sight. */
function limitFor({ io, options }: ListingRun, format: string, pageSize: number): string | undefined {
  const { limit, page } = options;
  if (limit !== undefined || format === 'json' || format === 'yaml') return limit;
  if (!io.stdout.isTTY || tableTarget(options.output).file !== undefined) return page === undefined ? 'all' : undefined;
  const rows = Math.max(leastRows, (io.stdout.rows ?? 24) - otherLines);
  return format === 'table' && rows < pageSize ? String(rows) : undefined;
}

/** The columns that were asked for. @throws AppError `USAGE` for others, and for options that cannot be used together */
function chosenColumns<T>({ options }: ListingRun, columns: readonly Column<T>[]): Column<T>[] | undefined {
  const { columns: names, output, json, page, limit } = options;
  if (json && output !== undefined && output !== 'json')
    throw new AppError('USAGE', `--json and --output ${output} cannot be used together.`);
  if (limit === 'all' && page !== undefined)
    throw new AppError('USAGE', '--page and --limit all cannot be used together.');
  if (names === undefined) return undefined;
  if (json || output === 'yaml')
    throw new AppError('USAGE', 'JSON and YAML have the fields of the API: --columns goes with table, csv and xlsx.');
  return names.split(',').map((name) => {
    const column = columns.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
    if (column) return column;
    const allowed = columns.map((one) => one.name);
    const suggestion = suggestValue(name, allowed);
    const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    throw new AppError('USAGE', `--columns must be of ${allowed.join(', ')}: not "${name.trim()}".${hint}`);
  });
}

/**
 * Checks the options of a listing.
 * @param query what else is asked for, without what must be looked up first
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

/** Which page was shown, and below it what was not. */
function footer<T>(
  { one, many = `${one}s` }: Pick<Listing<T>, 'one' | 'many'>,
  { items, pagination }: Page<T>,
  isAll: boolean,
  leftOut: readonly Column<T>[],
): string {
  const { currentPage, totalPages, totalItems, totalItemsCapped } = pagination;
  const all = `${totalItemsCapped ? 'more than ' : ''}${counted(totalItems, one, many)}`;
  if (totalItems === 0) return `No ${many}.`;
  if (items.length === 0) return `No page ${currentPage}: ${counted(totalPages, 'page')}, ${all}.`;
  const isLast = !totalItemsCapped && currentPage >= totalPages;
  const on = isLast ? '' : ` Add --page ${currentPage + 1} for the next page, or --limit all.`;
  const which = isAll ? `${all}.` : `Page ${currentPage}${totalItemsCapped ? '' : ` of ${totalPages}`}, ${all}.${on}`;
  const missing = leftOut.map(({ name }) => name).join(', ');
  return missing === '' ? which : `${which}\nColumns left out: ${missing}. Choose with --columns`;
}

/**
 * A listing, in the format and with the columns that were asked for, page by page.
 * @param open called when the options are usable: gives what reads a page
 * @throws AppError `USAGE`, and as the listing does
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
  // Before anything is written: it may fail.
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
  const inTable = columns.filter(
    (column) => column.priority !== 'on request' && (!column.hideEmpty || hasValue(column)),
  );
  let leftOut: Column<T>[] = [];
  async function* lines(): AsyncGenerator<string> {
    if (items.length === 0) return;
    const grows = isAll && pagination.totalPages > 1;
    const tableOptions = { absolute: options.absolute, chosen: chosen !== undefined, grows };
    const table = tableOf(chosen ?? inTable, items, display, tableOptions);
    ({ leftOut } = table);
    yield `${run.paint.bold(table.heading)}\n`;
    for await (const page of read()) for (const item of page.items) yield `${table.lines([item]).join('\n')}\n`;
  }
  /** A pipe or a file gets the data as it is; a person looks at it. */
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
