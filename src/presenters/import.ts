import type { Import } from '../db/models/import.js';
import type { User } from '../db/models/user.js';
import type { ImportOptions } from '../schemas/import.js';
import { pick } from './pick.js';

const errorOf = ({ errorCode, errorMessage }: Import) =>
  errorCode === null ? null : { code: errorCode, message: errorMessage };

export const presentImportSummary = (record: Import) => ({
  ...pick(record, ['id', 'number', 'status']),
  file: record.fileName,
  counts: record.counts,
  error: errorOf(record),
  ...pick(record, ['createdAt', 'finishedAt']),
});

/** Actual or planned outcome of a row. */
interface RowOutcome {
  line: number | null;
  outcome: string;
  code: string | null;
  field: string | null;
  message: string | null;
  account: Pick<User, 'id' | 'firstName' | 'lastName' | 'email'> | null;
  changes: object[] | null;
  cells: string[] | null;
  undo: { outcome: string; code: string | null } | null;
}

/** Counts the accounts that an undo keeps by reason, most frequent reason first. */
export function presentKeptReasons(kept: readonly { code: string }[]) {
  const counts = new Map<string, number>();
  for (const { code } of kept) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => ({ code, count })).sort((one, other) => other.count - one.count);
}

/** Presents a row of an import with the present fields of its account. */
export function presentImportRow(row: RowOutcome) {
  const { account } = row;
  return {
    ...pick(row, ['line', 'outcome', 'code', 'field', 'message']),
    account: account && pick(account, ['id', 'firstName', 'lastName', 'email']),
    ...pick(row, ['changes', 'cells', 'undo']),
  };
}

/** Presents an import with its progress, counts and, after a failure or with an inapplicable plan, its error. */
export function presentImport(record: Import) {
  const { rowsDone, rowsTotal, trainer = null } = record;
  // The program writes only options. The trainer is presented separately.
  const { trainerId: _, ...options } = JSON.parse(record.optionsJson) as ImportOptions;
  return {
    ...pick(record, ['id', 'number', 'status']),
    file: record.fileName,
    ...pick(record, ['origin', 'counts']),
    progress: { rowsDone, rowsTotal },
    options,
    error: errorOf(record),
    ...pick(record, ['hasCredentials', 'hasRejects', 'createdBy']),
    trainer: trainer && pick(trainer, ['id', 'firstName', 'lastName']),
    ...pick(record, ['createdAt', 'startedAt', 'finishedAt', 'undoneAt', 'ledgerClosedAt']),
  };
}
