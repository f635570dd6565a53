import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where machines often have file systems of their own. */
const candidates = [tmpdir(), '/dev/shm', '/tmp', '/var/tmp'];

function deviceOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.dev;
}

/**
 * A folder for one test's files on another file system than `folder` is on: no file can be renamed from one to the other.
 * @returns nothing where there is none, and says so
 */
export function folderOnOtherFileSystem(folder: string): { path: string; remove(): void } | undefined {
  const parent = candidates.find((one) => deviceOf(one) !== undefined && deviceOf(one) !== deviceOf(folder));
  if (parent === undefined) {
    console.error(`    Not tested: ${candidates.join(', ')} are on one file system.`);
    return undefined;
  }
  const other = mkdtempSync(path.join(parent, 'coursectl-'));
  return { path: other, remove: () => rmSync(other, { recursive: true, force: true }) };
}
