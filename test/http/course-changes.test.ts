import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, changesOf, type Person } from './support/cast.js';
import { weaving } from './support/courses.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const foreignRefusal = "Access denied. This is another trainer's course.";
const roleRefusal = 'Access denied. Trainer or Super admin role required.';

describe('PUT /api/courses/:id', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user, {
      title: 'Compilers',
      description: 'From A-0 on.',
      category: 'Programming',
      tagsJson: '["code"]',
      maxStudents: 5,
      startDate: '2026-03-01',
      endDate: '2026-04-30',
      level: 'advanced',
      searchKey: 'compilers programming code',
    });
  });
  const update = (by: Person, body: object, id = course.id) =>
    harness.api('put', `/api/courses/${id}`, by.token).send(body);
  const shown = async () => (await harness.api('get', `/api/courses/${course.id}`, cast.owner.token)).body.course;

  it('changes every field and answers with the course', async () => {
    const { body } = await update(cast.owner, weaving).expect(200);
    expect(body).to.have.all.keys('message', 'course');
    expect(body.message).to.equal('Course updated successfully.');
    expect(body.course).to.deep.include(weaving);
    expect(body.course).to.deep.equal(await shown());
  });

  it('leaves what is absent as it is', async () => {
    const before = await shown();
    const { body } = await update(cast.admin, { location: 'Room 1' }).expect(200);
    expect({ ...body.course, updatedAt: '' }).to.deep.equal({ ...before, location: 'Room 1', updatedAt: '' });
    expect(body.course.updatedAt > before.updatedAt).to.equal(true);
  });

  it('ignores fields that it does not change', async () => {
    const before = await shown();
    const fixed = { id: 'x', trainerId: cast.foreign.user.id, isPublished: true, createdAt: '2000-01-01T00:00:00Z' };
    const more = { updatedAt: '2000-01-01T00:00:00Z', thumbnail: '/x', lockVersion: 7, searchKey: 'x', tagsJson: '[]' };
    const { body } = await update(cast.owner, { ...fixed, ...more }).expect(200);
    expect(body.course).to.deep.equal(before);
    expect(await changesOf(harness, cast, course.id, cast.owner)).to.deep.equal([]);
  });

  it('records the changed fields only, before and after', async () => {
    await update(cast.owner, { title: 'Compilers', description: 'New.', tags: ['code', 'history'], maxStudents: null });
    await update(cast.owner, { level: '' }).expect(200);
    expect(await changesOf(harness, cast, course.id, cast.owner)).to.deep.equal([
      {
        action: 'course.update',
        before: { description: 'From A-0 on.', tags: ['code'], maxStudents: 5 },
        after: { description: 'New.', tags: ['code', 'history'], maxStudents: null },
      },
      { action: 'course.update', before: { level: 'advanced' }, after: { level: null } },
    ]);
  });

  it('keeps the dates in order with the one that stays', async () => {
    for (const body of [{ endDate: '2026-02-28' }, { startDate: '2026-05-01' }]) {
      const response = await update(cast.owner, body);
      expectInvalid(response, ['endDate']);
      expect(messageOf(response)).to.equal('endDate must not be before startDate.');
    }
    await update(cast.owner, { endDate: '2026-03-01' }).expect(200);
    await update(cast.owner, { startDate: null, endDate: '1999-01-01' }).expect(200);
    await update(cast.owner, { startDate: '2030-01-01', endDate: '' }).expect(200);
  });

  it('refuses fewer seats than are taken by pending and active trainees', async () => {
    for (const status of ['pending', 'active', 'active', 'completed', 'cancelled'] as const)
      await buildEnrollment(harness.context, await buildUser(harness.context), course, { status });
    const response = await update(cast.owner, { maxStudents: 2, title: 'Renamed' });
    expectInvalid(response, ['maxStudents']);
    expect(messageOf(response)).to.equal('maxStudents must be at least 3: so many seats are taken.');
    expect((await shown()).title).to.equal('Compilers');
    await update(cast.owner, { maxStudents: 3 }).expect(200);
    await update(cast.owner, { maxStudents: null }).expect(200);
    expectInvalid(await update(cast.owner, { maxStudents: 2 }), ['maxStudents']);
  });

  it('makes searches find the new words and not the old ones', async () => {
    await update(cast.owner, { category: 'Weaving', tags: ['loom'] }).expect(200);
    const found = async (term: string) => {
      const { body } = await harness.api('get', `/api/courses?search=${term}`, cast.owner.token).expect(200);
      return body.pagination.totalItems;
    };
    for (const term of ['compilers', 'weaving', 'loom']) expect(await found(term), term).to.equal(1);
    for (const term of ['programming', 'code']) expect(await found(term), term).to.equal(0);
  });

  it('belongs to the course’s trainer and the super admin', async () => {
    expectFailure(await update(cast.trainee, weaving), 403, roleRefusal);
    expectFailure(await update(cast.foreign, weaving), 404, 'Course not found.');
    await course.update({ isPublished: true });
    expectFailure(await update(cast.foreign, weaving), 403, foreignRefusal);
    // What is wrong with the input is said to anybody who could have a course.
    expectInvalid(await update(cast.foreign, { title: 'x' }), ['title']);
    expectFailure(await update(cast.admin, weaving, 'nothing'), 404, 'Course not found.');
    expect((await shown()).title).to.equal('Compilers');
  });
});
