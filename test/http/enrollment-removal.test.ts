import { expect } from 'chai';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { buildCourse, buildEnrollment } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, changesOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

const roleRefusal = 'Access denied. Trainer or Super admin role required.';

describe('DELETE /api/enrollments/:id and /api/enrollments/bulk/remove', () => {
  const harness = useHarness();
  let cast: Cast;
  let own: Enrollment[];
  let other: Enrollment;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    const build = async (trainer: Person, status: Enrollment['status']) =>
      buildEnrollment(harness.context, cast.trainee.user, await buildCourse(harness.context, trainer.user), { status });
    own = [await build(cast.owner, 'active'), await build(cast.owner, 'completed'), await build(cast.owner, 'pending')];
    other = await build(cast.foreign, 'active');
  });
  const remove = (id: string, by = cast.owner) => harness.api('delete', `/api/enrollments/${id}`, by.token);
  const removeAll = (enrollmentIds: unknown, by = cast.owner) =>
    harness.api('delete', '/api/enrollments/bulk/remove', by.token).send({ enrollmentIds });
  const count = () => harness.context.database.models.Enrollment.count();
  const shown = ({ id, userId, courseId, status, enrolledAt }: Enrollment) => ({
    id,
    userId,
    courseId,
    status,
    progress: 0,
    notes: null,
    enrolledAt: enrolledAt.toISOString(),
    completedAt: null,
  });
  const first = () => own[0] as Enrollment;

  it('removes one, in any status, and answers with what it was', async () => {
    for (const enrollment of own)
      expect((await remove(enrollment.id).expect(200)).body).to.deep.equal({
        message: 'Enrollment removed successfully.',
        removedEnrollments: [shown(enrollment)],
      });
    await remove(other.id, cast.admin).expect(200);
    expect(await count()).to.equal(0);
    expectFailure(await remove(first().id), 404, 'Enrollment not found.');
  });

  it('removes many, and answers with what they were and how many', async () => {
    const ids = own.map(({ id }) => id);
    const { body } = await removeAll([...ids].reverse()).expect(200);
    expect(body).to.deep.equal({
      message: 'Enrollments removed successfully.',
      removedCount: 3,
      removedEnrollments: own.map(shown),
    });
    expect(await count()).to.equal(1);
  });

  it('removes all or nothing', async () => {
    const ids = own.map(({ id }) => id);
    for (const surplus of ['nothing', other.id])
      expectFailure(await removeAll([...ids, surplus]), 404, 'Enrollment not found.');
    expect(await count()).to.equal(4);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
    await removeAll([...ids, other.id], cast.admin).expect(200);
    expect(await count()).to.equal(0);
  });

  it('takes a list of 1 to 500 different ids', async () => {
    const ids = (length: number) => Array.from({ length }, (_, index) => `id${index}`);
    for (const wrong of [[], ids(501), undefined, null, 'id', {}, 5])
      expectInvalid(await removeAll(wrong), ['enrollmentIds']);
    expectInvalid(await removeAll([first().id, ` ${first().id}`]), ['enrollmentIds.1']);
    expectInvalid(
      await removeAll(['x', 5, '', null]),
      [1, 2, 3].map((index) => `enrollmentIds.${index}`),
    );
    expectFailure(await removeAll(ids(500)), 404, 'Enrollment not found.');
  });

  it("is refused to trainees; another trainer's enrollments aren't there", async () => {
    expectFailure(await remove(first().id, cast.trainee), 403, roleRefusal);
    expectFailure(await removeAll([first().id], cast.trainee), 403, roleRefusal);
    expectFailure(await remove(first().id, cast.foreign), 404, 'Enrollment not found.');
    expectFailure(await removeAll([first().id], cast.foreign), 404, 'Enrollment not found.');
    expect(await count()).to.equal(4);
  });

  it('records what they were', async () => {
    await removeAll(own.map(({ id }) => id)).expect(200);
    for (const { id, userId, courseId, status, enrolledAt } of own) {
      const when = { enrolledAt: enrolledAt.toISOString(), completedAt: null };
      const before = { userId, courseId, status, progress: 0, notes: null, ...when };
      expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
        { action: 'enrollment.remove', before, after: null },
      ]);
    }
  });
});
