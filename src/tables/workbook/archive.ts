import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { cancellationError } from '../../fair-queue.js';
import { newWorkLimits, type WorkLimits } from './bounds.js';
import { damaged, tooLarge, WorkbookProblem } from './problem.js';

/** Maximum parts of an archive; workbooks have some dozens. */
const maxParts = 2000;
/** Maximum bytes of an inflated part, counted while inflating: sizes stated in an archive may be wrong. */
const maxPartBytes = 512 * 1024 * 1024;
/** Maximum inflated bytes of all reads: enough for the longest sheet twice, and the shared texts. */
const maxInflatedBytes = 1280 * 1024 * 1024;

/** A ZIP file. Its parts are inflated when they are read. */
export interface Archive {
  has(name: string): boolean;
  readonly workLimits: WorkLimits;
  /**
   * Yields the bytes of a part.
   * @param most maximum bytes
   * @throws WorkbookProblem
   * @throws the reason of the signal
   */
  read(name: string, most?: number): AsyncGenerator<Buffer>;
  close(): void;
}

/** Normalizes the name of a part: programs differ in case and in a leading slash. */
const keyOf = (name: string) => name.replace(/^\/+/, '').toLowerCase();

/** Converts errors of yauzl and zlib, which mean a damaged file. Errors of the operating system stay unchanged. */
function toWorkbookProblem(error: unknown): unknown {
  if (error instanceof WorkbookProblem || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined || /^Z_|^ERR_(OUT_OF_RANGE|INVALID_ARG)/.test(code)
    ? damaged('it is damaged or incomplete', error)
    : error;
}

async function partsOf(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  const parts = new Map<string, yauzl.Entry>();
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    entries += 1;
    if (entries > maxParts) throw tooLarge(`it has more than ${maxParts} parts`);
    if (entry.fileName.endsWith('/')) continue;
    const key = keyOf(entry.fileName);
    if (parts.has(key)) throw damaged(`it has two parts that are called ${entry.fileName}`);
    parts.set(key, entry);
  }
  return parts;
}

/**
 * Opens a ZIP file.
 * @param signal stops reading a part
 * @throws WorkbookProblem
 */
export async function openArchive(file: string, signal?: AbortSignal): Promise<Archive> {
  let zip: yauzl.ZipFile | undefined;
  try {
    zip = await yauzl.openPromise(file, { autoClose: false, strictFileNames: false });
    const parts = await partsOf(zip);
    return archiveOf(zip, parts, signal);
  } catch (error) {
    zip?.close();
    throw toWorkbookProblem(error);
  }
}

function archiveOf(zip: yauzl.ZipFile, parts: ReadonlyMap<string, yauzl.Entry>, signal?: AbortSignal): Archive {
  let inflated = 0;
  return {
    has: (name) => parts.has(keyOf(name)),
    workLimits: newWorkLimits(),
    async *read(name, most = maxPartBytes) {
      const entry = parts.get(keyOf(name));
      if (!entry) throw damaged(`its part ${name} is missing`);
      if (entry.isEncrypted()) throw new WorkbookProblem('ENCRYPTED', 'it is protected by a password');
      let bytes = 0;
      let checksum = 0;
      try {
        for await (const read of await zip.openReadStreamPromise(entry)) {
          // Streams without an encoding yield buffers.
          const chunk = read as Buffer;
          if (signal?.aborted) throw cancellationError(signal);
          bytes += chunk.length;
          inflated += chunk.length;
          if (bytes > most) throw tooLarge(`its part ${name} has more than ${most / 1024 / 1024} MiB`);
          if (inflated > maxInflatedBytes) throw tooLarge(`it has more than ${maxInflatedBytes / 1024 / 1024} MiB`);
          checksum = crc32(chunk, checksum);
          yield chunk;
        }
        if (checksum !== entry.crc32) throw damaged(`its part ${name} is damaged`);
      } catch (error) {
        throw toWorkbookProblem(error);
      }
    },
    close: () => zip.close(),
  };
}
