import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import type { EnrollmentPreconditions } from '../../db/sql/enroll-statements.js';
import { AppError, notFound, validationError } from '../../errors.js';
import type { NotesOrReply, StatusChange } from '../../schemas/enrollment.js';
import type { EnrollmentValues } from '../../schemas/enrollment-fields.js';
import {
  type ActorKind,
  type EnrollmentStatus,
  mayFollow,
  rulesOf,
  statusesSetBy,
} from '../../schemas/enrollment-statuses.js';
import type { Actor } from '../core.js';
import { closedRefusal } from '../dates.js';

/** Throws a refusal, where there is one. */
export function assertAllowed(refusal: AppError | undefined): void {
  if (refusal) throw refusal;
}

export const actorKindOf = ({ role }: Pick<Actor, 'role'>): ActorKind => (role === 'trainee' ? 'trainee' : 'manager');

/** The fields of what is written with a change; none where nothing is. */
export type WrittenFields = Partial<Pick<EnrollmentValues, 'notes' | 'notesAt' | 'reply' | 'replyAt' | 'replyBy'>>;

/** A trainee's words with a request; null takes them back. */
export const notesOf = ({ notes }: NotesOrReply, now: Date): WrittenFields =>
  notes === undefined ? {} : { notes, notesAt: notes === null ? null : now };

/** A manager's words, also as `notes`: those of the enrollment are always the trainee's. Null takes them back. */
export function replyOf({ actorId }: Actor, words: NotesOrReply, now: Date): WrittenFields {
  const { reply = words.notes } = words;
  if (reply === undefined) return {};
  return reply === null ? { reply, replyAt: null, replyBy: null } : { reply, replyAt: now, replyBy: actorId };
}

/** What an actor writes with a change. @throws AppError `VALIDATION` for a reply of a trainee */
export function writtenFieldsOf(actor: Actor, words: NotesOrReply, now: Date): WrittenFields {
  if (actorKindOf(actor) === 'manager') return replyOf(actor, words, now);
  if (words.reply === undefined) return notesOf(words, now);
  const message = 'reply is for those who manage the course. Send your own words as notes.';
  throw validationError([{ path: 'reply', code: 'UNKNOWN', message }]);
}

/** How an enrollment that had this status was cancelled. */
export function cancelReasonOf(from: EnrollmentStatus, by: ActorKind): EnrollmentValues['cancelReason'] {
  if (by === 'trainee') return 'left';
  return rulesOf(from).takesPart ? 'removed' : 'refused';
}

/** Why an enrollment can't change its status like this; names both. */
const transitionRefusal = (from: EnrollmentStatus, to: EnrollmentStatus, by: ActorKind): AppError | undefined =>
  mayFollow(from, to, by)
    ? undefined
    : new AppError('STATUS_REFUSED', `Enrollment can't change from ${from} to ${to}.`, { params: { from, to } });

/**
 * Why somebody who has an enrollment in a course can't enroll again: `ALREADY_ENROLLED`, `STATUS_REFUSED`. Managers can enroll
 * who waits, past all others.
 */
export const reenrollRefusal = (from: EnrollmentStatus, to: EnrollmentStatus, by: ActorKind): AppError | undefined =>
  rulesOf(from).isEnrolled && !(from === 'waiting' && by === 'manager')
    ? new AppError('ALREADY_ENROLLED')
    : transitionRefusal(from, to, by);

const listFull =
  'The free seats of the course are being given to its waiting list, which is full meanwhile. Try again shortly.';

/**
 * Returns the status of a trainee's request: a seat, unless somebody waits for one, or else a place on the waiting list, if wanted.
 * @throws AppError `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`, `ENROLLMENT_CLOSED`, `COURSE_FULL` or
 *   `SEATS_BEING_GIVEN`, `WAITING_LIST_FULL`, in this order
 */
export function requestedStatus(
  { course, seatsTaken, hasWaitingList, waiting }: EnrollmentPreconditions,
  joinWaitingList: boolean,
  day: string,
): 'pending' | 'active' | 'waiting' {
  const { isPublished, maxStudents, waitingMax, autoAccept } = course;
  if (!isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
  assertAllowed(closedRefusal(course, day));
  const isFull = maxStudents !== null && seatsTaken >= maxStudents;
  if (!isFull && !hasWaitingList) return autoAccept ? 'active' : 'pending';
  if (!joinWaitingList) throw new AppError(isFull ? 'COURSE_FULL' : 'SEATS_BEING_GIVEN');
  if (waitingMax !== null && waiting >= waitingMax)
    throw isFull ? new AppError('WAITING_LIST_FULL') : new AppError('SEATS_BEING_GIVEN', listFull);
  return 'waiting';
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
  return refusal || !existing ? refusal : reenrollRefusal(existing.status, status, 'manager');
}

/**
 * Why the actor can't change a status: `STATUS_NOT_FOR_TRAINEES` for one that their role can't set, `STATUS_CHANGED` where it isn't the one
 * that they expect, `STATUS_REFUSED`.
 */
export function changeRefusal(
  from: EnrollmentStatus,
  { status: to, expectedStatus = from }: StatusChange,
  actor: Actor,
): AppError | undefined {
  const by = actorKindOf(actor);
  if (by === 'trainee' && !statusesSetBy(by).includes(to)) return new AppError('STATUS_NOT_FOR_TRAINEES');
  if (from !== expectedStatus)
    return new AppError(
      'STATUS_CHANGED',
      `Enrollment is ${from} by now, no longer ${expectedStatus}. Look at it before you change it.`,
      { params: { from, to } },
    );
  return transitionRefusal(from, to, by);
}
