import { existsSync, type Stats } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config, SqliteConfig } from '../../../config/config.js';
import { isDiskFull, readFailureReason, systemErrorCode, undefinedIfMissing } from '../../../errors.js';

export interface Finding {
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  remedy?: string;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const warning = (detail: string, remedy: string): Finding => ({ status: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string): Finding => ({ status: 'failed', detail, remedy });

/** Whether a path doesn't exist. An inaccessible path counts as existing: its use reports the reason. */
export async function isMissing(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    (error: unknown) => systemErrorCode(error) === 'ENOENT',
  );
}

/** Size of a block in most file systems. */
const probeBytes = 4096;

/** Checks whether other users of this machine can read the secrets in `.env`. Windows has no such permissions. */
export async function settingsFile(file: string): Promise<Finding> {
  const found = await undefinedIfMissing(stat(file));
  if (found === undefined) return ok('none: all settings come from the environment');
  if (process.platform === 'win32' || (found.mode & 0o007) === 0) return ok(`${file} can't be read by other users`);
  return warning(
    `${file} is open to every user of this machine, and may hold passwords and the signing secret`,
    `Run: chmod 600 ${file}. Then change the secrets in it, if others use this machine.`,
  );
}

/** Checks whether other users of this machine can read the database, for example after a copy. */
export async function databaseFile({ file }: SqliteConfig): Promise<Finding> {
  if (await isMissing(file)) return ok('none yet');
  let found: Stats;
  let folder: Stats;
  try {
    [found, folder] = [await stat(file), await stat(path.dirname(file))];
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return failed(
      `${file} ${readFailureReason(code)}`,
      'Check the path, and run this as the user of the service, who must be able to enter its folder.',
    );
  }
  if (process.platform === 'win32' || (found.mode & 0o006) === 0 || (folder.mode & 0o001) === 0)
    return ok(`${file} can't be read by other users`);
  return warning(
    `${file} is open to every user of this machine, with all accounts and password hashes`,
    `Run: chmod 600 ${file}*`,
  );
}

/** Checks whether the data folder can be written or created. */
export async function writeAccess({ dataDir }: Config): Promise<Finding> {
  // A missing folder is created on use: its parent must be writable.
  let folder = dataDir;
  while (!existsSync(folder)) folder = path.dirname(folder);
  const probe = path.join(folder, `.coursectl-doctor-${process.pid}`);
  try {
    // Writes some bytes, because a full disk still accepts an empty file.
    await writeFile(probe, Buffer.alloc(probeBytes), { flag: 'wx' });
    return ok(`${dataDir} is writable`);
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    return failed(
      `${dataDir} can't be written (${code})`,
      isDiskFull(code) ? 'Free some space.' : 'Make DATA_DIR writable for this user, or name another folder.',
    );
  } finally {
    // The check is done, and the probe is small: it may stay if it can't be removed.
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
