import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import type { EnrollmentStatus } from '../../src/schemas/enrollment-statuses.js';
import { mailSettings } from '../support/environment.js';
import { buildCourse, buildEnrollment, buildEnrollments, buildTrainees, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { statementsOf } from '../support/statements.js';
import { changesOf, type Person, useCast } from './support/cast.js';
import { expectInvalid, messageOf } from './support/expectations.js';

interface Outcome {
  id: string;
  name: string | null;
  outcome: string;
  code: string | null;
  message: string | null;
}

describe('PUT /api/enrollments/bulk/status', () => {
  const harness = useHarness(mailSettings);
  const cast = useCast(harness);
  let course: Course;
  let ada: User;
  let ben: User;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 5 });
    ada = cast.trainee.user;
    ben = await buildUser(harness.context, { firstName: 'Ben', lastName: 'Young' });
  });
  const change = (body: object, by: Person = cast.owner) =>
    harness.api('put', '/api/enrollments/bulk/status', by.token).send(body);
  const enroll = async (user: User, status: EnrollmentStatus, more: { in?: Course; progress?: number } = {}) =>
    (await buildEnrollment(harness.context, user, more.in ?? course, { status, progress: more.progress ?? 0 })).id;
  const told = (outcomes: Outcome[]) => outcomes.map(({ id, outcome, code }) => [id, outcome, code]);
  const statuses = async (...ids: string[]) => {
    const found = await harness.context.database.models.Enrollment.findAll({ where: { id: ids } });
    return ids.map((id) => found.find((one) => one.id === id)?.status);
  };

  it('returns the outcomes in the order of the list: changed, unchanged, refused with a reason', async () => {
    const other = await buildUser(harness.context);
    const foreign = await buildCourse(harness.context, cast.foreign.user);
    const ids = [
      await enroll(ben, 'pending'),
      await enroll(ada, 'active'),
      'nothing',
      await enroll(ben, 'pending', { in: foreign }),
      await enroll(other, 'pending'),
    ];
    const { body } = await change({ status: 'active', ids }).expect(200);
    expect(body.status).to.equal('active');
    expect(body.counts).to.deep.equal({ changed: 2, unchanged: 1, refused: 2 });
    const outcomes = body.outcomes as Outcome[];
    expect(told(outcomes)).to.deep.equal([
      [ids[0], 'changed', null],
      [ids[1], 'unchanged', null],
      [ids[2], 'refused', 'NOT_FOUND'],
      [ids[3], 'refused', 'NOT_FOUND'],
      [ids[4], 'changed', null],
    ]);
    expect(outcomes[0]).to.deep.equal({ id: ids[0], name: 'Ben Young', outcome: 'changed', code: null, message: null });
    expect(outcomes[3]).to.include({ name: null, message: 'Enrollment not found.' });
    expect(await statuses(...ids)).to.deep.equal(['active', 'active', undefined, 'pending', 'active']);
  });

  it('gives the free seats to the first enrollments of the list', async () => {
    await course.update({ maxStudents: 2 });
    await enroll(await buildUser(harness.context), 'active');
    const inactive = await buildUser(harness.context, { isActive: false });
    const ids = [await enroll(inactive, 'cancelled'), await enroll(ben, 'cancelled'), await enroll(ada, 'cancelled')];
    const { body } = await change({ status: 'active', ids }).expect(200);
    expect(told(body.outcomes)).to.deep.equal([
      [ids[0], 'refused', 'ACCOUNT_INACTIVE'],
      [ids[1], 'changed', null],
      [ids[2], 'refused', 'COURSE_FULL'],
    ]);
    expect(await statuses(...ids)).to.deep.equal(['cancelled', 'active', 'cancelled']);
  });

  it('skips the capacity check once a course is full, but still reports other refusals', async () => {
    await course.update({ maxStudents: 1 });
    const trainees = await buildTrainees(harness.context, 120);
    const cancelled = await buildEnrollments(harness.context, trainees, course, () => ({ status: 'cancelled' }));
    const ids = [...cancelled, await enroll(ben, 'active'), 'nothing'];
    const { result, statements } = await statementsOf(harness.context.database.sequelize, () =>
      change({ status: 'active', ids }).expect(200),
    );
    const { body } = result;
    const counted = statements.filter((sql) => /COUNT\(.*enrollments/i.test(sql));
    expect(body.counts).to.deep.equal({ changed: 0, unchanged: 1, refused: 121 });
    const outcomes: Outcome[] = body.outcomes;
    expect(outcomes.map(({ code }) => code)).to.deep.equal([...cancelled.map(() => 'COURSE_FULL'), null, 'NOT_FOUND']);
    expect(counted.length).to.be.within(1, 50);
  });

  it('gives freed seats to the waiting list', async () => {
    await course.update({ maxStudents: 1, autoAccept: true });
    const [leaving, waiting] = [await enroll(ben, 'active'), await enroll(ada, 'waiting')];
    await harness.context.database.models.Enrollment.update({ waitingNumber: 1 }, { where: { id: waiting } });
    await change({ status: 'completed', ids: [leaving] }).expect(200);
    expect(await statuses(leaving, waiting)).to.deep.equal(['completed', 'active']);
  });

  it('changes each enrollment like the operation for one enrollment: fields, reply, audit log and mail', async () => {
    const [first = '', second = ''] = [await enroll(ben, 'pending'), await enroll(ada, 'pending')];
    const wanted = { status: 'cancelled', reply: 'Next year again' };
    await harness.api('put', `/api/enrollments/${first}/status`, cast.owner.token).send(wanted).expect(200);
    await change({ ...wanted, ids: [second] }).expect(200);
    const { Enrollment, Mail } = harness.context.database.models;
    const fields = async (id: string) => {
      const found = await Enrollment.findByPk(id, { rejectOnEmpty: true });
      const { status, reply, replyBy, cancelReason, notes, progress } = found;
      return { status, reply, replyBy, cancelReason, notes, progress };
    };
    expect(await fields(second)).to.deep.equal(await fields(first));
    const audited = async (id: string) =>
      (await changesOf(harness, cast, id, cast.owner)).map(({ action, after }) => [action, Object.keys(after ?? {})]);
    expect(await audited(second)).to.deep.equal(await audited(first));
    const mails = await Mail.findAll({ order: ['id'] });
    expect(mails.map(({ kind, userId, data }) => [kind, userId, data])).to.deep.equal([
      ['refused', ben.id, mails[0]?.data],
      ['refused', ada.id, mails[0]?.data],
    ]);
  });

  it('refuses enrollments that no longer have the expected status', async () => {
    const ids = [await enroll(ben, 'pending'), await enroll(ada, 'active')];
    const { body } = await change({ status: 'cancelled', expectedStatus: 'pending', ids }).expect(200);
    expect(told(body.outcomes)).to.deep.equal([
      [ids[0], 'changed', null],
      [ids[1], 'refused', 'STATUS_CHANGED'],
    ]);
  });

  it('changes all enrollments that match a filter, such as finished ones', async () => {
    const finished = await enroll(ben, 'active', { progress: 100 });
    const others = [await enroll(ada, 'active', { progress: 99 })];
    const filter = { courseId: course.id, status: ['active'], progress: 100 };
    const { body } = await change({ status: 'completed', filter }).expect(200);
    expect(told(body.outcomes)).to.deep.equal([[finished, 'changed', null]]);
    expect(await statuses(finished, ...others)).to.deep.equal(['completed', 'active']);
    const none = await change({ status: 'completed', filter }, cast.foreign).expect(200);
    expect(none.body.outcomes).to.deep.equal([]);
  });

  it('refuses a misspelt condition, and changes nothing', async () => {
    const id = await enroll(ben, 'active');
    const refused = await change({ status: 'completed', filter: { course_id: 'another', status: ['active'] } });
    expectInvalid(refused, ['filter']);
    expect(messageOf(refused)).to.equal(
      'filter may have only courseId, userId, trainerId, group, search, status, progress, startsWithin.',
    );
    expect(await statuses(id)).to.deep.equal(['active']);
  });

  it('stores notes as the reply, and refuses notes together with a reply', async () => {
    const ids = [await enroll(ben, 'pending')];
    expectInvalid(await change({ status: 'cancelled', ids, notes: 'Full.', reply: 'Full.' }), ['']);
    await change({ status: 'cancelled', ids, notes: 'Full.' }).expect(200);
    const found = await harness.context.database.models.Enrollment.findOne({ where: { id: ids }, rejectOnEmpty: true });
    expect(found).to.include({ notes: null, reply: 'Full.' });
  });

  it('refuses filters with more than 1,000 matches, ids with a filter, neither of them, and long replies to many trainees', async () => {
    const trainees = await buildTrainees(harness.context, 1001);
    const large = await buildCourse(harness.context, cast.owner.user);
    const all = await buildEnrollments(harness.context, trainees, large);
    const filter = { courseId: large.id };
    const many = await change({ status: 'active', filter });
    expectInvalid(many, ['filter']);
    expect(many.body.errors[0].msg).to.match(/more than 1000 enrollments\. Narrow it down, or send up to 1000 ids/);
    expectInvalid(await change({ status: 'active', filter, ids: ['x'] }), ['filter']);
    expectInvalid(await change({ status: 'active' }), ['ids']);
    expectInvalid(await change({ status: 'active', filter: {} }), ['filter']);
    expectInvalid(await change({ status: 'active', filter: { search: ' ' } }), ['filter']);
    expectInvalid(await change({ status: 'pending', filter }), ['status']);
    const ids = all.slice(0, 1000);
    expectInvalid(await change({ status: 'active', ids, reply: 'x'.repeat(101) }), ['reply']);
    const { body } = await change({ status: 'active', ids, reply: 'x'.repeat(100) }).expect(200);
    expect(body.counts).to.deep.equal({ changed: 1000, unchanged: 0, refused: 0 });
  });
});
