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

export function assertAllowed(refusal: AppError | undefined): void {
  if (refusal) throw refusal;
}

export const actorKindOf = ({ role }: Pick<Actor, 'role'>): ActorKind => (role === 'trainee' ? 'trainee' : 'manager');

/** Fields of the notes or the reply that a change writes; empty if it writes none. */
export type WrittenFields = Partial<Pick<EnrollmentValues, 'notes' | 'notesAt' | 'reply' | 'replyAt' | 'replyBy'>>;

/** Returns the fields of a trainee's notes. Null removes the notes. */
export const notesOf = ({ notes }: NotesOrReply, now: Date): WrittenFields =>
  notes === undefined ? {} : { notes, notesAt: notes === null ? null : now };

/**
 * Returns the fields of a manager's reply, also if it was sent as `notes`: the notes of an enrollment are always the trainee's. Null
 * removes the reply.
 */
export function replyOf({ actorId }: Actor, texts: NotesOrReply, now: Date): WrittenFields {
  const { reply = texts.notes } = texts;
  if (reply === undefined) return {};
  return reply === null ? { reply, replyAt: null, replyBy: null } : { reply, replyAt: now, replyBy: actorId };
}

/** Returns the fields of an actor's notes or reply. @throws AppError `VALIDATION` for a reply of a trainee */
export function writtenFieldsOf(actor: Actor, texts: NotesOrReply, now: Date): WrittenFields {
  if (actorKindOf(actor) === 'manager') return replyOf(actor, texts, now);
  if (texts.reply === undefined) return notesOf(texts, now);
  const message = 'Only managers of the course can send a reply. Send your text as notes.';
  throw validationError([{ path: 'reply', code: 'UNKNOWN', message }]);
}

/** Returns the reason of a cancellation from this status. */
export function cancelReasonOf(from: EnrollmentStatus, by: ActorKind): EnrollmentValues['cancelReason'] {
  if (by === 'trainee') return 'left';
  return rulesOf(from).takesPart ? 'removed' : 'refused';
}

/** Returns the error for a change that the rules of the statuses don't permit. */
const transitionRefusal = (from: EnrollmentStatus, to: EnrollmentStatus, by: ActorKind): AppError | undefined =>
  mayFollow(from, to, by)
    ? undefined
    : new AppError('STATUS_REFUSED', `Enrollment can't change from ${from} to ${to}.`, { params: { from, to } });

/**
 * Returns the error if a person with an enrollment in the course can't be enrolled again: `ALREADY_ENROLLED`,
 * `STATUS_REFUSED`. Managers may enroll a person on the waiting list before others.
 */
export const reenrollRefusal = (from: EnrollmentStatus, to: EnrollmentStatus, by: ActorKind): AppError | undefined =>
  rulesOf(from).isEnrolled && !(from === 'waiting' && by === 'manager')
    ? new AppError('ALREADY_ENROLLED')
    : transitionRefusal(from, to, by);

const listFull = 'The waiting list is full, and the free seats of the course are being given to it. Try again shortly.';

/**
 * Returns the status of a trainee's request: a seat if one is free and nobody waits for it. Otherwise a place on the waiting list, if
 * wanted.
 * @throws AppError `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`, `ENROLLMENT_CLOSED`, `COURSE_FULL` or
 *   `SEATS_BEING_GIVEN`, `WAITING_LIST_FULL`, checked in this order
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

/** Returns the error if managers can't enroll an account: `NOT_FOUND`, `ACCOUNT_INACTIVE`. */
export function traineeRefusal(trainee: User | null): AppError | undefined {
  if (!trainee) return notFound('Trainee');
  return trainee.isActive ? undefined : new AppError('ACCOUNT_INACTIVE', 'Trainee account is inactive.');
}

/**
 * Returns the error if managers can't enroll a trainee with this status, alone or among others.
 * @param trainee null if the id isn't a trainee's
 * @param existing enrollment of the trainee in the course
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
 * Returns the error if a status can't be changed: `STATUS_NOT_FOR_TRAINEES` for a status that trainees can't set,
 * `STATUS_CHANGED` if the current status isn't the expected one, or `STATUS_REFUSED`.
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
