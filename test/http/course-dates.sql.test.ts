import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf } from './support/cast.js';

describe('Requests for a place in a course with dates', () => {
  const harness = useHarness({ TIME_ZONE: 'Europe/Berlin' });
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });

  const dated = (fields: object) => buildCourse(harness.context, cast.owner.user, { isPublished: true, ...fields });
  const ask = (courseId: string) => harness.api('post', '/api/enrollments', cast.trainee.token).send({ courseId });
  const day = (offset: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(
      new Date(harness.context.now().getTime() + offset * 86_400_000),
    );

  it('are refused after the last day, and after the last day for requests', async () => {
    const ended = await dated({ endDate: day(-1), enrollUntil: day(-1) });
    expect((await ask(ended.id).expect(400)).body).to.deep.equal({ error: 'Course has ended.' });
    const closed = await dated({ endDate: day(1), enrollUntil: day(-1) });
    expect((await ask(closed.id).expect(400)).body).to.deep.equal({ error: 'Enrollment has closed.' });
    const last = await dated({ endDate: day(0), enrollUntil: day(0) });
    await ask(last.id).expect(201);
  });

  it('are refused for a course that is not published first, and before its seats are counted', async () => {
    const draft = await dated({ endDate: day(-1), isPublished: false });
    expect((await ask(draft.id)).body.error).to.equal('Course is not published.');
    const full = await dated({ endDate: day(-1), maxStudents: 1 });
    await buildEnrollment(harness.context, await buildUser(harness.context), full, { status: 'active' });
    expect((await ask(full.id)).body.error).to.equal('Course has ended.');
  });

  it('are refused when a cancelled one is asked for again; managers may still assign', async () => {
    const ended = await dated({ endDate: day(-1) });
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, ended, { status: 'cancelled' });
    const again = harness.api('put', `/api/enrollments/${id}/status`, cast.trainee.token).send({ status: 'pending' });
    expect((await again.expect(400)).body).to.deep.equal({ error: 'Course has ended.' });
    const body = { courseId: ended.id, traineeId: cast.trainee.user.id };
    await harness.api('post', '/api/enrollments/assign', cast.owner.token).send(body).expect(201);
  });
});
