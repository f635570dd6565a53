import { expect } from 'chai';
import request from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import { createApp } from '../../src/http/server/app.js';
import { createContext } from '../../src/services/context.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { changesOf, type Person, useCast } from './support/cast.js';
import { weaving } from './support/courses.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

/** Fields that clients can't set. */
const fixed = {
  id: 'mine',
  isPublished: true,
  thumbnail: '/x.webp',
  lockVersion: 9,
  searchKey: 'x',
  tagsJson: '[]',
  createdAt: '2000-01-01T00:00:00Z',
  updatedAt: '2000-01-01T00:00:00Z',
};

/** programme-model.sql.test.ts tests the other rules, authorization.test.ts the permissions. */
describe('POST /api/courses', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  const create = (by: Person, body: object) => harness.api('post', '/api/courses', by.token).send(body);
  const count = (where = {}) => harness.context.database.models.Course.count({ where });

  it("creates a trainer's own course, unpublished, with exactly the documented fields, and records them in the audit log", async () => {
    const { user } = cast.owner;
    const { body } = await create(cast.owner, { ...fixed, ...weaving, trainerId: cast.foreign.user.id }).expect(201);
    const { id, createdAt, updatedAt, ...course } = body.course;
    expect(body).to.have.all.keys('message', 'course');
    expect(body.message).to.equal('Course created successfully.');
    expect(createdAt)
      .to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      .and.to.equal(updatedAt)
      .and.not.to.match(/^2000/);
    expect(id).not.to.equal('mine');
    const after = { ...weaving, thumbnail: null, isPublished: false, trainerId: user.id };
    const trainer = { id: user.id, firstName: 'Grace', lastName: 'Hopper', avatar: null };
    expect(course).to.deep.equal({ ...after, trainer });
    for (const path of [`/api/courses/${id}`, '/api/courses', `/api/courses/trainer/${user.id}`]) {
      const shown = (await harness.api('get', path, cast.owner.token).expect(200)).body;
      expect(shown.course ?? shown.courses[0]).to.deep.equal(body.course);
    }
    expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
      { action: 'course.create', before: null, after },
    ]);
  });

  it('requires only a title and a description; absent fields are null, empty or false', async () => {
    const { body } = await create(cast.owner, { title: 'Looms', description: 'Wood.' }).expect(201);
    const nothing = Object.fromEntries(Object.keys(weaving).map((key) => [key, null]));
    const given = { title: 'Looms', description: 'Wood.', tags: [], autoAccept: false, isFeatured: false };
    expect(body.course).to.deep.include({ ...nothing, ...given, thumbnail: null, isPublished: false });
  });

  it('requires the super admin to name a trainer, and reports this with all other missing fields', async () => {
    expect(messageOf(await create(cast.admin, weaving))).to.equal('trainerId is required.');
    expectInvalid(await create(cast.admin, {}), ['title', 'description', 'trainerId']);
    for (const trainerId of ['', null, 5])
      expectInvalid(await create(cast.admin, { ...weaving, trainerId }), ['trainerId']);
    for (const trainerId of ['nobody', cast.trainee.user.id, cast.admin.user.id])
      expectFailure(await create(cast.admin, { ...weaving, trainerId }), 'NOT_FOUND', 'Trainer not found.');
    expect(await count()).to.equal(0);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('enforces the limit of courses per trainer, also for concurrent requests', async () => {
    const { config, logger, hasher } = harness.context;
    const courses = { ...config.courses, ofTrainer: 3 };
    const context = await createContext({ ...config, courses }, logger, { hasher });
    try {
      const app = createApp(context);
      const createBy = ({ token }: Person, body: object) =>
        request(app).post('/api/courses').set('Authorization', `Bearer ${token}`).send(body);
      const responses = await Promise.all(Array.from({ length: 6 }, () => createBy(cast.owner, weaving)));
      expect(responses.filter(({ status }) => status === 201)).to.have.length(3);
      expect(await count()).to.equal(3);
      const full = 'You may have 3 courses, and have 3. Delete some first, or ask the super admin.';
      for (const response of responses)
        if (response.status !== 201) expectFailure(response, 'COURSE_LIMIT', full, { max: 3 });
      // Other trainers have their own limit, and the super admin may exceed the limit.
      await createBy(cast.foreign, weaving).expect(201);
      await createBy(cast.admin, { ...weaving, trainerId: cast.owner.user.id }).expect(201);
      expectFailure(await createBy(cast.owner, weaving), 'COURSE_LIMIT', full.replace('have 3.', 'have 4.'), {
        max: 3,
      });
    } finally {
      await context.close();
    }
  });
});

describe('A course', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  let path: string;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, {
      title: 'Compilers',
      description: 'From A-0 on.',
      category: 'Programming',
      tagsJson: '["code"]',
      maxStudents: 5,
      startDate: '2026-03-01',
      endDate: '2026-04-30',
      level: 'advanced',
    });
    path = `/api/courses/${course.id}`;
  });
  const update = (by: Person, body: object) => harness.api('put', path, by.token).send(body);
  const shown = async () => (await harness.api('get', path, cast.owner.token)).body.course;
  const changes = (by: Person) => changesOf(harness, cast, course.id, by);
  const enroll = async (status: 'pending' | 'active' | 'completed' | 'cancelled') =>
    buildEnrollment(harness.context, await buildUser(harness.context), course, { status });

  it('is visible only to its trainer, the super admin and its active trainees while unpublished', async () => {
    const show = (by: Person) => harness.api('get', path, by.token);
    for (const by of [cast.owner, cast.admin]) await show(by).expect(200);
    expectFailure(await show(cast.foreign), 'NOT_FOUND', 'Course not found.');
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course);
    for (const status of ['pending', 'active', 'completed', 'cancelled'] as const) {
      await enrollment.update({ status });
      await show(cast.trainee).expect(status === 'active' ? 200 : 404);
    }
  });

  it('changes the given fields and keeps the others', async () => {
    const before = await shown();
    const located = (await update(cast.admin, { ...fixed, location: 'Room 1' }).expect(200)).body.course;
    expect({ ...located, updatedAt: '' }).to.deep.equal({ ...before, location: 'Room 1', updatedAt: '' });
    expect(located.updatedAt > before.updatedAt).to.equal(true);
    const { body } = await update(cast.owner, { ...weaving, trainerId: cast.foreign.user.id }).expect(200);
    expect(body).to.have.all.keys('message', 'course');
    expect(body.message).to.equal('Course updated successfully.');
    expect(body.course).to.deep.include({ ...weaving, trainerId: cast.owner.user.id });
    expect(body.course).to.deep.equal(await shown());
  });

  it('causes an audit entry with only the changed fields, before and after the change', async () => {
    await update(cast.owner, { title: 'Compilers', description: 'New.', tags: ['code', 'history'], maxStudents: null });
    await update(cast.owner, { level: '' }).expect(200);
    await update(cast.owner, fixed).expect(200);
    expect(await changes(cast.owner)).to.deep.equal([
      {
        action: 'course.update',
        before: { description: 'From A-0 on.', tags: ['code'], maxStudents: 5 },
        after: { description: 'New.', tags: ['code', 'history'], maxStudents: null },
      },
      { action: 'course.update', before: { level: 'advanced' }, after: { level: null } },
    ]);
  });

  it('refuses a new date that is out of order with the date that stays', async () => {
    for (const body of [{ endDate: '2026-02-28' }, { startDate: '2026-05-01' }]) {
      const response = await update(cast.owner, body);
      expectInvalid(response, ['endDate']);
      expect(messageOf(response)).to.equal('endDate must not be before startDate.');
    }
    await update(cast.owner, { endDate: '2026-03-01' }).expect(200);
    await update(cast.owner, { startDate: null, endDate: '1999-01-01' }).expect(200);
    await update(cast.owner, { startDate: '2030-01-01', endDate: '' }).expect(200);
  });

  it('refuses fewer seats than pending and active trainees take', async () => {
    for (const status of ['pending', 'active', 'active', 'completed', 'cancelled'] as const) await enroll(status);
    const response = await update(cast.owner, { maxStudents: 2, title: 'Renamed' });
    expectInvalid(response, ['maxStudents']);
    expect(messageOf(response)).to.equal('maxStudents must be at least 3: so many seats are taken.');
    expect((await shown()).title).to.equal('Compilers');
    await update(cast.owner, { maxStudents: 3 }).expect(200);
  });

  it('can be published, unpublished and assigned to another trainer; only real changes are recorded', async () => {
    const put = (what: string, body: object) => harness.api('put', `${path}/${what}`, cast.admin.token).send(body);
    for (const isPublished of [false, true, true, false]) await put('publish', { isPublished }).expect(200);
    for (const { user } of [cast.owner, cast.foreign]) await put('assign-trainer', { trainerId: user.id }).expect(200);
    const [off, on] = [{ isPublished: false }, { isPublished: true }];
    expect(await changes(cast.admin)).to.deep.equal([
      { action: 'course.publish', before: off, after: on },
      { action: 'course.unpublish', before: on, after: off },
      {
        action: 'course.assign-trainer',
        before: { trainerId: cast.owner.user.id },
        after: { trainerId: cast.foreign.user.id },
      },
    ]);
  });

  it('is deleted with its enrollments and files; with active trainees only by the super admin, with force', async () => {
    await buildMaterial(harness.context, course);
    await enroll('active');
    await enroll('pending');
    await course.update({ thumbnail: '/uploads/a-0.webp' });
    const remove = (by: Person, query = '') => harness.api('delete', `${path}${query}`, by.token);
    for (const [by, query] of [
      [cast.owner, '?force=true'],
      [cast.admin, ''],
      [cast.admin, '?force=false'],
    ] as const)
      expectFailure(await remove(by, query), 'COURSE_IN_USE');
    const { body } = await remove(cast.admin, '?force=true').expect(200);
    expect(body).to.deep.equal({ message: 'Course deleted successfully.' });
    const { Course, Enrollment, StoredFile } = harness.context.database.models;
    expect([await Course.count(), await Enrollment.count(), await StoredFile.count()]).to.deep.equal([0, 0, 0]);
    const [entry, ...others] = await changes(cast.admin);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ action: 'course.delete', after: null });
    const was = { title: 'Compilers', trainerId: cast.owner.user.id, thumbnail: '/uploads/a-0.webp', enrollments: 2 };
    expect(entry?.before).to.include(was);
  });
});
