/**
 * What the programme is meant to be: people, courses and enrollments in three maps, and who may do what. Written from the
 * contract, not from the services; the rules of the operations are in the `*-rules.ts` beside it.
 */

export type Role = 'super_admin' | 'trainer' | 'trainee';
export const statuses = ['pending', 'waiting', 'active', 'completed', 'cancelled'] as const;
export type Status = (typeof statuses)[number];

export interface Person {
  id: string;
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  role: Role;
  isActive: boolean;
  requiresPasswordChange: boolean;
  password: string;
  /** Of the last session; it is sent after the session's end too. */
  token: string;
  hasSession: boolean;
}

export interface Course {
  id: string;
  title: string;
  description: string;
  category: string;
  maxStudents: number | null;
  /** The last days: long ago, or far ahead. */
  endDate: string | null;
  enrollUntil: string | null;
  autoAccept: boolean;
  waitingMax: number | null;
  isPublished: boolean;
  trainerId: string;
}

export const [longAgo, farAhead] = ['2020-02-02', '2999-12-31'];

/** What nobody has said of a course. */
export const openCourse = { endDate: null, enrollUntil: null, autoAccept: false, waitingMax: null };

export interface Enrollment {
  id: string;
  userId: string;
  courseId: string;
  status: Status;
  progress: number;
  /** The trainee's words. */
  notes: string | null;
  notesAt: string | null;
  /** The words of a manager of the course. */
  reply: string | null;
  replyAt: string | null;
  replyBy: string | null;
  cancelReason: 'left' | 'refused' | 'removed' | null;
  enrolledAt: string;
  completedAt: string | null;
  /** The trainee's name before a rename. No command gives a name back. */
  formerName?: string;
}

/** Nobody has written anything. */
export const withoutNotes = { notes: null, notesAt: null, reply: null, replyAt: null, replyBy: null };

/** Who calls: the people whom each run begins with, whatever becomes of them. */
export const castNames = ['superAdmin', 'ada', 'ben', 'tom', 'tess', 'tim', 'newcomer', 'sleeper'] as const;
export type CastName = (typeof castNames)[number];

export interface Programme {
  cast: Record<CastName, Person>;
  people: Map<string, Person>;
  courses: Map<string, Course>;
  enrollments: Map<string, Enrollment>;
  /** Who waits, in the order in which they have joined the lists of all courses. */
  waiting: string[];
  /** Who has got a seat from a list since the last response: when is the service's to say. */
  promoted: Enrollment[];
  /** Every id there has ever been, in the order of their appearance: those of deleted rows are tried too. */
  known: { person: string[]; course: string[]; enrollment: string[] };
  /** What the courses of this run have in common, and the names of its people. */
  tag: string;
}

/** What the service chooses for itself. The model takes it from the response, once it has been seen to be in order. */
export interface ServiceChoices {
  /** Fields of the response's course or enrollment. */
  id: string;
  enrolledAt: string;
  completedAt: string;
  notesAt: string;
  replyAt: string;
  token: string;
  temporaryPassword: string;
  /** Of an enrollment of a bulk assignment. */
  ofTrainee(userId: string): { id: string; enrolledAt: string; replyAt: string };
}

export interface ModelResponse {
  status: number;
  body: object;
}

/** A response that ends an operation before it changes anything. */
export class Refusal extends Error {
  constructor(readonly response: ModelResponse) {
    super(JSON.stringify(response));
  }
}

export const done = (message: string, shown: object = {}, status = 200): ModelResponse => ({
  status,
  body: { message, ...shown },
});

export function refuse(status: number, error: string): never {
  throw new Refusal({ status, body: { error } });
}

export function invalid(path: string): never {
  throw new Refusal({ status: 400, body: { errors: [{ path, location: 'body' }] } });
}

/** A 403 names the role or ownership that is missing; how it does is open. */
export const deny = (): never => refuse(403, 'Access denied.');

export type Caller = Person | undefined;

/** The account that a caller's token stands for. `undefined`: a caller without one. */
export function authenticated(caller: Caller): Person {
  if (!caller) return refuse(401, 'Access denied. No token provided.');
  if (!caller.hasSession || !caller.isActive) return refuse(401, 'Invalid or expired token.');
  return caller;
}

/** A caller who may use the programme, in one of the roles. */
export function admitted(caller: Caller, ...roles: Role[]): Person {
  const person = authenticated(caller);
  if (person.requiresPasswordChange) {
    const body = { error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' };
    throw new Refusal({ status: 403, body });
  }
  if (roles.length > 0 && !roles.includes(person.role)) deny();
  return person;
}

/** Who manages courses: which ones is asked later. */
export const managerOf = (caller: Caller): Person => admitted(caller, 'trainer', 'super_admin');

/** The course, for those who may change it and what belongs to it. */
export function managedCourse(programme: Programme, caller: Caller, courseId: string): Course {
  const person = managerOf(caller);
  const course = programme.courses.get(courseId);
  if (!course) return refuse(404, 'Course not found.');
  if (person.role === 'super_admin' || course.trainerId === person.id) return course;
  return course.isPublished ? deny() : refuse(404, 'Course not found.');
}

/** Enrollments that a caller may know of. */
export function knownEnrollments(programme: Programme, person: Person): Enrollment[] {
  return [...programme.enrollments.values()].filter((enrollment) => {
    if (person.role === 'super_admin') return true;
    if (person.role === 'trainee') return enrollment.userId === person.id;
    return courseOf(programme, enrollment).trainerId === person.id;
  });
}

export function knownEnrollment(programme: Programme, person: Person, id: string): Enrollment {
  const found = knownEnrollments(programme, person).find((enrollment) => enrollment.id === id);
  return found ?? refuse(404, 'Enrollment not found.');
}

export function courseOf({ courses }: Programme, { courseId }: Enrollment): Course {
  const course = courses.get(courseId);
  if (!course) throw new Error('The model has an enrollment without a course.');
  return course;
}

export function enrollmentIn({ enrollments }: Programme, courseId: string, userId: string): Enrollment | undefined {
  return [...enrollments.values()].find(
    (enrollment) => enrollment.courseId === courseId && enrollment.userId === userId,
  );
}

/** Only who asks or takes part has a seat. */
export const hasSeat = ({ status }: Enrollment) => status === 'pending' || status === 'active';

/** Who has a place, asks or waits for one. */
export const isOpen = (enrollment: Enrollment) => hasSeat(enrollment) || enrollment.status === 'waiting';

export const coursesOf = (enrollments: readonly Enrollment[]) => new Set(enrollments.map(({ courseId }) => courseId));

export const seatsTaken = ({ enrollments }: Programme, courseId: string): number =>
  [...enrollments.values()].filter((one) => one.courseId === courseId && hasSeat(one)).length;

export function reserveSeats(programme: Programme, { id, maxStudents }: Course, wanted: number): void {
  const left = (maxStudents ?? Number.POSITIVE_INFINITY) - seatsTaken(programme, id);
  if (wanted === 0 || wanted <= left) return;
  if (left <= 0)
    refuse(400, 'Course is at maximum capacity. Raise its maximum, or use its waiting list (whenFull: wait).');
  const some = `The course has ${left} ${left === 1 ? 'seat' : 'seats'} left, and ${wanted} trainees would be enrolled`;
  const ways = 'Choose fewer, raise its maximum, or use its waiting list for the others (whenFull: wait).';
  refuse(400, `${some}: none was. ${ways}`);
}

/** Those who wait in a course, in their order. */
export const waitingIn = ({ enrollments, waiting }: Programme, courseId: string): Enrollment[] =>
  waiting.flatMap((id) => {
    const enrollment = enrollments.get(id);
    return enrollment?.courseId === courseId && enrollment.status === 'waiting' ? [enrollment] : [];
  });

/** Enrollments on the waiting list that can get a seat: none once the course has ended. */
export const eligibleIn = (programme: Programme, courseId: string): Enrollment[] =>
  programme.courses.get(courseId)?.endDate === longAgo
    ? []
    : waitingIn(programme, courseId).filter(({ userId }) => personWith(programme, userId).isActive);

/** The place on a waiting list: one after those before it who can get a seat. */
export function waitingPlace(programme: Programme, { id, courseId }: Enrollment): number | null {
  const before = waitingIn(programme, courseId).findIndex((one) => one.id === id);
  if (before < 0) return null;
  const passed = waitingIn(programme, courseId).slice(0, before);
  return passed.filter(({ userId }) => personWith(programme, userId).isActive).length + 1;
}

/** Lets an enrollment wait, at the end of the list. */
export function join(programme: Programme, enrollment: Enrollment): void {
  programme.waiting = [...programme.waiting.filter((id) => id !== enrollment.id), enrollment.id];
  enrollment.status = 'waiting';
}

/** Gives the free seats of courses to those who wait first. */
export function promote(programme: Programme, courseIds: Iterable<string>): void {
  for (const courseId of courseIds) {
    const course = programme.courses.get(courseId);
    if (!course?.isPublished || course.endDate === longAgo) continue;
    const limit = course.maxStudents ?? Number.POSITIVE_INFINITY;
    for (const enrollment of eligibleIn(programme, courseId)) {
      if (seatsTaken(programme, courseId) >= limit) break;
      enrollment.status = course.autoAccept ? 'active' : 'pending';
      programme.promoted.push(enrollment);
    }
  }
}

export function personWith(programme: Programme, id: string): Person {
  const person = programme.people.get(id);
  if (!person) throw new Error('The model refers to an unknown person.');
  return person;
}

/** Adds what has been made, and remembers its id. */
export function add<K extends 'person' | 'course' | 'enrollment'>(
  programme: Programme,
  kind: K,
  entity: K extends 'person' ? Person : K extends 'course' ? Course : Enrollment,
): void {
  const map = { person: programme.people, course: programme.courses, enrollment: programme.enrollments }[kind];
  // The parameters' types say which of the three kinds fits which map.
  (map as Map<string, unknown>).set(entity.id, entity);
  programme.known[kind].push(entity.id);
}
