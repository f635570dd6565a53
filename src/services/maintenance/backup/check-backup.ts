import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../../errors.js';
import { diskFault } from '../../../storage/disk-fault.js';
import { filesBelow, measure } from './copy.js';
import { databaseName, filesName, type Manifest, manifestName, readManifest } from './manifest.js';

/** Everything that a manifest names, by its path in the folder of the backup. */
function partsOf({ database, files }: Manifest): Map<string, { bytes: number; sha256: string }> {
  const parts = new Map((files ?? []).map((file) => [path.join(filesName, file.key), file]));
  return new Map([...(database ? [[databaseName, database] as const] : []), ...parts]);
}

/**
 * Reads the manifest of a backup, and compares all files with it.
 * @throws AppError `FILE_UNUSABLE` for a backup that is incomplete, damaged, or has other files; `INTERRUPTED`
 */
export async function checkedBackup(folder: string, signal: AbortSignal): Promise<Manifest> {
  try {
    const manifest = await readManifest(folder);
    const found = new Set(await filesBelow(folder));
    if (!manifest)
      throw new AppError(
        'FILE_UNUSABLE',
        found.size === 0
          ? `There is no backup in ${folder}. Name the folder of a backup.`
          : `The backup ${folder} is incomplete: it has no ${manifestName}, because it was interrupted. Use another backup.`,
      );
    found.delete(manifestName);
    await compare(folder, manifest, found, signal);
    return manifest;
  } catch (error) {
    throw diskFault(folder, error);
  }
}

async function compare(folder: string, manifest: Manifest, found: Set<string>, signal: AbortSignal): Promise<void> {
  const refuse = (part: string, problem: string) =>
    new AppError('FILE_UNUSABLE', `The backup ${folder} is damaged: ${part} ${problem}. Use another backup.`);
  const parts = partsOf(manifest);
  for (const part of found)
    if (!parts.has(part))
      throw new AppError(
        'FILE_UNUSABLE',
        `${path.join(folder, part)} isn't part of the backup. Remove it, and try again.`,
      );
  for (const [part, { bytes }] of parts) {
    if (!found.has(part)) throw refuse(part, 'is missing');
    const stats = await lstat(path.join(folder, part));
    if (!stats.isFile()) throw refuse(part, "isn't a regular file");
    if (stats.size !== bytes) throw refuse(part, `has ${stats.size} bytes instead of ${bytes}`);
  }
  // The hashes last: a missing file is found without reading the others.
  for (const [part, { sha256 }] of parts)
    if ((await measure(path.join(folder, part), signal)).sha256 !== sha256)
      throw refuse(part, 'has another SHA-256 hash than the manifest names');
}
