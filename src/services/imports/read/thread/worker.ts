import { once } from 'node:events';
import { type MessagePort, threadId } from 'node:worker_threads';
import type { Encoding } from '../../../../schemas/file-format.js';
import type { ImportOptions } from '../../../../schemas/import.js';
import { fileBytes } from '../../../../tables/encoding/source-file.js';
import type { Inspection } from '../../../../tables/inspect.js';
import { openTable, type TableSource } from '../../../../tables/open-table.js';
import { type SourceLimits, type SourceRow, sumLengths } from '../../../../tables/table/table.js';
import type { ColumnOptions } from '../columns/columns.js';
import { headerRules } from '../columns/header-rules.js';
import { inspectPeopleFile } from '../doubtful-encoding.js';
import { mapPeopleTable, type PeopleTable } from '../people-table.js';
import { type FilePreview, previewTable } from '../preview.js';
import { type PackedFailure, packFailure } from './failures.js';

/*
 * Entry point of the threads that read untrusted files. Text and workbooks may demand much work, which must neither block the
 * service nor outlive a cancellation. Decisions about rows need the database and are made outside.
 */

export interface TableRequest {
  file: string;
  source: TableSource;
  options: ColumnOptions & Pick<ImportOptions, 'sheet'>;
  limits: SourceLimits;
}

/** Facts of a table that are known after its header. */
export type OpenedTable = Pick<PeopleTable, 'format' | 'header' | 'mapping' | 'warnings'>;

/** Facts of a table that are known after its last row. */
export interface TableEnd {
  lines: number;
  mergedLines: readonly number[];
}

export interface Tasks {
  inspect: { input: { file: string; encoding: Encoding | 'auto' }; result: Inspection };
  preview: { input: TableRequest; result: FilePreview };
  hasRows: { input: TableRequest; result: boolean };
  readRows: { input: TableRequest; result: TableEnd };
}

/** Messages of a thread, in this order. `done` and `failed` end the task. */
export type Message<Result> =
  | { kind: 'started'; threadId: number }
  | { kind: 'opened'; table: OpenedTable }
  | { kind: 'rows'; rows: SourceRow[] }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; failure: PackedFailure };

export interface Task<Name extends keyof Tasks> {
  input: Tasks[Name]['input'];
  port: MessagePort;
}

/** Maximum rows and characters of a message. */
const [sentRows, sentCharacters] = [500, 256 * 1024];
/** Number of lists that are sent before the receiver asks for more: memory doesn't grow if the receiver is slow. */
const credit = 2;

async function run<Name extends keyof Tasks>(
  { input, port }: Task<Name>,
  work: (
    input: Tasks[Name]['input'],
    send: (message: Message<Tasks[Name]['result']>) => void,
  ) => Promise<Tasks[Name]['result']>,
): Promise<void> {
  const send = (message: Message<Tasks[Name]['result']>) => port.postMessage(message);
  send({ kind: 'started', threadId });
  try {
    send({ kind: 'done', result: await work(input, send) });
  } catch (error) {
    send({ kind: 'failed', failure: packFailure(error) });
  }
}

const open = ({ file, source, options, limits }: TableRequest) =>
  openTable(file, source, options, limits, headerRules(options));

export const inspect = (task: Task<'inspect'>) =>
  run(task, ({ file, encoding }) => inspectPeopleFile(fileBytes(file), encoding));

export const preview = (task: Task<'preview'>) =>
  run(task, async (request) => previewTable(await open(request), request.options));

/** Returns whether a table has rows below its header. */
export const hasRows = (task: Task<'hasRows'>) =>
  run(task, async (request) => {
    const table = await open(request);
    try {
      return !(await table.rows.next()).done;
    } finally {
      await table.close();
    }
  });

/** Yields rows in lists of about equal size. Throws an error of the source after yielding the rows before it. */
async function* groupRows(rows: AsyncIterable<SourceRow[]>): AsyncGenerator<SourceRow[]> {
  let list: SourceRow[] = [];
  let characters = 0;
  let fault: { error: unknown } | undefined;
  try {
    for await (const some of rows)
      for (const row of some) {
        list.push(row);
        // Blank cells take time, too.
        characters += sumLengths(row.cells) + row.cells.length;
        if (list.length < sentRows && characters < sentCharacters) continue;
        yield list;
        [list, characters] = [[], 0];
      }
  } catch (error) {
    fault = { error };
  }
  if (list.length > 0) yield list;
  if (fault) throw fault.error;
}

export const readRows = (task: Task<'readRows'>) =>
  run(task, async (request, send) => {
    const table = await mapPeopleTable(await open(request), request.options);
    try {
      const { format, header, mapping, warnings } = table;
      send({ kind: 'opened', table: { format, header, mapping, warnings } });
      let left = credit;
      task.port.on('message', () => {
        left += 1;
      });
      for await (const rows of groupRows(table.rows)) {
        while (left === 0) await once(task.port, 'message');
        left -= 1;
        send({ kind: 'rows', rows });
      }
      return { lines: table.lines(), mergedLines: table.mergedLines() };
    } finally {
      await table.close();
    }
  });
