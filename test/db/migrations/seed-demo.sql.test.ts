import { statSync } from 'node:fs';
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import type { Database } from '../../../src/db/connection.js';
import { demoFiles, seedDemo } from '../../../src/db/migrations/migrator.js';
import { courseLevels, courseTypes } from '../../../src/schemas/course-fields.js';
import { enrollmentStatuses } from '../../../src/schemas/enrollment-statuses.js';
import { normalizeEmail, phoneKey, searchKey } from '../../../src/schemas/keys.js';
import { registerSchema } from '../../../src/schemas/user.js';
import { validate } from '../../../src/schemas/validate.js';
import { userSearchKey } from '../../../src/services/accounts/keys.js';
import { tablesOf, useDatabases } from '../support/databases.js';
import { failureOf } from '../support/failure.js';
import { somebody } from '../support/somebody.js';

const demoPassword = 'demo-password';

const now = new Date('2030-03-09T03:30:00Z');
const load = (database: Database, at = { now, today: '2030-03-09' }) => seedDemo(database, at);

/** Returns all stored rows of the demo's tables. */
async function rowsOf({ models: { User, Course, Enrollment } }: Database): Promise<unknown[]> {
  const query = { raw: true, order: ['id'] };
  return [await User.findAll(query), await Course.findAll(query), await Enrollment.findAll(query)];
}

describe('the demo', () => {
  const databases = useDatabases();
  let database: Database;
  beforeEach(() => {
    database = databases.open();
  });

  it('has a super admin, 3 trainers, 200 trainees and 12 courses of all kinds', async () => {
    await load(database);
    const { User, Course, Enrollment } = database.models;
    const roles = await Promise.all(
      ['super_admin', 'trainer', 'trainee'].map((role) => User.count({ where: { role: role as 'trainee' } })),
    );
    expect(roles).to.deep.equal([1, 3, 200]);
    expect(await Course.count()).to.equal(12);
    for (const status of enrollmentStatuses)
      expect(await Enrollment.count({ where: { status } }), status).to.be.above(10);
    expect(await User.count({ where: { role: 'trainee', isActive: false } })).to.be.above(0);
    expect(await Course.count({ where: { isPublished: false } })).to.be.above(0);
    for (const level of courseLevels) expect(await Course.count({ where: { level } }), level).to.be.above(0);
    for (const courseType of courseTypes)
      expect(await Course.count({ where: { courseType } }), courseType).to.be.above(0);
  });

  it('has accounts like registered ones', async () => {
    await load(database);
    for (const user of await database.models.User.findAll()) {
      const { firstName, lastName, email, phone, role, isActive, requiresPasswordChange } = user;
      const given = { firstName, lastName, email, phone, role, isActive, requiresPasswordChange };
      expect(validate(registerSchema, { ...given, password: demoPassword })).to.deep.equal({
        ...given,
        password: demoPassword,
      });
      expect(normalizeEmail(email)).to.equal(email);
      expect(user.phoneKey, phone).to.equal(phoneKey(phone));
      expect(user.searchKey, email).to.equal(userSearchKey(user));
      expect(user.requiresPasswordChange).to.equal(false);
    }
  });

  it('respects capacities, has consistent dates and statuses, and has search keys', async () => {
    await load(database);
    const { Course, Enrollment } = database.models;
    const courses = new Map((await Course.findAll()).map((course) => [course.id, course]));
    const seats = new Map<string, number>();
    for (const enrollment of await Enrollment.findAll()) {
      const course = courses.get(enrollment.courseId);
      expect(enrollment.trainerId).to.equal(course?.trainerId);
      expect(enrollment.enrolledAt).to.be.above(course?.createdAt ?? new Date());
      expect(enrollment.completedAt !== null, enrollment.status).to.equal(enrollment.status === 'completed');
      expect(enrollment.progress === 100, enrollment.status).to.equal(enrollment.status === 'completed');
      if (enrollment.completedAt) expect(enrollment.completedAt).to.be.above(enrollment.enrolledAt);
      if (!['cancelled', 'waiting'].includes(enrollment.status))
        seats.set(enrollment.courseId, (seats.get(enrollment.courseId) ?? 0) + 1);
    }
    for (const { id, title, category, tagsJson, searchKey: key, maxStudents } of courses.values()) {
      if (maxStudents !== null) expect(seats.get(id) ?? 0, title).to.be.at.most(maxStudents);
      expect(key).to.equal(searchKey(title, category, ...(JSON.parse(tagsJson ?? '[]') as string[])));
    }
  });

  it('has accounts with the documented password, and changes nothing when loaded again', async () => {
    await load(database);
    const { User } = database.models;
    const admin = await User.findOne({ where: { email: 'admin@example.com' }, rejectOnEmpty: true });
    expect(admin.role).to.equal('super_admin');
    expect(await bcrypt.compare(demoPassword, admin.passwordHash)).to.equal(true);
    expect(await User.count({ where: { passwordHash: admin.passwordHash } })).to.equal(204);
    const rows = await rowsOf(database);
    await load(database);
    expect(await rowsOf(database)).to.deep.equal(rows);
  });

  it('keeps an existing super admin, and is complete after concurrent loads', async () => {
    const { User, Course } = database.models;
    await User.create(somebody({ role: 'super_admin' }));
    await Promise.all([1, 2, 3].map(() => load(databases.open())));
    const admins = await User.findAll({ where: { role: 'super_admin' } });
    expect(admins.map(({ email }) => email)).to.deep.equal(['some@example.org']);
    expect(await Promise.all([User.count(), Course.count()])).to.deep.equal([204, 12]);
  });

  it('has courses before, on and after the day of loading, and no moment after it', async () => {
    await load(database);
    const { User, Course, Enrollment, Certificate } = database.models;
    const dated = await Course.findAll({ order: ['startDate'] });
    const datesOf = (title: string) => dated.find((course) => course.title === title)?.get();
    expect(datesOf('Secure Web Applications')).to.include({ startDate: '2030-03-10', endDate: '2030-05-12' });
    expect(datesOf('First-Time Manager')).to.include({ startDate: '2030-03-12' });
    expect(datesOf('TypeScript for Working Developers')).to.include({ startDate: '2029-12-29', endDate: '2030-03-27' });
    expect(datesOf('Workplace First Aid')).to.include({ startDate: '2030-03-02', endDate: '2030-03-06' });
    const enrollments = await Enrollment.findAll();
    const moments = [...(await User.findAll()), ...dated, ...enrollments, ...(await Certificate.findAll())].flatMap(
      (row) => Object.values(row.get() as object).filter((value) => value instanceof Date),
    );
    expect(Math.max(...moments.map(Number))).to.be.within(now.getTime() - 3 * 86_400_000, now.getTime());
    const pending = enrollments.filter(({ status }) => status === 'pending');
    expect(Math.min(...pending.map(({ enrolledAt }) => enrolledAt.getTime()))).to.be.above(
      now.getTime() - 8 * 86_400_000,
    );
  });

  it('has requests with different messages, replies, and an enrollment of each status for one trainee', async () => {
    await load(database);
    const { User, Enrollment } = database.models;
    const enrollments = await Enrollment.findAll();
    const messages = enrollments.flatMap(({ status, notes }) => (status === 'pending' && notes !== null ? notes : []));
    expect(messages.length).to.be.above(15);
    expect(new Set(messages).size).to.equal(messages.length);
    for (const status of ['active', 'completed', 'cancelled'] as const)
      expect(
        enrollments.filter((enrollment) => enrollment.status === status && enrollment.reply !== null).length,
        status,
      ).to.be.above(1);
    const olivia = await User.findOne({ where: { email: 'olivia.bennett@example.com' }, rejectOnEmpty: true });
    const own = enrollments.filter(({ userId }) => userId === olivia.id);
    expect(new Set(own.map(({ status }) => status))).to.deep.equal(new Set(enrollmentStatuses));
    expect(own.find(({ cancelReason }) => cancelReason === 'refused')?.reply).to.be.a('string');
  });

  it('has a picture for every published course, and small files', () => {
    const files = demoFiles();
    const bytes = files.map((file) => statSync(file.path).size);
    expect(Math.max(...bytes)).to.be.below(15_000);
    expect(bytes.reduce((sum, size) => sum + size, 0)).to.be.below(100_000);
    expect(files.filter(({ kind }) => kind === 'thumbnail')).to.have.length(10);
    expect(files.filter(({ kind }) => kind === 'material')).to.have.length(9);
  });

  it('reports why the load failed, and rolls back', async () => {
    const { User, Course } = database.models;
    await User.create(somebody({ role: 'trainee', email: 'trainer1@example.com' }));
    const { code, message } = await failureOf(() => load(database));
    expect(code).to.equal('MIGRATION_FAILED');
    expect(message).to.match(
      /^The seeding failed: User with this email already exists\. Fix the cause and run it again/,
    );
    expect(await Promise.all([User.count(), Course.count()])).to.deep.equal([1, 0]);
  });
});

describe('the demo without its tables', () => {
  const databases = useDatabases({ migrated: false });

  it('requires the migrations, and creates nothing', async () => {
    const database = databases.open();
    const { code, message } = await failureOf(() => load(database));
    expect(code).to.equal('SCHEMA_OUTDATED');
    expect(message).to.include('coursectl migrate up');
    expect(await tablesOf(database)).to.deep.equal([]);
  });
});
