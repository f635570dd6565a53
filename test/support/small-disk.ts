import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/**
 * Mounts a small file system on a folder, which is created. A folder in which one is mounted can't be removed.
 * @param size as `mount` takes it, such as `1m`; `1m,ro` for one that is read-only
 * @returns nothing where none can be mounted, because only root may, and says so
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
