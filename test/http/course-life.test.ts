import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, changesOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const foreignRefusal = "Access denied. This is another trainer's course.";
const roleRefusal = 'Access denied. Trainer or Super admin role required.';

describe('PUT /api/courses/:id/publish', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user, { title: 'Compilers' });
  });
  const publish = (by: Person, body: object, id = course.id) =>
    harness.api('put', `/api/courses/${id}/publish`, by.token).send(body);

  it('publishes and unpublishes, with exactly these answers', async () => {
    for (const by of [cast.owner, cast.admin]) {
      for (const [isPublished, word] of [
        [true, 'published'],
        [false, 'unpublished'],
      ] as const) {
        const { body } = await publish(by, { isPublished }).expect(200);
        expect(body).to.deep.equal({
          message: `Course ${word} successfully.`,
          course: { id: course.id, title: 'Compilers', isPublished },
        });
      }
    }
  });

  it('may be repeated, and records what has changed only', async () => {
    for (const isPublished of [false, true, true, false]) await publish(cast.owner, { isPublished }).expect(200);
    const [off, on] = [{ isPublished: false }, { isPublished: true }];
    expect(await changesOf(harness, cast, course.id, cast.owner)).to.deep.equal([
      { action: 'course.publish', before: off, after: on },
      { action: 'course.unpublish', before: on, after: off },
    ]);
  });

  it('takes true and false only', async () => {
    for (const isPublished of ['true', 1, null, {}, 'yes'])
      expectInvalid(await publish(cast.owner, { isPublished }), ['isPublished']);
    expect(messageOf(await publish(cast.owner, {}))).to.equal('isPublished is required.');
  });

  it('belongs to the course’s trainer and the super admin', async () => {
    const on = { isPublished: true };
    expectFailure(await publish(cast.trainee, on), 403, roleRefusal);
    expectFailure(await publish(cast.foreign, on), 404, 'Course not found.');
    await publish(cast.owner, on).expect(200);
    expectFailure(await publish(cast.foreign, { isPublished: false }), 403, foreignRefusal);
    expectFailure(await publish(cast.owner, on, 'nothing'), 404, 'Course not found.');
  });
});

describe('PUT /api/courses/:id/assign-trainer', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user);
  });
  const assign = (by: Person, trainerId: unknown, id = course.id) =>
    harness.api('put', `/api/courses/${id}/assign-trainer`, by.token).send({ trainerId });

  it('gives the course to the trainer, its enrollments with it', async () => {
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    const listed = async ({ user, token }: Person) => {
      const { body } = await harness.api('get', `/api/enrollments/trainer/${user.id}`, token).expect(200);
      return body.enrollments.map(({ id }: { id: string }) => id);
    };
    expect([await listed(cast.owner), await listed(cast.foreign)]).to.deep.equal([[enrollment.id], []]);
    const { body } = await assign(cast.admin, cast.foreign.user.id).expect(200);
    expect(body).to.have.all.keys('message', 'course');
    expect(body.message).to.equal('Trainer assigned successfully.');
    const { id, firstName, lastName } = cast.foreign.user;
    expect(body.course).to.deep.include({ trainerId: id, trainer: { id, firstName, lastName, avatar: null } });
    expect([await listed(cast.owner), await listed(cast.foreign)]).to.deep.equal([[], [enrollment.id]]);
    await harness.api('get', `/api/courses/${course.id}`, cast.owner.token).expect(404);
    await harness.api('get', `/api/enrollments/${enrollment.id}`, cast.owner.token).expect(404);
  });

  it('records both trainers, and nothing where it was that trainer already', async () => {
    for (const { user } of [cast.owner, cast.foreign]) await assign(cast.admin, user.id).expect(200);
    expect(await changesOf(harness, cast, course.id, cast.admin)).to.deep.equal([
      {
        action: 'course.assign-trainer',
        before: { trainerId: cast.owner.user.id },
        after: { trainerId: cast.foreign.user.id },
      },
    ]);
  });

  it('takes active trainers only', async () => {
    const inactive = await buildUser(harness.context, { role: 'trainer', isActive: false });
    expectFailure(await assign(cast.admin, inactive.id), 400, 'Trainer account is inactive.');
    for (const id of ['nobody', cast.trainee.user.id, cast.admin.user.id])
      expectFailure(await assign(cast.admin, id), 404, 'Trainer not found.');
    for (const id of [undefined, null, '', 7]) expectInvalid(await assign(cast.admin, id), ['trainerId']);
    expectFailure(await assign(cast.admin, cast.owner.user.id, 'nothing'), 404, 'Course not found.');
    expect((await course.reload()).trainerId).to.equal(cast.owner.user.id);
  });

  it('is for the super admin only', async () => {
    for (const by of [cast.owner, cast.foreign, cast.trainee])
      expectFailure(await assign(by, cast.foreign.user.id), 403, 'Access denied. Super admin role required.');
  });
});

describe('DELETE /api/courses/:id', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user, { title: 'Compilers' });
  });
  const remove = (by: Person, query = '', id = course.id) =>
    harness.api('delete', `/api/courses/${id}${query}`, by.token);
  const enroll = async (status: 'pending' | 'active' | 'completed' | 'cancelled') =>
    buildEnrollment(harness.context, await buildUser(harness.context), course, { status });
  const left = async () => {
    const { Course, Enrollment, StoredFile } = harness.context.database.models;
    return [await Course.count(), await Enrollment.count(), await StoredFile.count()];
  };

  it('deletes the course with its enrollments and files', async () => {
    for (const status of ['pending', 'completed', 'cancelled'] as const) await enroll(status);
    await buildMaterial(harness.context, course);
    const { body } = await remove(cast.owner).expect(200);
    expect(body).to.deep.equal({ message: 'Course deleted successfully.' });
    expect(await left()).to.deep.equal([0, 0, 0]);
    expectFailure(await remove(cast.owner), 404, 'Course not found.');
  });

  it('is refused while there are active enrollments, to trainers with force too', async () => {
    await enroll('active');
    const calls: [Person, string][] = [
      ...['', '?force=false', '?force=true'].map((query): [Person, string] => [cast.owner, query]),
      ...['', '?force=false'].map((query): [Person, string] => [cast.admin, query]),
    ];
    for (const [by, query] of calls) expectFailure(await remove(by, query), 400, 'Course has active enrollments.');
    expect(await left()).to.deep.equal([1, 1, 0]);
    await remove(cast.admin, '?force=true').expect(200);
    expect(await left()).to.deep.equal([0, 0, 0]);
  });

  it('takes true and false only as force', async () => {
    for (const force of ['1', 'yes', '', 'TRUE', 'true&force=true'])
      expectInvalid(await remove(cast.admin, `?force=${force}`), ['force'], 'query');
  });

  it('records what the course was, and how many enrollments went with it', async () => {
    await enroll('active');
    await enroll('pending');
    await course.update({ thumbnail: '/uploads/a-0.webp' });
    await remove(cast.admin, '?force=true').expect(200);
    const [entry, ...others] = await changesOf(harness, cast, course.id, cast.admin);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ action: 'course.delete', after: null });
    const was = { title: 'Compilers', trainerId: cast.owner.user.id, thumbnail: '/uploads/a-0.webp', enrollments: 2 };
    expect(entry?.before).to.include(was);
  });

  it('belongs to the course’s trainer and the super admin', async () => {
    expectFailure(await remove(cast.trainee), 403, roleRefusal);
    expectFailure(await remove(cast.foreign), 404, 'Course not found.');
    await course.update({ isPublished: true });
    expectFailure(await remove(cast.foreign), 403, foreignRefusal);
    expectFailure(await remove(cast.admin, '', 'nothing'), 404, 'Course not found.');
    expect(await left()).to.deep.equal([1, 0, 0]);
  });
});
