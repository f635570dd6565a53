import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, type Person, useCast } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

/** Creates two trainers with a course each. The trainee of the cast and another trainee are enrolled in both. */
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
  const cast = useCast(harness);
  let built: Awaited<ReturnType<typeof buildEnrollments>>;
  beforeEach(async () => {
    built = await buildEnrollments(harness, cast);
  });
  const list = (by: Person, query = '') => harness.api('get', `/api/enrollments${query}`, by.token);
  const ids = async (by: Person, query = '') => {
    const { body } = await list(by, query).expect(200);
    expect(body.pagination.totalItems).to.equal(body.enrollments.length);
    return idsOf(body.enrollments);
  };

  it('shows trainees their own enrollments, trainers those in their courses, and the super admin all, newest first', async () => {
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

  it('sorts by date of enrollment or completion and by progress, ascending and descending, ties by id', async () => {
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

  it('accepts lists of statuses with commas', async () => {
    for (const status of ['', 'active,', 'active,done', 'ACTIVE', 'active;pending'])
      expectInvalid(await list(cast.trainee, `?status=${status}`), ['status'], 'query');
  });
});

describe('GET /api/enrollments/trainer/:trainerId', () => {
  const harness = useHarness();

  it("searches the trainee's name and email and the course's title, with its filters and pages", async () => {
    const { context } = harness;
    const { owner, admin } = await castOf(context);
    const build = async (given: object, title: string, status: Enrollment['status'] = 'active') => {
      const course = await buildCourse(context, owner.user, { title });
      return (await buildEnrollment(context, await buildUser(context, given), course, { status })).id;
    };
    const jose = await build({ firstName: 'José', lastName: 'Núñez', email: 'j.n@example.org' }, 'Weaving');
    const percent = await build({ firstName: 'Per', lastName: 'Cent', email: 'a_b@example.org' }, '100% Señal');
    const pending = await build({ phone: '+1 555 7770001' }, 'Weaving too', 'pending');
    for (const [query, expected] of [
      ...['jose', 'NUÑEZ', 'josé nu', 'j.n@'].map((term) => [term, [jose]] as const),
      ...['%', '_', 'senal', 'PER CENT'].map((term) => [term, [percent]] as const),
      ['', [pending, percent, jose]],
      ['weav', [pending, jose]],
      ['weav&status=active', [jose]],
      ['weav&limit=1&page=2', [jose]],
      // Phones aren't searched, because the response doesn't show them.
      ...['7770001', "' OR 1=1 --"].map((term) => [term, []] as const),
    ] as const) {
      const [term = '', ...more] = query.split('&');
      const path = `/api/enrollments/trainer/${owner.user.id}?${['', ...more].join('&')}`;
      for (const by of [owner, admin]) {
        const { body } = await harness.api('get', `${path}&search=${encodeURIComponent(term)}`, by.token).expect(200);
        expect(idsOf(body.enrollments), query).to.deep.equal(expected);
      }
    }
  });
});

describe('GET /api/enrollments/my', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let built: Awaited<ReturnType<typeof buildEnrollments>>;
  beforeEach(async () => {
    built = await buildEnrollments(harness, cast);
  });
  const list = (query = '') => harness.api('get', `/api/enrollments/my${query}`, cast.trainee.token);

  it("filters by course and status, and searches the course; a user can't be chosen", async () => {
    const { adaOwn, adaForeign, foreign, other } = built;
    const { sequelize } = harness.context.database;
    await sequelize.query("UPDATE courses SET search_key = 'kompilers crafts' WHERE title = 'Compilers'");
    for (const [query, expected] of [
      ['status=active', [adaOwn]],
      [`courseId=${foreign.id}`, [adaForeign]],
      [`courseId=${foreign.id}&status=active`, []],
      [`userId=${other.id}`, [adaForeign, adaOwn]],
      ['status=active,pending', [adaForeign, adaOwn]],
      ['sortOrder=ASC', [adaOwn, adaForeign]],
      ['search=CRAFT', [adaOwn]],
      ['search=machines', [adaForeign]],
      ['search=lovelace', []],
    ] as const)
      expect(idsOf((await list(`?${query}`).expect(200)).body.enrollments), query).to.deep.equal(idsOf([...expected]));
  });
});

describe('GET /api/enrollments/course/:courseId/trainees', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  let ids: string[];
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user);
    const elsewhere = await buildCourse(harness.context, cast.owner.user);
    ids = [];
    for (const [index, status] of (['active', 'pending', 'active', 'completed'] as const).entries()) {
      const lastName = ['Curie', 'Babbage', 'Adler', 'Babbage'][index] ?? '';
      const trainee = await buildUser(harness.context, { lastName, email: `émile_${index}@example.org` });
      const given = { status, progress: 10 * index, enrolledAt: day(index + 1) };
      ids.push((await buildEnrollment(harness.context, trainee, course, given)).id);
      await buildEnrollment(harness.context, trainee, elsewhere);
    }
  });

  it('lists trainees of the course only, searched, filtered, and sorted by date, progress or last name over pages', async () => {
    const order = async (query: string, limit: number) => {
      const seen: number[] = [];
      for (const page of [1, 2, 3, 4]) {
        const path = `/api/enrollments/course/${course.id}/trainees?${query}&page=${page}&limit=${limit}`;
        const { body } = await harness.api('get', path, cast.owner.token).expect(200);
        for (const { enrollment } of body.trainees) seen.push(ids.indexOf(enrollment.id));
      }
      return seen;
    };
    for (const [query, expected] of [
      ['', [3, 2, 1, 0]],
      ['sortBy=lastName&sortOrder=ASC', [2, 1, 3, 0]],
      ['sortBy=lastName&sortOrder=DESC', [0, 3, 1, 2]],
      ['sortBy=lastName&sortOrder=ASC&search=babb', [1, 3]],
      ['sortBy=progress&sortOrder=ASC&status=active,pending', [0, 1, 2]],
      ['status=completed', [3]],
      ['status=active&search=adler', [2]],
      ['status=cancelled', []],
      ['search=EMILE_1@', [1]],
      ...['%25', "'", 'Lovelace', '_9'].map((term) => [`search=${term}`, []] as const),
    ] as const)
      for (const limit of [1, 3]) expect(await order(query, limit), query).to.deep.equal([...expected]);
  });
});

describe('GET /api/enrollments/available-trainees', () => {
  const harness = useHarness();

  it('lists active trainees who can be enrolled, by name', async () => {
    const { context } = harness;
    const { owner, trainee } = await castOf(context);
    const course = await buildCourse(context, owner.user);
    await buildEnrollment(context, trainee.user, await buildCourse(context, owner.user));
    await buildUser(context, { isActive: false });
    for (const status of ['pending', 'active', 'completed'] as const)
      await buildEnrollment(context, await buildUser(context), course, { status });
    const again = await buildUser(context, { lastName: "O'Érin", email: 'erin_1@example.org' });
    await buildEnrollment(context, again, course, { status: 'cancelled' });
    const found = async (term = '', courseId = course.id) => {
      const query = `courseId=${courseId}&search=${encodeURIComponent(term)}`;
      const path = `/api/enrollments/available-trainees?${query}`;
      const { body } = await harness.api('get', path, owner.token).expect(200);
      return idsOf(body.trainees);
    };
    expect(await found()).to.deep.equal([trainee.user.id, again.id]);
    for (const term of ["o'erin", 'ERIN_1@', '_1']) expect(await found(term)).to.deep.equal([again.id]);
    for (const term of ['%', '_2', 'hopper', '\\']) expect(await found(term)).to.deep.equal([]);
    const body = { courseId: course.id, traineeIds: await found() };
    const assigned = await harness.api('post', '/api/enrollments/bulk', owner.token).send(body).expect(201);
    expect(assigned.body.skipped).to.deep.equal([]);
    expect(await found()).to.deep.equal([]);
    const without = await harness.api('get', '/api/enrollments/available-trainees', owner.token);
    expectInvalid(without, ['courseId'], 'query');
    expect(messageOf(without)).to.equal('courseId is required.');
  });
});

describe('POST /api/enrollments/available-trainees', () => {
  const harness = useHarness();
  const find = (by: Person, courseId: string, emails: unknown) =>
    harness.api('post', '/api/enrollments/available-trainees', by.token).send({ courseId, emails });

  it('finds active trainees who can be enrolled, and names the other emails as given', async () => {
    const { context } = harness;
    const { owner, admin } = await castOf(context);
    const course = await buildCourse(context, owner.user);
    const enrolled = await buildUser(context);
    await buildEnrollment(context, enrolled, course, { status: 'completed' });
    const again = await buildUser(context, { lastName: 'Yu', email: 'yu@example.org' });
    await buildEnrollment(context, again, course, { status: 'cancelled' });
    const free = await buildUser(context, { lastName: 'Xu', email: 'x\u00fc@example.org' });
    const inactive = await buildUser(context, { isActive: false });
    // The response is the same for emails of nobody, of other accounts, and of trainees in the course.
    const others = [enrolled, inactive, owner.user, admin.user].map(({ email }) => email);
    const unavailable = [...others, 'nobody@example.org', 'no email', "'; --"];
    for (const by of [owner, admin]) {
      const emails = ['YU@example.org ', ...unavailable, 'X\u00dc@Example.org', 'yu@example.org'];
      const { body } = await find(by, course.id, emails).expect(200);
      expect(idsOf(body.trainees)).to.deep.equal(idsOf([free, again]));
      expect(body.unavailable).to.deep.equal(unavailable);
      expect(Object.keys(body.trainees[0])).to.have.members(['id', 'firstName', 'lastName', 'email', 'avatar']);
    }
  });

  it('refuses other trainers and unknown courses, and never says whether an email has an account', async () => {
    const { context } = harness;
    const { owner, foreign, trainee } = await castOf(context);
    const course = await buildCourse(context, owner.user);
    const published = await buildCourse(context, owner.user, { isPublished: true });
    const email = (await buildUser(context)).email;
    for (const emails of [[email], ['nobody@example.org']]) {
      expectFailure(await find(foreign, published.id, emails), 'OTHER_TRAINER');
      expectFailure(await find(foreign, course.id, emails), 'NOT_FOUND', 'Course not found.');
      expectFailure(await find(owner, 'unknown', emails), 'NOT_FOUND', 'Course not found.');
      expect((await find(trainee, course.id, emails)).status).to.equal(403);
    }
  });

  it('takes 1 to 1,000 emails', async () => {
    const { context } = harness;
    const { owner } = await castOf(context);
    const course = await buildCourse(context, owner.user);
    const emails = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(254, 'ü'));
    expect((await find(owner, course.id, emails(1000)).expect(200)).body.unavailable).to.have.length(1000);
    for (const wrong of [[], emails(1001), undefined, null, 'a@example.org', 5])
      expectInvalid(await find(owner, course.id, wrong), ['emails']);
    expectInvalid(await find(owner, course.id, ['a@example.org', 5, 'x'.repeat(255)]), ['emails.1', 'emails.2']);
  });
});
