import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config, SqliteConfig } from '../../../config/config.js';
import { systemErrorCode } from '../../../errors.js';

/** What a check has found. */
export interface Finding {
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do about it. */
  remedy?: string;
}

/** A block of most file systems. */
const probeBytes = 4096;

/** Whether other users of this machine can read the secrets in `.env`; Windows has no such permissions. */
export async function settingsFile(file: string): Promise<Finding> {
  const found = await stat(file).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return { status: 'ok', detail: 'none: all settings come from the environment' };
  if (process.platform === 'win32' || (found.mode & 0o007) === 0)
    return { status: 'ok', detail: `${file} can't be read by other users` };
  return {
    status: 'warning',
    detail: `${file} is open to every user of this machine, and may hold passwords and the signing secret`,
    remedy: `Run: chmod 600 ${file}. Then change the secrets in it, if others use this machine.`,
  };
}

/** Whether other users of this machine can read the database: sequelize-cli or a copy may have made it so. */
export async function databaseFile({ file }: SqliteConfig): Promise<Finding> {
  // Why it can't be opened, the check of the connection says.
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return { status: 'ok', detail: 'none yet' };
  const folder = await stat(path.dirname(file));
  if (process.platform === 'win32' || (found.mode & 0o006) === 0 || (folder.mode & 0o001) === 0)
    return { status: 'ok', detail: `${file} can't be read by other users` };
  return {
    status: 'warning',
    detail: `${file} is open to every user of this machine, with all accounts and password hashes`,
    remedy: `Run: chmod 600 ${file}*`,
  };
}

/** Whether the data folder can be written, or made. */
export async function writeAccess({ dataDir }: Config): Promise<Finding> {
  // The folder is created when it is needed: until then its parent must be writable.
  let folder = dataDir;
  while (!existsSync(folder)) folder = path.dirname(folder);
  const probe = path.join(folder, `.coursectl-doctor-${process.pid}`);
  try {
    // Some bytes: a full disk still takes an empty file.
    await writeFile(probe, Buffer.alloc(probeBytes), { flag: 'wx' });
    return { status: 'ok', detail: `${dataDir} is writable` };
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
    return {
      status: 'failed',
      detail: `${dataDir} can't be written (${code})`,
      remedy: isFull ? 'Free some space.' : 'Make DATA_DIR writable for this user, or name another folder.',
    };
  } finally {
    // The check has its result; the probe is a few bytes.
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
