import type { Database } from '../../../db/connection.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { isReadableHere } from '../../imports/queue/spool.js';

/** Imports that wait for their uploaded file, which isn't part of a backup. */
const waiting: ImportStatus[] = ['queued', 'planning', 'planned', 'running', 'interrupted'];

/**
 * In a restored database, whose schema may be older than this program's: imports over HTTP whose uploaded file isn't on this
 * machine fail, instead of waiting for it for ever. Others that were running are interrupted, because no process has their lease;
 * the service resumes those.
 * @returns how many failed
 */
export async function stopUnreadableImports(database: Database, now: Date): Promise<number> {
  const { Import } = database.models;
  const records = await database.read(() =>
    Import.findAll({ attributes: ['id', 'filePath'], where: { origin: 'http', status: waiting } }),
  );
  let stopped = 0;
  for (const record of records) {
    if (await isReadableHere(record)) continue;
    // Columns that the table has had from the beginning, here and above.
    const failure = {
      status: 'failed' as const,
      finishedAt: now,
      errorCode: 'FILE_UNUSABLE',
      errorMessage: 'The uploaded file was not in the backup that was restored. Upload it again.',
    };
    const where = { id: record.id };
    await database.inTransaction((transaction) => Import.update(failure, { where, transaction }));
    stopped += 1;
  }
  return stopped;
}
