import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

describe('Seats of courses', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });
  const course = (title: string, given: Partial<Course> = {}) =>
    buildCourse(harness.context, cast.owner.user, { title, isPublished: true, ...given });
  /** One enrollment of each status. */
  async function fill(of: Course): Promise<void> {
    for (const status of enrollmentStatuses)
      await buildEnrollment(harness.context, await buildUser(harness.context), of, { status });
  }
  const get = (path: string, by?: Person) => harness.api('get', path, by?.token);
  const listed = async (query: string, by?: Person) =>
    (await get(`/api/courses?${query}`, by).expect(200)).body.courses;

  /** A course each: with seats left, full, without a limit, and without enrollments. */
  async function build() {
    const half = await course('half', { maxStudents: 4 });
    const full = await course('full', { maxStudents: 2 });
    const open = await course('open', { maxStudents: null });
    const empty = await course('empty', { maxStudents: 1 });
    for (const one of [half, full, open]) await fill(one);
    return { half, full, open, empty };
  }
  const expected = [
    { title: 'empty', seatsTaken: 0, seatsLeft: 1 },
    { title: 'full', seatsTaken: 2, seatsLeft: 0 },
    { title: 'half', seatsTaken: 2, seatsLeft: 2 },
    { title: 'open', seatsTaken: 2, seatsLeft: null },
  ];
  const seatsOf = (courses: Record<string, unknown>[]) =>
    courses.map(({ title, seatsTaken, seatsLeft }) => ({ title, seatsTaken, seatsLeft }));

  it('are told to everybody on request: pending and active trainees take one', async () => {
    await build();
    const query = 'include=seats&sortBy=title&sortOrder=ASC';
    for (const by of [undefined, cast.trainee, cast.owner, cast.foreign, cast.admin])
      expect(seatsOf(await listed(query, by))).to.deep.equal(expected);
    const path = `/api/courses/trainer/${cast.owner.user.id}?${query}`;
    for (const by of [cast.owner, cast.admin])
      expect(seatsOf((await get(path, by).expect(200)).body.courses)).to.deep.equal(expected);
  });

  it('are told with a single course, and add exactly two keys', async () => {
    const { half } = await build();
    const plain = (await get(`/api/courses/${half.id}`, cast.trainee).expect(200)).body.course;
    expect(plain).not.to.have.any.keys('seatsTaken', 'seatsLeft');
    const { body } = await get(`/api/courses/${half.id}?include=seats`, cast.trainee).expect(200);
    expect(body).to.deep.equal({ course: { ...plain, seatsTaken: 2, seatsLeft: 2 } });
    expect((await listed('search=half'))[0]).to.deep.equal(plain);
  });

  it('are none rather than fewer when an operator has lowered the limit', async () => {
    const { half } = await build();
    await half.update({ maxStudents: 1 });
    expect(seatsOf(await listed('include=seats&search=half'))).to.deep.equal([
      { title: 'half', seatsTaken: 2, seatsLeft: 0 },
    ]);
  });

  it('filter the catalogue and the courses of a trainer, with the right counts', async () => {
    await build();
    const trainers = `/api/courses/trainer/${cast.owner.user.id}`;
    for (const [path, by] of [
      ['/api/courses', undefined],
      ['/api/courses', cast.trainee],
      ['/api/courses', cast.owner],
      [trainers, cast.owner],
      [trainers, cast.admin],
    ] as const) {
      for (const [query, titles] of [
        ['seatsLeft=true', ['empty', 'half', 'open']],
        ['seatsLeft=false', ['full']],
        ['seatsLeft=true&search=e', ['empty', 'open']],
      ] as const) {
        const { body } = await get(`${path}?${query}&sortBy=title&sortOrder=ASC`, by).expect(200);
        expect(
          body.courses.map(({ title }: Course) => title),
          `${path} ${query}`,
        ).to.deep.equal(titles);
        expect(body.pagination.totalItems).to.equal(titles.length);
      }
    }
    expect(await listed('seatsLeft=false&search=open')).to.deep.equal([]);
  });

  it('follow enrollments and cancellations', async () => {
    const { empty } = await build();
    const seats = async () => seatsOf(await listed('include=seats&search=empty'))[0];
    const { body } = await harness
      .api('post', '/api/enrollments', cast.trainee.token)
      .send({ courseId: empty.id })
      .expect(201);
    expect(await seats()).to.include({ seatsTaken: 1, seatsLeft: 0 });
    const path = `/api/enrollments/${body.enrollment.id}/status`;
    await harness.api('put', path, cast.trainee.token).send({ status: 'cancelled' }).expect(200);
    expect(await seats()).to.include({ seatsTaken: 0, seatsLeft: 1 });
  });

  it('are a key that may be named several times, between commas; others are refused', async () => {
    const { half } = await build();
    for (const include of ['seats', 'seats,seats', ' seats , seats '])
      expect(seatsOf(await listed(`include=${encodeURIComponent(include)}&search=half`))[0]?.seatsTaken).to.equal(2);
    for (const include of ['', 'trainees', 'seats,', 'seats,trainees', 'SEATS', 'seats&include=seats']) {
      for (const path of ['/api/courses', `/api/courses/${half.id}`]) {
        const response = await get(`${path}?include=${include}`, cast.trainee);
        expectInvalid(response, ['include'], 'query');
        expect(messageOf(response)).to.equal('include must be one of seats.');
      }
    }
  });

  it('keep it a secret that a draft exists', async () => {
    const draft = await course('draft', { isPublished: false });
    expectFailure(await get(`/api/courses/${draft.id}?include=seats`, cast.trainee), 404, 'Course not found.');
  });
});
