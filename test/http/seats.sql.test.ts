import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment-statuses.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';
import { expectInvalid, messageOf } from './support/expectations.js';

describe('Seats of courses', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let half: Course;
  /** Creates courses: with free seats, full, over capacity, without a limit, and without enrollments. */
  beforeEach(async () => {
    const course = (title: string, maxStudents: number | null) =>
      buildCourse(harness.context, cast.owner.user, { title, maxStudents, isPublished: true });
    half = await course('half', 4);
    const filled = [half, await course('full', 2), await course('over', 1), await course('open', null)];
    await course('empty', 1);
    for (const one of filled)
      for (const status of enrollmentStatuses)
        await buildEnrollment(harness.context, await buildUser(harness.context), one, { status });
  });
  const get = (path: string, by?: Person) => harness.api('get', path, by?.token);
  const seatsOf = (courses: Record<string, unknown>[]) =>
    courses.map(({ title, seatsTaken, seatsLeft, pendingCount, waitingCount }) => [
      title,
      seatsTaken,
      seatsLeft,
      pendingCount,
      waitingCount,
    ]);
  /** All listings of courses. */
  const ways = () => {
    const { owner, admin, trainee, foreign } = cast;
    const trainers = `/api/courses/trainer/${owner.user.id}`;
    const catalogue = [undefined, trainee, owner, foreign, admin].map((by) => ['/api/courses', by] as const);
    return [...catalogue, [trainers, owner] as const, [trainers, admin] as const];
  };

  it('are returned to everybody on request: pending and active trainees take seats, others wait', async () => {
    for (const [path, by] of ways()) {
      const { body } = await get(`${path}?include=seats&sortBy=title&sortOrder=ASC`, by).expect(200);
      expect(seatsOf(body.courses)).to.deep.equal([
        ['empty', 0, 1, 0, 0],
        ['full', 2, 0, 1, 1],
        ['half', 2, 2, 1, 1],
        ['open', 2, null, 1, 1],
        ['over', 2, 0, 1, 1],
      ]);
    }
  });

  it('are returned with a single course, in exactly four additional keys', async () => {
    const plain = (await get(`/api/courses/${half.id}`, cast.trainee).expect(200)).body.course;
    expect(plain).not.to.have.any.keys('seatsTaken', 'seatsLeft', 'pendingCount', 'waitingCount');
    const { body } = await get(`/api/courses/${half.id}?include=seats`, cast.trainee).expect(200);
    const seats = { seatsTaken: 2, seatsLeft: 2, pendingCount: 1, waitingCount: 1 };
    expect(body).to.deep.equal({ course: { ...plain, ...seats } });
  });

  it('filter the catalogue and the courses of a trainer, with the correct counts', async () => {
    for (const [path, by] of ways())
      for (const [query, titles] of [
        ['seatsLeft=true', ['empty', 'half', 'open']],
        ['seatsLeft=false', ['full', 'over']],
        ['seatsLeft=true&search=e', ['empty', 'open']],
        ['seatsLeft=false&search=open', []],
      ] as const) {
        const { body } = await get(`${path}?${query}&sortBy=title&sortOrder=ASC`, by).expect(200);
        const found = body.courses.map(({ title }: Course) => title);
        expect(found, `${path} ${query}`).to.deep.equal(titles);
        expect(body.pagination.totalItems).to.equal(titles.length);
      }
  });

  it('are requested by the key `seats`, which may be repeated with commas; other keys are refused', async () => {
    for (const include of ['seats', 'seats,seats', ' seats , seats ']) {
      const { body } = await get(`/api/courses?include=${encodeURIComponent(include)}&search=half`).expect(200);
      expect(body.courses[0].seatsTaken).to.equal(2);
    }
    for (const include of ['', 'trainees', 'seats,', 'seats,trainees', 'SEATS', 'seats&include=seats'])
      for (const path of ['/api/courses', `/api/courses/${half.id}`]) {
        const response = await get(`${path}?include=${include}`, cast.trainee);
        expectInvalid(response, ['include'], 'query');
        expect(messageOf(response)).to.equal('include must be one of seats.');
      }
  });
});
