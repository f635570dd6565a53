import { AppError, isAppError } from '../../../errors.js';
import { enrollmentListingSchema } from '../../../schemas/enrollment.js';
import type { EnrollmentStatus } from '../../../schemas/enrollment-statuses.js';
import { searchKey } from '../../../schemas/keys.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import {
  findMatchingEnrollments,
  findReferencedEnrollments,
  type NameableEnrollment,
} from '../../../services/enrollments/find-enrollments.js';
import { resolveShortId } from '../../../services/short-ids.js';
import {
  type BulkRun,
  emptySearch,
  type Selection,
  selectionOf,
  type Targets,
  targetsOf,
} from '../../core/bulk/bulk.js';
import type { BulkItem, BulkWording } from '../../core/bulk/bulk-plan.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { pickRecord } from '../../core/command/picker.js';
import { problemText } from '../../core/command/problem-text.js';
import { enrollmentsOf, typedNames } from './named.js';
import { type enrollmentFilterOptions, enrollmentHeadings } from './options.js';
import { enrollmentName, renameIn } from './output.js';
import { assertFilters, queryFor } from './queries.js';

export interface EnrollmentItem extends BulkItem {
  status: EnrollmentStatus;
  reply: string | null;
  course: NameableEnrollment['course'];
  /** Line about a rename since the enrollment. */
  rename?: string | undefined;
}

function enrollmentItem(enrollment: NameableEnrollment): EnrollmentItem {
  const name = enrollmentName(enrollment);
  const { id, status, reply, progress, course } = enrollment;
  const label = `${name}, ${status}, progress ${progress} %`;
  return { id, status, reply, name, label, course, rename: renameIn(enrollment) };
}

type EnrollmentsRun = BulkRun & { options: OptionValues<typeof enrollmentFilterOptions> };

export type EnrollmentTargets =
  | { kind: 'one'; id: string }
  | {
      kind: 'several';
      selection(context: Context): Promise<Selection<EnrollmentItem>>;
    };

/**
 * @throws AppError `USAGE` for invalid or conflicting filters, and for an empty search alone, which would match all
 *   enrollments
 */
function checkFilters(options: EnrollmentsRun['options']): void {
  assertFilters(options);
  const { status, search, trainer, group, progress, startsWithin } = options;
  const isAlone =
    [status, trainer, group, progress, startsWithin].every((one) => one === undefined) &&
    typedNames(options).length === 0;
  try {
    const sought = validate(enrollmentListingSchema, { status, search, progress, startsWithin }).search;
    if (!isAlone || search === undefined || searchKey(sought) !== '') return;
  } catch (error) {
    if (!isAppError(error, 'VALIDATION')) throw error;
    // Names the options, because the command may have arguments with the same names.
    const message = error.details
      .map((problem) =>
        problemText(problem, `--${problem.path.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
      )
      .join(' ');
    throw new AppError('USAGE', message, { cause: error });
  }
  throw emptySearch();
}

/** Returns all enrollments that match the filters. @throws AppError `VALIDATION`, `NOT_FOUND`, `INTERRUPTED` */
async function matching({ options, io }: EnrollmentsRun, context: Context): Promise<EnrollmentItem[]> {
  const query = await queryFor(context, options);
  return (await findMatchingEnrollments(context, operator, query, io.signal)).map(enrollmentItem);
}

/**
 * Returns the targets of a command line: one enrollment by id, or by trainee and course; or several by names, a list or
 * filters. The kind doesn't depend on the number of matches, so that scripts get results of the same form.
 * @throws AppError `USAGE`, `NOT_FOUND`, and the errors of {@link targetsOf}
 */
export async function resolveEnrollments(
  run: EnrollmentsRun,
  typed: readonly string[] | undefined,
  wording: Pick<BulkWording, 'singular' | 'toDo'>,
): Promise<EnrollmentTargets> {
  const { trainee, course, from, dryRun } = run.options;
  const { trainer, group, status, progress, startsWithin, search } = run.options;
  checkFilters(run.options);
  const isNamed = trainee !== undefined && course !== undefined;
  const others = [trainer, group, status, progress, startsWithin, search].filter((one) => one !== undefined);
  if (isNamed && others.length === 0 && typed === undefined && from === undefined) {
    const { first } = await enrollmentsOf(await run.context(), { trainee, course });
    if (!dryRun) return { kind: 'one', id: first.id };
  }
  const targets: Targets = await targetsOf(run, {
    typed,
    isFiltered: [trainee, course, ...others].some((one) => one !== undefined),
    headings: enrollmentHeadings,
    wording,
    choose: async () => pickRecord(run, await run.context(), 'enrollment'),
  });
  if (targets.kind === 'one')
    return { kind: 'one', id: await resolveShortId(await run.context(), 'Enrollment', targets.name) };
  return {
    kind: 'several',
    async selection(context) {
      if (targets.kind === 'filter') {
        const found = await matching(run, context);
        return { entries: found.map((one) => ({ given: null, found: one })), repeated: 0 };
      }
      const found = await findReferencedEnrollments(context, targets.names, run.io.signal);
      return selectionOf(
        targets.names,
        found.map((one) => (isAppError(one) ? one : enrollmentItem(one))),
      );
    },
  };
}
