import { expect } from 'chai';
import { sqlLiteral } from '../../src/db/dialect.js';
import type { Course } from '../../src/db/models/course.js';
import type { Core } from '../../src/services/core.js';
import { coursesDue, promote } from '../../src/services/waiting-list/promotion.js';
import { mailSettings } from '../support/environment.js';
import {
  buildCourse,
  buildEnrollment,
  buildEnrollments,
  buildTrainees,
  buildUser,
  signIn,
} from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';

const long = new Date('2026-01-02T03:04:05.000Z');
const signal = new AbortController().signal;

const promoteAll = async (core: Core) => promote(core, await coursesDue(core), { signal });

describe('A free seat of a course with a waiting list', () => {
  const harness = useHarness(mailSettings);
  const cast = useCast(harness);
  let course: Course;
  /** Enrollment with the seat. */
  let holder: { person: Person; id: string };
  /** First enrollment of the waiting list. */
  let first: { person: Person; id: string };
  const models = () => harness.context.database.models;
  const rowOf = ({ id }: { id: string }) => models().Enrollment.findByPk(id, { rejectOnEmpty: true });
  const enroll = async (status: 'active' | 'waiting', person?: Person) => {
    const who = person ?? (await signIn(harness.context));
    return {
      person: who,
      id: (await buildEnrollment(harness.context, who.user, course, { status, enrolledAt: long })).id,
    };
  };
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 1 });
    holder = await enroll('active');
    first = await enroll('waiting', cast.trainee);
  });

  const send = (by: Person, method: 'post' | 'put' | 'delete', path: string, body: object = {}) =>
    harness.api(method, `/api${path}`, by.token).send(body);
  const change = (by: Person, id: string, status: string) => send(by, 'put', `/enrollments/${id}/status`, { status });
  const leave = () => change(holder.person, holder.id, 'cancelled').expect(200);
  const day = (offset: number) =>
    new Date(harness.context.now().getTime() + offset * 86_400_000).toISOString().slice(0, 10);

  const frees: Record<string, () => PromiseLike<unknown>> = {
    'the trainee leaves': leave,
    'an account is deleted': () => send(cast.admin, 'delete', `/users/${holder.person.user.id}`).expect(200),
    'there are more seats': () => send(cast.owner, 'put', `/courses/${course.id}`, { maxStudents: 2 }).expect(200),
    'there is no limit any more': () =>
      send(cast.owner, 'put', `/courses/${course.id}`, { maxStudents: null }).expect(200),
  };
  for (const [what, free] of Object.entries(frees))
    it(`is reserved for the first person on the waiting list when ${what}`, async () => {
      const second = await enroll('waiting');
      await free();
      const row = await rowOf(first);
      expect(row).to.include({ status: 'pending', waitingNumber: null });
      expect(row.enrolledAt.getTime()).to.be.greaterThan(long.getTime());
      expect((await rowOf(second)).status).to.equal(what === 'there is no limit any more' ? 'pending' : 'waiting');
    });

  it('is given when the course is published, when its end date moves, and after the last day for requests', async () => {
    await course.update({ isPublished: false, enrollUntil: day(-2), endDate: day(-1) });
    await leave();
    await send(cast.owner, 'put', `/courses/${course.id}/publish`, { isPublished: true }).expect(200);
    expect((await rowOf(first)).status).to.equal('waiting');
    await send(cast.owner, 'put', `/courses/${course.id}`, { endDate: day(1) }).expect(200);
    expect((await rowOf(first)).status).to.equal('pending');
  });

  it('stays free while the course is unpublished', async () => {
    await course.update({ isPublished: false });
    await leave();
    expect((await rowOf(first)).status).to.equal('waiting');
    await send(cast.owner, 'put', `/courses/${course.id}/publish`, { isPublished: true }).expect(200);
    expect((await rowOf(first)).status).to.equal('pending');
  });

  it('makes the enrollment active immediately in a course with automatic acceptance', async () => {
    await course.update({ autoAccept: true });
    await leave();
    expect((await rowOf(first)).status).to.equal('active');
  });

  it('is not given to inactive people, who keep their place on the list', async () => {
    const { user } = first.person;
    const [second, third] = [await enroll('waiting'), await enroll('waiting')];
    await send(cast.admin, 'put', `/users/${user.id}/status`, { isActive: false }).expect(200);
    await leave();
    const statuses = async () => [
      (await rowOf(first)).status,
      (await rowOf(second)).status,
      (await rowOf(third)).status,
    ];
    expect(await statuses()).to.deep.equal(['waiting', 'pending', 'waiting']);
    await send(cast.admin, 'put', `/users/${user.id}/status`, { isActive: true }).expect(200);
    await change(second.person, second.id, 'cancelled').expect(200);
    expect(await statuses()).to.deep.equal(['pending', 'cancelled', 'waiting']);
  });

  it('is given to a waiting person whose account is activated', async () => {
    const { user } = first.person;
    await models().User.update({ isActive: false }, { where: { id: user.id } });
    await leave();
    expect((await rowOf(first)).status).to.equal('waiting');
    await send(cast.admin, 'put', `/users/${user.id}/status`, { isActive: true }).expect(200);
    expect((await rowOf(first)).status).to.equal('pending');
  });

  it('does not result from deactivating its owner', async () => {
    await send(cast.admin, 'put', `/users/${holder.person.user.id}/status`, { isActive: false }).expect(200);
    await promoteAll(harness.context);
    expect((await rowOf(first)).status).to.equal('waiting');
  });

  it('is recorded as a change by the service, and mailed to the trainee and to the trainer who must answer', async () => {
    await leave();
    const [entry] = (await harness.api('get', '/api/audit', cast.admin.token).expect(200)).body.entries;
    expect(entry).to.include({ action: 'enrollment.status', origin: 'program', actorId: null, targetId: first.id });
    expect(entry.before.status).to.equal('waiting');
    expect(entry.after.status).to.equal('pending');
    const told = async () => (await models().Mail.findAll({ order: ['id'] })).map(({ kind, userId }) => [kind, userId]);
    expect(await told()).to.have.deep.members([
      ['moved_up', cast.trainee.user.id],
      ['requests', cast.owner.user.id],
    ]);
    await models().Mail.destroy({ where: {} });
    await course.update({ autoAccept: true });
    const second = await enroll('waiting');
    await change(first.person, first.id, 'cancelled').expect(200);
    expect(await told()).to.deep.equal([['moved_up', second.person.user.id]]);
  });

  it('is given later if giving it fails; the change that freed it is committed', async () => {
    const { sequelize } = harness.context.database;
    const before = 'CREATE TRIGGER refuse_seat BEFORE UPDATE ON enrollments FOR EACH ROW';
    const [when, refusal] = ["OLD.status = 'waiting'", 'refused by the test'];
    const isSqlite = harness.databaseUrl.startsWith('sqlite');
    await sequelize.query(
      isSqlite
        ? `${before} WHEN ${when} BEGIN SELECT RAISE(ABORT, '${refusal}'); END`
        : `${before} BEGIN IF ${when} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = ${sqlLiteral(sequelize)(refusal)}; END IF; END`,
    );
    try {
      await leave();
      expect([(await rowOf(holder)).status, (await rowOf(first)).status]).to.deep.equal(['cancelled', 'waiting']);
    } finally {
      await sequelize.query('DROP TRIGGER refuse_seat');
    }
    expect(await promoteAll(harness.context)).to.deep.equal({ promoted: 1, left: [] });
    expect((await rowOf(first)).status).to.equal('pending');
  });

  it('is found by the service after a crash, also by two instances at once, and for more than 500 people', async () => {
    const { context } = harness;
    const trainees = await buildTrainees(context, 501);
    await buildEnrollments(context, trainees, course, (index) => ({
      // The creation order differs from the order of the waiting list.
      id: trainees.at(-1 - index) ?? '',
      status: 'waiting',
      waitingNumber: 1_000_000 + index,
    }));
    const waiting = () => models().Enrollment.findAll({ where: { courseId: course.id, status: 'waiting' } });
    // The state after a commit whose follow-up work is missing.
    await course.update({ maxStudents: 502 });
    await promote(context, [course.id], { signal });
    expect((await waiting()).map(({ userId }) => userId)).to.deep.equal(trainees.slice(-1));
    await course.update({ maxStudents: 503 });
    const promoted = await Promise.all([promoteAll(context), promoteAll(context)]);
    expect(promoted.reduce((sum, one) => sum + one.promoted, 0)).to.equal(1);
    expect(await waiting()).to.deep.equal([]);
  });
});

describe('A person on a waiting list', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  let id: string;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 2 });
    await buildEnrollment(harness.context, await buildUser(harness.context), course, { status: 'active' });
    await buildEnrollment(harness.context, await buildUser(harness.context), course, { status: 'waiting' });
    ({ id } = await buildEnrollment(harness.context, cast.trainee.user, course, {
      status: 'waiting',
      enrolledAt: long,
    }));
  });
  const send = (method: 'post' | 'put' | 'delete', path: string, body: object = {}) =>
    harness.api(method, `/api${path}`, cast.owner.token).send(body);
  const stored = () => harness.context.database.models.Enrollment.findByPk(id, { rejectOnEmpty: true });

  it('gets a free seat before other waiting people if a manager assigns the seat', async () => {
    await course.update({ maxStudents: 1 });
    const refused = await send('put', `/enrollments/${id}/status`, { status: 'active' }).expect(400);
    expect(refused.body).to.deep.equal({ error: 'Course is at maximum capacity.' });
    await course.update({ maxStudents: 2 });
    await send('post', '/enrollments/assign', { courseId: course.id, traineeId: cast.trainee.user.id }).expect(201);
    const row = await stored();
    expect(row).to.include({ status: 'active', waitingNumber: null });
    expect(row.enrolledAt.getTime()).to.be.greaterThan(long.getTime());
  });
});
