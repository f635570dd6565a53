import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
const noPage = { currentPage: 1, totalPages: 0, totalItems: 0, itemsPerPage: 20 };
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

/** Who may read of a course's people, whether there are any or not. */
function itBelongsToTheTrainer(
  ask: (by: Person, courseId?: string) => PromiseLike<import('supertest').Response>,
  of: () => { cast: Cast; course: Course },
) {
  it('belongs to the course’s trainer and the super admin', async () => {
    const { cast, course } = of();
    for (const by of [cast.owner, cast.admin]) expect((await ask(by)).status).to.equal(200);
    expectFailure(await ask(cast.trainee), 403, 'Access denied. Trainer or Super admin role required.');
    expectFailure(await ask(cast.foreign), 404, 'Course not found.');
    await course.update({ isPublished: true });
    expectFailure(await ask(cast.foreign), 403, "Access denied. This is another trainer's course.");
    for (const by of [cast.owner, cast.admin]) expectFailure(await ask(by, 'nothing'), 404, 'Course not found.');
  });
}

describe('GET /api/enrollments/course/:courseId/trainees', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user);
  });
  const list = (query = '', by = cast.owner, courseId = course.id) =>
    harness.api('get', `/api/enrollments/course/${courseId}/trainees${query}`, by.token);
  const names = async (query: string) => {
    const { body } = await list(query).expect(200);
    expect(body.pagination.totalItems).to.equal(body.trainees.length);
    return body.trainees.map(({ lastName }: { lastName: string }) => lastName);
  };

  it('lists a trainee with exactly the documented fields', async () => {
    const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, {
      status: 'completed',
      progress: 100,
      notes: 'Well done',
      enrolledAt: day(1),
      completedAt: day(2),
    });
    const { id, firstName, lastName, email } = cast.trainee.user;
    expect((await list().expect(200)).body).to.deep.equal({
      trainees: [
        {
          id,
          firstName,
          lastName,
          email,
          avatar: null,
          enrollment: {
            id: enrollment.id,
            userId: id,
            courseId: course.id,
            status: 'completed',
            progress: 100,
            notes: 'Well done',
            enrolledAt: day(1).toISOString(),
            completedAt: day(2).toISOString(),
          },
        },
      ],
      pagination: { ...noPage, totalPages: 1, totalItems: 1 },
    });
  });

  it("lists the course's own in every status, newest first; filters by status and search", async () => {
    const elsewhere = await buildCourse(harness.context, cast.owner.user);
    for (const [index, status] of (['pending', 'active', 'completed', 'cancelled'] as const).entries()) {
      const given = { lastName: `Émile${index}%`, email: `emile${index}@example.org` };
      const user = await buildUser(harness.context, given);
      await buildEnrollment(harness.context, user, course, { status, enrolledAt: day(index + 1) });
      await buildEnrollment(harness.context, user, elsewhere);
    }
    const all = ['Émile3%', 'Émile2%', 'Émile1%', 'Émile0%'];
    expect(await names('')).to.deep.equal(all);
    expect(await names('?search=')).to.deep.equal(all);
    expect(await names('?search=emile')).to.deep.equal(all);
    expect(await names('?search=emile1')).to.deep.equal(['Émile1%']);
    expect(await names('?search=1%25')).to.deep.equal(['Émile1%']);
    expect(await names('?search=EMILE2@')).to.deep.equal(['Émile2%']);
    for (const term of ['_', '%25%25', 'Lovelace', "'"]) expect(await names(`?search=${term}`), term).to.deep.equal([]);
    expect(await names('?status=active')).to.deep.equal(['Émile1%']);
    expect(await names('?status=active&search=emile2')).to.deep.equal([]);
    const { body } = await list('?limit=3&page=2').expect(200);
    expect(body.trainees.map(({ lastName }: { lastName: string }) => lastName)).to.deep.equal(['Émile0%']);
    expect(body.pagination).to.deep.equal({ currentPage: 2, totalPages: 2, totalItems: 4, itemsPerPage: 3 });
  });

  it('is empty for a course without trainees', async () => {
    expect((await list().expect(200)).body).to.deep.equal({ trainees: [], pagination: noPage });
  });

  it('names every invalid parameter', async () => {
    const query = `?status=done&page=0&limit=0&search=${'x'.repeat(201)}`;
    expectInvalid(await list(query), ['status', 'page', 'limit', 'search'], 'query');
  });

  describe('without trainees', () => {
    itBelongsToTheTrainer(
      (by, id) => list('', by, id),
      () => ({ cast, course }),
    );
  });

  describe('with trainees', () => {
    beforeEach(() => buildEnrollment(harness.context, cast.trainee.user, course));
    itBelongsToTheTrainer(
      (by, id) => list('', by, id),
      () => ({ cast, course }),
    );
  });
});

describe('GET /api/enrollments/available-trainees', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user);
  });
  const list = (query = '', by = cast.owner, courseId = course.id) =>
    harness.api('get', `/api/enrollments/available-trainees?courseId=${courseId}${query}`, by.token);

  it('lists active trainees who are not enrolled, or not any more, with exactly these fields', async () => {
    const elsewhere = await buildCourse(harness.context, cast.owner.user);
    await buildEnrollment(harness.context, cast.trainee.user, elsewhere);
    await buildUser(harness.context, { isActive: false });
    for (const status of ['pending', 'active', 'completed'] as const)
      await buildEnrollment(harness.context, await buildUser(harness.context), course, { status });
    const again = await buildUser(harness.context, { lastName: 'Zuse' });
    await buildEnrollment(harness.context, again, course, { status: 'cancelled' });
    const trainees = [cast.trainee.user, again].map(({ id, firstName, lastName, email }) => ({
      id,
      firstName,
      lastName,
      email,
      avatar: null,
    }));
    expect((await list().expect(200)).body).to.deep.equal({
      trainees,
      pagination: { ...noPage, totalPages: 1, totalItems: 2 },
    });
    // Every listed trainee can be enrolled.
    const body = { courseId: course.id, traineeIds: idsOf(trainees) };
    const assigned = await harness.api('post', '/api/enrollments/bulk', cast.owner.token).send(body).expect(201);
    expect(assigned.body.skipped).to.deep.equal([]);
    expect((await list().expect(200)).body).to.deep.equal({ trainees: [], pagination: noPage });
  });

  it('searches names and email addresses, taking every sign as itself', async () => {
    const sought = await buildUser(harness.context, { lastName: "O'Érin", email: 'erin_1@example.org' });
    for (const term of ["o'erin", 'ERIN_1@', '_1'])
      expect(idsOf((await list(`&search=${encodeURIComponent(term)}`).expect(200)).body.trainees)).to.deep.equal([
        sought.id,
      ]);
    for (const term of ['%', '_2', 'hopper', '\\'])
      expect((await list(`&search=${encodeURIComponent(term)}`).expect(200)).body.trainees).to.deep.equal([]);
  });

  it('is paged by name, ties broken by id', async () => {
    const ids: string[] = [];
    for (let built = 0; built < 5; built += 1) ids.push((await buildUser(harness.context, { lastName: 'Aa' })).id);
    const seen: string[] = [];
    for (const page of [1, 2, 3]) seen.push(...idsOf((await list(`&limit=2&page=${page}`).expect(200)).body.trainees));
    expect(seen).to.deep.equal([...ids.sort(), cast.trainee.user.id]);
  });

  it('needs a course, and names every invalid parameter', async () => {
    const without = await harness.api('get', '/api/enrollments/available-trainees', cast.owner.token);
    expectInvalid(without, ['courseId'], 'query');
    expect(messageOf(without)).to.equal('courseId is required.');
    expectInvalid(
      await list('&page=0&limit=101&search=%00', cast.owner, '%0A'),
      ['courseId', 'page', 'limit', 'search'],
      'query',
    );
    for (const id of ["'", "') OR 1=1 -- ", '\\', '%F0%9F%98%80', 'x'.repeat(100)])
      expectFailure(await list('', cast.owner, id), 404, 'Course not found.');
  });

  itBelongsToTheTrainer(
    (by, id) => list('', by, id),
    () => ({ cast, course }),
  );
});
