import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { type Cast, castOf, changesOf } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

interface Shown {
  id: string;
  userId: string;
  status: string;
  enrolledAt: string;
}

describe('POST /api/enrollments/bulk', () => {
  const harness = useHarness();
  let cast: Cast;
  let course: Course;
  beforeEach(async () => {
    cast = await castOf(harness.context);
    course = await buildCourse(harness.context, cast.owner.user);
  });
  const assign = (traineeIds: unknown, body: object = {}, by = cast.owner) =>
    harness.api('post', '/api/enrollments/bulk', by.token).send({ courseId: course.id, traineeIds, ...body });
  async function trainees(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let built = 0; built < count; built += 1) ids.push((await buildUser(harness.context)).id);
    return ids;
  }
  const Enrollment = () => harness.context.database.models.Enrollment;
  const count = () => Enrollment().count();

  it('enrolls all as active and answers with exactly their fields', async () => {
    const ids = await trainees(3);
    const { body } = await assign(ids, { notes: 'Together' }).expect(201);
    expect(body).to.have.all.keys('message', 'enrollments', 'skipped');
    expect(body).to.deep.include({ message: 'Trainees enrolled successfully.', skipped: [] });
    const shown = body.enrollments.map(({ id: _, enrolledAt, ...enrollment }: Shown) => {
      expect(Math.abs(Date.parse(enrolledAt) - Date.now())).to.be.below(60_000);
      return enrollment;
    });
    expect(shown).to.deep.equal(
      ids.map((userId) => ({
        userId,
        courseId: course.id,
        status: 'active',
        progress: 0,
        notes: 'Together',
        completedAt: null,
      })),
    );
    const rows = await harness.context.database.models.Enrollment.findAll();
    for (const row of rows) expect(row.trainerId).to.equal(cast.owner.user.id);
  });

  it('enrolls as pending when told so, and as nothing else', async () => {
    const { body } = await assign(await trainees(2), { status: 'pending' }, cast.admin).expect(201);
    expect(body.enrollments.map(({ status }: Shown) => status)).to.deep.equal(['pending', 'pending']);
    for (const status of ['completed', 'cancelled', '', null])
      expectInvalid(await assign(['x'], { status }), ['status']);
  });

  it('skips who is no trainee, inactive or enrolled, each with the reason, in the order of the list', async () => {
    const [fresh = '', ...enrolled] = await trainees(4);
    const inactive = await buildUser(harness.context, { isActive: false });
    for (const [index, status] of (['pending', 'active', 'completed'] as const).entries()) {
      const user = await harness.context.database.models.User.findByPk(enrolled[index] ?? '', { rejectOnEmpty: true });
      await buildEnrollment(harness.context, user, course, { status });
    }
    const ids = ['nobody', ...enrolled, cast.owner.user.id, fresh, inactive.id, cast.admin.user.id];
    const { body } = await assign(ids).expect(201);
    expect(body.enrollments.map(({ userId }: Shown) => userId)).to.deep.equal([fresh]);
    const skipped = (reason: string, ...people: string[]) => people.map((traineeId) => ({ traineeId, reason }));
    expect(body.skipped).to.deep.equal([
      ...skipped('Trainee not found.', 'nobody'),
      ...skipped('Already enrolled in this course.', ...enrolled),
      ...skipped('Trainee not found.', cast.owner.user.id),
      ...skipped('Trainee account is inactive.', inactive.id),
      ...skipped('Trainee not found.', cast.admin.user.id),
    ]);
  });

  it('answers 201 where everybody was skipped', async () => {
    const { body } = await assign(['nobody']).expect(201);
    expect(body).to.deep.include({ enrollments: [], skipped: [{ traineeId: 'nobody', reason: 'Trainee not found.' }] });
  });

  it('enrolls all or none where the capacity is too small for all', async () => {
    await course.update({ maxStudents: 4 });
    const ids = await trainees(3);
    const tooFew =
      'The course has 2 seats left, and 3 trainees would be enrolled: none was. Choose fewer, or raise its maximum.';
    for (const status of ['pending', 'active', 'cancelled', 'completed'] as const)
      await buildEnrollment(harness.context, await buildUser(harness.context), course, { status });
    expectFailure(await assign(ids), 400, tooFew);
    expect(await count()).to.equal(4);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
    // Who is skipped takes no seat.
    const { body } = await assign([...ids.slice(0, 2), 'nobody']).expect(201);
    expect(body.enrollments).to.have.length(2);
    expectFailure(await assign(await trainees(2)), 400, 'Course is at maximum capacity.');
  });

  it('reactivates the cancelled enrollments of trainees, which take seats too', async () => {
    const given = { status: 'cancelled' as const, enrolledAt: new Date('2020-01-01'), progress: 30, notes: 'Before' };
    const { id } = await buildEnrollment(harness.context, cast.trainee.user, course, given);
    const [fresh = ''] = await trainees(1);
    await course.update({ maxStudents: 1 });
    const tooFew =
      'The course has 1 seat left, and 2 trainees would be enrolled: none was. Choose fewer, or raise its maximum.';
    expectFailure(await assign([cast.trainee.user.id, fresh]), 400, tooFew);
    const { body } = await assign([cast.trainee.user.id]).expect(201);
    expect(body.enrollments).to.have.length(1);
    expect(body.enrollments[0]).to.include({ id, status: 'active', progress: 30, notes: 'Before' });
    expect(Date.parse(body.enrollments[0].enrolledAt)).to.be.above(Date.parse('2025-01-01'));
    expect(await count()).to.equal(1);
    for (const notes of ['Replaced', null]) {
      await Enrollment().update({ status: 'cancelled' }, { where: { id } });
      const again = await assign([cast.trainee.user.id], { notes }).expect(201);
      expect(again.body.enrollments[0].notes).to.equal(notes);
    }
  });

  it("can't ask for those who had cancelled", async () => {
    await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'cancelled' });
    const { body } = await assign([cast.trainee.user.id], { status: 'pending' }).expect(201);
    const reason = "Enrollment can't change from cancelled to pending.";
    expect(body).to.deep.include({ enrollments: [], skipped: [{ traineeId: cast.trainee.user.id, reason }] });
  });

  it('records each enrollment: a new one whole, one that was cancelled as far as it has changed', async () => {
    const [fresh = ''] = await trainees(1);
    const former = new Date('2020-01-01');
    await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'cancelled', enrolledAt: former });
    const { body } = await assign([fresh, cast.trainee.user.id], { notes: 'Again' }).expect(201);
    for (const { id, userId, enrolledAt } of body.enrollments as (Shown & { enrolledAt: string })[]) {
      const when = { enrolledAt, completedAt: null };
      const all = { userId, courseId: course.id, status: 'active', progress: 0, notes: 'Again', ...when };
      const changed = {
        before: { status: 'cancelled', notes: null, enrolledAt: former.toISOString() },
        after: { status: 'active', notes: 'Again', enrolledAt },
      };
      expect(await changesOf(harness, cast, id, cast.owner)).to.deep.equal([
        { action: 'enrollment.assign', ...(userId === fresh ? { before: null, after: all } : changed) },
      ]);
    }
  });

  it('refuses what is nested in the list as it refuses anything else that is no id, however deep it is', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const send = (traineeIds: string) =>
      harness
        .api('post', '/api/enrollments/bulk', cast.owner.token)
        .set('Content-Type', 'application/json')
        .send(`{"courseId":"${course.id}","traineeIds":${traineeIds}}`);
    for (const traineeIds of [`[${nested(45_000)}]`, `[${'{"a":'.repeat(15_000)}1${'}'.repeat(15_000)}]`]) {
      const refused = await send(traineeIds);
      expectInvalid(refused, ['traineeIds.0']);
      expect(messageOf(refused)).to.equal('traineeIds must be a string.');
    }
    const wide = await send(`[${Array.from({ length: 500 }, (_, index) => `[${nested(40)},${index}]`).join(',')}]`);
    expectInvalid(
      wide,
      Array.from({ length: 20 }, (_, index) => `traineeIds.${index}`),
    );
  });

  it('takes notes of 2,000 characters for 50 trainees, and shorter ones for more: the answer repeats them', async () => {
    const ids = (length: number) => Array.from({ length }, (_, index) => `id${index}`);
    await assign(ids(50), { notes: 'n'.repeat(2000) }).expect(201);
    await assign(ids(500), { notes: '\u{1f600}'.repeat(200) }).expect(201);
    await assign(ids(500), { notes: null }).expect(201);
    const refused = await assign(ids(500), { notes: 'n'.repeat(201) });
    expectInvalid(refused, ['notes']);
    expect(messageOf(refused)).to.equal('Notes must be at most 200 characters for 500 trainees.');
    expectInvalid(await assign(ids(51), { notes: 'n'.repeat(2000) }), ['notes']);
    expectInvalid(await assign(ids(501), { notes: 'n'.repeat(200) }), ['traineeIds']);
    expectInvalid(await assign('id', { notes: 'n'.repeat(2001) }), ['traineeIds', 'notes']);
  });

  it('takes a list of 1 to 500 different ids', async () => {
    const ids = (length: number) => Array.from({ length }, (_, index) => `id${index}`);
    for (const wrong of [[], ids(501), undefined, null, 'id', {}, 5])
      expectInvalid(await assign(wrong), ['traineeIds']);
    expect(messageOf(await assign(ids(501)))).to.equal('traineeIds may name at most 500.');
    const twice = await assign([cast.trainee.user.id, `${cast.trainee.user.id} `]);
    expectInvalid(twice, ['traineeIds.1']);
    expect(messageOf(twice)).to.equal('traineeIds must name each one once.');
    expectInvalid(
      await assign(['x', 5, '', null, { a: 1 }]),
      [1, 2, 3, 4].map((index) => `traineeIds.${index}`),
    );
    expect((await assign(ids(500)).expect(201)).body.skipped).to.have.length(500);
    expect(await count()).to.equal(0);
  });

  it('is told of a list that is too long, not of each of its items, and of 20 problems at most', async () => {
    for (const items of [Array(40_000).fill(5), Array(501).fill(5), Array(501).fill('x')]) {
      const tooLong = await assign(items);
      expectInvalid(tooLong, ['traineeIds']);
      expect(messageOf(tooLong)).to.equal('traineeIds may name at most 500.');
      const removal = harness.api('delete', '/api/enrollments/bulk/remove', cast.owner.token);
      expectInvalid(await removal.send({ enrollmentIds: items }), ['enrollmentIds']);
    }
    const wrong = await assign(Array(500).fill(5));
    expect(wrong.status).to.equal(400);
    expect(wrong.body.errors).to.have.length(20);
    expect(wrong.text.length).to.be.below(4096);
  });

  it('enrolls 500 in one request, which takes the longest notes and 400 bytes each of the audit log; so does their removal', async () => {
    const ids = await trainees(500);
    const notes = '𝒳'.repeat(200);
    const { body } = await assign(ids, { notes }).expect(201);
    expect(body.enrollments.map(({ userId }: Shown) => userId)).to.deep.equal(ids);
    const enrollmentIds = body.enrollments.map(({ id }: Shown) => id);
    const removal = harness.api('delete', '/api/enrollments/bulk/remove', cast.owner.token);
    await removal.send({ enrollmentIds }).expect(200);
    const entries = await harness.context.database.models.AuditEntry.findAll();
    expect(entries).to.have.length(1000);
    for (const { beforeJson, afterJson } of entries) {
      const bytes = Buffer.byteLength(`${beforeJson ?? ''}${afterJson ?? ''}`);
      expect(bytes).to.be.below(Buffer.byteLength(notes) + 400);
    }
  }).timeout(scaled(60_000));

  it('checks the input, then the course and whose it is', async () => {
    expectInvalid(await assign(5, { courseId: 5, status: 5, notes: 5 }), ['courseId', 'traineeIds', 'status', 'notes']);
    expectFailure(await assign(['x'], { courseId: 'nothing' }), 404, 'Course not found.');
    expectFailure(await assign(['x'], {}, cast.foreign), 404, 'Course not found.');
    expectFailure(await assign(['x'], {}, cast.trainee), 403, 'Access denied. Trainer or Super admin role required.');
    await course.update({ isPublished: true });
    expectFailure(await assign(['x'], {}, cast.foreign), 403, "Access denied. This is another trainer's course.");
  });
});
