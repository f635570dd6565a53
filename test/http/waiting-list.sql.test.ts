import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { observeStatements } from '../support/statements.js';
import { type Person, useCast } from './support/cast.js';

const full = { error: 'Course is at maximum capacity.' };
const noList = { error: 'The waiting list of the course is full.' };

describe('The waiting list of a course', () => {
  const harness = useHarness();
  const cast = useCast(harness);

  /** Creates a published course with one seat, which is taken. */
  async function fullCourse(fields: Partial<Course> = {}): Promise<Course> {
    const course = await buildCourse(harness.context, cast.owner.user, {
      isPublished: true,
      maxStudents: 1,
      ...fields,
    });
    await buildEnrollment(harness.context, await buildUser(harness.context), course, { status: 'active' });
    return course;
  }
  const freeAll = ({ id }: Course) =>
    harness.context.database.models.Enrollment.update(
      { status: 'cancelled' },
      { where: { courseId: id, status: 'active' } },
    );
  const ask = (by: Person, { id }: Course, more: object = { joinWaitingList: true }) =>
    harness.api('post', '/api/enrollments', by.token).send({ courseId: id, ...more });
  const change = (by: Person, id: string, body: object) =>
    harness.api('put', `/api/enrollments/${id}/status`, by.token).send(body);
  const another = () => signIn(harness.context);

  describe('POST /api/enrollments', () => {
    it('refuses a request for a full course unless it asks to wait', async () => {
      const course = await fullCourse();
      expect((await ask(cast.trainee, course, {}).expect(400)).body).to.deep.equal(full);
      const { enrollment } = (await ask(cast.trainee, course).expect(201)).body;
      expect(enrollment).to.include({ status: 'waiting', waitingPlace: 1, completedAt: null });
      expect((await ask(await another(), course).expect(201)).body.enrollment.waitingPlace).to.equal(2);
      expect((await ask(cast.trainee, course).expect(400)).body.error).to.equal('Already enrolled in this course.');
    });

    it('commits first and then counts the people ahead, so that other requests are not delayed', async () => {
      const course = await fullCourse();
      const { sequelize } = harness.context.database;
      const counting: (string | undefined)[] = [];
      observeStatements(
        sequelize,
        (sql, transaction) => void (sql.includes('AS before_it') && counting.push(transaction)),
      );
      const { id } = (await ask(cast.trainee, course).expect(201)).body.enrollment;
      await change(cast.trainee, id, { status: 'cancelled' }).expect(200);
      await change(cast.trainee, id, { status: 'pending', joinWaitingList: true }).expect(200);
      observeStatements(sequelize, false);
      expect(counting).to.have.length.above(1);
      expect(new Set(counting)).to.deep.equal(new Set(['default']));
    });

    it('gives no seat to a new request while people with active accounts are on the waiting list', async () => {
      const course = await fullCourse();
      const first = await another();
      await ask(first, course).expect(201);
      await freeAll(course);
      const error =
        'The free seats of the course are being given to its waiting list. Try again shortly, or join the list.';
      expect((await ask(cast.trainee, course, {}).expect(409)).body).to.deep.equal({ error });
      await harness.context.database.models.User.update({ isActive: false }, { where: { id: first.user.id } });
      const { enrollment } = (await ask(cast.trainee, course, {}).expect(201)).body;
      expect(enrollment.status).to.equal('pending');
    });

    it('limits the length of the waiting list to `waitingMax`', async () => {
      const course = await fullCourse({ waitingMax: 1 });
      await ask(cast.trainee, course).expect(201);
      expect((await ask(await another(), course).expect(400)).body).to.deep.equal(noList);
      const none = await fullCourse({ waitingMax: 0 });
      expect((await ask(cast.trainee, none).expect(400)).body).to.deep.equal(noList);
    });
  });

  describe('PUT /api/enrollments/:id/status', () => {
    it('puts a person who left the list and asks again at its end', async () => {
      const course = await fullCourse();
      const { id } = (await ask(cast.trainee, course).expect(201)).body.enrollment;
      await ask(await another(), course).expect(201);
      const left = (await change(cast.trainee, id, { status: 'cancelled' }).expect(200)).body.enrollment;
      expect(left).to.include({ status: 'cancelled', waitingPlace: null });
      const asked = { status: 'pending', expectedStatus: 'cancelled' };
      expect((await change(cast.trainee, id, asked).expect(400)).body).to.deep.equal(full);
      const again = (await change(cast.trainee, id, { ...asked, joinWaitingList: true }).expect(200)).body.enrollment;
      expect(again).to.include({ status: 'waiting', waitingPlace: 2 });
    });

    it('lets no waiting trainee set their own status', async () => {
      const course = await fullCourse();
      const { id } = (await ask(cast.trainee, course).expect(201)).body.enrollment;
      const { body } = await change(cast.trainee, id, { status: 'pending' }).expect(400);
      expect(body.error).to.equal("Enrollment can't change from waiting to pending.");
      await change(cast.trainee, id, { status: 'active' }).expect(403);
      await change(cast.owner, id, { status: 'waiting' }).expect(400);
    });
  });

  it('shows the place to the trainee and to managers, without counting inactive people', async () => {
    const course = await fullCourse();
    const [away, first] = [await another(), await another()];
    for (const person of [away, first, cast.trainee]) await ask(person, course).expect(201);
    await harness.context.database.models.User.update({ isActive: false }, { where: { id: away.user.id } });
    const own = (await harness.api('get', '/api/enrollments/my', cast.trainee.token).expect(200)).body.enrollments;
    expect(own[0]).to.include({ status: 'waiting', waitingPlace: 2 });
    const path = `/api/enrollments/${own[0].id}`;
    for (const { token } of [cast.trainee, cast.owner])
      expect((await harness.api('get', path, token).expect(200)).body.enrollment.waitingPlace).to.equal(2);
    const list = '/api/enrollments?status=waiting';
    const { enrollments } = (await harness.api('get', list, cast.owner.token).expect(200)).body;
    const placeOf = new Map(
      enrollments.map((one: { userId: string; waitingPlace: number }) => [one.userId, one.waitingPlace]),
    );
    expect([away, first, cast.trainee].map(({ user }) => placeOf.get(user.id))).to.deep.equal([1, 1, 2]);
    const sorted = `/api/enrollments/course/${course.id}/trainees?status=waiting&sortBy=waitingPlace&sortOrder=ASC`;
    const { trainees } = (await harness.api('get', sorted, cast.owner.token).expect(200)).body;
    expect(trainees.map(({ id }: { id: string }) => id)).to.deep.equal(
      [away, first, cast.trainee].map(({ user }) => user.id),
    );
  });
});
