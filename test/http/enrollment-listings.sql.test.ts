import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
const noPage = { currentPage: 1, totalPages: 0, totalItems: 0, itemsPerPage: 20 };
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

/** Two trainers with a course each; the trainee of the cast and another are enrolled in both. */
async function buildEnrollments(harness: ReturnType<typeof useHarness>, cast: Cast) {
  const { context } = harness;
  const other = await buildUser(context, { lastName: 'Babbage' });
  const own = await buildCourse(context, cast.owner.user, { title: 'Compilers', thumbnail: '/a.webp' });
  const foreign = await buildCourse(context, cast.foreign.user, { title: 'Machines' });
  const build = (user: typeof other, course: Course, given: Partial<Enrollment>) =>
    buildEnrollment(context, user, course, given);
  const enrollments = {
    adaOwn: await build(cast.trainee.user, own, { status: 'active', enrolledAt: day(1), notes: 'Mornings' }),
    otherOwn: await build(other, own, { status: 'cancelled', enrolledAt: day(2) }),
    adaForeign: await build(cast.trainee.user, foreign, { status: 'pending', enrolledAt: day(3) }),
    otherForeign: await build(other, foreign, { status: 'active', enrolledAt: day(4) }),
  };
  return { other, own, foreign, ...enrollments };
}

describe('GET /api/enrollments', () => {
  const harness = useHarness();
  let cast: Cast;
  let built: Awaited<ReturnType<typeof buildEnrollments>>;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    built = await buildEnrollments(harness, cast);
  });
  const list = (by: Person, query = '') => harness.api('get', `/api/enrollments${query}`, by.token);
  const ids = async (by: Person, query = '') => {
    const { body } = await list(by, query).expect(200);
    expect(body.pagination.totalItems).to.equal(body.enrollments.length);
    return idsOf(body.enrollments);
  };

  it('shows a trainee their own, a trainer those in their courses, the super admin all, newest first', async () => {
    const { adaOwn, otherOwn, adaForeign, otherForeign } = built;
    expect(await ids(cast.trainee)).to.deep.equal(idsOf([adaForeign, adaOwn]));
    expect(await ids(cast.owner)).to.deep.equal(idsOf([otherOwn, adaOwn]));
    expect(await ids(cast.foreign)).to.deep.equal(idsOf([otherForeign, adaForeign]));
    expect(await ids(cast.admin)).to.deep.equal(idsOf([otherForeign, adaForeign, otherOwn, adaOwn]));
  });

  it('filters by course, user and status within what the caller sees', async () => {
    const { adaOwn, otherOwn, adaForeign, otherForeign, own, foreign, other } = built;
    for (const [by, query, expected] of [
      [cast.trainee, `courseId=${own.id}`, [adaOwn]],
      [cast.trainee, `userId=${other.id}`, []],
      [cast.trainee, 'status=pending', [adaForeign]],
      [cast.owner, `courseId=${own.id}&status=cancelled`, [otherOwn]],
      [cast.owner, `courseId=${foreign.id}`, []],
      [cast.owner, `userId=${cast.trainee.user.id}`, [adaOwn]],
      [cast.admin, `userId=${other.id}`, [otherForeign, otherOwn]],
      [cast.admin, `courseId=${foreign.id}`, [otherForeign, adaForeign]],
      [cast.admin, 'status=active', [otherForeign, adaOwn]],
      [cast.admin, `courseId=${foreign.id}&userId=${other.id}&status=active`, [otherForeign]],
      [cast.admin, 'courseId=nothing', []],
      [cast.admin, `trainerId=${cast.owner.user.id}`, [otherOwn, adaOwn]],
      [cast.admin, `trainerId=${cast.owner.user.id}&userId=${other.id}`, [otherOwn]],
      [cast.owner, `trainerId=${cast.foreign.user.id}`, []],
      [cast.trainee, `trainerId=${cast.foreign.user.id}`, [adaForeign]],
      [cast.admin, 'status=pending,cancelled', [adaForeign, otherOwn]],
      [cast.owner, 'status=active,cancelled', [otherOwn, adaOwn]],
    ] as const)
      expect(await ids(by, `?${query}`), query).to.deep.equal(idsOf([...expected]));
  });

  it("searches the trainee's name and email within what the caller sees", async () => {
    const { adaOwn, otherOwn, adaForeign, otherForeign, own, other } = built;
    for (const [by, query, expected] of [
      [cast.admin, 'search=BABB', [otherForeign, otherOwn]],
      [cast.admin, `search=${other.email}`, [otherForeign, otherOwn]],
      [cast.admin, 'search=lovel&status=active', [adaOwn]],
      [cast.admin, 'search=', [otherForeign, adaForeign, otherOwn, adaOwn]],
      // Titles and trainers aren't searched.
      [cast.admin, 'search=compilers', []],
      [cast.admin, 'search=hopper', []],
      [cast.admin, 'search=%25', []],
      [cast.admin, `search=babb&courseId=${own.id}`, [otherOwn]],
      [cast.owner, 'search=babb', [otherOwn]],
      [cast.trainee, 'search=babb', []],
    ] as const)
      expect(await ids(by, `?${query}`), query).to.deep.equal(idsOf([...expected]));
  });

  it('finds the enrollments of many trainees as it finds those of few', async () => {
    const { context } = harness;
    const count = 1001;
    const fields = built.other.get({ plain: true });
    await context.database.models.User.bulkCreate(
      Array.from({ length: count }, (_, index) => ({
        ...fields,
        id: uuidv7(),
        email: `many${index}@example.org`,
        phone: `9${index}`,
        phoneKey: `9${index}`,
        searchKey: `many ${index}`,
      })),
    );
    const [someone] = await context.database.models.User.findAll({ where: { email: 'many7@example.org' } });
    const enrollment = await buildEnrollment(context, someone as typeof built.other, built.own);
    expect(await ids(cast.admin, '?search=many')).to.deep.equal([enrollment.id]);
    expect(await ids(cast.admin, '?search=many%207')).to.deep.equal([enrollment.id]);
  });

  it('sorts by date of enrollment or completion and by progress, either way, ties by id', async () => {
    const { adaOwn, otherOwn, adaForeign, otherForeign } = built;
    await adaOwn.update({ progress: 50, completedAt: day(9) });
    await otherForeign.update({ progress: 20, completedAt: day(8) });
    const none = [otherOwn, adaForeign];
    for (const [query, expected] of [
      ['sortBy=progress&sortOrder=ASC', [...none, otherForeign, adaOwn]],
      ['sortBy=progress', [adaOwn, otherForeign, ...[...none].reverse()]],
      ['sortBy=completedAt&sortOrder=ASC', [...none, otherForeign, adaOwn]],
      ['sortBy=completedAt&sortOrder=DESC', [adaOwn, otherForeign, ...[...none].reverse()]],
      ['sortOrder=ASC', [adaOwn, otherOwn, adaForeign, otherForeign]],
    ] as const) {
      const own = idsOf(expected.filter(({ courseId }) => courseId === built.own.id));
      expect(await ids(cast.owner, `?${query}`), query).to.deep.equal(own);
      expect(await ids(cast.admin, `?${query}&courseId=${built.own.id}`), query).to.deep.equal(own);
      const path = `/api/enrollments/trainer/${cast.owner.user.id}?${query}`;
      const { body } = await harness.api('get', path, cast.owner.token).expect(200);
      expect(idsOf(body.enrollments), path).to.deep.equal(own);
      const mine = idsOf(expected.filter(({ userId }) => userId === cast.trainee.user.id));
      expect(await ids(cast.trainee, `?${query}`), query).to.deep.equal(mine);
    }
    const oldest = [adaOwn, otherOwn, adaForeign, otherForeign];
    expect(await ids(cast.admin, '?sortOrder=ASC')).to.deep.equal(idsOf(oldest));
  });

  it('sorts all enrollments by the date of enrollment only', async () => {
    const response = await list(cast.admin, '?sortBy=progress&status=active');
    expectInvalid(response, ['sortBy'], 'query');
    expect(messageOf(response)).to.equal('sortBy must be enrolledAt unless courseId, userId or trainerId is given.');
  });

  it('shows an enrollment with exactly its fields, as its own page does', async () => {
    const { adaOwn, own } = built;
    const { id, firstName, lastName, email } = cast.trainee.user;
    const expected = {
      id: adaOwn.id,
      userId: id,
      courseId: own.id,
      status: 'active',
      progress: 0,
      notes: 'Mornings',
      enrolledAt: day(1).toISOString(),
      completedAt: null,
      user: { id, firstName, lastName, email, avatar: null },
      course: { id: own.id, title: 'Compilers', description: own.description, thumbnail: '/a.webp' },
    };
    const { body } = await list(cast.owner, `?userId=${id}`).expect(200);
    expect(body).to.deep.equal({ enrollments: [expected], pagination: { ...noPage, totalPages: 1, totalItems: 1 } });
    for (const by of [cast.trainee, cast.owner, cast.admin])
      expect((await harness.api('get', `/api/enrollments/${adaOwn.id}`, by.token).expect(200)).body).to.deep.equal({
        enrollment: expected,
      });
  });

  it("answers 404 for an enrollment that isn't there for the caller", async () => {
    for (const [by, id] of [
      [cast.foreign, built.adaOwn.id],
      [cast.trainee, built.otherOwn.id],
      [cast.admin, 'nothing'],
    ] as const)
      expectFailure(await harness.api('get', `/api/enrollments/${id}`, by.token), 404, 'Enrollment not found.');
  });

  it('is paged: none twice, none skipped, whatever ties there are', async () => {
    const trainees = await Promise.all([1, 2, 3, 4, 5].map(() => buildUser(harness.context)));
    for (const user of trainees) await buildEnrollment(harness.context, user, built.own, { enrolledAt: day(9) });
    for (const [by, query] of [
      [cast.owner, ''],
      [cast.admin, ''],
      [cast.admin, `&courseId=${built.own.id}`],
    ] as const) {
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4, 5, 6])
        seen.push(...idsOf((await list(by, `?limit=2&page=${page}${query}`).expect(200)).body.enrollments));
      expect(new Set(seen).size).to.equal(seen.length);
      expect(seen).to.have.length(by === cast.admin && query === '' ? 9 : 7);
      const tied = seen.slice(0, 5);
      expect(tied).to.deep.equal([...tied].sort().reverse());
    }
  });

  it('names every invalid parameter', async () => {
    const query = '?courseId=&userId=%00&trainerId=&status=done&sortBy=notes&sortOrder=up&page=0&limit=101';
    const paths = ['courseId', 'userId', 'trainerId', 'status', 'sortBy', 'sortOrder', 'page', 'limit'];
    expectInvalid(await list(cast.trainee, `${query}&search=${'x'.repeat(201)}`), [...paths, 'search'], 'query');
    for (const status of ['', 'active,', 'active,done', 'ACTIVE'])
      expectInvalid(await list(cast.trainee, `?status=${status}`), ['status'], 'query');
  });
});

describe('GET /api/enrollments/my', () => {
  const harness = useHarness();
  let cast: Cast;
  let built: Awaited<ReturnType<typeof buildEnrollments>>;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    built = await buildEnrollments(harness, cast);
  });
  const list = (query = '', by = cast.trainee) => harness.api('get', `/api/enrollments/my${query}`, by.token);

  it("lists the trainee's own in every status, newest first, with exactly these fields", async () => {
    const { body } = await list().expect(200);
    expect(idsOf(body.enrollments)).to.deep.equal(idsOf([built.adaForeign, built.adaOwn]));
    expect(body.pagination).to.deep.equal({ ...noPage, totalPages: 1, totalItems: 2 });
    const { id, firstName, lastName } = cast.owner.user;
    const { own, adaOwn } = built;
    expect(body.enrollments[1]).to.deep.equal({
      id: adaOwn.id,
      userId: cast.trainee.user.id,
      courseId: own.id,
      status: 'active',
      progress: 0,
      notes: 'Mornings',
      enrolledAt: day(1).toISOString(),
      completedAt: null,
      course: {
        id: own.id,
        title: 'Compilers',
        description: own.description,
        thumbnail: '/a.webp',
        trainer: { id, firstName, lastName },
      },
    });
  });

  it('filters by course and status; a user can’t be chosen', async () => {
    const seen = async (query: string) => idsOf((await list(`?${query}`).expect(200)).body.enrollments);
    expect(await seen('status=active')).to.deep.equal([built.adaOwn.id]);
    expect(await seen(`courseId=${built.foreign.id}`)).to.deep.equal([built.adaForeign.id]);
    expect(await seen(`courseId=${built.foreign.id}&status=active`)).to.deep.equal([]);
    expect(await seen(`userId=${built.other.id}`)).to.have.length(2);
    expect(await seen('status=active,pending')).to.have.length(2);
    expect(await seen('sortOrder=ASC')).to.deep.equal([built.adaOwn.id, built.adaForeign.id]);
    expectInvalid(await list('?status=done&limit=0&page=x'), ['status', 'limit', 'page'], 'query');
  });

  it('searches the course, not its trainee', async () => {
    const { sequelize } = harness.context.database;
    await sequelize.query("UPDATE courses SET search_key = 'kompilers crafts' WHERE title = 'Compilers'");
    const seen = async (query: string) => idsOf((await list(`?${query}`).expect(200)).body.enrollments);
    expect(await seen('search=CRAFT')).to.deep.equal([built.adaOwn.id]);
    expect(await seen('search=machines')).to.deep.equal([built.adaForeign.id]);
    expect(await seen('search=lovelace')).to.deep.equal([]);
  });

  it('is for trainees only', async () => {
    for (const by of [cast.owner, cast.admin])
      expectFailure(await list('', by), 403, 'Access denied. Trainee role required.');
  });
});

describe('Order of GET /api/enrollments/course/:courseId/trainees', () => {
  const harness = useHarness();

  it('is by date, progress or last name, either way, over pages', async () => {
    const { context } = harness;
    const cast = await castOf(context);
    const course = await buildCourse(context, cast.owner.user);
    const people = ['Curie', 'Babbage', 'Adler', 'Babbage'];
    const ids: string[] = [];
    for (const [index, lastName] of people.entries()) {
      const trainee = await buildUser(context, { lastName });
      const given = { status: 'active' as const, progress: 10 * index, enrolledAt: day(index + 1) };
      ids.push((await buildEnrollment(context, trainee, course, given)).id);
    }
    const order = async (query: string, limit = 3) => {
      const seen: number[] = [];
      for (const page of [1, 2, 3, 4]) {
        const path = `/api/enrollments/course/${course.id}/trainees?${query}&page=${page}&limit=${limit}`;
        const { body } = await harness.api('get', path, cast.owner.token).expect(200);
        for (const { enrollment } of body.trainees) seen.push(ids.indexOf(enrollment.id));
      }
      return seen;
    };
    for (const [query, expected] of [
      ['sortBy=lastName&sortOrder=ASC', [2, 1, 3, 0]],
      ['sortBy=lastName&sortOrder=DESC', [0, 3, 1, 2]],
      ['sortBy=lastName&sortOrder=ASC&search=babb', [1, 3]],
      ['sortBy=progress&sortOrder=ASC&status=active,pending', [0, 1, 2, 3]],
      ['status=pending,completed', []],
      ['sortOrder=DESC', [3, 2, 1, 0]],
    ] as const)
      for (const limit of [1, 3]) expect(await order(query, limit), query).to.deep.equal([...expected]);
  });
});

describe('GET /api/enrollments/stats/overview', () => {
  const harness = useHarness();
  const nothing = { total: 0, ...Object.fromEntries(enrollmentStatuses.map((status) => [status, 0])) };

  it('counts what the caller can see by status', async () => {
    const cast = await castOf(harness.context);
    const stats = async (by: Person) =>
      (await harness.api('get', '/api/enrollments/stats/overview', by.token).expect(200)).body;
    for (const by of Object.values(cast)) expect(await stats(by)).to.deep.equal({ stats: nothing });
    await buildEnrollments(harness, cast);
    const counted = (counts: object) => ({ stats: { ...nothing, ...counts } });
    expect(await stats(cast.trainee)).to.deep.equal(counted({ total: 2, active: 1, pending: 1 }));
    expect(await stats(cast.owner)).to.deep.equal(counted({ total: 2, active: 1, cancelled: 1 }));
    expect(await stats(cast.foreign)).to.deep.equal(counted({ total: 2, active: 1, pending: 1 }));
    expect(await stats(cast.admin)).to.deep.equal(counted({ total: 4, active: 2, pending: 1, cancelled: 1 }));
  });
});
