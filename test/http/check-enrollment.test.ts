import { expect } from 'chai';
import type { FindOptions } from 'sequelize';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, messages } from './support/expectations.js';

describe('POST /api/auth/check-enrollment', () => {
  const harness = useHarness();
  const check = (token: string) => harness.api('post', '/api/auth/check-enrollment', token);
  const buildTrainer = () => buildUser(harness.context, { role: 'trainer', firstName: 'Grace', lastName: 'Hopper' });

  it('answers with an empty list for a trainee without enrollments', async () => {
    const { token } = await signIn(harness.context);
    const { body } = await check(token).expect(200);
    expect(body).to.deep.equal({ hasEnrollments: false, enrollments: [] });
  });

  it('lists an enrollment with the course summary and its trainer, and no key more', async () => {
    const { user, token } = await signIn(harness.context);
    const trainer = await buildTrainer();
    const given = { title: 'Compilers', description: 'From A-0 on.', thumbnail: '/uploads/a-0.webp' };
    const course = await buildCourse(harness.context, trainer, given);
    const enrolledAt = new Date('2026-01-02T03:04:05.678Z');
    const enrollment = await buildEnrollment(harness.context, user, course, {
      status: 'active',
      progress: 42,
      enrolledAt,
    });
    const { body } = await check(token).expect(200);
    expect(body).to.deep.equal({
      hasEnrollments: true,
      enrollments: [
        {
          id: enrollment.id,
          status: 'active',
          progress: 42,
          enrolledAt: '2026-01-02T03:04:05.678Z',
          course: { id: course.id, ...given, trainer: { id: trainer.id, firstName: 'Grace', lastName: 'Hopper' } },
        },
      ],
    });
  });

  it('lists active and pending enrollments only', async () => {
    const { user, token } = await signIn(harness.context);
    const trainer = await buildTrainer();
    for (const status of ['pending', 'active', 'completed', 'cancelled'] as const) {
      await buildEnrollment(harness.context, user, await buildCourse(harness.context, trainer), { status });
    }
    const { body } = await check(token).expect(200);
    expect(body.enrollments.map(({ status }: { status: string }) => status)).to.have.members(['active', 'pending']);
  });

  it('says that there are no enrollments where all are over', async () => {
    const { user, token } = await signIn(harness.context);
    const trainer = await buildTrainer();
    for (const status of ['completed', 'cancelled'] as const) {
      await buildEnrollment(harness.context, user, await buildCourse(harness.context, trainer), { status });
    }
    const { body } = await check(token).expect(200);
    expect(body).to.deep.equal({ hasEnrollments: false, enrollments: [] });
  });

  it('says that there are none where the last is removed while they are read', async () => {
    const { user, token } = await signIn(harness.context);
    const { Enrollment } = harness.context.database.models;
    await buildEnrollment(harness.context, user, await buildCourse(harness.context, await buildTrainer()));
    Enrollment.addHook('beforeFind', 'removal', async ({ include }: FindOptions) => {
      // Their ids have been read, and now they are, with their courses.
      if (include) await Enrollment.destroy({ where: { userId: user.id } });
    });
    try {
      const { body } = await check(token).expect(200);
      expect(body).to.deep.equal({ hasEnrollments: false, enrollments: [] });
    } finally {
      Enrollment.removeHook('beforeFind', 'removal');
    }
  });

  it('lists the newest enrolledAt first', async () => {
    const { user, token } = await signIn(harness.context);
    const trainer = await buildTrainer();
    for (const day of ['05', '01', '09', '03', '07']) {
      const enrolledAt = new Date(`2026-01-${day}T00:00:00Z`);
      const course = await buildCourse(harness.context, trainer);
      await buildEnrollment(harness.context, user, course, { status: day > '04' ? 'active' : 'pending', enrolledAt });
    }
    const { body } = await check(token).expect(200);
    const days = body.enrollments.map(({ enrolledAt }: { enrolledAt: string }) => enrolledAt.slice(8, 10));
    expect(days).to.deep.equal(['09', '07', '05', '03', '01']);
  });

  it("lists the caller's own enrollments only", async () => {
    const { user, token } = await signIn(harness.context);
    const course = await buildCourse(harness.context, await buildTrainer());
    await buildEnrollment(harness.context, await buildUser(harness.context), course, { status: 'active' });
    expect((await check(token)).body.hasEnrollments).to.equal(false);
    const own = await buildEnrollment(harness.context, user, course, { status: 'pending' });
    const { body } = await check(token).expect(200);
    expect(body.enrollments.map(({ id }: { id: string }) => id)).to.deep.equal([own.id]);
  });

  it('lists courses that are not published, and courses without a thumbnail', async () => {
    const { user, token } = await signIn(harness.context);
    const course = await buildCourse(harness.context, await buildTrainer(), { isPublished: false });
    await buildEnrollment(harness.context, user, course);
    const { body } = await check(token).expect(200);
    expect(body.enrollments[0].course).to.include({ id: course.id, thumbnail: '' });
  });

  it('takes no request fields: whatever is sent does not count', async () => {
    const { token } = await signIn(harness.context);
    await check(token).send({ status: 'completed', userId: 'x' }).expect(200);
    await check(token).set('Content-Type', 'application/json').send('{').expect(200);
  });

  for (const role of ['trainer', 'super_admin'] as const) {
    it(`is refused to a ${role}`, async () => {
      const { token } = await signIn(harness.context, { role });
      expectFailure(await check(token), 403, 'Only trainees can check enrollment.');
    });
  }

  it('needs a token', async () => {
    expectFailure(await harness.api('post', '/api/auth/check-enrollment'), 401, messages.noToken);
  });
});
