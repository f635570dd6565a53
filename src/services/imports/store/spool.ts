import { access, constants, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import { systemErrorCode, undefinedIfMissing } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { pathBelow } from '../../../storage/disk.js';
import type { Core } from '../../core.js';
import { isId } from '../../ids.js';

/** The folder of spooled files and of what imports write beside them. Nothing in it is served as a file. */
export function importsFolder({ config }: Pick<Core, 'config'>): string {
  return path.join(config.dataDir, 'imports');
}

/** The folders of standard input at the terminal. */
const stdinFolder = /^stdin-[A-Za-z0-9]{6}$/;

/** Whether a folder in {@link importsFolder} is that of an import; imports at a terminal have one only of standard input. */
const isOwnFolder = ({ id, origin }: Pick<Import, 'id' | 'origin'>, folder: string): boolean =>
  origin === 'http' ? folder === id && isId(id) : stdinFolder.test(folder);

/**
 * Where a file of an import really is in the import's own folder. A row may name any other file: the database may come from
 * somebody else, or from another installation, which needs its files.
 * @returns nothing for a file that is elsewhere, doesn't exist, or can't be looked at
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

/**
 * Removes a spooled file, which is an upload or came from standard input, because it has personal data and sometimes
 * passwords in it. An operator's file stays.
 */
export async function removeSpooledFile(core: Core, record: Import): Promise<void> {
  const file = await ownFile(core, record, record.filePath);
  if (file === undefined) return;
  await rm(file, { force: true });
  // The folder stays if the import wrote files to it.
  await rmdir(path.dirname(file)).catch(() => undefined);
}

/** The path of the file of an import; null once a spooled file was removed, because no run needs it any more. */
export function availablePath(core: Core, record: Import): string | null {
  const folder = path.dirname(record.filePath);
  const isSpooled = path.dirname(folder) === importsFolder(core) && isOwnFolder(record, path.basename(folder));
  // The service may have another data folder than this process.
  const isRemoved = (record.origin === 'http' || isSpooled) && hasEnded(record);
  return isRemoved ? null : record.filePath;
}

/** Whether this instance can read the uploaded file and write beside it: instances may have disks of their own. */
export async function isReadableHere(core: Core, record: Import): Promise<boolean> {
  const file = await ownFile(core, record, record.filePath);
  return file !== undefined && isReadable(file);
}

/** Whether this process can read a file. */
export const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  );

/** Clients know the file by its name, and must not see paths of the server. */
export function withoutPaths(message: string, { filePath, fileName }: Import): string {
  return message.replaceAll(filePath, fileName).replaceAll(path.dirname(filePath) + path.sep, '');
}

/** Whether no instance needs the file of an import any more. */
export function hasEnded({ status, ledgerClosedAt }: Pick<Import, 'status' | 'ledgerClosedAt'>): boolean {
  return ended.includes(status) || ledgerClosedAt !== null;
}

/** Whether an import that can be resumed needs the file. */
export async function isSpoolNeeded(core: Core, file: string): Promise<boolean> {
  const where = { filePath: path.resolve(file), status: { [Op.notIn]: [...ended] }, ledgerClosedAt: null };
  return (await core.database.read(() => core.database.models.Import.count({ where }))) > 0;
}

/** Imports that can't be resumed, with or without their ledger. */
const ended: readonly ImportStatus[] = ['completed', 'stopped', 'undone', 'expired', 'discarded'];

export const uploadName = 'upload.csv';

/** The copy of an upload from another file system, until it is complete. No import names it. */
export const unfinishedUploadName = 'upload.csv.part';

/** The names of spooled files: of uploads and of standard input. */
const spoolNames: readonly string[] = [uploadName, 'stdin.csv'];

/** What a process leaves that was killed before its import was recorded. */
const unrecordedNames: readonly string[] = [...spoolNames, unfinishedUploadName];

/**
 * Removes the orphans that a crash has left in the folder of a spooled file: the file, if its import was never recorded
 * or has ended, and passwords that were fetched.
 * @param name of the folder
 * @param before folders that have changed since are skipped, because a process may be using them
 * @returns whether any file was removed
 */
export async function removeOrphanedUploads(core: Core, name: string, before: Date): Promise<boolean> {
  const folder = path.join(importsFolder(core), name);
  if (!(stdinFolder.test(name) || isId(name)) || (await changedAt(folder)) >= before) return false;
  const filePath = spoolNames.map((file) => path.join(folder, file));
  const where = { [Op.or]: [{ id: name }, { filePath }] };
  const record = await core.database.read(() => core.database.models.Import.findOne({ where }));
  const names = await undefinedIfMissing(readdir(folder));
  // Another process has removed it meanwhile.
  if (!names) return false;
  if (!record) {
    // Other files were written by an import of another database: ours may be the wrong one.
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
  // The folder itself may be gone.
  return ((await undefinedIfMissing(readdir(folder))) ?? []).length < names.length;
}

/** When a folder or a file in it was changed last; the current time when one of them is gone. */
async function changedAt(folder: string): Promise<Date> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  const files = [folder, ...names.map((name) => path.join(folder, name))];
  const found = await Promise.all(files.map((file) => undefinedIfMissing(stat(file))));
  // One that was removed meanwhile: another process is using the folder.
  return new Date(Math.max(...found.map((stats) => stats?.mtimeMs ?? Date.now())));
}
