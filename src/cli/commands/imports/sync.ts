import { AppError } from '../../../errors.js';
import { pick } from '../../../presenters/pick.js';
import { type ImportOptions, importOptionsSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { findRoster, withRosterOptions } from '../../../services/groups/rosters.js';
import { isMailSetUp } from '../../../services/mail/outbox.js';
import type { Result, Run } from '../../core/command/run.js';
import type { ImportRun } from './mapping.js';
import type { syncOptions } from './options.js';
import { assertPasswordsAreGenerated, importUsers } from './run-import.js';

type SyncRun = Run<'[file]', typeof syncOptions>;

/** Returns the options that the import service accepts, as entered on the command line. */
export function enteredOptions({
  options,
}: {
  options: Partial<SyncRun['options']>;
}): Partial<ImportOptions> & { roster?: string } {
  const { course: [course, ...otherCourses] = [] } = options;
  const entered = pick(options, [
    ...([
      'role',
      'enrollmentStatus',
      'onExisting',
      'match',
      'missingPhone',
      'whenFull',
      'onLeave',
      'maxLeaving',
    ] as const),
    ...(['invite', 'notify', 'maxErrors', 'encoding', 'delimiter', 'sheet', 'map', 'mapCourse', 'roster'] as const),
  ]);
  const given = Object.entries(entered).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  // The schema checks the entered texts.
  return {
    ...Object.fromEntries(given),
    ...(course !== undefined && { course, otherCourses }),
    ...(options.password === false && { noPassword: true }),
    ...(options.credentials !== undefined && (options.invite ? { withPasswords: true } : { noPassword: false })),
  } as Partial<ImportOptions>;
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkSync(run: SyncRun): void {
  if (run.options.roster === undefined)
    throw new AppError(
      'USAGE',
      'The group to keep in step is missing. Name it with --roster, such as --roster "Year 9".',
    );
  assertPasswordsAreGenerated(run.options);
  validate(importOptionsSchema, enteredOptions(run));
  const { allowLeaving } = run.options;
  if (allowLeaving !== undefined && !/^[1-9]\d{0,5}$/.test(allowLeaving))
    throw new AppError('USAGE', '--allow-leaving must be the number of members who leave by the plan.');
}

/**
 * Makes a group equal to a file: imports the file, and takes out the members without a row.
 * @throws AppError `SYNC_HELD`, and the errors of {@link importUsers}
 */
export async function syncUsers(run: SyncRun): Promise<Result> {
  const context = await run.context();
  const entered = enteredOptions(run);
  if (run.options.existing) await assertSynchronised(context, run.options.roster ?? '');
  const known = await withRosterOptions(context, entered);
  // Mail may have been set up after the first sync.
  const invites =
    run.options.credentials === undefined &&
    !known.noPassword &&
    context.config.auth.passwordLogin &&
    isMailSetUp(context);
  const options = { ...run.options, ...known, ...(invites && { invite: true }) };
  return importUsers({ ...run, options } as ImportRun);
}

/** @throws AppError `USAGE` */
async function assertSynchronised(context: Context, name: string): Promise<void> {
  const group = await findRoster(context, name);
  if (group && group.syncedAt !== null) return;
  throw new AppError(
    'USAGE',
    `${group ? `The group "${group.name}" was never synchronised` : `There is no group "${name}"`}, and --existing is given. Check the name, or run the first sync without --existing.`,
  );
}
