import { expect } from 'chai';
import { sqlLiteral } from '../../../src/db/dialect.js';
import { withLease } from '../../../src/db/lease.js';
import type { Course } from '../../../src/db/models/course.js';
import { AppError } from '../../../src/errors.js';
import { type Promoter, startPromoter } from '../../../src/services/waiting-list/promoter.js';
import { useCast } from '../../http/support/cast.js';
import { onMysql } from '../../support/database.js';
import {
  buildCourse,
  buildEnrollment,
  buildEnrollments,
  buildTrainees,
  buildUser,
  signIn,
} from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { statementsOf } from '../../support/statements.js';
import { until } from '../../support/until.js';

describe('The promoter', () => {
  const harness = useHarness();
  const promoters: Promoter[] = [];
  const cast = useCast(harness);
  let course: Course;
  const models = () => harness.context.database.models;
  const start = (options?: { pollMs: number }) => promoters.push(startPromoter(harness.context, options));
  const count = (status: 'pending' | 'waiting', courseId = course.id) =>
    models().Enrollment.count({ where: { courseId, status } });
  const build = async (status: 'active' | 'waiting', into = course) =>
    buildEnrollment(harness.context, await buildUser(harness.context), into, { status });
  const cancel = (id: string) =>
    harness.api('put', `/api/enrollments/${id}/status`, cast.owner.token).send({ status: 'cancelled' });
  const ask = (body: object = {}) =>
    harness.api('post', '/api/enrollments', cast.trainee.token).send({ courseId: course.id, ...body });

  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 1 });
  });
  afterEach(async () => {
    for (const promoter of promoters.splice(0)) await promoter.close();
  });

  /** Makes promotions fail in one course, or in all. @returns a function that permits them again */
  async function refusePromotion(courseId?: string): Promise<() => Promise<void>> {
    const { sequelize } = harness.context.database;
    const before = 'CREATE TRIGGER refuse_seat BEFORE UPDATE ON enrollments FOR EACH ROW';
    const literal = sqlLiteral(sequelize);
    const ofCourse = courseId ? ` AND OLD.course_id = ${literal(courseId)}` : '';
    const when = `OLD.status = 'waiting' AND NEW.status = 'pending'${ofCourse}`;
    await sequelize.query(
      onMysql
        ? `${before} BEGIN IF ${when} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF; END`
        : `${before} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    return async () => {
      await sequelize.query('DROP TRIGGER IF EXISTS refuse_seat');
    };
  }

  it('gives seats that were not freed by this process, such as those of a killed process', async () => {
    await build('waiting');
    start({ pollMs: 20 });
    await until(async () => (await count('pending')) === 1);
  });

  it('wakes up when a change frees more seats than a request gives, and gives all of them', async () => {
    const waiting = await buildTrainees(harness.context, 1100);
    const inLine = (index: number) => ({ status: 'waiting' as const, waitingNumber: 1_000_000 + index });
    await buildEnrollments(harness.context, waiting, course, inLine);
    await course.update({ waitingCounter: 1_001_200 });
    await build('active');
    // So long that the promoter doesn't poll during the test.
    start({ pollMs: scaled(600_000) });
    const path = `/api/courses/${course.id}`;
    const { body, headers } = await harness.api('put', path, cast.owner.token).send({ maxStudents: null }).expect(200);
    expect([body.seatsBeingGiven, headers['seats-being-given']]).to.deep.equal([true, 'true']);
    await until(async () => (await count('waiting')) === 0);
  }).timeout(scaled(60_000));

  it('continues with other courses after a failure in one course, and retries that course later', async () => {
    const other = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 1 });
    await build('waiting');
    await build('waiting', other);
    const allow = await refusePromotion(course.id);
    try {
      start({ pollMs: 20 });
      await until(async () => (await count('pending', other.id)) === 1);
      expect(await count('waiting')).to.equal(1);
    } finally {
      await allow();
    }
    await until(async () => (await count('pending')) === 1);
  });

  it('waits while another instance has the lease, then takes over', async () => {
    const { database } = harness.context;
    await build('waiting');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const busy = () => new AppError('PROMOTION_RUNNING');
    const holding = withLease(database, 'promotion', 0, busy, () => held);
    await until(async () => (await database.models.Enrollment.count()) === 1);
    start({ pollMs: 20 });
    start({ pollMs: 20 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await count('waiting')).to.equal(1);
    release();
    await holding;
    await until(async () => (await count('pending')) === 1);
  });

  it('tells managers that a freed seat is not given yet, and asks newcomers to retry or to join the list', async () => {
    const holder = await build('active');
    await build('waiting');
    const full = await ask().expect(400);
    expect(full.body).to.deep.equal({ error: 'Course is at maximum capacity.' });
    const allow = await refusePromotion();
    try {
      const { body, headers } = await cancel(holder.id).expect(200);
      expect(body).to.include({ seatsBeingGiven: true }).and.to.have.nested.property('enrollment.status', 'cancelled');
      expect(headers['seats-being-given']).to.equal('true');
      expect(headers['access-control-expose-headers']).to.include('Seats-Being-Given');
      const refused = await ask().expect(409);
      expect(refused.headers).to.include({ 'error-code': 'SEATS_BEING_GIVEN', 'retry-after': '2' });
      const joined = await ask({ joinWaitingList: true }).expect(201);
      expect(joined.body.enrollment).to.include({ status: 'waiting', waitingPlace: 2 });
      await course.update({ waitingMax: 2 });
      const { token } = await signIn(harness.context);
      const late = harness.api('post', '/api/enrollments', token).send({ courseId: course.id, joinWaitingList: true });
      expect((await late.expect(409)).headers).to.include({ 'error-code': 'SEATS_BEING_GIVEN', 'retry-after': '2' });
    } finally {
      await allow();
    }
    start({ pollMs: 20 });
    await until(async () => (await count('pending')) === 1);
    const { userId } = await models().Enrollment.findOne({ where: { status: 'waiting' }, rejectOnEmpty: true });
    expect(userId).to.equal(cast.trainee.user.id);
  });

  const statementsIn = async (work: () => Promise<unknown>) =>
    (await statementsOf(harness.context.database.sequelize, work)).statements;
  const transactionsIn = (statements: readonly string[]) =>
    statements.filter((sql) => /^(BEGIN|START TRANSACTION)/.test(sql)).length;

  it('adds no transaction to a cancellation without a waiting list, and one transaction otherwise', async () => {
    const [first, second] = [await build('active'), await build('active')];
    await course.update({ maxStudents: 2 });
    expect(transactionsIn(await statementsIn(async () => cancel(first.id).expect(200)))).to.equal(1);
    await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    await build('waiting');
    expect(transactionsIn(await statementsIn(async () => cancel(second.id).expect(200)))).to.equal(2);
    expect(await count('pending')).to.equal(1);
  });

  it('runs one query per interval while there is nothing to do', async () => {
    await build('active');
    await build('waiting');
    const statements = await statementsIn(async () => {
      start({ pollMs: 20 });
      await new Promise((resolve) => setTimeout(resolve, 200));
      for (const promoter of promoters.splice(0)) await promoter.close();
    });
    expect(statements).to.have.length.above(0);
    for (const sql of statements) expect(sql).to.match(/^SELECT c\.id FROM courses c /);
  });

  it('reports no free seat if the cancellation has given it already', async () => {
    const holder = await build('active');
    await build('waiting');
    const { body, headers } = await cancel(holder.id).expect(200);
    expect(body).not.to.have.property('seatsBeingGiven');
    expect(headers).not.to.have.property('seats-being-given');
  });

  if (onMysql)
    it('lets a cancellation succeed while another transaction locks the course, and gives the seat later', async () => {
      const { database } = harness.context;
      const holder = await build('active');
      await build('waiting');
      start({ pollMs: 20 });
      const lock = await database.sequelize.transaction();
      await database.models.Course.findByPk(course.id, { transaction: lock, lock: lock.LOCK.UPDATE });
      // Longer than the database deadlines of a request and of a step.
      const over = new Promise((resolve) => setTimeout(resolve, 12_000)).then(() => lock.rollback());
      const { body } = await cancel(holder.id).expect(200);
      expect(body).to.include({ seatsBeingGiven: true });
      expect(await count('waiting')).to.equal(1);
      await over;
      await until(async () => (await count('pending')) === 1);
    }).timeout(scaled(60_000));
});
