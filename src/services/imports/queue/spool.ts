import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Core } from '../../core.js';

/** Where files to be imported and what comes of them are kept: nothing of it is served as a file. */
export function importsFolder(core: Core): string {
  return path.join(core.config.dataDir, 'imports');
}

/**
 * Removes the program's own copy of a file that is done with: an upload, or what came from standard input. It holds
 * people's data and, at times, their passwords.
 */
export async function removeOwnCopy(core: Core, { filePath }: Import): Promise<void> {
  const own = importsFolder(core) + path.sep;
  if (!filePath.startsWith(own)) return;
  await rm(filePath, { force: true });
  // Its folder may hold the files that the import wrote: then it stays.
  await rmdir(path.dirname(filePath)).catch(() => undefined);
}

/** Whether an import that can be gone on with has to read a file again. */
export async function isNeeded(core: Core, file: string): Promise<boolean> {
  const where = { filePath: path.resolve(file), status: { [Op.notIn]: [...ended] } };
  return (await core.database.read(() => core.database.models.Import.count({ where }))) > 0;
}

/** From here there is no going on. */
const ended: readonly ImportStatus[] = ['completed', 'stopped', 'undone'];

/** The files that are copies: over HTTP and of standard input. */
const copyNames: readonly string[] = ['upload.csv', 'stdin.csv'];

/** The folders that are made for files: `stdin-...` at the terminal, the import's id over HTTP. */
const ownFolder = /^(stdin-.{6}|[0-9a-f-]{36})$/;

/**
 * Removes what a crash has left of people's data in a folder for an import's files: a file that was never imported, or
 * was imported, and passwords that were fetched.
 * @param name of the folder
 * @param before what has changed since is left alone: somebody may be at it
 * @returns whether anything was removed
 */
export async function sweepImportFolder(core: Core, name: string, before: Date): Promise<boolean> {
  const folder = path.join(importsFolder(core), name);
  if (!ownFolder.test(name) || (await changedAt(folder)) >= before) return false;
  const copies = copyNames.map((file) => path.join(folder, file));
  const where = { [Op.or]: [{ id: name }, { filePath: copies }] };
  const record = await core.database.read(() => core.database.models.Import.findOne({ where }));
  const names = await readdir(folder);
  if (!record) {
    // Whatever else is in it was written by an import that is known to some other database: this may be the wrong one.
    if (names.some((one) => !copyNames.includes(one))) return false;
    await rm(folder, { recursive: true, force: true });
    return true;
  }
  if (!ended.includes(record.status)) return false;
  await removeOwnCopy(core, record);
  const { credentialsFile, credentialsFetchedAt } = record;
  if (credentialsFetchedAt !== null && credentialsFile?.startsWith(folder + path.sep))
    await rm(credentialsFile, { force: true });
  // The folder itself may be gone.
  return (await readdir(folder).catch(() => [])).length < names.length;
}

/** When a folder or a file in it was changed last; now when it is gone. */
async function changedAt(folder: string): Promise<Date> {
  try {
    const names = await readdir(folder);
    const found = await Promise.all(
      [folder, ...names.map((name) => path.join(folder, name))].map((file) => stat(file)),
    );
    return new Date(Math.max(...found.map(({ mtimeMs }) => mtimeMs)));
  } catch {
    // Removed meanwhile: somebody is at it.
    return new Date();
  }
}
