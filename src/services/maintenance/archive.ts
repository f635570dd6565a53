import { open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { systemErrorCode } from '../../errors.js';
import { diskFault } from '../../storage/disk-fault.js';
import { makeFolder } from '../../storage/make-folder.js';
import { syncFolder } from '../../storage/sync-folder.js';
import type { Core } from '../core.js';

/** The end of the name of a file that is being written. */
const unfinished = '.part';

/** The folder with the rows that were exported before they were deleted. Only its owner can read it. */
export const archiveFolder = ({ config }: Core): string => path.join(config.dataDir, 'retention');

/**
 * Writes rows to a new file of JSON lines in the {@link archiveFolder}. When it returns, the file is on the disk under its
 * name; a crash before leaves a `.part` file, which {@link removeUnfinishedArchives} removes.
 * @param kind begins the name of the file
 * @returns the path of the file
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`; what `lines` throws
 */
export async function writeArchive(core: Core, kind: string, lines: AsyncIterable<object>): Promise<string> {
  const folder = archiveFolder(core);
  const moment = core
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '');
  const file = path.join(folder, `${kind}-${moment}-${uuidv7()}.ndjson`);
  const part = `${file}${unfinished}`;
  try {
    await makeFolder(folder);
    const handle = await open(part, 'wx', 0o600);
    try {
      for await (const line of lines) await handle.appendFile(`${JSON.stringify(line)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
    await syncFolder(folder);
    await syncFolder(path.dirname(folder));
    return file;
  } catch (error) {
    // The failure matters more than the incomplete file, which the next run removes.
    await rm(part, { force: true }).catch(() => undefined);
    throw diskFault(folder, error);
  }
}

/** Removes the incomplete files that killed runs have left. Under the lease of the exports only: another run may write one. */
export async function removeUnfinishedArchives(core: Core): Promise<void> {
  const folder = archiveFolder(core);
  try {
    const names = await readdir(folder);
    for (const name of names) if (name.endsWith(unfinished)) await rm(path.join(folder, name), { force: true });
  } catch (error) {
    // The folder is created with the first file.
    if (systemErrorCode(error) !== 'ENOENT') throw diskFault(folder, error);
  }
}
