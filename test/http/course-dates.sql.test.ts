import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { useCast } from './support/cast.js';
import { expectInvalid } from './support/expectations.js';

const dayMs = 86_400_000;

describe('Requests for enrollment in a course with dates', () => {
  const harness = useHarness({ TIME_ZONE: 'Europe/Berlin' });
  const cast = useCast(harness);

  const dated = (fields: object) => buildCourse(harness.context, cast.owner.user, { isPublished: true, ...fields });
  const ask = (courseId: string) => harness.api('post', '/api/enrollments', cast.trainee.token).send({ courseId });
  const day = (offset: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(
      new Date(harness.context.now().getTime() + offset * dayMs),
    );

  it('are refused after the last day of the course, and after the last day for requests', async () => {
    const ended = await dated({ endDate: day(-1), enrollUntil: day(-1) });
    expect((await ask(ended.id).expect(400)).body).to.deep.equal({ error: 'Course has ended.' });
    const closed = await dated({ endDate: day(1), enrollUntil: day(-1) });
    expect((await ask(closed.id).expect(400)).body).to.deep.equal({ error: 'Enrollment has closed.' });
    const last = await dated({ endDate: day(0), enrollUntil: day(0) });
    await ask(last.id).expect(201);
  });

  it('are refused first for an unpublished course, then for its dates, then for a full course', async () => {
    const draft = await dated({ endDate: day(-1), isPublished: false });
    expect((await ask(draft.id)).body.error).to.equal('Course is not published.');
    const full = await dated({ endDate: day(-1), maxStudents: 1 });
    await buildEnrollment(harness.context, await buildUser(harness.context), full, { status: 'active' });
    expect((await ask(full.id)).body.error).to.equal('Course has ended.');
  });

  it('are refused for cancelled enrollments, too, but managers may still assign', async () => {
    const ended = await dated({ endDate: day(-1) });
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, ended, { status: 'cancelled' });
    const again = harness.api('put', `/api/enrollments/${id}/status`, cast.trainee.token).send({ status: 'pending' });
    expect((await again.expect(400)).body).to.deep.equal({ error: 'Course has ended.' });
    const body = { courseId: ended.id, traineeId: cast.trainee.user.id };
    await harness.api('post', '/api/enrollments/assign', cast.owner.token).send(body).expect(201);
  });
});

describe('Lists of courses with dates', () => {
  const timeZone = 'Pacific/Kiritimati';
  const harness = useHarness({ TIME_ZONE: timeZone });
  const cast = useCast(harness);
  const day = (offset: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(harness.context.now().getTime() + offset * dayMs));
  beforeEach(async () => {
    // At noon UTC, this time zone already has the next day.
    harness.advance((1.5 * dayMs - (harness.context.now().getTime() % dayMs)) % dayMs);
    for (const [title, first, last] of [
      ['undated', null, null],
      ['next', 5, 5],
      ['starts today', 0, 0],
      ['ended', -200, -1],
      ['ends today', -100, 0],
      ['running', -50, null],
      ['only until', null, 150],
      ['long ended', -2000, -1999],
      ['later', 200, 230],
      ['ended, undated', null, -2],
    ] as const) {
      const dates = { startDate: first === null ? null : day(first), endDate: last === null ? null : day(last) };
      const course = await buildCourse(harness.context, cast.owner.user, { title, ...dates, isPublished: true });
      await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    }
  });

  const running = ['ends today', 'running'];
  const upcoming = ['starts today', 'next', 'later'];
  const undated = ['only until', 'undated'];
  const ended = ['ended, undated', 'long ended', 'ended'];
  const soonest = [...upcoming, ...running, ...undated, ...ended];
  const ownSoonest = [...running, ...upcoming, ...undated, ...ended];
  interface Listed {
    id: string;
    title?: string;
    course?: { title: string };
  }
  const lists = [
    ['/api/courses', 'trainee', soonest],
    ['/api/courses/trainer/:id', 'owner', soonest],
    ['/api/enrollments/my', 'trainee', ownSoonest],
  ] as const;

  for (const [path, who, sorted] of lists) {
    const coming = sorted.slice(0, -ended.length);
    const read = async (query: Record<string, string | number>) => {
      const url = path.replace(':id', cast.owner.user.id);
      const { body } = await harness.api('get', url, cast[who].token).query(query).expect(200);
      const items = (body.courses ?? body.enrollments) as Listed[];
      return { ids: items.map(({ id }) => id), titles: items.map(({ title, course }) => title ?? course?.title), body };
    };

    it(`${path} lists all courses, ended ones, or the others`, async () => {
      for (const query of [{}, { ended: 'all' }]) expect((await read(query)).titles).to.have.members(sorted);
      const { titles, body } = await read({ ended: 'false' });
      expect(titles).to.have.members(coming);
      expect(body.pagination.totalItems).to.equal(coming.length);
      expect((await read({ ended: 'true' })).titles).to.have.members(ended);
      const url = path.replace(':id', cast.owner.user.id);
      expectInvalid(await harness.api('get', url, cast[who].token).query({ ended: 'maybe' }), ['ended'], 'query');
    });

    it(`${path} lists upcoming and running courses first, courses without a first day later, and ended ones last`, async () => {
      for (const sortOrder of ['ASC', 'DESC'])
        expect((await read({ sortBy: 'soonest', sortOrder })).titles).to.deep.equal(sorted);
      expect((await read({ sortBy: 'soonest', ended: 'false' })).titles).to.deep.equal(coming);
    });

    it(`${path} returns pages in this order, by number and after an id`, async () => {
      const [byNumber, byId]: (string | undefined)[][] = [[], []];
      let afterId: string | undefined;
      for (let page = 1; page <= 5; page += 1) {
        const query = { sortBy: 'soonest', limit: 2, page };
        byNumber?.push(...(await read(query)).titles);
        const { ids, titles } = await read({ ...query, ...(afterId !== undefined && { afterId }) });
        byId?.push(...titles);
        afterId = ids.at(-1);
      }
      expect(byNumber).to.deep.equal(sorted);
      expect(byId).to.deep.equal(sorted);
    });
  }

  it('of trainees end with their cancelled enrollments', async () => {
    const { Course, Enrollment } = harness.context.database.models;
    const { id } = await Course.findOne({ where: { title: 'next' }, rejectOnEmpty: true });
    await Enrollment.update({ status: 'cancelled' }, { where: { courseId: id } });
    const titles: string[] = [];
    for (let page = 1; page <= 4; page += 1) {
      const query = { sortBy: 'soonest', limit: 3, page };
      const { body } = await harness.api('get', '/api/enrollments/my', cast.trainee.token).query(query).expect(200);
      titles.push(...body.enrollments.map(({ course }: Required<Listed>) => course.title));
    }
    expect(titles).to.deep.equal([...ownSoonest.filter((title) => title !== 'next'), 'next']);
  });

  it('filtered by seats are sorted in the same order', async () => {
    const query = { sortBy: 'soonest', seatsLeft: 'true', ended: 'false', limit: 4 };
    const { body } = await harness.api('get', '/api/courses').query(query).expect(200);
    expect(body.courses.map(({ title }: Listed) => title)).to.deep.equal(soonest.slice(0, 4));
  });

  it('of trainees contain date, location and type of their courses, unless the course is hidden from them', async () => {
    const { Course, Enrollment } = harness.context.database.models;
    const dates = { courseType: 'hybrid', startDate: day(5), endDate: day(6), location: 'Room 5' } as const;
    await Course.update(dates, { where: { title: 'next' } });
    const shown = async () => {
      const { body } = await harness.api('get', '/api/enrollments/my?search=next', cast.trainee.token).expect(200);
      const { courseType, startDate, endDate, location } = body.enrollments[0].course;
      return { courseType, startDate, endDate, location };
    };
    expect(await shown()).to.deep.equal(dates);
    await Course.update({ isPublished: false }, { where: { title: 'next' } });
    await Enrollment.update({ status: 'cancelled' }, { where: {} });
    expect(await shown()).to.deep.equal({ courseType: null, startDate: null, endDate: null, location: null });
    const { body } = await harness.api('post', '/api/auth/check-enrollment', cast.trainee.token).expect(200);
    for (const { course } of body.enrollments)
      expect(course).to.have.all.keys('id', 'title', 'description', 'thumbnail', 'trainer');
  });
});
