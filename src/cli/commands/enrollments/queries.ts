import { AppError } from '../../../errors.js';
import { presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import { enrollmentExportSchema, enrollmentListingSchema } from '../../../schemas/enrollment.js';
import { validate } from '../../../schemas/validate.js';
import { findUser } from '../../../services/accounts/queries.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { findCourse } from '../../../services/courses/queries.js';
import { enrollmentsTable } from '../../../services/enrollments/export.js';
import { findEnrollment, listEnrollments } from '../../../services/enrollments/queries.js';
import { enrollmentStatistics } from '../../../services/enrollments/statistics.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { accountIdOf, courseIdOf, groupIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { sortingOf } from '../../core/listing/columns.js';
import { assertTableDestination, writeExport } from '../../core/listing/file-output.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { fieldsText, rowsText } from '../../core/listing/table.js';
import { enrollmentIdOf } from './named.js';
import type {
  enrollmentExportOptions,
  enrollmentFilterOptions,
  enrollmentListOptions,
  enrollmentOptions,
} from './options.js';
import { enrollmentColumns, enrollmentFields } from './output.js';

type Filters = OptionValues<typeof enrollmentFilterOptions> & { sort?: string };

/** @throws AppError `USAGE` for conflicting filters */
export function assertFilters({ search, trainee }: Filters): void {
  if (search !== undefined && trainee !== undefined)
    throw new AppError('USAGE', '--search and --trainee cannot be used together.');
}

/** Returns the query of the API for the filters. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function queryFor(context: Context, options: Filters) {
  const { trainee, trainer, search, status, progress, startsWithin } = options;
  const course =
    options.course === undefined
      ? undefined
      : await findCourse(context, operator, await courseIdOf(context, options.course));
  const trainerId = trainer === undefined ? undefined : await accountIdOf(context, trainer, 'trainer');
  const userId = trainee === undefined ? undefined : (await findUser(context, trainee)).id;
  const group = await groupIdOf(context, options.group);
  const ids = { courseId: course?.id, trainerId, userId, group };
  return { ...sortingOf(options), status, progress, startsWithin, search, ...ids };
}

/** @throws AppError `USAGE` for conflicting filters, `VALIDATION` */
export function checkList(run: Run<'', typeof enrollmentListOptions>): void {
  assertFilters(run.options);
  const { search, status, progress, startsWithin } = run.options;
  const filter = { search, status, progress, startsWithin, ...sortingOf(run.options) };
  checkListing(run, enrollmentColumns, enrollmentListingSchema, filter);
}

/**
 * Lists enrollments, newest first by default.
 * @throws AppError `VALIDATION`, `NOT_FOUND`
 */
export async function list(run: Run<'', typeof enrollmentListOptions>): Promise<Result> {
  return listing(run, { key: 'enrollments', singular: 'enrollment', columns: enrollmentColumns }, async () => {
    const context = await run.context();
    const query = await queryFor(context, run.options);
    return async (page) =>
      presented(await listEnrollments(context, operator, { ...query, ...page }), presentTrainerEnrollment);
  });
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkExport(run: Run<'', typeof enrollmentExportOptions>): void {
  assertTableDestination(run);
  assertFilters(run.options);
  const { search, status, progress, startsWithin, fields } = run.options;
  validate(enrollmentExportSchema, { search, status, progress, startsWithin, fields });
}

/** Exports enrollments. @throws AppError `NOT_FOUND`, `VALIDATION`, and the errors of `writeData` */
export async function exportEnrollments(run: Run<'', typeof enrollmentExportOptions>): Promise<Result> {
  const context = await run.context();
  const query = { ...(await queryFor(context, run.options)), fields: run.options.fields };
  return writeExport(run, 'enrollment', (onExported) => enrollmentsTable(context, operator, query, onExported));
}

/** Shows one enrollment. @throws AppError `NOT_FOUND`, `VALIDATION`, and the errors of {@link enrollmentIdOf} */
export async function show(run: Run<'[enrollment]', typeof enrollmentOptions>): Promise<Result> {
  const context = await run.context();
  const id = await enrollmentIdOf(run, context, run.arguments.enrollment);
  const enrollment = presentTrainerEnrollment(await findEnrollment(context, operator, id));
  return { json: { enrollment }, text: fieldsText(enrollmentFields(enrollment), run.display) };
}

export async function stats(run: Run): Promise<Result> {
  const figures = await enrollmentStatistics(await run.context(), operator);
  return { json: { stats: figures }, text: rowsText(['STATUS', 'ENROLLMENTS'], Object.entries(figures), run.display) };
}
