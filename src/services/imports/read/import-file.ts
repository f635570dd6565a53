import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanWarning } from '../../../db/models/import-plan.js';
import type { ImportableRole, ImportOptions } from '../../../schemas/import.js';
import { type PhoneKeys, plainPhoneKeys } from '../../../schemas/phone-keys.js';
import { type SourceRow, sumLengths } from '../../../tables/table/table.js';
import type { PasswordPolicy } from '../../auth/password-policy.js';
import type { ColumnOptions } from './columns/columns.js';
import { isList } from './fields/header-aliases.js';
import { WarningGroups } from './fields/warnings.js';
import type { PeopleTable } from './people-table.js';
import { RepetitionFinder, type Repetitions } from './rows/repetitions.js';
import { emptyRow, type FileRow, isRejected, RowChecker } from './rows/rows.js';

/** Maximum passwords of a batch: hashing takes long, and a crash loses the work of a batch. */
const batchPasswords = 32;

/** Maximum characters of a batch, because the results of its rows are kept in memory. */
const batchCharacters = 4 * 1024 * 1024;

export interface ImportFile extends Omit<PeopleTable, 'rows'> {
  /** All rows in order, in batches, checked against the schema and each other. */
  batches: AsyncGenerator<FileRow[]>;
  /** Words that were read as roles so far, besides the roles' own names. */
  roleWords: ReadonlyMap<string, ImportableRole>;
  /** Returns the warning about skipped rows without a person so far. */
  emptyRows(): readonly PlanWarning[];
  /** Returns the repeated keys, after all rows were read; undefined if there are too many. */
  repetitions(): Repetitions | undefined;
}

/** Rows or characters after which the checks let the event loop run, so that the database needn't wait for them. */
const sliceRows = 32;
const sliceCharacters = 256 * 1024;

async function* inBatches(
  rows: AsyncGenerator<SourceRow[]>,
  checker: RowChecker,
  empty: WarningGroups,
  batchRows: number,
): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = [];
  let [passwords, characters] = [0, 0];
  let slice = 0;
  for await (const some of rows)
    for (const raw of some) {
      const length = sumLengths(raw.cells);
      slice += 1 / sliceRows + length / sliceCharacters;
      if (slice >= 1) {
        slice = 0;
        await nextTurn();
      }
      const row = checker.check(raw);
      if (row === undefined) {
        empty.add(raw.line, [emptyRow]);
        continue;
      }
      batch.push(row);
      characters += length;
      if (!isRejected(row) && row.person.password !== undefined) passwords += 1;
      if (batch.length < batchRows && passwords < batchPasswords && characters < batchCharacters) continue;
      yield batch;
      [batch, passwords, characters] = [[], 0, 0];
    }
  if (batch.length > 0) yield batch;
}

export interface ReadOptions {
  options: ColumnOptions & Pick<ImportOptions, 'course' | 'roster'>;
  policy: PasswordPolicy;
  /** Normalizes phones for comparison; without a country if absent. */
  phones?: PhoneKeys;
}

/**
 * Checks the rows of a table of people. The batches throw AppError `IMPORT_FILE_INVALID` for faults in the rows.
 * @param batchRows maximum rows of a batch
 * @param repetitions repetitions that an earlier reading of the same file found
 */
export function readPeople(
  { rows, ...table }: PeopleTable,
  options: ReadOptions,
  batchRows: number,
  repetitions?: Repetitions,
): ImportFile {
  const hasLists = [...table.mapping.columns.keys()].some(isList);
  const finder = new RepetitionFinder(options.phones ?? plainPhoneKeys, hasLists, repetitions);
  const empty = new WarningGroups();
  const checker = new RowChecker(options, table.format, table.mapping, finder);
  return {
    ...table,
    batches: inBatches(rows, checker, empty, batchRows),
    roleWords: checker.roleWords,
    emptyRows: () => empty.list(),
    repetitions: () => finder.all,
  };
}
