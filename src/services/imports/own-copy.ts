import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Import } from '../../db/models/import.js';
import type { Core } from '../core.js';

/** Where files to be imported and what comes of them are kept: nothing of it is served as a file. */
export function importsFolder(core: Core): string {
  return path.join(core.config.dataDir, 'imports');
}

/**
 * Removes the program's own copy of a file that is done with: an upload, or what came from standard input. It holds
 * people's data and, at times, their passwords.
 */
export async function removeOwnCopy(core: Core, { filePath }: Import): Promise<void> {
  const own = importsFolder(core) + path.sep;
  if (!filePath.startsWith(own)) return;
  await rm(filePath, { force: true });
  // Its folder may hold the files that the import wrote: then it stays.
  await rmdir(path.dirname(filePath)).catch(() => undefined);
}
