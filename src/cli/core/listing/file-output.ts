import { open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isDiskFull, systemErrorCode, writeFailureReason } from '../../../errors.js';
import { isWorkbookName, type TableFormat, tableFormats } from '../../../schemas/table-format.js';
import type { OnExported } from '../../../services/exports.js';
import { type Table, tablePieces } from '../../../tables/write/table.js';
import type { None, tableOutputOption } from '../command/declaration.js';
import type { Result, Run } from '../command/run.js';
import { counted, type Io, writeText } from '../output/output.js';
import { printable } from '../output/printable.js';

/** Destination of a command's data. */
interface FileOutput {
  write(piece: string | Uint8Array): Promise<void>;
  /** Call after all data is written. */
  close(): Promise<void>;
  /** Call after a failure: removes the file. Data on standard output remains. */
  discard(): Promise<void>;
}

/** Returns the reason why a file can't be created or written, and a remedy. */
function problemOf(file: string, code: string): string {
  if (isDiskFull(code)) return `The disk of the file ${file} is full. Free some space, or name a file on another disk.`;
  if (code === 'EEXIST') return `The file ${file} exists already and is never overwritten. Name another one.`;
  return `The file ${file} ${writeFailureReason(code, 'name another file')}.`;
}

/** Opens standard output, or creates a file that only this user can read. */
async function openOutput(io: Io, name: string | undefined): Promise<FileOutput> {
  if (name === undefined) {
    const nothing = async () => undefined;
    // Escapes control characters for a terminal only. Pipes and files get unchanged data.
    const shown = (piece: string | Uint8Array) =>
      io.stdout.isTTY && typeof piece === 'string' ? printable(piece.replaceAll('\r\n', '\n')) : piece;
    return { write: (piece) => writeText(io.stdout, shown(piece), io.signal), close: nothing, discard: nothing };
  }
  const file = path.resolve(io.cwd, name);
  const usable = <T>(work: Promise<T>, code: 'USAGE' | 'FILE_UNUSABLE' = 'FILE_UNUSABLE'): Promise<T> => {
    return work.catch((error: unknown) => {
      const problem = systemErrorCode(error);
      if (problem === undefined) throw error;
      throw new AppError(code, problemOf(name, problem), { cause: error });
    });
  };
  const handle = await usable(open(file, 'wx', 0o600), 'USAGE');
  return {
    write: (piece) => usable(handle.appendFile(piece)),
    close: () => usable(handle.close()),
    async discard() {
      await handle.close();
      await unlink(file);
    },
  };
}

/** Destination and format of a table. */
export interface TableTarget {
  format: TableFormat;
  /** Path of a new file; absent for standard output. */
  file?: string;
}

/** Parses `--output`: a format for standard output, or a file whose extension gives the format. */
export function tableTarget(output: string | undefined): TableTarget {
  if (output === undefined) return { format: 'csv' };
  const format = tableFormats.find((one) => one === output);
  return format ? { format } : { format: isWorkbookName(output) ? 'xlsx' : 'csv', file: output };
}

/** @throws AppError `USAGE` for a workbook on a terminal */
export function assertShowable({ stdout }: Io, { format, file }: TableTarget): void {
  if (format === 'xlsx' && file === undefined && stdout.isTTY)
    throw new AppError('USAGE', "A workbook can't be shown at a terminal: name a file, such as --output table.xlsx.");
}

/** @throws AppError `USAGE` if data and JSON would share standard output */
export function assertDestination({ options }: Run<'', None>, file: string | undefined, what: string): void {
  if (options.json && file === undefined)
    throw new AppError('USAGE', `${what} and JSON can't share standard output. Add --output <file>.`);
}

/** @throws AppError `USAGE` with `--json` and no file, and the errors of {@link assertShowable} */
export function assertTableDestination(run: Run<'', typeof tableOutputOption>): void {
  const target = tableTarget(run.options.output);
  assertDestination(run, target.file, target.format === 'csv' ? 'CSV' : 'A workbook');
  assertShowable(run.io, target);
}

/**
 * Writes data to standard output or to a new file. Removes the file after a failure.
 * @throws AppError `USAGE` for an unusable path, `FILE_UNUSABLE`, `INTERRUPTED`
 */
export async function writeData(
  io: Io,
  file: string | undefined,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const output = await openOutput(io, file);
  try {
    for await (const piece of pieces) {
      if (io.signal.aborted) throw new AppError('INTERRUPTED');
      await output.write(piece);
    }
    await output.close();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

/**
 * Writes an export.
 * @returns the number of rows for a file; an empty result for standard output
 * @param singular noun for a row
 * @throws the errors of {@link writeData}
 */
export async function writeExport(
  { io, options }: Run<'', typeof tableOutputOption>,
  singular: string,
  tableOf: (onExported: OnExported) => Table,
): Promise<Result> {
  const { format, file } = tableTarget(options.output);
  let exported = 0;
  const table = tableOf((rows) => {
    exported += rows;
  });
  await writeData(io, file, tablePieces(table, format));
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, singular)} written to ${file}.` };
}
