import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file system in memory, on Linux. */
const inMemory = '/dev/shm';

/**
 * Required free space. The databases, the build and the browser profiles of a whole run need about a third of this
 * space.
 */
const neededBytes = 4 * 1024 ** 3;

const prefix = 'coursectl-test-';

/** Whether a folder exists, has space for a run, and permits starting programs. */
function isFit(folder: string): boolean {
  const probe = path.join(folder, `${prefix}probe-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < neededBytes) return false;
    writeFileSync(probe, '', { mode: 0o755 });
    // Fails where the file system is mounted with `noexec`, as in containers.
    accessSync(probe, constants.X_OK);
    return true;
  } catch {
    // The folder is missing, full, or forbids programs. The temporary folder is used instead.
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes files of killed runs. In memory they would stay until the machine restarts. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(path.join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Makes the folder for all temporary files of a run: in memory if there is space, otherwise below the system's temporary
 * folder. On a disk, every commit of a test's database waits for the disk.
 * @param memory the file system in memory
 */
export function makeScratch(memory = inMemory): string {
  const parent = isFit(memory) ? memory : tmpdir();
  removeLeftovers(parent);
  const folder = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`));
  // Like /tmp: some tests run programs as another user, which write temporary files.
  chmodSync(folder, 0o1777);
  return folder;
}
