import { AppError, validationError } from '../../../errors.js';
import { presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import { findUser } from '../../../services/accounts/queries.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { findCourse } from '../../../services/courses/queries.js';
import { listEnrollments } from '../../../services/enrollments/queries.js';
import { resolveShortId } from '../../../services/short-ids.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { pickRecord } from '../../core/command/picker.js';
import { courseIdOf } from '../../core/command/references.js';
import type { Run } from '../../core/command/run.js';
import type { enrollmentOptions } from './options.js';
import { enrollmentName } from './output.js';

const maxListed = 10;

/** Returns the values of `--trainee` and `--course`. */
export const typedNames = ({ trainee, course }: OptionValues<typeof enrollmentOptions>) =>
  [trainee, course].filter((name) => name !== undefined);

/**
 * Finds the enrollments that match the options.
 * @returns the first enrollments and the number of all
 * @throws AppError `NOT_FOUND`, also without matches
 */
export async function enrollmentsOf(context: Context, options: OptionValues<typeof enrollmentOptions>) {
  const { trainee, course } = options;
  const userId = trainee === undefined ? undefined : (await findUser(context, trainee)).id;
  const courseId =
    course === undefined ? undefined : (await findCourse(context, operator, await courseIdOf(context, course))).id;
  const within = { userId, courseId };
  const { items, pagination } = await listEnrollments(context, operator, { ...within, limit: maxListed });
  const [first] = items;
  if (!first) throw new AppError('NOT_FOUND', `There is no enrollment of ${typedNames(options).join(' in ')}.`);
  return { first, items, count: pagination.totalItems, within };
}

/**
 * Returns the id of the enrollment on the command line: by id or short id, by trainee and course, or by one of both if
 * only one enrollment matches. At a terminal, the user chooses among several matches.
 * @throws AppError `USAGE`, `NOT_FOUND`; `VALIDATION` for several matches, with a list
 */
export async function enrollmentIdOf(
  run: Run<'', typeof enrollmentOptions>,
  context: Context,
  typed: string | undefined,
): Promise<string> {
  const isNamed = typedNames(run.options).length > 0;
  if (typed !== undefined) {
    if (isNamed)
      throw new AppError('USAGE', 'Name an enrollment by its id, or by --trainee and --course: not by both.');
    return resolveShortId(context, 'Enrollment', typed);
  }
  if (!isNamed) return pickRecord(run, context, 'enrollment');
  const { first, items, count, within } = await enrollmentsOf(context, run.options);
  if (count === 1) return first.id;
  if (run.interactive) return pickRecord(run, context, 'enrollment', within);
  const listed = items.map((one) => `${one.id} (${enrollmentName(presentTrainerEnrollment(one))})`).join(', ');
  const more = count > items.length ? ` and ${count - items.length} more` : '';
  const message = `Enrollment: there are several. Add ${run.options.trainee === undefined ? '--trainee' : '--course'}, or name one by its id: ${listed}${more}.`;
  throw validationError([{ path: 'enrollment', code: 'AMBIGUOUS', message }]);
}
