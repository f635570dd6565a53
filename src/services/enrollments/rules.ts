import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import type { EnrollmentStatus, StatusChange } from '../../schemas/enrollment.js';
import { denied } from '../auth/permissions.js';
import type { Actor } from '../core.js';

/** Throws a refusal, where there is one. */
export function assertAllowed(refusal: AppError | undefined): void {
  if (refusal) throw refusal;
}

/** The statuses that may follow each status. */
const transitions: Readonly<Record<EnrollmentStatus, readonly EnrollmentStatus[]>> = {
  pending: ['active', 'cancelled'],
  active: ['completed', 'cancelled'],
  completed: [],
  cancelled: ['pending', 'active'],
};

/** Why an enrollment can't change its status like this; names both. */
function transitionRefusal(from: EnrollmentStatus, to: EnrollmentStatus, byTrainee: boolean): AppError | undefined {
  // After a cancellation only the trainee can ask again (pending), and only managers of the course can admit (active).
  const forOther = from === 'cancelled' && (to === 'pending') !== byTrainee;
  return !transitions[from].includes(to) || forOther
    ? new AppError('STATUS_REFUSED', `Enrollment can't change from ${from} to ${to}.`, { params: { from, to } })
    : undefined;
}

/** Why managers of a course can't enroll this account: `NOT_FOUND`, `ACCOUNT_INACTIVE`. */
export function traineeRefusal(trainee: User | null): AppError | undefined {
  if (!trainee) return notFound('Trainee');
  return trainee.isActive ? undefined : new AppError('ACCOUNT_INACTIVE', 'Trainee account is inactive.');
}

/**
 * Why managers of a course can't enroll a trainee with this status; for single and bulk assignment.
 * @param trainee null when the id isn't a trainee's
 * @param existing the enrollment that the trainee has in the course
 * @returns `NOT_FOUND`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED` or `STATUS_REFUSED`, checked in this order
 */
export function assignmentRefusal(
  trainee: User | null,
  existing: Enrollment | null,
  status: EnrollmentStatus,
): AppError | undefined {
  const refusal = traineeRefusal(trainee);
  if (refusal || !existing) return refusal;
  if (existing.status !== 'cancelled') return new AppError('ALREADY_ENROLLED');
  return transitionRefusal(existing.status, status, false);
}

/**
 * Why the actor can't change a status: `ACCESS_DENIED` for one that their role can't set, `STATUS_CHANGED` where it isn't the one
 * that they expect, `STATUS_REFUSED`.
 */
export function changeRefusal(
  from: EnrollmentStatus,
  { status: to, expectedStatus = from }: StatusChange,
  { role }: Actor,
): AppError | undefined {
  const byTrainee = role === 'trainee';
  if (byTrainee && to !== 'cancelled' && to !== 'pending')
    return denied('Trainees can cancel an enrollment, or request it again.');
  if (from !== expectedStatus)
    return new AppError(
      'STATUS_CHANGED',
      `Enrollment is ${from} by now, no longer ${expectedStatus}. Look at it before you change it.`,
      { params: { from, to } },
    );
  return transitionRefusal(from, to, byTrainee);
}
