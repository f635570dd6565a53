import { fstatSync } from 'node:fs';
import type { Document } from 'yaml';
import type { Page } from '../../../services/paging.js';
import type { Table } from '../../../tables/write/table.js';
import type { OutputStream } from '../output/output.js';
import { printable, printableLine } from '../output/printable.js';
import type { Column } from './columns.js';

export type Pages<T> = AsyncIterable<Page<T>>;

const indented = (value: unknown, by: string) => (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${by}`);

/** Returns the pagination of all items as a single page. */
const wholeOf = (count: number) => ({
  currentPage: 1,
  totalPages: Math.min(count, 1),
  totalItems: count,
  itemsPerPage: count,
});

/** Yields the response of the API as JSON, page by page. With `isAll`, all pages form a single page. */
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
  yield `${count === 0 ? '' : '\n  '}],\n  "pagination": ${indented(isAll ? wholeOf(count) : pagination, '  ')}\n}\n`;
}

/** Whether the stream writes to a file, which a spreadsheet may open. */
const isFile = (stream: OutputStream) =>
  'fd' in stream && typeof stream.fd === 'number' && fstatSync(stream.fd).isFile();

function tableOf<T>(pages: Pages<T>, columns: readonly Column<T>[]): Omit<Table, 'sheet'> {
  const read = pages[Symbol.asyncIterator]();
  const valuesOf = (item: T) => columns.map(({ value }) => value(item) ?? null);
  return {
    columns: columns.map(({ name, isText = false }) => ({ heading: name, isText })),
    async next() {
      const page = await read.next();
      return page.done ? undefined : page.value.items.map(valuesOf);
    },
  };
}

/**
 * Yields CSV with escaped formulas. Only a file gets a byte order mark: spreadsheets need the mark, programs that read a
 * pipe don't expect it.
 */
export async function* csvOf<T>(
  pages: Pages<T>,
  columns: readonly Column<T>[],
  to: OutputStream,
): AsyncGenerator<string> {
  // Loaded on use, like yaml below.
  const { csvPieces } = await import('../../../tables/write/table.js');
  yield* csvPieces({ ...tableOf(pages, columns), omitsByteOrderMark: !isFile(to) });
}

/** Yields the rows as an Excel workbook. */
export async function* xlsxOf<T>(
  pages: Pages<T>,
  columns: readonly Column<T>[],
  { singular, plural = `${singular}s` }: { singular: string; plural?: string },
): AsyncGenerator<string | Uint8Array> {
  const { tablePieces } = await import('../../../tables/write/table.js');
  yield* tablePieces({ ...tableOf(pages, columns), sheet: plural }, 'xlsx');
}

/** Yields the data of {@link jsonOf} as YAML that YAML 1.1 readers understand, too. */
export async function* yamlOf<T>(pages: Pages<T>, key: string, isAll: boolean): AsyncGenerator<string> {
  // Loaded on use: an import at the top would delay the start of every command.
  const yaml = await import('yaml');
  const text = (value: unknown): string => {
    // Converted to JSON and back, so that times become text.
    const document: Document = new yaml.Document(JSON.parse(JSON.stringify(value)), { compat: 'yaml-1.1' });
    yaml.visit(document, {
      Scalar(_key, node) {
        // Only double quotes make YAML readers decode the escapes of printable().
        if (typeof node.value === 'string' && node.value !== printableLine(node.value))
          node.type = yaml.Scalar.QUOTE_DOUBLE;
      },
    });
    return printable(document.toString({ lineWidth: 0 }));
  };
  let pagination: Page<T>['pagination'] | undefined;
  let count = 0;
  for await (const page of pages) {
    ({ pagination } = page);
    for (const item of page.items) {
      // YAML needs no indent for a sequence below its key.
      yield `${count === 0 ? `${key}:\n` : ''}${text([item])}`;
      count += 1;
    }
  }
  yield `${count === 0 ? `${key}: []\n` : ''}${text({ pagination: isAll ? wholeOf(count) : pagination })}`;
}
