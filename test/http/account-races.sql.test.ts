import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Response } from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { relaxedDeadlines, useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';
import { expectFailure } from './support/expectations.js';

/** Time after which a request waits for the lock, in milliseconds. */
const aMoment = 300;

describe('Accounts that change during an enrollment or the assignment of a course', () => {
  const harness = useHarness({}, undefined, { deadlines: relaxedDeadlines });
  const cast = useCast(harness);
  let course: Course;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user, { isPublished: true });
  });
  const call = async (by: Person, method: 'post' | 'put', path: string, body: object): Promise<Response> =>
    harness.api(method, path, by.token).send(body);

  /** Returns the response to a request that arrives just before a change of an account is committed. */
  async function meanwhile(user: User, changes: Partial<User>, request: () => Promise<Response>): Promise<Response> {
    const { database } = harness.context;
    let response: Promise<Response> | undefined;
    await database.inTransaction(async (transaction) => {
      await database.models.User.update(changes, { where: { id: user.id }, transaction });
      response ??= request();
      await sleep(aMoment);
    });
    if (!response) throw new Error('Nothing was asked.');
    return response;
  }
  const seats = () => harness.context.database.models.Enrollment.count({ where: { status: ['pending', 'active'] } });

  for (const [what, changes, code, words] of [
    ['become trainers', { role: 'trainer' }, 'NOT_FOUND', 'Trainee not found.'],
    ['are deactivated', { isActive: false }, 'ACCOUNT_INACTIVE', 'Trainee account is inactive.'],
  ] as const) {
    it(`get no enrollment when they ${what}: requested, assigned, or requested again`, async () => {
      const { user } = cast.trainee;
      const ids = { courseId: course.id, traineeId: user.id };
      const ask = () => call(cast.trainee, 'post', '/api/enrollments', { courseId: course.id });
      const assign = () => call(cast.owner, 'post', '/api/enrollments/assign', ids);
      const { id } = await buildEnrollment(harness.context, user, course, { status: 'cancelled' });
      const revive = () => call(cast.owner, 'put', `/api/enrollments/${id}/status`, { status: 'active' });
      for (const request of [ask, assign, revive]) {
        const response = await meanwhile(user, changes, request);
        // A request by a trainee fails because of the ended session, or on a busy machine because of the role.
        if (request === ask) expect(response.status).to.be.oneOf([401, 403]);
        else expectFailure(response, code, words);
        await harness.context.database.models.User.update(
          { role: 'trainee', isActive: true },
          { where: { id: user.id } },
        );
      }
      const body = { courseId: course.id, traineeIds: [user.id] };
      const bulk = await meanwhile(user, changes, () => call(cast.owner, 'post', '/api/enrollments/bulk', body));
      expect(bulk.body).to.deep.include({ enrollments: [], skipped: [{ traineeId: user.id, code, reason: words }] });
      expect(await seats()).to.equal(0);
    });
  }

  it('get no course if they are deactivated or become trainees during the request', async () => {
    for (const [changes, code, words] of [
      [{ isActive: false }, 'ACCOUNT_INACTIVE', 'Trainer account is inactive.'],
      [{ role: 'trainee' }, 'NOT_FOUND', 'Trainer not found.'],
    ] as const) {
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      const named = { title: 'Looms', description: 'Wood.', trainerId: trainer.id };
      const create = () => call(cast.admin, 'post', '/api/courses', named);
      expectFailure(await meanwhile(trainer, changes, create), code, words);
      const next = await buildUser(harness.context, { role: 'trainer' });
      const assign = () => call(cast.admin, 'put', `/api/courses/${course.id}/assign-trainer`, { trainerId: next.id });
      expectFailure(await meanwhile(next, changes, assign), code, words);
    }
  });

  it('have no enrollments after they are deleted during the request, and cause no errors', async () => {
    for (let round = 0; round < 5; round += 1) {
      const trainee = await buildUser(harness.context);
      const ids = { courseId: course.id, traineeId: trainee.id };
      const [deleted, ...others] = await Promise.all([
        harness.api('delete', `/api/users/${trainee.id}`, cast.admin.token),
        call(cast.owner, 'post', '/api/enrollments/assign', ids),
        call(cast.admin, 'post', '/api/enrollments/bulk', { courseId: course.id, traineeIds: [trainee.id] }),
      ]);
      expect(deleted.status, deleted.text).to.equal(200);
      for (const { status, text } of others) expect(status, text).to.be.oneOf([201, 400, 404]);
    }
    expect(await seats()).to.equal(0);
  });
});
