import fc from 'fast-check';
import type { Transaction } from 'sequelize';
import type { Context } from '../../../../src/context.js';
import { insertAccounts } from '../../../../src/services/accounts/store.js';
import { courseKeys } from '../../../../src/services/courses/commands.js';
import { newIds } from '../../../../src/services/ids.js';
import { factoryPassword } from '../../../support/factories.js';
import {
  add,
  type CastName,
  castNames,
  enrollmentIn,
  type Person,
  type Programme,
  type Role,
  type Status,
  seatsTaken,
  statuses,
} from './model.js';

/** What a run begins with: fresh people, and courses and enrollments of theirs, written past the API. */
export interface Beginning {
  /** The newcomer and the sleeper are one of these. */
  newcomer: 'trainer' | 'trainee';
  sleeper: 'trainer' | 'trainee';
  courses: { trainer: number; isPublished: boolean; maxStudents: number | null }[];
  enrollments: { trainee: number; course: number; status: Status; progress: number }[];
}

const role = fc.constantFrom('trainer' as const, 'trainee' as const);

export const beginning: fc.Arbitrary<Beginning> = fc.record({
  newcomer: role,
  sleeper: role,
  courses: fc.array(
    fc.record({ trainer: fc.nat(3), isPublished: fc.boolean(), maxStudents: fc.constantFrom(null, 1, 2) }),
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

const roleOf = (name: CastName, given: Beginning): Role => {
  if (name === 'superAdmin') return 'super_admin';
  if (name === 'newcomer' || name === 'sleeper') return given[name];
  return name === 'ada' || name === 'ben' ? 'trainer' : 'trainee';
};

let serial = 0;

/** Writes the beginnings of runs. The super admin, of whom there is one, is the same in all runs on a database. */
export class World {
  private superAdminId: string | undefined;
  /** Of the password that all have: to hash it for each would take longer than all the rest. */
  private passwordHash: string | undefined;

  constructor(private readonly context: Context) {}

  async begin(given: Beginning): Promise<Programme> {
    const programme = this.modelled(given);
    this.passwordHash ??= await this.context.hasher.hash(factoryPassword, 4);
    for (const { status, count } of await this.context.database.models.Enrollment.count({ group: ['status'] }))
      programme.earlier[status as Status] = count;
    const people = Object.values(programme.cast);
    await this.context.database.inTransaction(async (transaction) => {
      await this.insertPeople(people, transaction);
      await this.insertCourses(programme, transaction);
      await this.startSessions(people, transaction);
    });
    this.superAdminId = programme.cast.superAdmin.id;
    return programme;
  }

  /** Lets the super admin in again, whatever they changed: one account must see everything. */
  async restore({ cast: { superAdmin } }: Programme): Promise<void> {
    if (superAdmin.hasSession && !superAdmin.requiresPasswordChange) return;
    superAdmin.requiresPasswordChange = false;
    await this.context.database.inTransaction(async (transaction) => {
      const { User } = this.context.database.models;
      await User.update({ requiresPasswordChange: false }, { where: { id: superAdmin.id }, transaction });
      await this.startSessions([superAdmin], transaction);
    });
  }

  private modelled(given: Beginning): Programme {
    serial += 1;
    const tag = `r${serial}x`;
    const ids = newIds(castNames.length);
    const people = castNames.map((name, index) => this.person(name, ids[index] ?? '', tag, given));
    const programme: Programme = {
      // One for each name, in their order.
      cast: Object.fromEntries(castNames.map((name, index) => [name, people[index]])) as Programme['cast'],
      people: new Map(),
      courses: new Map(),
      enrollments: new Map(),
      known: { person: [], course: [], enrollment: [] },
      tag,
      earlier: { pending: 0, active: 0, completed: 0, cancelled: 0 },
    };
    for (const person of people) add(programme, 'person', person);
    addCourses(programme, given);
    addEnrollments(programme, given, this.context.now().getTime());
    return programme;
  }

  private person(name: CastName, id: string, tag: string, given: Beginning): Person {
    const one = {
      id,
      role: roleOf(name, given),
      firstName: name,
      lastName: tag,
      password: factoryPassword,
      email: `${name}.${tag}@example.org`,
      phone: `+1 555 ${name} ${tag}`,
      token: '',
      hasSession: false,
      isActive: name !== 'sleeper',
      requiresPasswordChange: name === 'newcomer',
    };
    if (name !== 'superAdmin') return one;
    const own = { lastName: 'Root', email: 'root@example.org', phone: '+1 555 0' };
    return { ...one, ...own, id: this.superAdminId ?? id };
  }

  private async insertPeople(people: readonly Person[], transaction: Transaction): Promise<void> {
    const { User } = this.context.database.models;
    const secret = { passwordHash: this.passwordHash ?? '', initialPasswordExpiresAt: null };
    const fresh = people.filter(({ id }) => id !== this.superAdminId);
    const accounts = fresh.map((person) => ({ ...person, ...secret }));
    const ids = fresh.map(({ id }) => id);
    await insertAccounts(this.context, accounts, transaction, ids);
    if (this.superAdminId === undefined) return;
    // As they were at first, whatever the run before has made of them.
    const first = { firstName: 'superAdmin', requiresPasswordChange: false, ...secret };
    await User.update(first, { where: { id: this.superAdminId }, transaction });
  }

  private async insertCourses({ courses, enrollments }: Programme, transaction: Transaction): Promise<void> {
    const { Course, Enrollment } = this.context.database.models;
    const rows = [...courses.values()].map((course) => ({ ...course, ...courseKeys(course) }));
    await Course.bulkCreate(rows, { transaction });
    const placed = [...enrollments.values()].map((enrollment) => ({
      ...enrollment,
      trainerId: courses.get(enrollment.courseId)?.trainerId ?? '',
      enrolledAt: new Date(enrollment.enrolledAt),
      completedAt: enrollment.completedAt === null ? null : new Date(enrollment.completedAt),
    }));
    await Enrollment.bulkCreate(placed, { transaction });
  }

  private async startSessions(people: readonly Person[], transaction: Transaction): Promise<void> {
    const createdAt = this.context.now();
    const expiresAt = new Date(createdAt.getTime() + 86_400_000);
    const ids = newIds(people.length);
    const sessions = people.map(({ id: userId }, index) => ({ id: ids[index] ?? '', userId, createdAt, expiresAt }));
    await this.context.database.models.Session.bulkCreate(sessions, { transaction });
    for (const [index, person] of people.entries()) {
      const claims = { userId: person.id, sid: ids[index] ?? '' };
      const token = this.context.tokens.issue(claims, createdAt, expiresAt);
      Object.assign(person, { token, hasSession: true });
    }
  }
}

function addCourses(programme: Programme, given: Beginning): void {
  const trainers = [...programme.people.values()].filter((person) => person.role === 'trainer');
  const ids = newIds(given.courses.length);
  for (const [index, { trainer, ...fields }] of given.courses.entries()) {
    const trainerId = trainers[trainer % trainers.length]?.id ?? '';
    const said = { title: `Course ${index}`, description: 'What it is about.', category: programme.tag };
    add(programme, 'course', { id: ids[index] ?? '', ...said, ...fields, trainerId });
  }
}

/** Who would be one too many in a course, or there twice, is passed over. Those who were trainees once have past ones only. */
function addEnrollments(programme: Programme, given: Beginning, now: number): void {
  const { tom, tess, tim, newcomer, sleeper } = programme.cast;
  const trainees = [tom, tess, tim, newcomer, sleeper];
  const courses = [...programme.courses.values()];
  const ids = newIds(given.enrollments.length);
  for (const [index, { trainee, course: place, status, progress }] of given.enrollments.entries()) {
    const { id: userId, role } = trainees[trainee % trainees.length] ?? tom;
    const course = courses[place % courses.length];
    if (!course || enrollmentIn(programme, course.id, userId)) continue;
    if (role === 'trainer' && status !== 'cancelled' && status !== 'completed') continue;
    if (course.maxStudents !== null && seatsTaken(programme, course.id) >= course.maxStudents) continue;
    // No two at the same time: the enrollment check shows them in its order.
    const moment = new Date(now - (index + 1) * 1000).toISOString();
    const said = { status, notes: null, enrolledAt: moment };
    const done = status === 'completed' ? { progress: 100, completedAt: moment } : { progress, completedAt: null };
    add(programme, 'enrollment', { id: ids[index] ?? '', userId, courseId: course.id, ...said, ...done });
  }
}
