import { access } from 'node:fs/promises';
import { AppError, systemErrorCode, whyUnreadable } from '../../../errors.js';
import { pick } from '../../../presenters/pick.js';
import { importListingSchema, importOptionsSchema, importRowListingSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import { checkListing } from '../../core/listing.js';
import type { Run } from '../../core/run.js';
import {
  importColumns,
  type importListOptions,
  importRowColumns,
  type importRowOptions,
  type importUsersOptions,
} from './options.js';

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof importListOptions>): void {
  checkListing(run, importColumns, importListingSchema, { status: run.options.status });
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkRows(run: Run<'<import>', typeof importRowOptions>): void {
  const { outcome, code, search } = run.options;
  checkListing(run, importRowColumns, importRowListingSchema, { outcome, code, search });
}

/** The options of an import as they were typed, without those that are about the command. */
export const typedOptions = ({ options }: Run<'[file]', typeof importUsersOptions>) =>
  pick(options, [
    'role',
    'course',
    'enrollmentStatus',
    'onExisting',
    'match',
    'missingPhone',
    'resetPasswords',
    'onError',
    'maxErrors',
    'encoding',
    'delimiter',
    'map',
  ]);

/** @throws AppError `VALIDATION` */
export function checkImport(run: Run<'[file]', typeof importUsersOptions>): void {
  validate(importOptionsSchema, typedOptions(run));
}

/** @throws AppError `IMPORT_FILE_INVALID` for a file that doesn't exist or can't be read */
export async function assertReadable(file: string): Promise<void> {
  try {
    await access(file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} ${whyUnreadable(code)}.`, { cause: error });
  }
}
