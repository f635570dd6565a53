import { isAppError } from '../../../errors.js';
import { presentEnrollment, presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import { pick } from '../../../presenters/pick.js';
import { assignedStateSchema, progressSchema, replySchema, statusChangeSchema } from '../../../schemas/enrollment.js';
import type { EnrollmentStatus } from '../../../schemas/enrollment-statuses.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { findCourse } from '../../../services/courses/queries.js';
import { today } from '../../../services/dates.js';
import { setProgress, setReply } from '../../../services/enrollments/change-enrollment.js';
import { changeStatus } from '../../../services/enrollments/change-status.js';
import { assignEnrollment } from '../../../services/enrollments/enroll.js';
import { hasWantedState } from '../../../services/enrollments/preview.js';
import { findEnrollment, listEnrollments } from '../../../services/enrollments/queries.js';
import { removeEnrollments } from '../../../services/enrollments/remove.js';
import { assertMailSetUp } from '../../../services/mail/outbox.js';
import { runBulk } from '../../core/bulk/bulk.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import { courseIdOf, userIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';
import { typedNumber } from '../../core/prompts/input.js';
import { resolveAccounts } from '../users/selection.js';
import { assignment, removal, statusChange, wordings } from './bulk.js';
import { enrollmentIdOf } from './named.js';
import type { assignOptions, enrollmentOptions, removeOptions, statusOptions } from './options.js';
import { type Enrollment, earlyText, enrollmentName, renameIn, renamesText } from './output.js';
import { resolveEnrollments } from './selection.js';

type EnrollmentModel = Parameters<typeof presentTrainerEnrollment>[0];

/** Returns the result for an enrollment, changed or unchanged. @param textOf returns the message */
function changed(model: EnrollmentModel, textOf: (enrollment: Enrollment) => string): Result {
  const enrollment = presentTrainerEnrollment(model);
  return { json: { enrollment }, text: textOf(enrollment) };
}

const assignedText = (enrollment: Enrollment): string =>
  enrollment.status === 'waiting'
    ? `${enrollmentName(enrollment)} (${enrollment.id}) is on the waiting list, number ${enrollment.waitingPlace}.`
    : `Enrolled ${enrollmentName(enrollment)} (${enrollment.id}), ${enrollment.status}.`;

const unchangedText = (enrollment: Enrollment) => `${enrollmentName(enrollment)} is ${enrollment.status} already.`;

/**
 * Returns the existing enrollment if it already has the wanted state, such as after an earlier run of the same command.
 * @throws the refusal otherwise
 */
async function existing(
  context: Context,
  refusal: unknown,
  ids: { courseId: string; userId: string },
  wanted: { status: readonly EnrollmentStatus[]; reply: string | null | undefined },
) {
  if (!isAppError(refusal, 'ALREADY_ENROLLED')) throw refusal;
  const [found] = (await listEnrollments(context, operator, ids)).items;
  // The enrollment may have been removed after the refusal.
  if (!found || !wanted.status.some((status) => hasWantedState(found, { ...wanted, status }))) throw refusal;
  return found;
}

/**
 * Enrolls one trainee or several.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, the errors of {@link resolveAccounts}, and for a single trainee those
 *   of {@link assignEnrollment}
 */
export async function assign(run: Run<'<course> [user...]', typeof assignOptions>): Promise<Result> {
  const { options } = run;
  const { notify = false } = options;
  const { course: named } = run.arguments;
  // Before any lookup: a wrong status is wrong for all trainees.
  const { status, reply, whenFull } = validate(assignedStateSchema, pick(options, ['status', 'reply', 'whenFull']));
  const targets = await resolveAccounts(run, wordings.assign);
  const context = await run.context();
  if (notify) assertMailSetUp(context);
  const courseId = await courseIdOf(context, named);
  if (targets.kind !== 'one') {
    const { title } = await findCourse(context, operator, courseId);
    const wanted = { courseId, title, status, reply, whenFull, notify };
    // As in the API, a group stands for its active trainees.
    const isOfGroup = options.group !== undefined && !options.inactive;
    const selection = await targets.selection(context, { role: 'trainee', ...(isOfGroup && { isActive: true }) });
    return runBulk(run, assignment(context, selection, wanted));
  }
  const traineeId = await userIdOf(context, targets.name, 'trainee');
  try {
    const wanted = { courseId, traineeId, status, reply, whenFull };
    return changed(await assignEnrollment(context, operator, wanted, notify), assignedText);
  } catch (error) {
    const wanted = { status: whenFull === 'wait' ? ([status, 'waiting'] as const) : [status], reply };
    return changed(await existing(context, error, { courseId, userId: traineeId }, wanted), unchangedText);
  }
}

/**
 * Shows a rename since the enrollment and a course that has not begun. Asks for confirmation at a terminal.
 * @throws AppError `DECLINED`, `INTERRUPTED`
 */
async function showDoubts(run: Run<'', typeof statusOptions>, context: Context, enrollment: Enrollment): Promise<void> {
  const rename = renameIn(enrollment);
  const early = earlyText([await findCourse(context, operator, enrollment.courseId)], today(context));
  const about = [renamesText([rename ?? []].flat()), early].filter((doubt) => doubt !== undefined).join('\n');
  if (about === '') return;
  // A script continues: a trainee's rename must not stop it.
  if (run.options.yes || !run.interactive) run.say(about);
  else await confirm(run, { about, question: 'Complete this enrollment?', otherwise: 'Nothing was changed.' });
}

/**
 * Changes the status of enrollments.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, and the errors of {@link resolveEnrollments}, {@link showDoubts} and
 *   {@link changeStatus}
 */
export async function status(run: Run<'[enrollment...] <status>', typeof statusOptions>): Promise<Result> {
  const { status: wanted, enrollment: typed } = run.arguments;
  const { reply, notify = false } = run.options;
  const input = { status: wanted, reply: reply?.trim() === '' ? null : reply };
  const change = validate(statusChangeSchema, input);
  const targets = await resolveEnrollments(run, typed, wordings.status);
  const context = await run.context();
  if (notify) assertMailSetUp(context);
  if (targets.kind === 'several') return runBulk(run, await statusChange(context, targets, input, notify));
  const before = await findEnrollment(context, operator, targets.id);
  if (hasWantedState(before, change)) return changed(before, unchangedText);
  if (wanted === 'completed') await showDoubts(run, context, presentTrainerEnrollment(before));
  const moved = await changeStatus(context, operator, targets.id, input, notify);
  return changed(moved, (enrollment) => `${enrollmentName(enrollment)} is ${enrollment.status} now.`);
}

/** @throws AppError `VALIDATION` */
export function checkReply(run: Run<'[enrollment] <reply>', typeof enrollmentOptions>): void {
  const { reply: typed }: Partial<typeof run.arguments> = run.arguments;
  if (typed !== undefined) validate(replySchema, { reply: typed });
}

/** Sets or clears the reply to a trainee. @throws the errors of {@link setReply} */
export async function reply(run: Run<'[enrollment] <reply>', typeof enrollmentOptions>): Promise<Result> {
  const { reply: typed } = run.arguments;
  const context = await run.context();
  const id = await enrollmentIdOf(run, context, run.arguments.enrollment);
  const replied = await setReply(context, operator, id, { reply: typed });
  const done = replied.reply === null ? 'the reply is cleared' : 'the reply is saved';
  return changed(replied, (enrollment) => `${enrollmentName(enrollment)}: ${done}.`);
}

/** @throws AppError `VALIDATION` */
export function checkProgress(run: Run<'[enrollment] <number>', typeof enrollmentOptions>): void {
  // A later check reports a missing number.
  const { number }: Partial<typeof run.arguments> = run.arguments;
  if (number !== undefined) validate(progressSchema, { progress: typedNumber(number) });
}

/** Sets the progress of a trainee, in per cent. @throws the errors of {@link setProgress} */
export async function progress(run: Run<'[enrollment] <number>', typeof enrollmentOptions>): Promise<Result> {
  const { number } = run.arguments;
  const input = { progress: typedNumber(number) };
  const context = await run.context();
  const id = await enrollmentIdOf(run, context, run.arguments.enrollment);
  const advanced = await setProgress(context, operator, id, input);
  return changed(advanced, (enrollment) => `${enrollmentName(enrollment)}: progress is ${enrollment.progress} % now.`);
}

/**
 * Removes enrollments after a confirmation.
 * @throws AppError `USAGE`, `NOT_FOUND`, `DECLINED`, `INTERRUPTED`, and the errors of {@link resolveEnrollments}
 */
export async function remove(run: Run<'[enrollment...]', typeof removeOptions>): Promise<Result> {
  const targets = await resolveEnrollments(run, run.arguments.enrollment, wordings.remove);
  const context = await run.context();
  if (targets.kind === 'several') return runBulk(run, await removal(context, targets));
  if (!run.options.yes) {
    const enrollment = presentTrainerEnrollment(await findEnrollment(context, operator, targets.id));
    assertCanAsk(run, 'remove');
    const about = `1 enrollment to remove:\n  ${enrollmentName(enrollment)}, ${enrollment.status}, progress ${enrollment.progress} %`;
    await confirm(run, { about, question: 'Remove this enrollment?', otherwise: 'Nothing was removed.' });
  }
  const removed = await removeEnrollments(context, operator, [targets.id]);
  return {
    json: { removedCount: removed.length, removedEnrollments: removed.map(presentEnrollment) },
    text: `Removed ${counted(removed.length, 'enrollment')}.`,
  };
}
