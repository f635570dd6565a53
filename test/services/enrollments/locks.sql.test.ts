import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import type { Course } from '../../../src/db/models/course.js';
import type { User } from '../../../src/db/models/user.js';
import { type Actor, type Caller, operator } from '../../../src/services/core.js';
import { assignTrainer, deleteCourse } from '../../../src/services/courses/commands.js';
import { setProgress } from '../../../src/services/enrollments/change-enrollment.js';
import { changeStatus } from '../../../src/services/enrollments/change-status.js';
import { assignEnrollment, requestEnrollment } from '../../../src/services/enrollments/enroll.js';
import { assignMany } from '../../../src/services/enrollments/enroll-many.js';
import { failureOf } from '../../db/support/failure.js';
import { onMysql } from '../../support/database.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { observeStatements } from '../../support/statements.js';
import { racing } from '../../support/transactions.js';
import { until, whileRunning } from '../../support/until.js';

describe('Locks of enrollments', () => {
  const harness = useHarness();
  let course: Course;
  const recorded: string[] = [];
  beforeEach(async () => {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    course = await buildCourse(harness.context, trainer, { isPublished: true, maxStudents: 3 });
    recorded.length = 0;
  });
  afterEach(() => observeStatements(harness.context.database.sequelize, false));

  const record = (sql: string) => void recorded.push(sql.replaceAll('`', ''));
  /** Returns the verb and the table of each statement in transactions. */
  const statements = () =>
    recorded
      .slice(recorded.findIndex((sql) => /^(START|BEGIN)/.test(sql)))
      .map(
        (sql) =>
          /^(START|BEGIN|COMMIT|SELECT(?=.* FROM (\w+))|UPDATE (\w+)|INSERT INTO (\w+)|DELETE FROM (\w+))/s.exec(
            sql,
          ) ?? [sql],
      )
      .map(([, verb = '', ...tables]) => [verb.split(' ')[0], ...tables.filter(Boolean)].join(' '))
      .map((text) => text.replace(/^(START|BEGIN)$/, 'BEGIN'));
  const asked = (user: User): Caller => ({
    user,
    sessionId: '',
    sessionExpiresAt: new Date(),
    method: 'password' as const,
    ip: null,
    userAgent: null,
  });
  const enrolled = async (status: 'pending' | 'active' | 'cancelled') =>
    (await buildEnrollment(harness.context, await buildUser(harness.context), course, { status })).id;

  it('on a course last for few statements when a trainee requests a place', async () => {
    const { context } = harness;
    const trainee = await buildUser(context);
    observeStatements(harness.context.database.sequelize, record);
    await requestEnrollment(context, asked(trainee), { courseId: course.id });
    observeStatements(harness.context.database.sequelize, false);
    expect(statements()).to.deep.equal([
      'BEGIN',
      'UPDATE courses',
      // SQLite has no statement that changes two tables.
      ...(onMysql ? [] : ['UPDATE users']),
      'SELECT courses',
      'INSERT enrollments',
      'COMMIT',
    ]);
  });

  it('increment the versions of trainee and course, so that nodes of a cluster conflict', async () => {
    const { context } = harness;
    const courseId = course.id;
    const entries: Record<string, (trainee: User) => Promise<unknown>> = {
      request: (trainee) => requestEnrollment(context, asked(trainee), { courseId }),
      assignment: ({ id }) => assignEnrollment(context, operator, { courseId, traineeId: id }),
      'assignment of a list': ({ id }) => assignMany(context, operator, { courseId, traineeIds: [id] }),
      return: async (trainee) => {
        const { id } = await buildEnrollment(context, trainee, course, { status: 'cancelled' });
        await changeStatus(context, operator, id, { status: 'active' });
      },
    };
    for (const maxStudents of [4, null])
      for (const [entry, enter] of Object.entries(entries)) {
        await course.update({ maxStudents });
        const trainee = await buildUser(context);
        const before = [course.lockVersion, trainee.lockVersion];
        await enter(trainee);
        await Promise.all([course.reload(), trainee.reload()]);
        expect([course.lockVersion, trainee.lockVersion], entry).to.deep.equal(before.map((version) => version + 1));
        await context.database.models.Enrollment.destroy({ where: { courseId } });
      }
  });

  it('cover only the enrollment if the change takes no seat', async () => {
    const { context } = harness;
    const id = await enrolled('pending');
    observeStatements(harness.context.database.sequelize, record);
    await setProgress(context, operator, id, { progress: 40 });
    for (const status of ['active', 'cancelled']) await changeStatus(context, operator, id, { status });
    observeStatements(harness.context.database.sequelize, false);
    const change = ['BEGIN', 'SELECT enrollments', 'UPDATE enrollments', 'INSERT audit_entries', 'COMMIT'];
    const read = ['SELECT enrollments'];
    expect(statements()).to.deep.equal([...change, ...read, ...change, ...read, ...change]);
  });

  it('on a course block new seats, but not changes of progress and status', async function () {
    // SQLite has no row locks: one transaction writes at a time.
    if (!onMysql) return this.skip();
    const { context } = harness;
    const { database } = context;
    const [one, other, revived] = [await enrolled('pending'), await enrolled('active'), await enrolled('cancelled')];
    const trainee = await buildUser(context);
    const order: string[] = [];
    let waiting: Promise<unknown> | undefined;
    await database.inTransaction(async (transaction) => {
      await database.models.Course.findByPk(course.id, { transaction, lock: transaction.LOCK.UPDATE });
      waiting = Promise.all([
        requestEnrollment(context, asked(trainee), { courseId: course.id }).then(() => order.push('seat')),
        changeStatus(context, operator, revived, { status: 'active' }).then(() => order.push('seat')),
      ]);
      const { progress } = await setProgress(context, operator, one, { progress: 40 });
      const { status } = await changeStatus(context, operator, one, { status: 'active' });
      const { status: cancelled } = await changeStatus(context, operator, other, { status: 'cancelled' });
      order.push(`${progress} ${status} ${cancelled}`);
    });
    order.push('course released');
    await waiting;
    expect(order).to.deep.equal(['40 active cancelled', 'course released', 'seat', 'seat']);
  });

  it('on a course let only two waiting transactions use a connection', async function () {
    if (!onMysql) return this.skip();
    const { context } = harness;
    const { database } = context;
    await course.update({ maxStudents: null });
    const trainees = await Promise.all(Array.from({ length: 20 }, () => buildUser(context)));
    const begun = () => recorded.filter((sql) => sql.startsWith('START')).length;
    let waiting: Promise<unknown> | undefined;
    await database.inTransaction(async (transaction) => {
      await database.models.Course.findByPk(course.id, { transaction, lock: transaction.LOCK.UPDATE });
      observeStatements(harness.context.database.sequelize, record);
      waiting = Promise.all(trainees.map((user) => requestEnrollment(context, asked(user), { courseId: course.id })));
      while (begun() < 2) await new Promise((resolve) => setImmediate(resolve));
      await database.models.User.count();
      expect(begun()).to.equal(2);
    });
    await waiting;
    expect(begun()).to.equal(20);
  });

  it('are taken again for a seat if the enrollment loses its seat after it was read', async () => {
    const { context } = harness;
    const { database } = context;
    await course.update({ maxStudents: 1 });
    const id = await enrolled('pending');
    observeStatements(harness.context.database.sequelize, record);
    let change: Promise<unknown> = Promise.resolve();
    await database.inTransaction(async (transaction) => {
      await database.models.Enrollment.update({ status: 'cancelled' }, { where: { id }, transaction });
      const userId = (await database.models.User.findOne({ where: { role: 'trainer' }, transaction }))?.id ?? '';
      await database.models.Enrollment.create(
        { id: userId, userId, courseId: course.id, trainerId: course.trainerId, enrolledAt: new Date() },
        { transaction },
      );
      recorded.length = 0;
      change = changeStatus(context, operator, id, { status: 'active' }).catch(
        (error: { code?: string }) => error.code,
      );
      // The change has read the enrollment when it waits for the row; on SQLite, when the next query returns.
      const isRead = () => recorded.some((sql) => (onMysql ? / FOR UPDATE/ : / JOIN users/).test(sql));
      while (!isRead()) await new Promise((resolve) => setImmediate(resolve));
      if (!onMysql) await database.models.Course.findByPk(course.id);
    });
    expect(await change).to.equal('COURSE_FULL');
    expect(
      await database.models.Enrollment.count({ where: { courseId: course.id, status: ['pending', 'active'] } }),
    ).to.equal(1);
  });

  it('prevent the deletion of a course whose enrollment becomes active at the same time', async () => {
    const { context } = harness;
    const { database } = context;
    const id = await enrolled('pending');
    observeStatements(harness.context.database.sequelize, record);
    let deletion: Promise<unknown> = Promise.resolve();
    await database.inTransaction(async (transaction) => {
      await database.models.Enrollment.update({ status: 'active' }, { where: { id }, transaction });
      deletion = deleteCourse(context, operator, course.id, {}).catch((error: { code?: string }) => error.code);
      // On SQLite, the deletion begins after this transaction.
      const isWaiting = () =>
        recorded.some((sql) => /^(SELECT .* FROM enrollments .*FOR UPDATE|DELETE FROM courses)/.test(sql));
      while (onMysql && !isWaiting()) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(await deletion).to.equal('COURSE_IN_USE');
    expect(await database.models.Enrollment.count({ where: { id } })).to.equal(1);
  });

  it('make a bulk assignment wait while the cancelled enrollment of one of its trainees is removed', async () => {
    const { context } = harness;
    const { database } = context;
    const id = await enrolled('cancelled');
    const { userId } = await database.models.Enrollment.findByPk(id, { rejectOnEmpty: true });
    const list = { courseId: course.id, traineeIds: [userId], status: 'active' };
    const isWaiting = async () => {
      const statements = await database.sequelize.query(
        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'SELECT%FROM `enrollments`%FOR UPDATE'",
        { type: QueryTypes.SELECT },
      );
      return statements.length > 0;
    };
    let assigning: ReturnType<typeof assignMany> | undefined;
    await database.inTransaction(async (transaction) => {
      await database.models.Enrollment.destroy({ where: { id }, transaction });
      assigning ??= assignMany(context, operator, list);
      // On SQLite, the assignment begins after this transaction.
      if (onMysql) await whileRunning(assigning, until(isWaiting, 'the list waits for the enrollment'));
    });
    expect(await assigning).to.deep.include({ skipped: [] });
    const active = await database.models.Enrollment.findAll({ where: { courseId: course.id, status: 'active' } });
    expect(active.map((enrollment) => enrollment.userId)).to.deep.equal([userId]);
  });

  it('are followed by a second check that the course still belongs to the trainer', async () => {
    const { context } = harness;
    const id = await enrolled('pending');
    const { id: trainerId } = await buildUser(context, { role: 'trainer' });
    const actor: Actor = { origin: 'http', actorId: course.trainerId, ip: null, role: 'trainer' };
    const given = racing(context, () => assignTrainer(context, operator, course.id, { trainerId }));
    const { code } = await failureOf(() => changeStatus(given, actor, id, { status: 'active' }));
    expect(code).to.equal('NOT_FOUND');
    expect(await context.database.models.Enrollment.findByPk(id)).to.include({ status: 'pending' });
  });
});
