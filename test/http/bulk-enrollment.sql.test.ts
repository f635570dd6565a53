import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { changesOf, useCast } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

interface Shown {
  id: string;
  userId: string;
  enrolledAt: string;
  replyAt: string | null;
  certificate: string | null;
  waitingPlace: number | null;
}

const paths = { traineeIds: '/api/enrollments/bulk', enrollmentIds: '/api/enrollments/bulk/remove' } as const;
const idsTo = (length: number) => Array.from({ length }, (_, index) => `id${index}`);

describe('Bulk changes of enrollments', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  let course: Course;
  beforeEach(async () => {
    course = await buildCourse(harness.context, cast.owner.user);
  });
  const assign = (traineeIds: unknown, body: object = {}, by = cast.owner) =>
    harness.api('post', paths.traineeIds, by.token).send({ courseId: course.id, traineeIds, ...body });
  const remove = (enrollmentIds: unknown, by = cast.owner) =>
    harness.api('delete', paths.enrollmentIds, by.token).send({ enrollmentIds });
  async function trainees(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let built = 0; built < count; built += 1) ids.push((await buildUser(harness.context)).id);
    return ids;
  }
  const models = () => harness.context.database.models;
  const count = () => models().Enrollment.count();

  it('enroll trainees in the order of the list, and skip others with a reason', async () => {
    const [fresh = '', ...enrolled] = await trainees(4);
    const inactive = await buildUser(harness.context, { isActive: false });
    for (const [index, status] of (['pending', 'active', 'completed'] as const).entries()) {
      const user = await models().User.findByPk(enrolled[index] ?? '', { rejectOnEmpty: true });
      await buildEnrollment(harness.context, user, course, { status });
    }
    const ids = ['nobody', ...enrolled, cast.owner.user.id, fresh, inactive.id, cast.admin.user.id];
    const { body } = await assign(ids).expect(201);
    expect(body).to.have.all.keys('message', 'enrollments', 'skipped');
    expect(body.message).to.equal('Trainees enrolled successfully.');
    expect(body.enrollments.map(({ userId }: Shown) => userId)).to.deep.equal([fresh]);
    expect(await models().Enrollment.count({ where: { trainerId: cast.owner.user.id } })).to.equal(4);
    const skipped = (code: string, reason: string, ...people: string[]) =>
      people.map((traineeId) => ({ traineeId, reason, code }));
    expect(body.skipped).to.deep.equal([
      ...skipped('NOT_FOUND', 'Trainee not found.', 'nobody'),
      ...skipped('ALREADY_ENROLLED', 'Already enrolled in this course.', ...enrolled),
      ...skipped('NOT_FOUND', 'Trainee not found.', cast.owner.user.id),
      ...skipped('ACCOUNT_INACTIVE', 'Trainee account is inactive.', inactive.id),
      ...skipped('NOT_FOUND', 'Trainee not found.', cast.admin.user.id),
    ]);
  });

  it('add trainees without a seat to the end of the waiting list with whenFull, in their order, without a mail', async () => {
    await course.update({ maxStudents: 2, waitingMax: 5, isPublished: true });
    const [active = '', first = '', second = '', ...ids] = await trainees(6);
    for (const [userId, status] of [
      [active, 'active'],
      [first, 'waiting'],
      [second, 'waiting'],
    ] as const) {
      const user = await models().User.findByPk(userId, { rejectOnEmpty: true });
      await buildEnrollment(harness.context, user, course, { status });
    }
    const given = { status: 'cancelled' as const, cancelReason: 'left' as const };
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, given);
    // The first trainee of the list gets the free seat.
    const list = [ids[2], cast.trainee.user.id, ids[0], first];
    const { body } = await assign(list, { whenFull: 'wait', reply: 'Soon' }).expect(201);
    const shown = new Map<string, Shown & { status: string; reply: string }>(
      body.enrollments.map((one: Shown) => [one.userId, one]),
    );
    expect(list.map((one = '') => shown.get(one)?.status)).to.deep.equal(['waiting', 'waiting', 'waiting', undefined]);
    expect(list.map((one = '') => shown.get(one)?.waitingPlace)).to.deep.equal([3, 4, 5, undefined]);
    expect(shown.get(cast.trainee.user.id)).to.include({ id, reply: 'Soon', cancelReason: null });
    expect(
      body.skipped.map(({ traineeId, code }: { traineeId: string; code: string }) => [traineeId, code]),
    ).to.deep.equal([[first, 'ALREADY_ENROLLED']]);
    const moved = await models().Enrollment.findOne({ where: { userId: first }, rejectOnEmpty: true });
    expect(moved.status).to.equal('pending');
    const audited = await models().AuditEntry.findAll({ where: { action: 'enrollment.assign' } });
    expect(audited.map(({ actorId, after }) => [actorId, after?.status])).to.deep.equal(
      Array(3).fill([cast.owner.user.id, 'waiting']),
    );
    await course.update({ waitingMax: 4 });
    const full = 'Course is at maximum capacity, and its waiting list is full. Raise one of its limits.';
    expectFailure(await assign([ids[1]], { whenFull: 'wait' }), 'WAITING_LIST_FULL', full);
    await course.update({ maxStudents: 3, waitingMax: 0 });
    expectFailure(
      await assign([ids[1], (await buildUser(harness.context)).id], { whenFull: 'wait' }),
      'WAITING_LIST_FULL',
      'Course is at maximum capacity, and has no waiting list. Raise one of its limits.',
    );
    expect(await count()).to.equal(6);
  });

  it('enroll nobody if there are too few seats for all, including trainees with cancelled enrollments', async () => {
    await course.update({ maxStudents: 4 });
    const ids = await trainees(2);
    const given = { status: 'cancelled' as const, enrolledAt: new Date('2020-01-01'), progress: 30, notes: 'Before' };
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, given);
    for (const status of ['pending', 'active', 'cancelled', 'completed'] as const)
      await buildEnrollment(harness.context, await buildUser(harness.context), course, { status });
    const tooFew =
      'The course has 2 seats left, and 3 trainees would be enrolled: none was. Choose fewer, raise its maximum, or use its waiting list for the others (whenFull: wait).';
    expectFailure(await assign([...ids, cast.trainee.user.id]), 'COURSE_FULL', tooFew, { seatsLeft: 2, wanted: 3 });
    expect(await count()).to.equal(5);
    expect(await models().AuditEntry.count()).to.equal(0);
    // Skipped trainees take no seats.
    const { body } = await assign([...ids.slice(0, 1), 'nobody', cast.trainee.user.id]).expect(201);
    expect(body.enrollments).to.have.length(2);
    const again = body.enrollments.find(({ userId }: Shown) => userId === cast.trainee.user.id);
    expect(again).to.include({ id, status: 'active', progress: 30, notes: 'Before' });
    expect(Date.parse(again.enrolledAt)).to.be.above(Date.parse('2025-01-01'));
    expectFailure(
      await assign(ids.slice(1)),
      'COURSE_FULL',
      'Course is at maximum capacity. Raise its maximum, or use its waiting list (whenFull: wait).',
    );
  });

  it('are recorded for each enrollment: new ones completely, cancelled ones with their changes, removed ones as they were', async () => {
    const [fresh = ''] = await trainees(1);
    const former = new Date('2020-01-01');
    await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'cancelled', enrolledAt: former });
    const { body } = await assign([fresh, cast.trainee.user.id], { reply: 'Again' }).expect(201);
    const enrollments = body.enrollments as Shown[];
    await remove(enrollments.map(({ id }) => id)).expect(200);
    for (const { id, certificate: _, waitingPlace: __, ...all } of enrollments) {
      const { userId, enrolledAt, replyAt } = all;
      const unwritten = { reply: null, replyAt: null, replyBy: null };
      const written = { reply: 'Again', replyAt, replyBy: cast.owner.user.id };
      const changed = {
        before: { status: 'cancelled', ...unwritten, enrolledAt: former.toISOString() },
        after: { status: 'active', ...written, enrolledAt },
      };
      expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
        { action: 'enrollment.assign', ...(userId === fresh ? { before: null, after: all } : changed) },
        { action: 'enrollment.remove', before: all, after: null },
      ]);
    }
  });

  it('remove all enrollments or none, and never for another trainer', async () => {
    const other = await buildCourse(harness.context, cast.foreign.user);
    const own = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
    const foreign = await buildEnrollment(harness.context, cast.trainee.user, other);
    for (const surplus of ['nothing', foreign.id])
      expectFailure(await remove([own.id, surplus]), 'NOT_FOUND', 'Enrollment not found.');
    expect([await count(), await models().AuditEntry.count()]).to.deep.equal([2, 0]);
    const { body } = await remove([own.id, foreign.id], cast.admin).expect(200);
    expect(body).to.deep.include({ message: 'Enrollments removed successfully.', removedCount: 2 });
    expect(await count()).to.equal(0);
  });

  for (const [field, send] of Object.entries({ traineeIds: assign, enrollmentIds: remove }))
    it(`require 1 to 500 different ids in ${field}, and report at most 25 problems`, async () => {
      const tooLong = [idsTo(501), Array(40_000).fill(5), Array(501).fill(5)];
      for (const wrong of [[], ...tooLong, undefined, null, 'id', {}, 5]) expectInvalid(await send(wrong), [field]);
      expect(messageOf(await send(idsTo(501)))).to.equal(`${field} may have at most 500 ids.`);
      const twice = await send(['x', 'x ']);
      expectInvalid(twice, [`${field}.1`]);
      expect(messageOf(twice)).to.equal(`${field} must have each id only once.`);
      expectInvalid(
        await send(['x', 5, '', null, { a: 1 }]),
        [1, 2, 3, 4].map((index) => `${field}.${index}`),
      );
      const many = await send(Array(500).fill(5));
      expect(many.body.errors).to.have.length(25);
      expect(many.text.length).to.be.below(4096);
      expect((await send(idsTo(500))).status).to.equal(field === 'traineeIds' ? 201 : 404);
    });

  it('refuse nested values in the list like any invalid id, at any depth', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const item of [nested(45_000), `${'{"a":'.repeat(15_000)}1${'}'.repeat(15_000)}`]) {
      const call = harness.api('post', paths.traineeIds, cast.owner.token).set('Content-Type', 'application/json');
      const refused = await call.send(`{"courseId":"${course.id}","traineeIds":[${item}]}`);
      expectInvalid(refused, ['traineeIds.0']);
      expect(messageOf(refused)).to.equal('traineeIds must be a string.');
    }
  });

  for (const [field, name] of [
    ['reply', 'Reply'],
    ['notes', 'Notes'],
  ] as const)
    it(`accept a reply of 2,000 characters as ${field} for 50 trainees, and only shorter ones for more`, async () => {
      await assign(idsTo(50), { [field]: 'n'.repeat(2000) }).expect(201);
      await assign(idsTo(500), { [field]: '\u{1f600}'.repeat(200) }).expect(201);
      const refused = await assign(idsTo(500), { [field]: 'n'.repeat(201) });
      expectInvalid(refused, [field]);
      expect(messageOf(refused)).to.equal(`${name} must be at most 200 characters for 500 trainees.`);
      expectInvalid(await assign(idsTo(51), { [field]: 'n'.repeat(2000) }), [field]);
      expectInvalid(await assign('id', { [field]: 'n'.repeat(2001) }), ['traineeIds', field]);
    });

  it('keep the notes of cancelled enrollments, and clear their cancellation', async () => {
    const former = { status: 'cancelled', cancelReason: 'left', notes: 'Mine', reply: 'Old' } as const;
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, former);
    const { body } = await assign([cast.trainee.user.id], { notes: 'Welcome' }).expect(201);
    const [enrollment] = body.enrollments;
    expect(enrollment).to.include({ id, notes: 'Mine', notesAt: null, reply: 'Welcome', cancelReason: null });
    expect(enrollment.replyBy).to.equal(cast.owner.user.id);
  });

  it('accept 500 trainees with the longest notes in a request, and write at most 400 bytes each to the audit log', async () => {
    const ids = await trainees(500);
    const notes = '𝒳'.repeat(200);
    const { body } = await assign(ids, { reply: notes }).expect(201);
    expect(body.enrollments.map(({ userId }: Shown) => userId)).to.deep.equal(ids);
    await remove(body.enrollments.map(({ id }: Shown) => id)).expect(200);
    const entries = await models().AuditEntry.findAll();
    expect(entries).to.have.length(1000);
    for (const { beforeJson, afterJson } of entries) {
      const bytes = Buffer.byteLength(`${beforeJson ?? ''}${afterJson ?? ''}`);
      expect(bytes).to.be.below(Buffer.byteLength(notes) + 400);
    }
  }).timeout(scaled(60_000));
});
