import {
  add,
  admitted,
  type Caller,
  type Course,
  courseOf,
  coursesOf,
  deny,
  done,
  type Enrollment,
  eligibleIn,
  enrollmentIn,
  hasSeat,
  invalid,
  join,
  knownEnrollment,
  longAgo,
  type ModelResponse,
  managedCourse,
  managerOf,
  type Person,
  type Programme,
  promote,
  refuse,
  reserveSeats,
  type ServiceChoices,
  type Status,
  seatsTaken,
  waitingIn,
  withoutNotes,
} from './model.js';
import { enrollmentView } from './views.js';

/** Rules of the table "Enrollments" in the contract for changes. */

type Text = string | null | undefined;

interface Words {
  notes: Text;
  reply: Text;
}

type Written = Partial<Pick<Enrollment, 'notes' | 'notesAt' | 'reply' | 'replyAt' | 'replyBy'>>;

const noted = (notes: Text, notesAt: string): Written =>
  notes === undefined ? {} : { notes, notesAt: notes === null ? null : notesAt };

/** Texts of managers always become the reply. */
function replied({ id }: Person, { notes, reply = notes }: Words, replyAt: string): Written {
  if (reply === undefined) return {};
  return reply ? { reply, replyAt, replyBy: id } : { reply: null, replyAt: null, replyBy: null };
}

function assertOneOf({ notes, reply }: Words): void {
  if (notes !== undefined && reply !== undefined) invalid('');
}

const refuseChange = (from: Status, to: Status) => refuse(400, `Enrollment can't change from ${from} to ${to}.`);

/** Permitted changes of the status, by caller. */
function assertCanBecome(from: Status, to: Status, role: 'trainee' | 'manager'): void {
  const next: Record<Status, readonly Status[]> = {
    pending: ['active', 'cancelled'],
    active: ['completed', 'cancelled'],
    waiting: role === 'trainee' ? ['cancelled'] : ['active', 'cancelled'],
    completed: role === 'trainee' ? [] : ['active'],
    cancelled: role === 'trainee' ? ['pending'] : ['active'],
  };
  if (!next[from].includes(to)) refuseChange(from, to);
}

interface Entry {
  userId: string;
  courseId: string;
  status: 'pending' | 'active' | 'waiting';
  written: Written;
}

/** Creates an enrollment, or renews the cancelled enrollment of the trainee in this course. */
function enter(programme: Programme, entry: Entry, { id, enrolledAt }: { id: string; enrolledAt: string }): Enrollment {
  const { userId, courseId, status, written } = entry;
  const earlier = enrollmentIn(programme, courseId, userId);
  if (earlier) return Object.assign(earlier, { status, enrolledAt, cancelReason: null, ...written });
  const fresh = { progress: 0, ...withoutNotes, ...written, cancelReason: null, completedAt: null };
  const enrollment: Enrollment = { id, userId, courseId, status, enrolledAt, ...fresh };
  add(programme, 'enrollment', enrollment);
  return enrollment;
}

/** Returns the status for a request: a free seat if nobody is waiting, or a place on the waiting list. */
function requested(programme: Programme, course: Course, waits = false): 'pending' | 'active' | 'waiting' {
  if (!course.isPublished) refuse(400, 'Course is not published.');
  if (course.endDate === longAgo) refuse(400, 'Course has ended.');
  if (course.enrollUntil === longAgo) refuse(400, 'Enrollment has closed.');
  const isFull = course.maxStudents !== null && seatsTaken(programme, course.id) >= course.maxStudents;
  if (!isFull && eligibleIn(programme, course.id).length === 0) return course.autoAccept ? 'active' : 'pending';
  if (!waits && isFull) refuse(400, 'Course is at maximum capacity.');
  if (!waits)
    refuse(
      409,
      'The free seats of the course are being given to its waiting list. Try again shortly, or join the list.',
    );
  const { waitingMax } = course;
  if (waitingMax !== null && waitingIn(programme, course.id).length >= waitingMax)
    isFull
      ? refuse(400, 'The waiting list of the course is full.')
      : refuse(
          409,
          'The waiting list is full, and the free seats of the course are being given to it. Try again shortly.',
        );
  return 'waiting';
}

/** Returns the response to a request while the enrollment waits, then gives the free seats to the waiting list. */
function asked(programme: Programme, enrollment: Enrollment, message: string, status: number): ModelResponse {
  if (enrollment.status === 'waiting') join(programme, enrollment);
  const response = done(message, { enrollment: enrollmentView(programme, enrollment) }, status);
  if (!hasSeat(enrollment)) promote(programme, [enrollment.courseId]);
  return response;
}

export function requestEnrollment(
  programme: Programme,
  caller: Caller,
  { courseId, notes, joinWaitingList }: { courseId: string; notes: Text; joinWaitingList: boolean | undefined },
  chosen: ServiceChoices,
): ModelResponse {
  const { id: userId } = admitted(caller, 'trainee');
  const course = programme.courses.get(courseId) ?? refuse(404, 'Course not found.');
  const earlier = enrollmentIn(programme, courseId, userId);
  if (earlier && earlier.status !== 'cancelled') refuse(400, 'Already enrolled in this course.');
  const status = requested(programme, course, joinWaitingList);
  const entry = { userId, courseId, status, written: noted(notes, chosen.notesAt) };
  return asked(programme, enter(programme, entry, chosen), 'Enrollment requested successfully.', 201);
}

/** Returns the reason why a manager can't enroll a trainee; undefined if the manager can. */
function obstacle(
  programme: Programme,
  { userId, courseId, status }: Omit<Entry, 'written'>,
): { status: number; entry: { reason: string; code: string; params?: object } } | null {
  const trainee = programme.people.get(userId);
  if (trainee?.role !== 'trainee') return { status: 404, entry: { reason: 'Trainee not found.', code: 'NOT_FOUND' } };
  if (!trainee.isActive)
    return { status: 400, entry: { reason: 'Trainee account is inactive.', code: 'ACCOUNT_INACTIVE' } };
  const earlier = enrollmentIn(programme, courseId, userId);
  if (earlier && earlier.status !== 'cancelled' && earlier.status !== 'waiting')
    return { status: 400, entry: { reason: 'Already enrolled in this course.', code: 'ALREADY_ENROLLED' } };
  if (earlier && status === 'pending') {
    const { status: from } = earlier;
    const reason = `Enrollment can't change from ${from} to pending.`;
    return { status: 400, entry: { reason, code: 'STATUS_REFUSED', params: { from, to: 'pending' } } };
  }
  return null;
}

interface Assignment extends Words {
  courseId: string;
  /** Defaults to active. */
  status: 'pending' | 'active' | undefined;
  /** Defaults to reject. */
  whenFull: 'reject' | 'wait' | undefined;
}

/**
 * Returns the places that an assignment gives to trainees in their order. With `wait`, the waiting list comes first: new trainees
 * get only the remaining seats. Waiting trainees keep their place unless the whole list gets seats.
 */
function assigned(programme: Programme, course: Course, userIds: readonly string[], waits: boolean) {
  if (!waits) {
    reserveSeats(programme, course, userIds.length);
    return userIds.map(() => 'seat' as const);
  }
  const { id, maxStudents, waitingMax } = course;
  let seats = (maxStudents ?? Number.POSITIVE_INFINITY) - seatsTaken(programme, id) - eligibleIn(programme, id).length;
  let places = (waitingMax ?? Number.POSITIVE_INFINITY) - waitingIn(programme, id).length;
  return userIds.map((userId) => {
    if (enrollmentIn(programme, id, userId)?.status === 'waiting') return seats >= 0 ? ('seat' as const) : 'kept';
    if (seats >= 1) {
      seats -= 1;
      return 'seat' as const;
    }
    const list = waitingMax === 0 ? 'has no waiting list' : 'its waiting list is full';
    if (places < 1) refuse(400, `Course is at maximum capacity, and ${list}. Raise one of its limits.`);
    places -= 1;
    return 'joined' as const;
  });
}

export function assign(
  programme: Programme,
  caller: Caller,
  { courseId, status = 'active', traineeId, whenFull, ...words }: Assignment & { traineeId: string },
  chosen: ServiceChoices,
): ModelResponse {
  const person = managerOf(caller);
  assertOneOf(words);
  const course = managedCourse(programme, caller, courseId);
  const entry = { userId: traineeId, courseId, status, written: replied(person, words, chosen.replyAt) };
  const refused = obstacle(programme, entry);
  if (refused) refuse(refused.status, refused.entry.reason);
  const [place] = assigned(programme, course, [traineeId], whenFull === 'wait');
  if (place === 'kept') refuse(400, 'Already enrolled in this course.');
  const enrollment = enter(programme, { ...entry, ...(place === 'joined' && { status: 'waiting' }) }, chosen);
  return asked(programme, enrollment, 'Trainee enrolled successfully.', 201);
}

export function assignMany(
  programme: Programme,
  caller: Caller,
  { courseId, status = 'active', traineeIds, whenFull, ...words }: Assignment & { traineeIds: string[] },
  chosen: ServiceChoices,
): ModelResponse {
  const person = managerOf(caller);
  assertOneOf(words);
  const course = managedCourse(programme, caller, courseId);
  const entries = traineeIds.map((userId) => ({ userId, courseId, status }));
  const skipped = entries.flatMap((entry) => {
    const refused = obstacle(programme, entry);
    return refused ? [{ traineeId: entry.userId, ...refused.entry }] : [];
  });
  const entering = entries.filter(({ userId }) => !skipped.some(({ traineeId }) => traineeId === userId));
  const userIds = entering.map(({ userId }) => userId);
  const places = assigned(programme, course, userIds, whenFull === 'wait');
  const enrollments = entering.flatMap((entry, index) => {
    if (places[index] === 'kept') {
      const reason = 'Already enrolled in this course.';
      skipped.push({ traineeId: entry.userId, reason, code: 'ALREADY_ENROLLED' });
      return [];
    }
    const own = chosen.ofTrainee(entry.userId);
    const joins = places[index] === 'joined' && ({ status: 'waiting' } as const);
    const enrollment = enter(programme, { ...entry, ...joins, written: replied(person, words, own.replyAt) }, own);
    if (joins) join(programme, enrollment);
    return [enrollment];
  });
  const body = { enrollments: enrollments.map((enrollment) => enrollmentView(programme, enrollment)), skipped };
  const response = done('Trainees enrolled successfully.', body, 201);
  if (!enrollments.every(hasSeat)) promote(programme, [courseId]);
  return response;
}

interface ChangeOfStatus extends Words {
  id: string;
  status: Status;
  expectedStatus: Status | undefined;
  joinWaitingList: boolean | undefined;
}

/** Returns the status of an enrollment without a seat after a change. */
function seated(programme: Programme, enrollment: Enrollment, change: ChangeOfStatus, isOwn: boolean): Status {
  const course = courseOf(programme, enrollment);
  if (isOwn) return requested(programme, course, change.joinWaitingList);
  // A person may have become a trainer since the cancellation.
  const trainee = programme.people.get(enrollment.userId);
  if (trainee?.role !== 'trainee') refuse(404, 'Trainee not found.');
  if (!trainee?.isActive) refuse(400, 'Trainee account is inactive.');
  if (course.maxStudents !== null && seatsTaken(programme, course.id) >= course.maxStudents)
    refuse(400, 'Course is at maximum capacity.');
  return change.status;
}

export function changeStatus(
  programme: Programme,
  caller: Caller,
  change: ChangeOfStatus,
  chosen: ServiceChoices,
): ModelResponse {
  const { id, status, expectedStatus, notes, reply } = change;
  const person = admitted(caller);
  // Clients can't set the status `waiting`.
  if (status === 'waiting') invalid('status');
  assertOneOf(change);
  const role = person.role === 'trainee' ? 'trainee' : 'manager';
  if (role === 'trainee' && reply !== undefined) invalid('reply');
  const enrollment = knownEnrollment(programme, person, id);
  if (role === 'trainee' && status !== 'cancelled' && status !== 'pending') deny();
  if (expectedStatus !== undefined && enrollment.status !== expectedStatus) {
    const words = `Enrollment is ${enrollment.status} by now, no longer ${expectedStatus}.`;
    refuse(409, `${words} Look at it before you change it.`);
  }
  assertCanBecome(enrollment.status, status, role);
  const takesSeat = !hasSeat(enrollment) && (status === 'pending' || status === 'active');
  const given = takesSeat ? seated(programme, enrollment, change, role === 'trainee') : status;
  if (takesSeat && enrollment.status !== 'completed') enrollment.enrolledAt = chosen.enrolledAt;
  enrollment.completedAt = null;
  if (status === 'completed') Object.assign(enrollment, { completedAt: chosen.completedAt, progress: 100 });
  const written = role === 'trainee' ? noted(notes, chosen.notesAt) : replied(person, change, chosen.replyAt);
  const byManager = enrollment.status === 'active' ? 'removed' : 'refused';
  const cancelReason = status !== 'cancelled' ? null : role === 'trainee' ? 'left' : byManager;
  Object.assign(enrollment, { status: given, cancelReason, ...written });
  return asked(programme, enrollment, 'Enrollment status updated successfully.', 200);
}

export function setReply(
  programme: Programme,
  caller: Caller,
  { id, reply }: { id: string; reply: string | null },
  chosen: ServiceChoices,
): ModelResponse {
  const person = managerOf(caller);
  const enrollment = knownEnrollment(programme, person, id);
  Object.assign(enrollment, replied(person, { notes: undefined, reply }, chosen.replyAt));
  return done('Reply updated successfully.', { enrollment: enrollmentView(programme, enrollment) });
}

export function setProgress(
  programme: Programme,
  caller: Caller,
  { id, progress }: Pick<Enrollment, 'id' | 'progress'>,
): ModelResponse {
  const person = admitted(caller);
  if (!Number.isInteger(progress) || progress < 0 || progress > 100) invalid('progress');
  const enrollment = knownEnrollment(programme, person, id);
  const { status } = enrollment;
  const isOpen = status === 'active' || (status === 'pending' && person.role !== 'trainee');
  if (!isOpen) refuse(400, `Progress can't change while the enrollment is ${status}.`);
  enrollment.progress = progress;
  return done('Progress updated successfully.', { enrollment: enrollmentView(programme, enrollment) });
}

/** Removes all enrollments or none. */
function removeAll(programme: Programme, caller: Caller, ids: readonly string[]) {
  const person = managerOf(caller);
  const enrollments = ids.map((id) => knownEnrollment(programme, person, id));
  for (const { id } of enrollments) programme.enrollments.delete(id);
  promote(programme, coursesOf(enrollments));
  return enrollments.map((enrollment) => enrollmentView(programme, enrollment));
}

export function removeOne(programme: Programme, caller: Caller, { id }: { id: string }): ModelResponse {
  const removedEnrollments = removeAll(programme, caller, [id]);
  return done('Enrollment removed successfully.', { removedEnrollments });
}

export function removeMany(
  programme: Programme,
  caller: Caller,
  { enrollmentIds }: { enrollmentIds: string[] },
): ModelResponse {
  const removedEnrollments = removeAll(programme, caller, enrollmentIds);
  return done('Enrollments removed successfully.', { removedCount: removedEnrollments.length, removedEnrollments });
}
