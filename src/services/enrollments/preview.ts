import type { AppError } from '../../errors.js';
import type { BulkAssignment, StatusChange } from '../../schemas/enrollment.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import type { Actor, Core } from '../core.js';
import { assignSeats, readOccupancy } from '../courses/capacity.js';
import { findCourse } from '../courses/queries.js';
import { assignmentRefusal, changeRefusal } from './rules.js';

/** Predicted outcome for an enrollment: a change, a place on the waiting list, no change, or a refusal. */
export type PreviewedOutcome = 'done' | 'waiting' | 'unchanged' | AppError;

interface AssignmentPreview extends Pick<BulkAssignment, 'courseId' | 'status' | 'whenFull'> {
  traineeIds: readonly string[];
}

/** Ids per query. */
const batch = 500;

/**
 * Predicts the outcome of enrolling trainees in a course, for each trainee in the given order.
 * @throws AppError `NOT_FOUND` for the course; `COURSE_FULL`, `WAITING_LIST_FULL` if there are too few seats or places
 */
export async function previewAssignment(
  core: Core,
  actor: Actor,
  { courseId, traineeIds, status, whenFull }: AssignmentPreview,
): Promise<PreviewedOutcome[]> {
  const { User, Enrollment } = core.database.models;
  const course = await findCourse(core, actor, courseId);
  const previewed: PreviewedOutcome[] = [];
  const toEnroll: { at: number; isOnList: boolean }[] = [];
  for (let at = 0; at < traineeIds.length; at += batch) {
    const ids = traineeIds.slice(at, at + batch);
    const [users, enrollments] = await core.database.read(() =>
      Promise.all([
        User.findAll({ attributes: ['id', 'isActive'], where: { id: ids, role: 'trainee' } }),
        Enrollment.findAll({ attributes: ['userId', 'status'], where: { courseId, userId: ids } }),
      ]),
    );
    const trainees = new Map(users.map((user) => [user.id, user]));
    const existing = new Map(enrollments.map((enrollment) => [enrollment.userId, enrollment]));
    for (const id of ids) {
      const enrollment = existing.get(id) ?? null;
      const refusal = assignmentRefusal(trainees.get(id) ?? null, enrollment, status);
      const hasStatusAlready = refusal?.code === 'ALREADY_ENROLLED' && enrollment?.status === status;
      if (!refusal) toEnroll.push({ at: previewed.length, isOnList: enrollment?.status === 'waiting' });
      previewed.push(hasStatusAlready ? 'unchanged' : (refusal ?? 'done'));
    }
  }
  const occupancy = await readOccupancy(core, [courseId]);
  const onList = toEnroll.map(({ isOnList }) => isOnList);
  const outcomes = { seat: 'done', joined: 'waiting', kept: 'unchanged' } as const;
  for (const [index, place] of assignSeats(course, occupancy(courseId), onList, whenFull).entries())
    previewed[toEnroll[index]?.at ?? -1] = outcomes[place];
  return previewed;
}

/** Predicts the outcome of a change of status from the current status. A change of the reply alone is another operation. */
export function previewStatus(
  from: { status: EnrollmentStatus; reply: string | null },
  wanted: StatusChange,
  actor: Actor,
): PreviewedOutcome {
  if (hasWantedState(from, wanted)) return 'unchanged';
  return changeRefusal(from.status, wanted, actor) ?? 'done';
}

/** Whether an enrollment already has the wanted status and, if given, the wanted reply. */
export const hasWantedState = (
  enrollment: { status: EnrollmentStatus; reply: string | null },
  { status, reply }: { status: EnrollmentStatus; reply?: string | null | undefined },
): boolean => enrollment.status === status && (reply === undefined || enrollment.reply === reply);
