import { expect } from 'chai';
import type { FindOptions } from 'sequelize';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure } from './support/expectations.js';

describe('POST /api/auth/check-enrollment', () => {
  const harness = useHarness();
  const check = (token: string) => harness.api('post', '/api/auth/check-enrollment', token);
  const buildTrainer = () => buildUser(harness.context, { role: 'trainer', firstName: 'Grace', lastName: 'Hopper' });
  const none = { hasEnrollments: false, enrollments: [] };

  it('lists an enrollment with exactly the course summary and its trainer', async () => {
    const { user, token } = await signIn(harness.context);
    const trainer = await buildTrainer();
    const given = { title: 'Compilers', description: 'From A-0 on.', thumbnail: '/uploads/a-0.webp' };
    const course = await buildCourse(harness.context, trainer, given);
    const enrolledAt = new Date('2026-01-02T03:04:05.678Z');
    const stored = { status: 'active', progress: 42, enrolledAt } as const;
    const { id } = await buildEnrollment(harness.context, user, course, stored);
    const shown = { ...given, id: course.id, trainer: { id: trainer.id, firstName: 'Grace', lastName: 'Hopper' } };
    const enrollments = [{ id, ...stored, enrolledAt: '2026-01-02T03:04:05.678Z', course: shown }];
    // The operation ignores all fields of the body.
    for (const sent of ['{', '{"status":"completed","userId":"x"}']) {
      const { body } = await check(token).set('Content-Type', 'application/json').send(sent).expect(200);
      expect(body).to.deep.equal({ hasEnrollments: true, enrollments });
    }
    await course.update({ thumbnail: null });
    expect((await check(token)).body.enrollments[0].course.thumbnail).to.equal('');
  });

  it("lists the caller's own active and pending enrollments only, the newest first, or none", async () => {
    const { user, token } = await signIn(harness.context);
    const trainer = await buildTrainer();
    const enroll = async (day: string, status: 'pending' | 'active' | 'completed' | 'cancelled', trainee = user) => {
      const course = await buildCourse(harness.context, trainer);
      const enrolledAt = new Date(`2026-01-${day}T00:00:00Z`);
      await buildEnrollment(harness.context, trainee, course, { status, enrolledAt });
    };
    expect((await check(token).expect(200)).body).to.deep.equal(none);
    await enroll('02', 'completed');
    await enroll('03', 'cancelled');
    await enroll('04', 'active', await buildUser(harness.context));
    expect((await check(token).expect(200)).body).to.deep.equal(none);
    for (const day of ['05', '01', '09', '07']) await enroll(day, day > '04' ? 'active' : 'pending');
    const { body } = await check(token).expect(200);
    const days = body.enrollments.map(({ enrolledAt }: { enrolledAt: string }) => enrolledAt.slice(8, 10));
    expect(days).to.deep.equal(['09', '07', '05', '01']);
  });

  it('returns no enrollments if the last one is removed during the request', async () => {
    const { user, token } = await signIn(harness.context);
    const { Enrollment } = harness.context.database.models;
    await buildEnrollment(harness.context, user, await buildCourse(harness.context, await buildTrainer()));
    Enrollment.addHook('beforeFind', 'removal', async ({ include }: FindOptions) => {
      // The ids have been read; the next query reads the enrollments with their courses.
      if (include) await Enrollment.destroy({ where: { userId: user.id } });
    });
    try {
      expect((await check(token).expect(200)).body).to.deep.equal(none);
    } finally {
      Enrollment.removeHook('beforeFind', 'removal');
    }
  });

  it('refuses other roles', async () => {
    for (const role of ['trainer', 'super_admin'] as const) {
      const { token } = await signIn(harness.context, { role });
      expectFailure(await check(token), 'TRAINEE_REQUIRED', 'Only trainees can check enrollment.');
    }
  });
});
