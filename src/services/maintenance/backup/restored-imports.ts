import path from 'node:path';
import { type InferAttributes, Op } from 'sequelize';
import type { Database } from '../../../db/connection.js';
import type { Import } from '../../../db/models/import.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { isReadable } from '../../imports/store/spool.js';
import { fileNameOf } from './restored-rows.js';

/** Whether the database was used after a time, so that it has more than the restored dump. */
export async function isUsedSince({ models: { AuditEntry, Session }, read }: Database, time: Date): Promise<boolean> {
  const since = { [Op.gt]: time };
  const used = { [Op.or]: [{ createdAt: since }, { lastUsedAt: since }] };
  const found = await read(() =>
    Promise.all([
      AuditEntry.findOne({ attributes: ['id'], where: { at: since } }),
      Session.findOne({ attributes: ['id'], where: used }),
    ]),
  );
  return found.some((row) => row !== null);
}

/** Statuses of imports that still need their uploaded file, which backups don't contain. */
const statusesNeedingUpload: ImportStatus[] = ['queued', 'planning', 'planned', 'running', 'interrupted'];

/** Columns of the first version of the table, because the restored schema may be older than this program. */
const columns = ['id', 'status', 'filePath', 'credentialsFile', 'rejectsFile'] as const;

/**
 * Adapts the imports over HTTP in a restored database, after `assertOwnFiles` has checked it:
 * - Paths move to this installation's folder. The original folder may be in use on this machine.
 * - Imports whose uploaded file doesn't exist here fail, instead of waiting for the file for ever.
 * - Files of passwords that don't exist here are no longer offered.
 * - Other running imports count as interrupted, because no process has their lease. The service resumes them.
 * Imports at a terminal keep their paths, because the operator chose them.
 * @param folder folder of imports, see `importsFolder`
 * @returns number of failed imports
 */
export async function adoptImports(database: Database, folder: string, now: Date): Promise<number> {
  const { Import } = database.models;
  return database.inTransaction(async (transaction) => {
    const records = await Import.findAll({ attributes: [...columns], where: { origin: 'http' }, transaction });
    let stopped = 0;
    for (const record of records) {
      const fields = await adoptedFields(record, folder, now);
      await Import.update(fields, { where: { id: record.id }, transaction });
      if (fields.status === 'failed') stopped += 1;
    }
    return stopped;
  });
}

async function adoptedFields(record: Import, folder: string, now: Date): Promise<Partial<InferAttributes<Import>>> {
  const here = (file: string) => path.join(folder, record.id, fileNameOf(file));
  const filePath = here(record.filePath);
  const credentialsFile = record.credentialsFile && here(record.credentialsFile);
  const paths = {
    filePath,
    credentialsFile: credentialsFile && (await isReadable(credentialsFile)) ? credentialsFile : null,
    rejectsFile: record.rejectsFile && here(record.rejectsFile),
  };
  if (!statusesNeedingUpload.includes(record.status) || (await isReadable(filePath))) return paths;
  return {
    ...paths,
    status: 'failed',
    finishedAt: now,
    errorCode: 'FILE_UNUSABLE',
    errorMessage: 'The uploaded file was not in the backup that was restored. Upload it again.',
  };
}
