import type { Context } from '../../../context.js';
import { AppError } from '../../../errors.js';
import { presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import { findUser } from '../../../services/accounts/queries.js';
import { operator } from '../../../services/core.js';
import { findCourse } from '../../../services/courses/queries.js';
import { findEnrollment, listEnrollments, listTrainerEnrollments } from '../../../services/enrollments/queries.js';
import { enrollmentStatistics } from '../../../services/enrollments/statistics.js';
import type { OptionValues } from '../../core/declaration.js';
import { pageText, table } from '../../core/output.js';
import { courseIdOf } from '../../core/references.js';
import type { Result, Run } from '../../core/run.js';
import type { enrollmentListOptions } from './options.js';
import { enrollmentText, traineeName } from './output.js';

type Filters = OptionValues<typeof enrollmentListOptions>;

/** A page of the listing that has the filters. @throws AppError `VALIDATION`, `NOT_FOUND` */
async function pageFor(context: Context, options: Filters) {
  const { user, trainer, search, status, sortBy, sortOrder, page, limit } = options;
  const course =
    options.course === undefined
      ? undefined
      : await findCourse(context, operator, await courseIdOf(context, options.course));
  const query = { status, search, sortBy, sortOrder, page, limit, courseId: course?.id };
  const trainerId = trainer === undefined ? undefined : (await findUser(context, trainer)).id;
  if (trainerId !== undefined && user === undefined) return listTrainerEnrollments(context, operator, trainerId, query);
  const userId = user === undefined ? undefined : (await findUser(context, user)).id;
  return listEnrollments(context, operator, { ...query, userId, trainerId });
}

/**
 * A page of enrollments, newest first by default.
 * @throws AppError `USAGE` for filters that exclude each other, `VALIDATION`, `NOT_FOUND`
 */
export async function list(run: Run<'', typeof enrollmentListOptions>): Promise<Result> {
  const { search, user } = run.options;
  if (search !== undefined && user !== undefined)
    throw new AppError('USAGE', '--search and --user exclude each other.');
  const { items, pagination } = await pageFor(await run.context(), run.options);
  const enrollments = items.map(presentTrainerEnrollment);
  const rows = enrollments.map((enrollment) => [
    enrollment.id,
    traineeName(enrollment),
    enrollment.user.email,
    enrollment.course.title,
    enrollment.status,
    String(enrollment.progress),
    enrollment.enrolledAt.toISOString(),
  ]);
  const headings = ['ID', 'TRAINEE', 'EMAIL', 'COURSE', 'STATUS', 'PROGRESS', 'ENROLLED'];
  return {
    json: { enrollments, pagination },
    text: pageText(headings, rows, pagination, 'enrollment'),
  };
}

/** One enrollment. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<id>'>): Promise<Result> {
  const enrollment = presentTrainerEnrollment(await findEnrollment(await run.context(), operator, run.arguments.id));
  return { json: { enrollment }, text: enrollmentText(enrollment) };
}

/** How many enrollments there are in each status. */
export async function stats(run: Run): Promise<Result> {
  const figures = await enrollmentStatistics(await run.context(), operator);
  const rows = Object.entries(figures).map(([status, count]) => [status, String(count)]);
  return { json: { stats: figures }, text: table(['STATUS', 'ENROLLMENTS'], rows) };
}
