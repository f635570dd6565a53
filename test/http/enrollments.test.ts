import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, changesOf } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf, messages } from './support/expectations.js';

const refusals = {
  enrolled: 'Already enrolled in this course.',
  unpublished: 'Course is not published.',
  full: 'Course is at maximum capacity.',
  foreign: "Access denied. This is another trainer's course.",
  role: 'Access denied. Trainer or Super admin role required.',
};

describe('POST /api/enrollments', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 1 });
  });
  const ask = (body: object = {}, by = cast.trainee) =>
    harness.api('post', '/api/enrollments', by.token).send({ courseId: course.id, ...body });

  it('makes a pending enrollment and answers with exactly its fields', async () => {
    const { body } = await ask({ notes: '  Mornings only ' }).expect(201);
    const { id, enrolledAt, ...enrollment } = body.enrollment;
    expect(body).to.have.all.keys('message', 'enrollment');
    expect(body.message).to.equal('Enrollment requested successfully.');
    expect(Math.abs(Date.parse(enrolledAt) - Date.now())).to.be.below(60_000);
    expect(enrollment).to.deep.equal({
      userId: cast.trainee.user.id,
      courseId: course.id,
      status: 'pending',
      progress: 0,
      notes: 'Mornings only',
      completedAt: null,
    });
    const row = await harness.context.database.models.Enrollment.findByPk(id, { rejectOnEmpty: true });
    expect(row).to.include({ status: 'pending', trainerId: cast.owner.user.id });
  });

  it('leaves nothing in the audit log: it is the trainee’s own doing', async () => {
    await ask().expect(201);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('checks the input, the course, the enrollment, publication and capacity, in this order', async () => {
    expectInvalid(await ask({ courseId: 5, notes: {} }), ['courseId', 'notes']);
    expectFailure(await ask({ courseId: 'nothing' }), 404, 'Course not found.');
    await course.update({ isPublished: false });
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course);
    for (const status of ['pending', 'active', 'completed'] as const) {
      await enrollment.update({ status });
      expectFailure(await ask(), 400, refusals.enrolled);
    }
    await enrollment.update({ status: 'cancelled' });
    await buildEnrollment(harness.context, await buildUser(harness.context), course);
    expectFailure(await ask(), 400, refusals.unpublished);
    await course.update({ isPublished: true });
    expectFailure(await ask(), 400, refusals.full);
    await course.update({ maxStudents: 2 });
    await ask().expect(201);
  });

  it('lets in again who had cancelled, in the same enrollment', async () => {
    const enrolledAt = new Date('2020-01-01T00:00:00Z');
    const given = { status: 'cancelled' as const, enrolledAt, notes: 'Before' };
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, given);
    const { body } = await ask().expect(201);
    expect(body.enrollment).to.include({ id, status: 'pending', notes: 'Before' });
    expect(Date.parse(body.enrollment.enrolledAt)).to.be.above(Date.parse('2025-01-01'));
  });

  it('counts pending and active enrollments as seats, completed and cancelled ones not', async () => {
    for (const status of ['completed', 'cancelled'] as const)
      await buildEnrollment(harness.context, await buildUser(harness.context), course, { status });
    await ask().expect(201);
    expectFailure(await ask({}, await signIn(harness.context)), 400, refusals.full);
  });

  it('accepts all trainees without a limit', async () => {
    await course.update({ maxStudents: null });
    for (let asked = 0; asked < 3; asked += 1) await ask({}, await signIn(harness.context)).expect(201);
  });

  it('takes notes of up to 2,000 characters; none, null and blank are none', async () => {
    await course.update({ maxStudents: null });
    const asked = async (notes: unknown) => ask({ notes }, await signIn(harness.context));
    for (const notes of [null, '', '  ', undefined])
      expect((await (await asked(notes)).body).enrollment.notes, String(notes)).to.equal(null);
    expect((await asked('𝒳'.repeat(2000))).status).to.equal(201);
    expect((await asked('a\nb')).status).to.equal(201);
    for (const notes of ['𝒳'.repeat(2001), 'a\0b', 5, ['x']]) expectInvalid(await asked(notes), ['notes']);
  });

  it('is for trainees only', async () => {
    for (const by of [cast.owner, cast.admin])
      expectFailure(await ask({}, by), 403, 'Access denied. Trainee role required.');
    expectFailure(await harness.api('post', '/api/enrollments').send({}), 401, messages.noToken);
  });
});

describe('POST /api/enrollments/assign', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user, { maxStudents: 1 });
  });
  const assign = (body: object = {}, by = cast.owner) =>
    harness.api('post', '/api/enrollments/assign', by.token).send({
      courseId: course.id,
      traineeId: cast.trainee.user.id,
      ...body,
    });

  it('enrolls a trainee as active, in an unpublished course too, and answers with exactly its fields', async () => {
    const { body } = await assign({ notes: 'By phone' }).expect(201);
    const { id, enrolledAt, ...enrollment } = body.enrollment;
    const after = {
      userId: cast.trainee.user.id,
      courseId: course.id,
      status: 'active',
      progress: 0,
      notes: 'By phone',
    };
    expect(body).to.have.all.keys('message', 'enrollment');
    expect(body.message).to.equal('Trainee enrolled successfully.');
    expect(enrolledAt).to.be.a('string');
    expect(enrollment).to.deep.equal({ ...after, completedAt: null });
    expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
      { action: 'enrollment.assign', before: null, after: { ...after, enrolledAt, completedAt: null } },
    ]);
  });

  it('enrolls as pending when told so, by the super admin too, and as nothing else', async () => {
    const { body } = await assign({ status: 'pending' }, cast.admin).expect(201);
    expect(body.enrollment.status).to.equal('pending');
    for (const status of ['completed', 'cancelled', 'ACTIVE', '', null, 1]) {
      const response = await assign({ status });
      expectInvalid(response, ['status']);
      expect(messageOf(response)).to.equal('status must be one of pending, active.');
    }
  });

  it('checks the input, the course, whose it is, the trainee, the enrollment and capacity, in this order', async () => {
    expectInvalid(await assign({ courseId: 1, traineeId: null, status: 'x', notes: 5 }), [
      'courseId',
      'traineeId',
      'status',
      'notes',
    ]);
    const inactive = await buildUser(harness.context, { isActive: false });
    const nobody = { traineeId: 'nobody' };
    expectFailure(await assign({ courseId: 'nothing', ...nobody }), 404, 'Course not found.');
    expectFailure(await assign(nobody, cast.foreign), 404, 'Course not found.');
    await course.update({ isPublished: true });
    expectFailure(await assign(nobody, cast.foreign), 403, refusals.foreign);
    for (const traineeId of ['nobody', cast.owner.user.id, cast.admin.user.id])
      expectFailure(await assign({ traineeId }), 404, 'Trainee not found.');
    await buildEnrollment(harness.context, inactive, course);
    expectFailure(await assign({ traineeId: inactive.id }), 400, 'Trainee account is inactive.');
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course);
    for (const status of ['pending', 'active', 'completed'] as const) {
      await enrollment.update({ status });
      expectFailure(await assign(), 400, refusals.enrolled);
    }
    await enrollment.update({ status: 'cancelled' });
    expectFailure(await assign({ status: 'pending' }), 400, "Enrollment can't change from cancelled to pending.");
    expectFailure(await assign(), 400, refusals.full);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('lets in again who had cancelled, and records what that changed', async () => {
    const given = { status: 'cancelled' as const, enrolledAt: new Date('2020-01-01'), notes: 'Before', progress: 40 };
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, given);
    const { body } = await assign().expect(201);
    expect(body.enrollment).to.include({ id, status: 'active', notes: 'Before', progress: 40 });
    expect(Date.parse(body.enrollment.enrolledAt)).to.be.above(Date.parse('2025-01-01'));
    expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
      {
        action: 'enrollment.assign',
        before: { status: 'cancelled', enrolledAt: given.enrolledAt.toISOString() },
        after: { status: 'active', enrolledAt: body.enrollment.enrolledAt },
      },
    ]);
  });

  it('is refused to trainees', async () => {
    expectFailure(await assign({}, cast.trainee), 403, refusals.role);
  });
});
