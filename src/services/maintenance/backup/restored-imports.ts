import path from 'node:path';
import { type InferAttributes, Op } from 'sequelize';
import type { Database } from '../../../db/connection.js';
import type { Import } from '../../../db/models/import.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { isReadable } from '../../imports/store/spool.js';
import { fileNameOf } from './restored-rows.js';

/** Whether somebody has used the database since then: it isn't only what was restored from a dump. */
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

/** Imports that wait for their uploaded file, which isn't part of a backup. */
const statusesNeedingUpload: ImportStatus[] = ['queued', 'planning', 'planned', 'running', 'interrupted'];

/** Columns that the table has had from the beginning: a restored schema may be older than this program's. */
const columns = ['id', 'status', 'filePath', 'credentialsFile', 'rejectsFile'] as const;

/**
 * In a restored database, which `assertFilesBelow` has checked: moves the paths of imports over HTTP to this installation's
 * folder, because those of the installation that was backed up may be on this machine and in use. Imports whose uploaded file isn't here fail, instead of waiting for it for ever,
 * and passwords that aren't here are no longer offered. Others that were running are interrupted, because no process has their
 * lease; the service resumes those. Files of imports at a terminal stay where the operator wanted them.
 * @param folder of imports, see `importsFolder`
 * @returns how many failed
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
