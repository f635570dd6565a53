import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file system in memory, on Linux. */
const inMemory = '/dev/shm';

/** The databases of a whole run, its build and its browsers' profiles take about a third of it. */
const neededBytes = 4 * 1024 ** 3;

const prefix = 'coursectl-test-';

/** Whether a folder is there, has room for a run, and lets programs be started from it. */
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
    // It isn't there, is full, or starts no programs: the temporary folder serves as well.
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
    // A process of another user is running as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes what killed runs have left: in memory it would stay there until the machine starts again. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(path.join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Makes the folder of a run for all its temporary files: in memory where there is room, because every commit of a test's
 * database waits for a disk otherwise; else below the system's temporary folder.
 * @param memory the file system in memory
 */
export function makeScratch(memory = inMemory): string {
  const parent = isFit(memory) ? memory : tmpdir();
  removeLeftovers(parent);
  const folder = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`));
  // As /tmp is: some tests run programs as another user, which write temporary files.
  chmodSync(folder, 0o1777);
  return folder;
}
