import path from 'node:path';
import type { Context } from '../../../services/context.js';
import { summaryOf } from '../../../services/maintenance/backup/manifest.js';
import { type Restored, restoreBackup } from '../../../services/maintenance/backup/restore.js';
import { sweepFiles } from '../../../services/maintenance/orphan-cleanup.js';
import { createProgress } from '../../core/bulk/progress.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted, withCommandLines } from '../../core/output/output.js';

/** Runs `coursectl restore`. @throws the errors of {@link restoreBackup} */
export async function restore(run: Run<'<folder>'>): Promise<Result> {
  const context = await run.context();
  const { config } = context;
  const folder = path.resolve(run.io.cwd, run.arguments.folder);
  const progress = createProgress(run, 'Restoring', undefined, 'file');
  const { manifest, pending, stoppedImports, mails } = await restoreBackup(context, {
    folder,
    signal: run.io.signal,
    onFile: (done) => progress.update(done),
  }).finally(() => progress.stop());
  const isCurrent = config.database.dialect === 'sqlite' && pending.length === 0;
  const bucket = config.files.storage.kind === 's3' ? context.storage.location : null;
  // The original installation may still use the bucket, and need uploads that are incomplete in this database.
  if (isCurrent && bucket === null) await removeOrphans(run, context);
  const { databaseBytes, files, ...rest } = summaryOf(manifest);
  const hints = [
    ...(bucket === null ? [] : [bucketHint(bucket)]),
    nextStep(config.database.dialect, pending, stoppedImports),
  ];
  return {
    json: {
      restore: {
        folder,
        databaseBytes,
        files,
        ...rest,
        pending,
        stoppedImports: stoppedImports ?? null,
        mails: mails ?? null,
      },
    },
    text: [
      `Restored from ${folder},`,
      `a backup of ${manifest.startedAt.slice(0, 16).replace('T', ' ')} UTC:`,
      ...(databaseBytes === null ? [] : [`  database: ${counted(databaseBytes, 'byte')}; all sessions are ended`]),
      ...(databaseBytes === null && stoppedImports !== undefined ? ['  database: all sessions are ended'] : []),
      ...(files === null ? [] : [`  ${counted(files, 'file')}: ${counted(rest.fileBytes, 'byte')}`]),
      ...(stoppedImports ? [`  ${counted(stoppedImports, 'import')} stopped: upload the files again`] : []),
      ...mailsText(mails),
      ...rest.missing.map((key) => `  missing since before the backup: ${key}`),
      ...rest.damaged.map((key) => `  damaged since before the backup: ${key}`),
      ...hints.map((hint) => withCommandLines(run.io, hint)),
    ].join('\n'),
  };
}

/** Returns lines about withdrawn mails and ended links and calendar addresses. */
function mailsText(mails: Restored['mails']): string[] {
  if (!mails) return [];
  const { withdrawnMails, endedLinks, endedCalendars } = mails;
  return [
    ...(withdrawnMails > 0
      ? [`  ${counted(withdrawnMails, 'mail')} withdrawn: they may have left since the backup`]
      : []),
    ...(endedLinks > 0 ? [`  ${counted(endedLinks, 'link')} ended: invite people without a password again`] : []),
    ...(endedCalendars > 0
      ? [
          `  ${counted(endedCalendars, 'calendar address', 'calendar addresses')} ended: people make new ones in their profiles`,
        ]
      : []),
  ];
}

/**
 * Removes files that were marked for deletion at the time of the backup. A failure is only a warning, because the backup
 * is restored.
 */
async function removeOrphans(run: Run<'<folder>'>, context: Context): Promise<void> {
  try {
    await sweepFiles(context);
  } catch (error) {
    context.logger.warn({ err: error }, 'the cleanup after the restore failed');
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    const warning = `warning: The backup is restored, but not all orphaned files were removed: ${reason}. Run: coursectl files sweep`;
    run.say(withCommandLines(run.io, warning));
  }
}

const bucketHint = (bucket: string) =>
  `The files are in ${bucket}. If another installation still uses them, set S3_BUCKET or S3_PREFIX to a copy before the service starts: it would remove files that the other one needs. Otherwise run: coursectl files sweep`;

function nextStep(dialect: 'sqlite' | 'mysql', pending: readonly string[], stoppedImports: number | undefined): string {
  if (dialect === 'mysql' && stoppedImports === undefined)
    return 'The sessions of the database are not ended: its dump is not restored yet, or it was used since the backup. Restore the dump with the client of the server, end the sessions (DELETE FROM sessions), and cancel imports whose files are gone (coursectl imports list). Then run: coursectl files sweep';
  if (dialect === 'mysql') return 'Run: coursectl files sweep';
  return pending.length > 0
    ? `The database schema is older than this program (${counted(pending.length, 'migration')} pending). Run: coursectl migrate up`
    : 'Run: coursectl doctor';
}
