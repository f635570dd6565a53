import fc from 'fast-check';
import { insertAccounts } from '../../../../src/services/accounts/rows.js';
import { issueCertificates } from '../../../../src/services/certificates/issue.js';
import type { Context } from '../../../../src/services/context.js';
import { courseKeys } from '../../../../src/services/courses/commands.js';
import { newIds } from '../../../../src/services/new-ids.js';
import { factoryPassword } from '../../../support/factories.js';
import { emptyDatabase } from '../../../support/harness.js';
import {
  add,
  type CastName,
  type Course,
  castNames,
  enrollmentIn,
  farAhead,
  longAgo,
  type Person,
  type Programme,
  type Role,
  type Status,
  seatsTaken,
  statuses,
  withoutNotes,
} from './model.js';

type Term = 'isPublished' | 'maxStudents' | 'endDate' | 'enrollUntil' | 'autoAccept' | 'waitingMax';

/** Initial state of a run: new people, courses and enrollments, created without the API. */
export interface InitialState {
  /** Roles of the newcomer and the sleeper. */
  newcomer: 'trainer' | 'trainee';
  sleeper: 'trainer' | 'trainee';
  courses: ({ trainer: number } & Pick<Course, Term>)[];
  enrollments: { trainee: number; course: number; status: Status; progress: number }[];
}

const rarely = <T>(...values: T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...values) });
const role = fc.constantFrom('trainer' as const, 'trainee' as const);

export const initialState: fc.Arbitrary<InitialState> = fc.record({
  newcomer: role,
  sleeper: role,
  courses: fc.array(
    fc.record({
      trainer: fc.nat(3),
      isPublished: fc.boolean(),
      maxStudents: fc.constantFrom(null, 1, 2),
      endDate: rarely(farAhead, longAgo),
      enrollUntil: rarely(farAhead, longAgo),
      autoAccept: fc.boolean(),
      waitingMax: rarely(0, 1, 2),
    }),
    { minLength: 1, maxLength: 4, size: 'max' },
  ),
  enrollments: fc.array(
    fc.record({
      trainee: fc.nat(4),
      course: fc.nat(3),
      status: fc.constantFrom(...statuses),
      progress: fc.nat(99),
    }),
    { minLength: 2, maxLength: 8, size: 'max' },
  ),
});

const roleOf = (name: CastName, given: InitialState): Role => {
  if (name === 'superAdmin') return 'super_admin';
  if (name === 'newcomer' || name === 'sleeper') return given[name];
  return name === 'ada' || name === 'ben' ? 'trainer' : 'trainee';
};

let serial = 0;

/** Empties the database, and creates the initial state of a run. */
export async function createProgramme(context: Context, given: InitialState): Promise<Programme> {
  await emptyDatabase(context);
  const programme = modelOf(context, given);
  const { cast, courses, enrollments } = programme;
  const { Course, Enrollment } = context.database.models;
  // All accounts share one hash, because hashing for each account would take too long.
  const secret = { passwordHash: await context.hasher.hash(factoryPassword, 4), initialPasswordExpiresAt: null };
  const accounts = Object.values(cast).map((person) => ({ ...person, ...secret }));
  const waitingCounter = programme.waiting.length;
  const rows = [...courses.values()].map((course) => ({ ...course, ...courseKeys(course), waitingCounter }));
  const placed = [...enrollments.values()].map((enrollment) => ({
    ...enrollment,
    ...withoutNotes,
    trainerId: courses.get(enrollment.courseId)?.trainerId ?? '',
    waitingNumber: enrollment.status === 'waiting' ? programme.waiting.indexOf(enrollment.id) + 1 : null,
    enrolledAt: new Date(enrollment.enrolledAt),
    completedAt: enrollment.completedAt === null ? null : new Date(enrollment.completedAt),
  }));
  await context.database.inTransaction(async (transaction) => {
    const ids = accounts.map(({ id }) => id);
    await insertAccounts(context, accounts, transaction, ids);
    await Course.bulkCreate(rows, { transaction });
    const stored = await Enrollment.bulkCreate(placed, { transaction });
    const completed = stored.filter(({ status }) => status === 'completed');
    await issueCertificates(context, completed, transaction);
  });
  await startSessions(context, Object.values(cast));
  return programme;
}

/** Restores the super admin's login after a run, because the comparison needs an account with full access. */
export async function restore(context: Context, { cast: { superAdmin } }: Programme): Promise<void> {
  if (superAdmin.hasSession && !superAdmin.requiresPasswordChange) return;
  superAdmin.requiresPasswordChange = false;
  await context.database.models.User.update({ requiresPasswordChange: false }, { where: { id: superAdmin.id } });
  await startSessions(context, [superAdmin]);
}

async function startSessions(context: Context, people: readonly Person[]): Promise<void> {
  const createdAt = context.now();
  const expiresAt = new Date(createdAt.getTime() + 86_400_000);
  const ids = newIds(people.length);
  const tokens = await context.tokens;
  const sessions = people.map(({ id: userId }, index) => ({ id: ids[index] ?? '', userId, createdAt, expiresAt }));
  await context.database.models.Session.bulkCreate(sessions);
  for (const [index, person] of people.entries()) {
    const token = tokens.issue({ userId: person.id, sid: ids[index] ?? '' }, createdAt, expiresAt);
    Object.assign(person, { token, hasSession: true });
  }
}

function modelOf(context: Context, given: InitialState): Programme {
  serial += 1;
  const tag = `r${serial}x`;
  const ids = newIds(castNames.length);
  const people = castNames.map(
    (name, index): Person => ({
      id: ids[index] ?? '',
      role: roleOf(name, given),
      firstName: name,
      lastName: name === 'superAdmin' ? 'Root' : tag,
      password: factoryPassword,
      email: `${name.toLowerCase()}@${name === 'superAdmin' ? 'root' : tag}.example.org`,
      phone: `+1 555 ${name} ${serial}`,
      token: '',
      hasSession: false,
      isActive: name !== 'sleeper',
      requiresPasswordChange: name === 'newcomer',
    }),
  );
  const programme: Programme = {
    // Ids in the order of the names.
    cast: Object.fromEntries(castNames.map((name, index) => [name, people[index]])) as Programme['cast'],
    people: new Map(),
    courses: new Map(),
    enrollments: new Map(),
    waiting: [],
    promoted: [],
    known: { person: [], course: [], enrollment: [] },
    tag,
  };
  for (const person of people) add(programme, 'person', person);
  addCourses(programme, given);
  addEnrollments(programme, given, context.now().getTime());
  return programme;
}

function addCourses(programme: Programme, given: InitialState): void {
  const trainers = [...programme.people.values()].filter((person) => person.role === 'trainer');
  const ids = newIds(given.courses.length);
  for (const [index, { trainer, ...fields }] of given.courses.entries()) {
    const trainerId = trainers[trainer % trainers.length]?.id ?? '';
    const message = { title: `Course ${index}`, description: 'What it is about.', category: programme.tag };
    add(programme, 'course', { id: ids[index] ?? '', ...message, ...fields, trainerId });
  }
}

/** Skips enrollments beyond the capacity, and duplicates. Former trainees get only completed and cancelled enrollments. */
function addEnrollments(programme: Programme, given: InitialState, now: number): void {
  const { tom, tess, tim, newcomer, sleeper } = programme.cast;
  const trainees = [tom, tess, tim, newcomer, sleeper];
  const courses = [...programme.courses.values()];
  const ids = newIds(given.enrollments.length);
  for (const [index, { trainee, course: place, status, progress }] of given.enrollments.entries()) {
    const { id: userId, role } = trainees[trainee % trainees.length] ?? tom;
    const course = courses[place % courses.length];
    if (!course || enrollmentIn(programme, course.id, userId)) continue;
    if (role === 'trainer' && status !== 'cancelled' && status !== 'completed') continue;
    const isFull = course.maxStudents !== null && seatsTaken(programme, course.id) >= course.maxStudents;
    if (isFull && (status === 'pending' || status === 'active')) continue;
    // All times differ, because the enrollment check sorts by time.
    const moment = new Date(now - (index + 1) * 1000).toISOString();
    const message = { status, ...withoutNotes, cancelReason: null, enrolledAt: moment };
    const done = status === 'completed' ? { progress: 100, completedAt: moment } : { progress, completedAt: null };
    const id = ids[index] ?? '';
    add(programme, 'enrollment', { id, userId, courseId: course.id, ...message, ...done });
    // The order of times differs from the order of ids.
    if (status === 'waiting') programme.waiting.unshift(id);
  }
}
