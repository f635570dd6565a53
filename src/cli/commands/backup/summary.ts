import type { Manifest } from '../../../services/maintenance/backup/manifest.js';

/** What a backup has, in figures. Of live files that were not whole, `damaged` were copied as they were, and `missing` not at all. */
export function summaryOf({ database, files, missing, ...rest }: Manifest) {
  const { program, startedAt, finishedAt, dialect, migrations } = rest;
  const copied = new Set(files?.map(({ key }) => key));
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
    missing: missing.filter((key) => !copied.has(key)),
    damaged: missing.filter((key) => copied.has(key)),
  };
}
