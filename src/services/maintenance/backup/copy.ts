import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, undefinedIfMissing } from '../../../errors.js';
import { makeFolder, syncToDisk } from '../../../storage/disk.js';

/** Number of bytes read, and their SHA-256 in hexadecimal. */
interface Measured {
  bytes: number;
  sha256: string;
}

/** Creates a pass-through stage of a pipeline that counts and hashes the bytes. */
function meter() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *pass(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    result: (): Measured => ({ bytes, sha256: hash.digest('hex') }),
  };
}

/**
 * Copies a stream into a new file that only this user can read. The copy is durable when the caller has synced the
 * folder, too.
 */
export async function copyStream(source: Readable, target: string, signal: AbortSignal): Promise<Measured> {
  const { pass, result } = meter();
  const file = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true });
  await interruptible(signal, pipeline(source, pass, file, { signal }));
  return result();
}

export async function measure(file: string, signal: AbortSignal): Promise<Measured> {
  const { pass, result } = meter();
  const drain = async (chunks: AsyncIterable<Buffer>) => {
    for await (const _chunk of chunks);
  };
  await interruptible(signal, pipeline(createReadStream(file), pass, drain, { signal }));
  return result();
}

async function interruptible(signal: AbortSignal, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    throw error;
  }
}

/** Creates `root`, and on first use the folders for keys such as `material/0193...`; `sync` makes all of them durable. */
export async function keyFolders(root: string) {
  await makeFolder(root);
  const made = new Set<string>();
  return {
    async pathOf(key: string) {
      const file = path.join(root, key);
      const folder = path.dirname(file);
      if (!made.has(folder)) await makeFolder(folder);
      made.add(folder);
      return file;
    },
    async sync() {
      for (const folder of [...made, root, path.dirname(root)]) await syncToDisk(folder);
    },
  };
}

/** Returns the paths of all entries below `root` except folders, relative to `root`; empty if `root` doesn't exist. */
export async function filesBelow(root: string): Promise<string[]> {
  const entries = (await undefinedIfMissing(readdir(root, { recursive: true, withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}
