import type { Context } from '../../../context.js';
import { AppError, validationError } from '../../../errors.js';
import { presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import { findUser } from '../../../services/accounts/queries.js';
import { operator } from '../../../services/core.js';
import { findCourse } from '../../../services/courses/queries.js';
import { listEnrollments } from '../../../services/enrollments/queries.js';
import { wholeId } from '../../../services/short-ids.js';
import { pick } from '../../core/picker.js';
import { courseIdOf } from '../../core/references.js';
import type { Run } from '../../core/run.js';
import type { enrollmentOptions } from './options.js';
import { enrollmentName } from './output.js';

/** How many enrollments the error lists. */
const maxListed = 10;

/**
 * The enrollment that the command line names: by its id or the end of it, by trainee and course, or by one of them where there is
 * no other; at a terminal it is chosen among those that are left.
 * @throws AppError `USAGE`, `NOT_FOUND`; `VALIDATION` for several, listing them
 */
export async function enrollmentIdOf(
  run: Run<'', typeof enrollmentOptions>,
  context: Context,
  typed: string | undefined,
): Promise<string> {
  const { trainee, course } = run.options;
  const names = [trainee, course].filter((name) => name !== undefined);
  if (typed !== undefined) {
    if (names.length > 0)
      throw new AppError('USAGE', 'Name an enrollment by its id, or by --trainee and --course: not by both.');
    return wholeId(context, 'Enrollment', typed);
  }
  if (names.length === 0) return pick(run, context, 'enrollment');
  const userId = trainee === undefined ? undefined : (await findUser(context, trainee)).id;
  const courseId =
    course === undefined ? undefined : (await findCourse(context, operator, await courseIdOf(context, course))).id;
  const wanted = { userId, courseId };
  const { items, pagination } = await listEnrollments(context, operator, { ...wanted, limit: maxListed });
  const [only] = items;
  if (!only) throw new AppError('NOT_FOUND', `There is no enrollment of ${names.join(' in ')}.`);
  if (pagination.totalItems === 1) return only.id;
  if (run.interactive) return pick(run, context, 'enrollment', wanted);
  const listed = items.map((one) => `${one.id} (${enrollmentName(presentTrainerEnrollment(one))})`).join(', ');
  const more = pagination.totalItems > items.length ? ` and ${pagination.totalItems - items.length} more` : '';
  const message = `Enrollment: there are several. Add ${trainee === undefined ? '--trainee' : '--course'}, or name one by its id: ${listed}${more}.`;
  throw validationError([{ path: 'enrollment', message }]);
}
