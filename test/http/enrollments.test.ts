import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { changesOf, useCast } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const former = {
  status: 'cancelled',
  cancelReason: 'refused',
  enrolledAt: new Date('2020-01-01'),
  notes: 'Before',
  progress: 40,
} as const;
const recently = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 60_000;

/** Fields of a request without a reply. */
const unanswered = {
  reply: null,
  replyAt: null,
  replyBy: null,
  cancelReason: null,
  completedAt: null,
};

/** programme-model.sql.test.ts tests the other rules, authorization.test.ts the permissions. */
describe('POST /api/enrollments', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 1 });
  });
  const ask = (body: object = {}, by = cast.trainee) =>
    harness.api('post', '/api/enrollments', by.token).send({ courseId: course.id, ...body });

  it('creates a pending enrollment with exactly its fields, and no audit entry', async () => {
    const { body } = await ask({ notes: '  Mornings only ' }).expect(201);
    const { id, enrolledAt, notesAt, ...enrollment } = body.enrollment;
    expect(body).to.have.all.keys('message', 'enrollment');
    expect(notesAt).to.satisfy(recently);
    expect(body.message).to.equal('Enrollment requested successfully.');
    expect(enrolledAt).to.satisfy(recently);
    const what = { userId: cast.trainee.user.id, courseId: course.id, status: 'pending', progress: 0 };
    const none = { waitingPlace: null, certificate: null };
    expect(enrollment).to.deep.equal({ ...what, ...unanswered, ...none, notes: 'Mornings only' });
    const { AuditEntry, Enrollment } = harness.context.database.models;
    const row = await Enrollment.findByPk(id, { rejectOnEmpty: true });
    expect(row).to.include({ status: 'pending', trainerId: cast.owner.user.id });
    expect(await AuditEntry.count()).to.equal(0);
  });

  it('checks the input, the course, the enrollment, publication and capacity, in this order', async () => {
    expectInvalid(await ask({ courseId: 5, notes: {} }), ['courseId', 'notes']);
    expectFailure(await ask({ courseId: 'nothing' }), 'NOT_FOUND', 'Course not found.');
    await course.update({ isPublished: false });
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course);
    for (const status of ['pending', 'active', 'completed'] as const) {
      await enrollment.update({ status });
      expectFailure(await ask(), 'ALREADY_ENROLLED');
    }
    await enrollment.update(former);
    await buildEnrollment(harness.context, await buildUser(harness.context), course);
    expectFailure(await ask(), 'COURSE_NOT_PUBLISHED');
    await course.update({ isPublished: true });
    expectFailure(await ask(), 'COURSE_FULL');
    // A cancelled enrollment becomes pending again.
    await course.update({ maxStudents: 2 });
    const { body } = await ask().expect(201);
    expect(body.enrollment).to.include({ id: enrollment.id, status: 'pending', notes: 'Before', cancelReason: null });
    expect(body.enrollment.enrolledAt).to.satisfy(recently);
    await (await enrollment.reload()).update({ ...former, reply: 'Full.' });
    const { body: again } = await ask({ notes: 'Now?' }).expect(201);
    expect(again.enrollment).to.include({ notes: 'Now?', reply: 'Full.' });
    expect(again.enrollment.notesAt).to.satisfy(recently);
  });

  it('accepts notes of up to 2,000 characters; absent, null and blank notes become null', async () => {
    await course.update({ maxStudents: null });
    const asked = async (notes: unknown) => ask({ notes }, await signIn(harness.context));
    for (const notes of [null, '', '  ', undefined])
      expect((await (await asked(notes)).body).enrollment.notes, String(notes)).to.equal(null);
    for (const notes of ['𝒳'.repeat(2000), 'a\nb']) expect((await asked(notes)).status).to.equal(201);
    for (const notes of ['𝒳'.repeat(2001), 'a\0b', 5, ['x']]) expectInvalid(await asked(notes), ['notes']);
  });
});

describe('POST /api/enrollments/assign', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { maxStudents: 1 });
  });
  const assign = (body: object = {}, by = cast.owner) =>
    harness
      .api('post', '/api/enrollments/assign', by.token)
      .send({ courseId: course.id, traineeId: cast.trainee.user.id, ...body });

  it('enrolls a trainee as active, also in an unpublished course, and records this', async () => {
    const { body } = await assign({ reply: 'By phone' }).expect(201);
    const { id, enrolledAt, ...enrollment } = body.enrollment;
    const what = { userId: cast.trainee.user.id, courseId: course.id, status: 'active', progress: 0 };
    const written = { reply: 'By phone', replyAt: enrollment.replyAt, replyBy: cast.owner.user.id };
    const after = { ...what, ...unanswered, notes: null, notesAt: null, ...written };
    expect(body).to.have.all.keys('message', 'enrollment');
    expect(body.message).to.equal('Trainee enrolled successfully.');
    for (const moment of [enrolledAt, enrollment.replyAt]) expect(moment).to.satisfy(recently);
    expect(enrollment).to.deep.equal({ ...after, waitingPlace: null, certificate: null });
    expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
      { action: 'enrollment.assign', before: null, after: { ...after, enrolledAt } },
    ]);
  });

  it('stores the notes of a manager as the reply, and refuses notes together with a reply', async () => {
    const { body } = await assign({ notes: 'By phone' }).expect(201);
    expect(body.enrollment).to.include({ notes: null, notesAt: null, reply: 'By phone' });
    const refused = await assign({ notes: 'By phone', reply: 'By mail' });
    expectInvalid(refused, ['']);
    expect(messageOf(refused)).to.equal('Give notes or a reply, not both.');
  });

  it('checks the input, the course, its owner, the trainee, the enrollment and capacity, in this order', async () => {
    const wrong = { courseId: 1, traineeId: null, status: 'completed', reply: 5 };
    expectInvalid(await assign(wrong), Object.keys(wrong));
    const inactive = await buildUser(harness.context, { isActive: false });
    const nobody = { traineeId: 'nobody' };
    expectFailure(await assign({ courseId: 'nothing', ...nobody }), 'NOT_FOUND', 'Course not found.');
    expectFailure(await assign(nobody, cast.foreign), 'NOT_FOUND', 'Course not found.');
    await course.update({ isPublished: true });
    expectFailure(await assign(nobody, cast.foreign), 'OTHER_TRAINER');
    for (const traineeId of ['nobody', cast.owner.user.id, cast.admin.user.id])
      expectFailure(await assign({ traineeId }), 'NOT_FOUND', 'Trainee not found.');
    await buildEnrollment(harness.context, inactive, course);
    expectFailure(await assign({ traineeId: inactive.id }), 'ACCOUNT_INACTIVE', 'Trainee account is inactive.');
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course);
    for (const status of ['pending', 'active', 'completed'] as const) {
      await enrollment.update({ status });
      expectFailure(await assign(), 'ALREADY_ENROLLED');
    }
    await enrollment.update({ status: 'cancelled' });
    expectFailure(
      await assign({ status: 'pending' }),
      'STATUS_REFUSED',
      "Enrollment can't change from cancelled to pending.",
      {
        from: 'cancelled',
        to: 'pending',
      },
    );
    expectFailure(
      await assign(),
      'COURSE_FULL',
      'Course is at maximum capacity. Raise its maximum, or use its waiting list (whenFull: wait).',
    );
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('enrolls a trainee again who had cancelled, and records the changes', async () => {
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, former);
    const { enrollment } = (await assign().expect(201)).body;
    expect(enrollment).to.include({ id, status: 'active', notes: 'Before', cancelReason: null, progress: 40 });
    expect(enrollment.enrolledAt).to.satisfy(recently);
    const before = { status: 'cancelled', cancelReason: 'refused', enrolledAt: former.enrolledAt.toISOString() };
    const after = { status: 'active', cancelReason: null, enrolledAt: enrollment.enrolledAt };
    expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
      { action: 'enrollment.assign', before, after },
    ]);
  });
});
