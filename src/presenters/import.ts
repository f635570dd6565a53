import type { Import } from '../db/models/import.js';
import { pick } from './pick.js';

/** An import in a line: its file, status and counts. */
export const presentImportSummary = (record: Import) => ({
  ...pick(record, ['id', 'status']),
  file: record.fileName,
  ...pick(record, ['counts', 'createdAt', 'finishedAt']),
});

/** An import with its progress, counts and, after a failure, its error. */
export function presentImport(record: Import) {
  const { errorCode, errorMessage, rowsDone, rowsTotal } = record;
  return {
    ...pick(record, ['id', 'status']),
    file: record.fileName,
    ...pick(record, ['origin', 'counts']),
    progress: { rowsDone, rowsTotal },
    options: JSON.parse(record.optionsJson) as object,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage },
    ...pick(record, ['hasCredentials', 'hasRejects', 'createdBy', 'createdAt', 'startedAt', 'finishedAt', 'undoneAt']),
  };
}
