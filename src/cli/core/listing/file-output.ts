import { open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isDiskFull, systemErrorCode, whyUnwritable } from '../../../errors.js';
import type { outputOption } from '../command/declaration.js';
import type { Run } from '../command/run.js';
import { writeText } from '../output/output.js';
import { printable } from '../output/printable.js';

/** Where a command's data goes. */
interface FileOutput {
  write(piece: string | Uint8Array): Promise<void>;
  /** Ends well. */
  close(): Promise<void>;
  /** Takes back what was written, as far as it can be. */
  discard(): Promise<void>;
}

/** Why a file can't be made or written, and what to do. */
function problemOf(file: string, code: string): string {
  if (isDiskFull(code)) return `The disk of the file ${file} is full. Free some space, or name a file on another disk.`;
  if (code === 'EEXIST') return `The file ${file} exists already and is never overwritten. Name another one.`;
  return `The file ${file} ${whyUnwritable(code, 'name another file')}.`;
}

/** Standard output, or a new file that only this user can read. */
async function openOutput({ io, options }: Run<'', typeof outputOption>): Promise<FileOutput> {
  const name = options.output;
  if (name === undefined) {
    const nothing = async () => undefined;
    // A pipe or a file gets the data as it is; a person looks at it.
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

/**
 * @param what the data is
 * @throws AppError `USAGE` with `--json` and no `--output`
 */
export function assertDestination({ options }: Run<'', typeof outputOption>, what = 'CSV'): void {
  if (options.json && options.output === undefined)
    throw new AppError('USAGE', `${what} and JSON can't share standard output. Add --output <file>.`);
}

/**
 * Writes data to standard output or to the file of `--output`. After a failure there is no file.
 * @throws AppError `USAGE` for a path that can't be used, `FILE_UNUSABLE`, `INTERRUPTED`
 */
export async function writeData(
  run: Run<'', typeof outputOption>,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const output = await openOutput(run);
  try {
    for await (const piece of pieces) {
      if (run.io.signal.aborted) throw new AppError('INTERRUPTED');
      await output.write(piece);
    }
    await output.close();
  } catch (error) {
    await output.discard();
    throw error;
  }
}
