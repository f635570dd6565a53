import { Op } from 'sequelize';
import { databaseUrlForDisplay } from '../../../config/database-url.js';
import { databaseUnusable, isAppError } from '../../../errors.js';
import type { Core } from '../../core.js';
import { importsFolder } from '../../imports/store/spool.js';
import type { Manifest } from './manifest.js';
import { adoptImports } from './restored-imports.js';
import { assertFilesBelow } from './restored-rows.js';

/** Whether somebody has used the database since the backup: then it isn't only what was restored from the dump. */
async function isUsedSince({ database }: Core, time: Date): Promise<boolean> {
  const { AuditEntry, Session } = database.models;
  const since = { [Op.gt]: time };
  const [entry, session] = await database.read(() =>
    Promise.all([
      AuditEntry.findOne({ attributes: ['id'], where: { at: since } }),
      Session.findOne({ attributes: ['id'], where: { [Op.or]: [{ createdAt: since }, { lastUsedAt: since }] } }),
    ]),
  );
  return entry !== null || session !== null;
}

/**
 * Checks a database on a server, whose dump was restored before, as a restore checks one in a file.
 * @throws AppError `FILE_UNUSABLE`
 */
export async function assertDumpFits({ database, config }: Core): Promise<void> {
  if (config.database.dialect === 'sqlite') return;
  try {
    await assertFilesBelow(database, `The database ${databaseUrlForDisplay(config.database)}`);
  } catch (error) {
    // The files may be restored before the dump.
    if (!isAppError(error, ...databaseUnusable)) throw error;
  }
}

/**
 * Does with a database on a server, whose dump was restored before, what a restore does with one in a file: ends its sessions and
 * stops imports whose uploads are not in the backup.
 * @returns how many imports failed; nothing when the dump wasn't restored yet, or the database can't be used or was used since
 */
export async function settleDump(core: Core, manifest: Manifest): Promise<number | undefined> {
  const { database } = core;
  try {
    // The dump was made before the files were copied.
    if (await isUsedSince(core, new Date(manifest.startedAt))) return undefined;
    await database.inTransaction((transaction) => database.models.Session.destroy({ where: {}, transaction }));
    return await adoptImports(database, importsFolder(core), core.now());
  } catch (error) {
    // The files are restored, perhaps before the dump: the operator is told what is left to do about the database.
    if (isAppError(error, ...databaseUnusable)) return undefined;
    throw error;
  }
}
