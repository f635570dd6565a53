import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
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

/** The files that SQLite keeps beside a database while it is open, or after a crash. */
const besides = ['', '-wal', '-shm', '-journal'];

/**
 * How to remove a database file that is about to be created, with the folders that are created for it.
 * @returns a function that removes them
 */
export function removalOf(file: string): () => Promise<void> {
  const created: string[] = [];
  for (let folder = path.dirname(file); !existsSync(folder); folder = path.dirname(folder)) created.push(folder);
  return async () => {
    for (const suffix of besides) await rm(file + suffix, { force: true });
    for (const folder of created) {
      try {
        await rmdir(folder);
      } catch (error) {
        // Something else is in it now, or it was never created.
        if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(error) ?? '')) throw error;
      }
    }
  };
}
