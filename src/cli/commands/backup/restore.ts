import path from 'node:path';
import { restoreBackup } from '../../../services/maintenance/backup/restore.js';
import { sweepStorage } from '../../../services/maintenance/orphan-cleanup.js';
import { counted } from '../../core/output.js';
import { createProgress } from '../../core/progress.js';
import type { Result, Run } from '../../core/run.js';
import { summaryOf } from './summary.js';

/** `coursectl restore` */
export async function restore(run: Run<'<folder>'>): Promise<Result> {
  const context = await run.context();
  const { config } = context;
  const folder = path.resolve(run.io.cwd, run.arguments.folder);
  const progress = createProgress(run, 'Restoring', undefined, 'file');
  const { manifest, pending, stoppedImports } = await restoreBackup(context, {
    folder,
    signal: run.io.signal,
    onFile: (done) => progress.update(done),
  }).finally(() => progress.stop());
  const isCurrent = config.database.dialect === 'sqlite' && pending.length === 0;
  // What deletions had left at the time of the backup.
  if (isCurrent) await sweepStorage(context, false);
  const { databaseBytes, files, ...rest } = summaryOf(manifest);
  return {
    json: { restore: { folder, databaseBytes, files, ...rest, pending, stoppedImports } },
    text: [
      `Restored from ${folder}, of ${manifest.startedAt}:`,
      ...(databaseBytes === null ? [] : [`  database: ${counted(databaseBytes, 'byte')}; all sessions are ended`]),
      ...(files === null ? [] : [`  ${counted(files, 'file')}: ${counted(rest.fileBytes, 'byte')}`]),
      ...(stoppedImports > 0 ? [`  ${counted(stoppedImports, 'import')} stopped: upload the files again`] : []),
      ...manifest.missing.map((key) => `  missing since before the backup: ${key}`),
      nextStep(config.database.dialect, pending),
    ].join('\n'),
  };
}

function nextStep(dialect: 'sqlite' | 'mysql', pending: readonly string[]): string {
  if (dialect === 'mysql')
    return 'Restore the dump of the database with the client of the server. Then run: coursectl files sweep';
  return pending.length > 0
    ? `The database schema is older than this program (${counted(pending.length, 'migration')} pending). Run: coursectl migrate up`
    : 'Run: coursectl doctor';
}
