import type { Scalar } from 'yaml';
import { csvLine, markedHeader } from '../../csv/format.js';
import type { Page } from '../../services/paging.js';
import type { Column, Value } from './columns.js';
import { printable, printableLine } from './printable.js';

/** The pages of a listing. */
export type Pages<T> = AsyncIterable<Page<T>>;

const indented = (value: unknown, by: string) => (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${by}`);

/** The answer of the API, page by page. With all pages it is one long page. */
export async function* jsonOf<T>(pages: Pages<T>, key: string, isAll: boolean): AsyncGenerator<string> {
  let pagination: Page<T>['pagination'] | undefined;
  let count = 0;
  yield `{\n  ${JSON.stringify(key)}: [`;
  for await (const page of pages) {
    ({ pagination } = page);
    for (const item of page.items) {
      yield printable(`${count === 0 ? '' : ','}\n    ${indented(item, '    ')}`);
      count += 1;
    }
  }
  const whole = { currentPage: 1, totalPages: Math.min(count, 1), totalItems: count, itemsPerPage: count };
  yield `${count === 0 ? '' : '\n  '}],\n  "pagination": ${indented(isAll ? whole : pagination, '  ')}\n}\n`;
}

const plain = (value: Value) => (value instanceof Date ? value.toISOString() : (value ?? null));

/** Lines of CSV whose cells no spreadsheet runs. */
export async function* csvOf<T>(pages: Pages<T>, columns: readonly Column<T>[]): AsyncGenerator<string> {
  yield markedHeader(columns.map(({ name }) => name));
  for await (const { items } of pages)
    for (const item of items) yield csvLine(columns.map(({ value }) => String(plain(value(item)) ?? '')));
}

/** In quotes the escapes of {@link printable} mean what they stand for. */
function yamlScalar(value: Value, quote: (text: string) => Scalar): unknown {
  const text = plain(value);
  return typeof text !== 'string' || text === printableLine(text) ? text : quote(text);
}

/** A sequence of mappings, that older readers of YAML understand, too. */
export async function* yamlOf<T>(pages: Pages<T>, columns: readonly Column<T>[]): AsyncGenerator<string> {
  // Loaded here: no other format needs it, and every command would start later.
  const { Scalar, stringify } = await import('yaml');
  const quote = (text: string) => Object.assign(new Scalar(text), { type: Scalar.QUOTE_DOUBLE });
  let isEmpty = true;
  for await (const { items } of pages)
    for (const item of items) {
      isEmpty = false;
      const fields = columns.map(({ name, value }) => [name, yamlScalar(value(item), quote)]);
      yield printable(stringify([Object.fromEntries(fields)], { lineWidth: 0, compat: 'yaml-1.1' }));
    }
  if (isEmpty) yield '[]\n';
}
