import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/**
 * Mounts a small file system on a new folder. The folder can't be removed while it is mounted.
 * @param size for `mount`, such as `1m`; `1m,ro` for a read-only one
 * @returns undefined and prints a message if mounting fails, because only root may mount
 */
export function mountSmallDisk(folder: string, size: string): { unmount(): void } | undefined {
  mkdirSync(folder, { recursive: true });
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  if (status !== 0) {
    console.error(`    Not tested: no small disk can be mounted here (${String(error ?? stderr).trim()}).`);
    return undefined;
  }
  return { unmount: () => void spawnSync('umount', [folder]) };
}
