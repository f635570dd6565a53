import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanWarning } from '../../../db/models/import-plan.js';
import type { ImportableRole, ImportOptions } from '../../../schemas/import.js';
import { type PhoneKeys, plainPhoneKeys } from '../../../schemas/phone-keys.js';
import { type SourceRow, sumLengths } from '../../../tables/table/table.js';
import type { PasswordPolicy } from '../../auth/password-policy.js';
import type { ColumnOptions } from './columns/columns.js';
import { WarningGroups } from './fields/warnings.js';
import type { PeopleTable } from './people-table.js';
import { RepetitionFinder, type Repetitions } from './rows/repetitions.js';
import { emptyRow, type FileRow, isRejected, RowChecker } from './rows/rows.js';

/** So many given passwords end a batch early: they take long to hash, and a crash loses the work of a batch. */
const batchPasswords = 32;

/** So do so many characters: what is made of the rows of a batch is held in memory. */
const batchCharacters = 4 * 1024 * 1024;

/** An open file with a valid header. */
export interface ImportFile extends Omit<PeopleTable, 'rows'> {
  /** All rows in order, checked against the schema and each other, in batches. */
  batches: AsyncGenerator<FileRow[]>;
  /** The words of the rows so far that were read as roles, besides the roles' own names. */
  roleWords: ReadonlyMap<string, ImportableRole>;
  /** The warning about the rows so far that have no person, and are left out. */
  emptyRows(): readonly PlanWarning[];
  /** What is known of repeated keys, once all rows are read. */
  repetitions(): Repetitions | undefined;
}

/** After so many rows or characters the event loop runs: rows are checked while others are written, and the database must not wait. */
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

/** How to read the rows of a table. */
export interface ReadOptions {
  options: ColumnOptions & Pick<ImportOptions, 'course'>;
  /** Which passwords are accepted. */
  policy: PasswordPolicy;
  /** By which phones are the same; without a country when absent. */
  phones?: PhoneKeys;
}

/**
 * Checks the rows of a table of people. The batches throw AppError `IMPORT_FILE_INVALID` for faults in the rows.
 * @param batchRows rows of a batch at most
 * @param repetitions the repetitions that an earlier reading of the same file found
 */
export function readPeople(
  { rows, ...table }: PeopleTable,
  options: ReadOptions,
  batchRows: number,
  repetitions?: Repetitions,
): ImportFile {
  const hasCourses = table.mapping.columns.has('course');
  const finder = new RepetitionFinder(options.phones ?? plainPhoneKeys, hasCourses, repetitions);
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
