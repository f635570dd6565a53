import type { Context } from '../../../context.js';
import { presentEnrollment, presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import { progressSchema } from '../../../schemas/enrollment.js';
import { validate } from '../../../schemas/validate.js';
import { operator } from '../../../services/core.js';
import { assignMany, removeMany } from '../../../services/enrollments/bulk.js';
import { changeStatus, setProgress } from '../../../services/enrollments/changes.js';
import { assignEnrollment } from '../../../services/enrollments/commands.js';
import { findEnrollment } from '../../../services/enrollments/queries.js';
import { assertCanAsk, confirm } from '../../core/confirm.js';
import { exitCodes } from '../../core/exit-codes.js';
import { typedNumber } from '../../core/input.js';
import { counted } from '../../core/output.js';
import { courseIdOf, userIdOf } from '../../core/references.js';
import type { Result, Run } from '../../core/run.js';
import { enrollmentIdOf } from './named.js';
import type { assignOptions, enrollmentOptions, removeOptions, statusOptions } from './options.js';
import { type Enrollment, enrollmentName } from './output.js';

type EnrollmentModel = Parameters<typeof presentTrainerEnrollment>[0];

/** An enrollment after a change. @param textOf what to say about it */
function changed(model: EnrollmentModel, textOf: (enrollment: Enrollment) => string): Result {
  const enrollment = presentTrainerEnrollment(model);
  return { json: { enrollment }, text: textOf(enrollment) };
}

/** Those that were named, by the id that each means. */
async function traineesOf(run: Run<'<user...>'>, context: Context): Promise<[reference: string, id: string][]> {
  const trainees: [string, string][] = [];
  for (const reference of run.arguments.user) trainees.push([reference, await userIdOf(context, reference)]);
  return trainees;
}

/**
 * Enrolls one trainee, or all who can be of several: exit code 3 where some were skipped.
 * @throws AppError as {@link assignEnrollment} and {@link assignMany}
 */
export async function assign(run: Run<'<course> <user...>', typeof assignOptions>): Promise<Result> {
  const { status, notes } = run.options;
  const context = await run.context();
  const trainees = await traineesOf(run, context);
  const wanted = { courseId: await courseIdOf(context, run.arguments.course), status, notes };
  const [first, ...others] = trainees;
  if (others.length > 0) return assignAll(context, trainees, wanted);
  const assigned = await assignEnrollment(context, operator, { ...wanted, traineeId: first?.[1] });
  return changed(
    assigned,
    (enrollment) => `Enrolled ${enrollmentName(enrollment)} (${enrollment.id}), ${enrollment.status}.`,
  );
}

async function assignAll(
  context: Context,
  trainees: readonly (readonly [reference: string, id: string])[],
  wanted: object,
): Promise<Result> {
  const traineeIds = trainees.map(([, id]) => id);
  const { enrollments, skipped } = await assignMany(context, operator, { ...wanted, traineeIds });
  const referenceOf = new Map(trainees.map(([reference, id]) => [id, reference]));
  const lines = skipped.map(({ traineeId, reason }) => `  ${referenceOf.get(traineeId) ?? traineeId}: ${reason}`);
  return {
    json: { enrollments: enrollments.map(presentEnrollment), skipped },
    text: [`${counted(enrollments.length, 'trainee')} enrolled, ${skipped.length} skipped`, ...lines].join('\n'),
    exitCode: skipped.length > 0 ? exitCodes.partial : exitCodes.ok,
  };
}

/** Moves an enrollment to another status. @throws AppError as {@link changeStatus} */
export async function status(run: Run<'[enrollment] <status>', typeof statusOptions>): Promise<Result> {
  const { status: wanted } = run.arguments;
  const { notes } = run.options;
  const input = { status: wanted, notes: notes?.trim() === '' ? null : notes };
  const context = await run.context();
  const id = await enrollmentIdOf(run, context, run.arguments.enrollment);
  const moved = await changeStatus(context, operator, id, input);
  return changed(moved, (enrollment) => `${enrollmentName(enrollment)} is ${enrollment.status} now.`);
}

/** @throws AppError `VALIDATION` */
export function checkProgress(run: Run<'[enrollment] <number>', typeof enrollmentOptions>): void {
  // Where the number itself is missing, that is said.
  const { number }: Partial<typeof run.arguments> = run.arguments;
  if (number !== undefined) validate(progressSchema, { progress: typedNumber(number) });
}

/** Sets how far a trainee is, in per cent. @throws AppError as {@link setProgress} */
export async function progress(run: Run<'[enrollment] <number>', typeof enrollmentOptions>): Promise<Result> {
  const { number } = run.arguments;
  const input = { progress: typedNumber(number) };
  const context = await run.context();
  const id = await enrollmentIdOf(run, context, run.arguments.enrollment);
  const advanced = await setProgress(context, operator, id, input);
  return changed(advanced, (enrollment) => `${enrollmentName(enrollment)}: ${enrollment.progress} % done.`);
}

const shownRemovals = 20;

/** @throws AppError `NOT_FOUND` before the question */
async function askWhetherToRemove(run: Run, context: Context, ids: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const id of ids) {
    const enrollment = presentTrainerEnrollment(await findEnrollment(context, operator, id));
    lines.push(`  ${enrollmentName(enrollment)}, ${enrollment.status}, ${enrollment.progress} % done`);
  }
  const more = lines.length > shownRemovals ? [`  and ${lines.length - shownRemovals} more`] : [];
  const loss = [`${counted(ids.length, 'enrollment')} to remove:`, ...lines.slice(0, shownRemovals), ...more];
  const question = `Remove ${ids.length === 1 ? 'this enrollment' : 'these enrollments'}?`;
  await confirm(run, { about: loss.join('\n'), question, otherwise: 'Nothing was removed.' });
}

/** Removes enrollments, all or none, having asked. @throws AppError `USAGE`, `NOT_FOUND`, `INTERRUPTED` */
export async function remove(run: Run<'[enrollment...]', typeof removeOptions>): Promise<Result> {
  assertCanAsk(run, 'remove');
  const context = await run.context();
  const enrollmentIds: string[] = [];
  for (const named of run.arguments.enrollment ?? [undefined])
    enrollmentIds.push(await enrollmentIdOf(run, context, named));
  if (!run.options.yes) await askWhetherToRemove(run, context, enrollmentIds);
  const removed = await removeMany(context, operator, { enrollmentIds });
  return {
    json: { removedCount: removed.length, removedEnrollments: removed.map(presentEnrollment) },
    text: `Removed ${counted(removed.length, 'enrollment')}.`,
  };
}
