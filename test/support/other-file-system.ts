import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Folders that are often on separate file systems. */
const candidates = [tmpdir(), '/dev/shm', '/tmp', '/var/tmp'];

function deviceOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.dev;
}

/**
 * Creates a temporary folder on a different file system than `folder`. No file can be renamed from one to the other.
 * @returns undefined and prints a message if there is no other file system
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
