import { expect } from 'chai';
import request from 'supertest';
import { createContext } from '../../src/context.js';
import type { Course } from '../../src/db/models/course.js';
import { createApp } from '../../src/http/server/app.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, changesOf, type Person } from './support/cast.js';
import { weaving } from './support/courses.js';
import { expectFailure, expectInvalid, messageOf, messages } from './support/expectations.js';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('POST /api/courses', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });
  const create = (by: Person, body: object) => harness.api('post', '/api/courses', by.token).send(body);
  const count = () => harness.context.database.models.Course.count();

  it("creates a trainer's own course, unpublished, and answers with exactly its fields", async () => {
    const { body } = await create(cast.owner, weaving).expect(201);
    const { id, createdAt, updatedAt, ...course } = body.course;
    expect(body).to.have.all.keys('message', 'course');
    expect(body.message).to.equal('Course created successfully.');
    expect(createdAt).to.match(isoTime).and.to.equal(updatedAt);
    const { user } = cast.owner;
    expect(course).to.deep.equal({
      ...weaving,
      thumbnail: null,
      isPublished: false,
      trainerId: user.id,
      trainer: { id: user.id, firstName: 'Grace', lastName: 'Hopper', avatar: null },
    });
    const shown = await harness.api('get', `/api/courses/${id}`, cast.owner.token).expect(200);
    expect(shown.body).to.deep.equal({ course: body.course });
  });

  it('needs a title and a description only: what is not said is null, empty or false', async () => {
    const { body } = await create(cast.owner, { title: 'Looms', description: 'Wood.' }).expect(201);
    const { id: _, createdAt: __, updatedAt: ___, trainer: ____, ...course } = body.course;
    const nothing = Object.fromEntries(Object.keys(weaving).map((key) => [key, null]));
    expect(course).to.deep.equal({
      ...nothing,
      title: 'Looms',
      description: 'Wood.',
      tags: [],
      isFeatured: false,
      thumbnail: null,
      isPublished: false,
      trainerId: cast.owner.user.id,
    });
  });

  it('enforces the limit of courses per trainer, for concurrent requests too', async () => {
    const { config, logger, hasher } = harness.context;
    const context = await createContext({ ...config, courses: { ...config.courses, ofTrainer: 3 } }, logger, {
      hasher,
    });
    try {
      const app = createApp(context);
      const createBy = ({ token }: Person, body: object) =>
        request(app).post('/api/courses').set('Authorization', `Bearer ${token}`).send(body);
      const before = await count();
      const own = await harness.context.database.models.Course.count({ where: { trainerId: cast.owner.user.id } });
      const answers = await Promise.all(Array.from({ length: 6 }, () => createBy(cast.owner, weaving)));
      const created = answers.filter(({ status }) => status === 201).length;
      expect([created, await count()]).to.deep.equal([3 - own, before + 3 - own]);
      const full = 'You may have 3 courses, and have 3. Delete some first, or ask the super admin.';
      for (const answer of answers) if (answer.status !== 201) expectFailure(answer, 400, full);
      // Others have their own, and the super admin may give them more.
      await createBy(cast.foreign, weaving).expect(201);
      await createBy(cast.admin, { ...weaving, trainerId: cast.owner.user.id }).expect(201);
      expectFailure(await createBy(cast.owner, weaving), 400, full.replace('have 3.', 'have 4.'));
    } finally {
      await context.close();
    }
  });

  it('ignores the trainerId of a trainer, and unknown fields', async () => {
    const fixed = {
      id: 'mine',
      isPublished: true,
      thumbnail: '/x.webp',
      lockVersion: 9,
      searchKey: 'x',
      createdAt: '2000-01-01T00:00:00Z',
    };
    const body = { ...weaving, ...fixed, trainerId: cast.foreign.user.id };
    const { course } = (await create(cast.owner, body).expect(201)).body;
    expect(course).to.include({ trainerId: cast.owner.user.id, isPublished: false, thumbnail: null });
    expect(course.id).not.to.equal('mine');
    expect(course.createdAt).not.to.match(/^2000/);
  });

  it('gives the course to the active trainer whom the super admin names', async () => {
    const { body } = await create(cast.admin, { ...weaving, trainerId: cast.foreign.user.id }).expect(201);
    expect(body.course).to.include({ trainerId: cast.foreign.user.id });
    expect(body.course.trainer).to.include({ firstName: 'Alan' });
  });

  it('needs a trainer from the super admin, and says so with everything else that is missing', async () => {
    const response = await create(cast.admin, weaving);
    expectInvalid(response, ['trainerId']);
    expect(messageOf(response)).to.equal('trainerId is required.');
    expectInvalid(await create(cast.admin, {}), ['title', 'description', 'trainerId']);
    for (const trainerId of ['', null, 5])
      expectInvalid(await create(cast.admin, { ...weaving, trainerId }), ['trainerId']);
  });

  it('takes active trainers only', async () => {
    const inactive = await buildUser(harness.context, { role: 'trainer', isActive: false });
    const by = (trainerId: string) => create(cast.admin, { ...weaving, trainerId });
    for (const trainerId of ['nobody', cast.trainee.user.id, cast.admin.user.id])
      expectFailure(await by(trainerId), 404, 'Trainer not found.');
    expectFailure(await by(inactive.id), 400, 'Trainer account is inactive.');
    expect(await count()).to.equal(0);
  });

  it('is refused to trainees and without a token', async () => {
    expectFailure(await create(cast.trainee, {}), 403, 'Access denied. Trainer or Super admin role required.');
    expectFailure(await harness.api('post', '/api/courses').send(weaving), 401, messages.noToken);
    expect(await count()).to.equal(0);
  });

  it('records all of the new course', async () => {
    const { id } = (await create(cast.owner, weaving).expect(201)).body.course;
    const { tags, ...said } = weaving;
    const after = { ...said, tags, isPublished: false, trainerId: cast.owner.user.id, thumbnail: null };
    expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
      { action: 'course.create', before: null, after },
    ]);
  });

  it('records nothing for a refused request', async () => {
    await create(cast.admin, { ...weaving, trainerId: 'nobody' }).expect(404);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('is found by title, category and tags together', async () => {
    await create(cast.owner, { ...weaving, title: 'Tapisserie', category: 'Métiers', tags: ['Élan'] }).expect(201);
    for (const term of ['tapiss', 'metiers', 'elan']) {
      const path = `/api/courses/trainer/${cast.owner.user.id}?search=${term}`;
      expect((await harness.api('get', path, cast.owner.token).expect(200)).body.courses, term).to.have.length(1);
    }
  });
});

describe('GET /api/courses/:id', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user, { title: 'Compilers' });
  });
  const show = (by: Person, id = course.id) => harness.api('get', `/api/courses/${id}`, by.token);

  it('shows a published course to everybody who is signed in', async () => {
    await course.update({ isPublished: true });
    for (const by of Object.values(cast)) {
      const { body } = await show(by).expect(200);
      expect(body).to.have.all.keys('course');
      expect(body.course).to.include({ id: course.id, title: 'Compilers', isPublished: true });
    }
    expectFailure(await harness.api('get', `/api/courses/${course.id}`), 401, messages.noToken);
  });

  it('shows an unpublished course to its trainer and the super admin', async () => {
    for (const by of [cast.owner, cast.admin]) await show(by).expect(200);
    for (const by of [cast.foreign, cast.trainee]) expectFailure(await show(by), 404, 'Course not found.');
  });

  it('shows an unpublished course to its active trainees only', async () => {
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course);
    for (const status of ['pending', 'active', 'completed', 'cancelled'] as const) {
      await enrollment.update({ status });
      await show(cast.trainee).expect(status === 'active' ? 200 : 404);
    }
    const other = await buildCourse(harness.context, cast.owner.user);
    await enrollment.update({ status: 'active' });
    await show(cast.trainee, other.id).expect(404);
  });

  it('answers 404 where there is none', async () => {
    for (const id of ['nothing', 'x'.repeat(500), "'OR'1'='1", course.id.toUpperCase()])
      expectFailure(await show(cast.admin, id), 404, 'Course not found.');
  });
});
