import type { Encoding } from '../../../../schemas/file-format.js';
import type { Inspection } from '../../../../tables/inspect.js';
import type { SourceRow } from '../../../../tables/table/table.js';
import type { PeopleTable } from '../people-table.js';
import type { FilePreview } from '../preview.js';
import { startTask, type ThreadTask } from './thread.js';
import type { TableEnd, TableRequest } from './worker.js';

/*
 * Reads files in threads. The signal ends a task immediately, and a file that takes more than a minute of processor time is
 * refused.
 */

/**
 * Reads a whole file once to find its hash, type and encoding.
 * @throws AppError the errors of `inspectPeopleFile`, and `IMPORT_FILE_INVALID` for an unreadable file
 * @throws the reason of the signal
 */
export async function inspectFile(
  file: string,
  encoding: Encoding | 'auto' = 'auto',
  signal?: AbortSignal,
): Promise<Inspection> {
  return (await startTask('inspect', { file, encoding }, { signal })).result();
}

const optionsOf = ({ source: { isWorkbook } }: TableRequest, signal: AbortSignal | undefined) => ({
  isWorkbook,
  signal,
});

/** Returns the columns and the first rows of a file. @throws AppError the errors of `openTable`; the reason of the signal */
export async function previewFile(request: TableRequest, signal?: AbortSignal): Promise<FilePreview> {
  return (await startTask('preview', request, optionsOf(request, signal))).result();
}

/** Returns whether a file has rows below its header. @throws AppError the errors of `openTable`; the reason of the signal */
export async function fileHasRows(request: TableRequest, signal?: AbortSignal): Promise<boolean> {
  return (await startTask('hasRows', request, optionsOf(request, signal))).result();
}

/**
 * Opens a file of people as a stream of rows: memory doesn't grow with the file, except for the shared texts of a workbook.
 * @throws AppError the errors of `openTable` and `mapPeopleTable`
 * @throws the reason of the signal
 */
export async function openPeople(request: TableRequest, signal?: AbortSignal): Promise<PeopleTable> {
  const task = await startTask('readRows', request, optionsOf(request, signal));
  const first = await task.next();
  if (first.kind !== 'opened') throw new Error(`A table began with ${first.kind}.`);
  let end: TableEnd | undefined;
  return {
    ...first.table,
    rows: rowsOf(task, (ended) => {
      end = ended;
    }),
    lines: () => end?.lines ?? 0,
    mergedLines: () => end?.mergedLines ?? [],
    close: async () => {
      if (!end) task.end();
    },
  };
}

async function* rowsOf(task: ThreadTask<'readRows'>, atEnd: (end: TableEnd) => void): AsyncGenerator<SourceRow[]> {
  for (let message = await task.next(); ; message = await task.next()) {
    if (message.kind === 'done') return atEnd(message.result);
    if (message.kind !== 'rows') continue;
    yield message.rows;
    task.requestRows();
  }
}
