/**
 * Model of the programme: people, courses and enrollments in three maps, and permissions. The model follows the contract, not
 * the services. The files `*-rules.ts` contain the rules of the operations.
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
  /** Token of the last session, used also after the end of the session. */
  token: string;
  hasSession: boolean;
}

export interface Course {
  id: string;
  title: string;
  description: string;
  category: string;
  maxStudents: number | null;
  /** A day long ago, or far ahead. */
  endDate: string | null;
  enrollUntil: string | null;
  autoAccept: boolean;
  waitingMax: number | null;
  isPublished: boolean;
  trainerId: string;
}

export const [longAgo, farAhead] = ['2020-02-02', '2999-12-31'];

/** Default fields of a course. */
export const openCourse = { endDate: null, enrollUntil: null, autoAccept: false, waitingMax: null };

export interface Enrollment {
  id: string;
  userId: string;
  courseId: string;
  status: Status;
  progress: number;
  /** Text of the trainee. */
  notes: string | null;
  notesAt: string | null;
  /** Text of a manager of the course. */
  reply: string | null;
  replyAt: string | null;
  replyBy: string | null;
  cancelReason: 'left' | 'refused' | 'removed' | null;
  enrolledAt: string;
  completedAt: string | null;
  /** The trainee's name before a rename. No command restores a name. */
  formerName?: string;
}

/** Enrollment fields without notes and reply. */
export const withoutNotes = { notes: null, notesAt: null, reply: null, replyAt: null, replyBy: null };

/** Callers: the initial people of each run, also after changes of their accounts. */
export const castNames = ['superAdmin', 'ada', 'ben', 'tom', 'tess', 'tim', 'newcomer', 'sleeper'] as const;
export type CastName = (typeof castNames)[number];

export interface Programme {
  cast: Record<CastName, Person>;
  people: Map<string, Person>;
  courses: Map<string, Course>;
  enrollments: Map<string, Enrollment>;
  /** Ids of waiting enrollments, in the order of joining, for all courses. */
  waiting: string[];
  /** Enrollments that got a seat from a waiting list since the last response. The service determines the time. */
  promoted: Enrollment[];
  /** All ids in order of creation, including deleted rows, which commands also use. */
  known: { person: string[]; course: string[]; enrollment: string[] };
  /** Common part of the categories and names in this run. */
  tag: string;
}

/** Values that the service chooses. The model copies them from the response after checking them. */
export interface ServiceChoices {
  /** Fields of the response's course or enrollment. */
  id: string;
  enrolledAt: string;
  completedAt: string;
  notesAt: string;
  replyAt: string;
  token: string;
  temporaryPassword: string;
  /** Returns the values of an enrollment in a bulk assignment. */
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

/** Refuses with 403. The contract doesn't define the rest of the message. */
export const deny = (): never => refuse(403, 'Access denied.');

export type Caller = Person | undefined;

/** Returns the account of a caller's token. @param caller undefined without a token */
export function authenticated(caller: Caller): Person {
  if (!caller) return refuse(401, 'Access denied. No token provided.');
  if (!caller.hasSession || !caller.isActive) return refuse(401, 'Invalid or expired token.');
  return caller;
}

/** Checks that a caller may use the service, in one of the roles if any are given. */
export function admitted(caller: Caller, ...roles: Role[]): Person {
  const person = authenticated(caller);
  if (person.requiresPasswordChange) {
    const body = { error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' };
    throw new Refusal({ status: 403, body });
  }
  if (roles.length > 0 && !roles.includes(person.role)) deny();
  return person;
}

/** Checks that a caller is a trainer or the super admin. */
export const managerOf = (caller: Caller): Person => admitted(caller, 'trainer', 'super_admin');

/** Returns a course that the caller may manage. */
export function managedCourse(programme: Programme, caller: Caller, courseId: string): Course {
  const person = managerOf(caller);
  const course = programme.courses.get(courseId);
  if (!course) return refuse(404, 'Course not found.');
  if (person.role === 'super_admin' || course.trainerId === person.id) return course;
  return course.isPublished ? deny() : refuse(404, 'Course not found.');
}

/** Returns the enrollments that a person can see. */
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

/** Whether an enrollment takes a seat. */
export const hasSeat = ({ status }: Enrollment) => status === 'pending' || status === 'active';

/** Whether an enrollment has a seat or is waiting. */
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

/** Returns the waiting list of a course in its order. */
export const waitingIn = ({ enrollments, waiting }: Programme, courseId: string): Enrollment[] =>
  waiting.flatMap((id) => {
    const enrollment = enrollments.get(id);
    return enrollment?.courseId === courseId && enrollment.status === 'waiting' ? [enrollment] : [];
  });

/** Returns the waiting enrollments that can get a seat; none after the end of the course. */
export const eligibleIn = (programme: Programme, courseId: string): Enrollment[] =>
  programme.courses.get(courseId)?.endDate === longAgo
    ? []
    : waitingIn(programme, courseId).filter(({ userId }) => personWith(programme, userId).isActive);

/** Returns the place on the waiting list, counting only active people before it. */
export function waitingPlace(programme: Programme, { id, courseId }: Enrollment): number | null {
  const before = waitingIn(programme, courseId).findIndex((one) => one.id === id);
  if (before < 0) return null;
  const passed = waitingIn(programme, courseId).slice(0, before);
  return passed.filter(({ userId }) => personWith(programme, userId).isActive).length + 1;
}

/** Moves an enrollment to the end of the waiting list. */
export function join(programme: Programme, enrollment: Enrollment): void {
  programme.waiting = [...programme.waiting.filter((id) => id !== enrollment.id), enrollment.id];
  enrollment.status = 'waiting';
}

/** Gives the free seats of courses to their waiting lists. */
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

/** Adds an object, and stores its id. */
export function add<K extends 'person' | 'course' | 'enrollment'>(
  programme: Programme,
  kind: K,
  entity: K extends 'person' ? Person : K extends 'course' ? Course : Enrollment,
): void {
  const map = { person: programme.people, course: programme.courses, enrollment: programme.enrollments }[kind];
  // The parameter types ensure that the object matches its map.
  (map as Map<string, unknown>).set(entity.id, entity);
  programme.known[kind].push(entity.id);
}
