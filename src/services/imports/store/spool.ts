import { access, constants, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import { systemErrorCode, undefinedIfMissing } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { pathBelow } from '../../../storage/disk.js';
import type { Core } from '../../core.js';
import { isId } from '../../ids.js';

/** Returns the folder of spooled files and the reports of their imports. The service never serves it directly. */
export function importsFolder({ config }: Pick<Core, 'config'>): string {
  return path.join(config.dataDir, 'imports');
}

/** Matches the folders of standard input at the terminal. */
const stdinFolder = /^stdin-[A-Za-z0-9]{6}$/;

/** Whether a folder in {@link importsFolder} belongs to an import. At a terminal, only standard input has a folder. */
const isOwnFolder = ({ id, origin }: Pick<Import, 'id' | 'origin'>, folder: string): boolean =>
  origin === 'http' ? folder === id && isId(id) : stdinFolder.test(folder);

/**
 * Returns the real path of a file, if it is in the import's own folder. The database may come from an untrusted person or from
 * another installation, so its rows may name files that this import must not read or remove.
 * @returns undefined for a file that is elsewhere, doesn't exist, or can't be inspected
 */
export async function ownFile(
  core: Pick<Core, 'config'>,
  record: Pick<Import, 'id' | 'origin'>,
  file: string,
): Promise<string | undefined> {
  const folder = importsFolder(core);
  const below = await pathBelow(folder, file).catch((error: unknown) => {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  });
  return below !== undefined && isOwnFolder(record, path.dirname(below)) ? path.join(folder, below) : undefined;
}

/** Removes an upload or spooled standard input, because it has personal data and perhaps passwords. Keeps operators' files. */
export async function removeSpooledFile(core: Core, record: Import): Promise<void> {
  const file = await ownFile(core, record, record.filePath);
  if (file === undefined) return;
  await rm(file, { force: true });
  // The folder stays if the import wrote files to it.
  await rmdir(path.dirname(file)).catch(() => undefined);
}

/** Returns the path of the file of an import; null if a spooled file was removed because no run needs it any more. */
export function availablePath(core: Core, record: Import): string | null {
  const folder = path.dirname(record.filePath);
  const isSpooled = path.dirname(folder) === importsFolder(core) && isOwnFolder(record, path.basename(folder));
  // The service may use another data folder than this process.
  const isRemoved = (record.origin === 'http' || isSpooled) && hasEnded(record);
  return isRemoved ? null : record.filePath;
}

/** Whether this instance can read the uploaded file and write next to it. Instances may have separate disks. */
export async function isReadableHere(core: Core, record: Import): Promise<boolean> {
  const file = await ownFile(core, record, record.filePath);
  return file !== undefined && isReadable(file);
}

export const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  );

/** Replaces paths in a message: clients know the file by its name, and must not see paths of the server. */
export function withoutPaths(message: string, { filePath, fileName }: Import): string {
  return message.replaceAll(filePath, fileName).replaceAll(path.dirname(filePath) + path.sep, '');
}

/** Whether no instance needs the file of an import any more. */
export function hasEnded({ status, ledgerClosedAt }: Pick<Import, 'status' | 'ledgerClosedAt'>): boolean {
  return ended.includes(status) || ledgerClosedAt !== null;
}

/** Whether an unfinished import needs the file. */
export async function isSpoolNeeded(core: Core, file: string): Promise<boolean> {
  const where = { filePath: path.resolve(file), status: { [Op.notIn]: [...ended] }, ledgerClosedAt: null };
  return (await core.database.read(() => core.database.models.Import.count({ where }))) > 0;
}

/** Statuses of imports that can't be resumed, even with their ledger. */
const ended: readonly ImportStatus[] = ['completed', 'stopped', 'undone', 'expired', 'discarded'];

export const uploadName = 'upload.csv';

/** Name of the incomplete copy of an upload from another file system. No import refers to it. */
export const unfinishedUploadName = 'upload.csv.part';

/** Names of spooled files: uploads and standard input. */
const spoolNames: readonly string[] = [uploadName, 'stdin.csv'];

/** Names of files that a process may leave if it is killed before recording its import. */
const unrecordedNames: readonly string[] = [...spoolNames, unfinishedUploadName];

/**
 * Removes the orphans that a crash left in the folder of a spooled file: the file, if its import was never recorded or has
 * ended, and passwords that were fetched.
 * @param name name of the folder
 * @param before a folder that changed after this time is kept, because a process may be using it
 * @returns whether any file was removed
 */
export async function removeOrphanedUploads(core: Core, name: string, before: Date): Promise<boolean> {
  const folder = path.join(importsFolder(core), name);
  if (!(stdinFolder.test(name) || isId(name)) || (await changedAt(folder)) >= before) return false;
  const filePath = spoolNames.map((file) => path.join(folder, file));
  const where = { [Op.or]: [{ id: name }, { filePath }] };
  const record = await core.database.read(() => core.database.models.Import.findOne({ where }));
  const names = await undefinedIfMissing(readdir(folder));
  // Another process has just removed the folder.
  if (!names) return false;
  if (!record) {
    // Other files belong to an import of another database: this process may use the wrong database.
    if (names.some((one) => !unrecordedNames.includes(one))) return false;
    await rm(folder, { recursive: true, force: true });
    return true;
  }
  if (!hasEnded(record)) return false;
  await removeSpooledFile(core, record);
  const { credentialsFile, credentialsFetchedAt } = record;
  if (credentialsFetchedAt !== null && credentialsFile !== null) {
    const passwords = await ownFile(core, record, credentialsFile);
    if (passwords !== undefined) await rm(passwords, { force: true });
  }
  return ((await undefinedIfMissing(readdir(folder))) ?? []).length < names.length;
}

/** Returns the last change of a folder and its files; the current time if one of them is gone. */
async function changedAt(folder: string): Promise<Date> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  const files = [folder, ...names.map((name) => path.join(folder, name))];
  const found = await Promise.all(files.map((file) => undefinedIfMissing(stat(file))));
  // If a file has just been removed, another process is using the folder.
  return new Date(Math.max(...found.map((stats) => stats?.mtimeMs ?? Date.now())));
}
