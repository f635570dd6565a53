import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../../errors.js';

/** Something that setup has written. */
export interface Change {
  /** What it is, for people, such as "the file /srv/.env". */
  what: string;
  /** Takes it back; absent where that isn't possible. @returns whether it was taken back */
  undo?: () => Promise<boolean>;
}

/** Takes changes back, the last one first. @returns for each a line that says whether it was removed or kept */
export async function undoAll(changes: readonly Change[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { what, undo } of changes.toReversed())
    lines.push(undo && (await undo()) ? `Removed: ${what}` : `Kept: ${what}`);
  return lines;
}

/**
 * Creates an empty file for an SQLite database, with its folders. Of several processes that do so at once, one succeeds.
 * @returns a function that removes the new folders again, once the file is removed; nothing where the file was not created
 */
export async function createFile(file: string): Promise<(() => Promise<void>) | undefined> {
  const created: string[] = [];
  for (let folder = path.dirname(file); !existsSync(folder); folder = path.dirname(folder)) created.push(folder);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '', { flag: 'wx', mode: 0o644 });
  } catch (error) {
    // It exists, or can't be created: of that, opening the database says more.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
  return async () => {
    for (const folder of created) {
      try {
        await rmdir(folder);
      } catch (error) {
        // Something else is in it now, or somebody has removed it.
        if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(error) ?? '')) throw error;
      }
    }
  };
}
