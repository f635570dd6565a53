import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../../errors.js';

export interface Change {
  /** Description for messages, such as "the file /srv/.env". */
  description: string;
  /** Undoes the change; absent if impossible. @returns whether the change was undone */
  undo?: () => Promise<boolean>;
}

/** Undoes changes, last one first. @returns a line per change, which says whether it was removed or kept */
export async function undoAll(changes: readonly Change[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { description, undo } of changes.toReversed())
    lines.push(undo && (await undo()) ? `Removed: ${description}` : `Kept: ${description}`);
  return lines;
}

/**
 * Creates an empty file for an SQLite database, and its folders. Only one of several concurrent processes succeeds.
 * @returns a function that removes the new folders, for use after the removal of the file; undefined if the file was not
 *   created
 */
export async function createFile(file: string): Promise<(() => Promise<void>) | undefined> {
  const created: string[] = [];
  for (let folder = path.dirname(file); !existsSync(folder); folder = path.dirname(folder)) created.push(folder);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '', { flag: 'wx', mode: 0o644 });
  } catch (error) {
    // The file exists or can't be created. Opening the database reports the reason.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
  return async () => {
    for (const folder of created) {
      try {
        await rmdir(folder);
      } catch (error) {
        // The folder is in use now, or was removed.
        if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(error) ?? '')) throw error;
      }
    }
  };
}
