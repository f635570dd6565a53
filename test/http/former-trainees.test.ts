import { expect } from 'chai';
import type { Test } from 'supertest';
import type { User } from '../../src/db/models/user.js';
import { actorOf } from '../../src/services/core.js';
import { changeStatus } from '../../src/services/enrollments/changes.js';
import { requestEnrollment } from '../../src/services/enrollments/commands.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure } from './support/expectations.js';

describe('A trainee who has become a trainer', () => {
  const harness = useHarness();

  it("can't be let in again where they had cancelled as a trainee", async () => {
    const { user: trainer, token } = await signIn(harness.context, { role: 'trainer' });
    const former = await buildUser(harness.context);
    const course = await buildCourse(harness.context, trainer);
    const enrollment = await buildEnrollment(harness.context, former, course, { status: 'cancelled' });
    await former.update({ role: 'trainer' });
    const change = harness.api('put', `/api/enrollments/${enrollment.id}/status`, token);
    expectFailure(await change.send({ status: 'active' }), 404, 'Trainee not found.');
  });

  it("can't ask for a place while their session as a trainee ends", async () => {
    const { context } = harness;
    const course = await buildCourse(context, await buildUser(context, { role: 'trainer' }), { isPublished: true });
    const fresh = await buildUser(context);
    const again = await buildUser(context);
    const { id } = await buildEnrollment(context, again, course, { status: 'cancelled' });
    // As they were when the request came in.
    const asTrainee = (user: User) => ({
      user,
      sessionId: '',
      sessionExpiresAt: new Date(),
      ip: null,
      userAgent: null,
    });
    await context.database.models.User.update({ role: 'trainer' }, { where: { role: 'trainee' } });
    for (const attempt of [
      () => requestEnrollment(context, asTrainee(fresh), { courseId: course.id }),
      () => changeStatus(context, actorOf(asTrainee(again)), id, { status: 'pending' }),
    ])
      expect((await attempt().catch((error: unknown) => error)) as object).to.include({ code: 'TOKEN_INVALID' });
  });

  it('has no place in a course, even where one was given at the same moment', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    const { id: courseId } = await buildCourse(harness.context, trainer, { isPublished: true });
    const people: Awaited<ReturnType<typeof signIn>>[] = [];
    for (let index = 0; index < 30; index += 1) people.push(await signIn(harness.context));
    const ways = [
      ({ user: { id: traineeId } }) =>
        harness.api('post', '/api/enrollments/assign', token).send({ courseId, traineeId }),
      ({ user: { id } }) => harness.api('post', '/api/enrollments/bulk', token).send({ courseId, traineeIds: [id] }),
      (person) => harness.api('post', '/api/enrollments', person.token).send({ courseId }),
    ] satisfies ((person: (typeof people)[number]) => Test)[];
    await Promise.all(
      people.flatMap((person, index) => [
        ways[index % ways.length]?.(person),
        harness.api('put', `/api/users/${person.user.id}`, token).send({ role: 'trainer' }),
      ]),
    );
    const { User, Enrollment } = harness.context.database.models;
    const trainers = await User.findAll({ where: { role: 'trainer' } });
    const places = await Enrollment.count({ where: { userId: trainers.map(({ id }) => id) } });
    const given = await Enrollment.count();
    expect({ places, trainers: trainers.length }).to.deep.equal({ places: 0, trainers: 1 + people.length - given });
  });
});
