import type { Manifest } from '../../../services/maintenance/backup/manifest.js';

/** What a backup has, in figures. */
export function summaryOf({ database, files, missing, ...rest }: Manifest) {
  const { program, startedAt, finishedAt, dialect, migrations } = rest;
  const fileBytes = files?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  return {
    program,
    startedAt,
    finishedAt,
    dialect,
    migrations: migrations.length,
    databaseBytes: database?.bytes ?? null,
    files: files?.length ?? null,
    fileBytes,
    missing,
  };
}
