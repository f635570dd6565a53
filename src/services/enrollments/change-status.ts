import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { type StatusChange, statusChangeSchema } from '../../schemas/enrollment.js';
import { type EnrollmentStatus, rulesOf } from '../../schemas/enrollment-statuses.js';
import { validate } from '../../schemas/validate.js';
import { assertActive } from '../auth/sessions.js';
import type { Actor, Core } from '../core.js';
import { reserveSeat, takeWaitingNumbers } from '../courses/capacity.js';
import { today } from '../dates.js';
import { changeEnrollment, type Edit } from './change-enrollment.js';
import { notifiesByDefault } from './effects.js';
import { lockCourse, lockForEnrollment, lockTraineeToEnroll } from './locks.js';
import {
  actorKindOf,
  assertAllowed,
  cancelReasonOf,
  changeRefusal,
  requestedStatus,
  traineeRefusal,
  writtenFieldsOf,
} from './rules.js';

type ReservePlace = () => Promise<{ status: EnrollmentStatus; waitingNumber: number | null }>;

/**
 * Locks the row of the course, then the row of the trainee, whose role must not change. The caller locks the enrollment
 * afterwards.
 * @returns a function that reserves a seat, or for a trainee perhaps a place on the waiting list
 * @throws AppError `NOT_FOUND` if the course was deleted
 */
async function lockForSeat(
  core: Core,
  { courseId, userId }: Enrollment,
  { status, joinWaitingList }: StatusChange,
  byTrainee: boolean,
  transaction: Transaction,
): Promise<ReservePlace> {
  if (byTrainee) {
    const state = await lockForEnrollment(core, { courseId, userId }, transaction);
    return async () => {
      assertActive(state.account?.role === 'trainee' ? state.account : null);
      const requested = requestedStatus(state, joinWaitingList, today(core));
      const joins = requested === 'waiting';
      return {
        status: requested,
        waitingNumber: joins ? await takeWaitingNumbers(core, state.course, 1, transaction) : null,
      };
    };
  }
  const course = await lockCourse(core, courseId, transaction);
  const trainee = await lockTraineeToEnroll(core, userId, transaction);
  return async () => {
    assertAllowed(traineeRefusal(trainee));
    await reserveSeat(core, course, transaction);
    return { status, waitingNumber: null };
  };
}

/** Thrown if the enrollment has lost its seat since it was read. {@link changeStatus} then repeats the change with more locks. */
export class SeatLost extends Error {
  override readonly name = 'SeatLost';
}

/**
 * Moves an enrollment to another status.
 * @param notify whether the trainee gets a mail about a manager's change
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `STATUS_NOT_FOR_TRAINEES`, `STATUS_CHANGED`, `STATUS_REFUSED`, and for a change that takes
 *   a seat `ACCOUNT_INACTIVE`, `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`, `ENROLLMENT_CLOSED`,
 *   `COURSE_FULL`, `SEATS_BEING_GIVEN`, `WAITING_LIST_FULL`
 */
export async function changeStatus(
  core: Core,
  actor: Actor,
  id: string,
  input: unknown,
  notify = notifiesByDefault(actor),
): Promise<Enrollment> {
  const wanted = validate(statusChangeSchema, input);
  for (;;) {
    try {
      return await changeEnrollment(core, actor, id, statusChange(core, actor, wanted, notify));
    } catch (error) {
      if (!(error instanceof SeatLost)) throw error;
    }
  }
}

/** Whether a change of status takes a new seat. */
export const takesSeat = (from: EnrollmentStatus, to: EnrollmentStatus) =>
  !rulesOf(from).takesSeat && rulesOf(to).takesSeat;

/** Returns the edit of a status for {@link changeEnrollment}. The edit may throw SeatLost and the errors of {@link changeStatus}. */
export function statusChange(core: Core, actor: Actor, wanted: StatusChange, notify: boolean) {
  const byTrainee = actor.role === 'trainee';
  const written = writtenFieldsOf(actor, wanted, core.now());
  const needsSeat = ({ status }: Enrollment) => takesSeat(status, wanted.status);
  return {
    action: 'enrollment.status',
    cause: { author: actor, notify, reply: written.reply },
    // Only a change that needs a seat waits in the queue of its course.
    takesSeat: needsSeat,
    lock: async (found, transaction) =>
      needsSeat(found) ? lockForSeat(core, found, wanted, byTrainee, transaction) : undefined,
    async change(enrollment, reserve) {
      assertAllowed(changeRefusal(enrollment.status, wanted, actor));
      if (needsSeat(enrollment)) {
        if (!reserve) throw new SeatLost();
        // A completion that becomes active again keeps its date of enrollment.
        if (enrollment.status !== 'completed') enrollment.enrolledAt = core.now();
        enrollment.set({ ...(await reserve()), cancelReason: null });
      } else {
        const cancelReason =
          wanted.status === 'cancelled' ? cancelReasonOf(enrollment.status, actorKindOf(actor)) : null;
        enrollment.set({ status: wanted.status, waitingNumber: null, cancelReason });
      }
      enrollment.set({ completedAt: null, ...written });
      if (wanted.status === 'completed') enrollment.set({ completedAt: core.now(), progress: 100 });
    },
  } satisfies Edit<ReservePlace | undefined>;
}
