import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { weekStarts } from '../../src/services/overview/weeks.js';
import {
  buildCourse,
  buildEnrollment,
  buildImport,
  buildLock,
  buildMaterial,
  buildUser,
} from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Person, useCast } from './support/cast.js';

const noAccounts = { total: 0, active: 0, inactive: 0, initialPassword: 0, locked: 0 };
const noEnrollments = { total: 0, pending: 0, waiting: 0, active: 0, completed: 0, cancelled: 0 };
const dayMs = 86_400_000;

describe('GET /api/overview', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  const show = async ({ token }: Person) =>
    (await harness.api('get', '/api/overview', token).expect(200)).body.overview;
  const course = (trainer: Person, given = {}) => buildCourse(harness.context, trainer.user, given);
  const enrollment = async (given: Parameters<typeof buildEnrollment>[3], of: Awaited<ReturnType<typeof course>>) =>
    buildEnrollment(harness.context, await buildUser(harness.context), of, given);
  const today = () => new Intl.DateTimeFormat('sv-SE').format(harness.context.now());
  const thisWeek = () => weekStarts(new Date()).map((start) => start.toISOString().slice(0, 10));

  describe('for the super admin', () => {
    it('has exactly these keys, also for an empty programme', async () => {
      const shown = await show(cast.admin);
      const trainers = { ...noAccounts, total: 2, active: 2 };
      const one = { ...noAccounts, total: 1, active: 1 };
      expect(shown).to.deep.equal({
        role: 'super_admin',
        programme: {
          timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          today: today(),
          timeZoneMissing: false,
        },
        people: {
          ...noAccounts,
          total: 4,
          active: 4,
          byRole: { super_admin: one, trainer: trainers, trainee: one },
        },
        courses: { total: 0, published: 0, unpublished: 0 },
        enrollments: noEnrollments,
        requestsWaiting: 0,
        mailTrouble: null,
        imports: [],
        weeks: thisWeek().map((week, index) => ({ week, enrollments: 0, accounts: index === 11 ? 4 : 0 })),
        storage: {
          files: 0,
          bytes: 0,
          byKind: {
            material: { files: 0, bytes: 0 },
            thumbnail: { files: 0, bytes: 0 },
            avatar: { files: 0, bytes: 0 },
          },
        },
      });
    });

    it('counts accounts by role and state', async () => {
      const { context } = harness;
      await buildUser(context, { isActive: false, requiresPasswordChange: true });
      await buildUser(context, { requiresPasswordChange: true });
      const { LoginThrottle } = context.database.models;
      const [owner, foreign] = [cast.owner.user.id, cast.foreign.user.id];
      for (const accountId of [owner, foreign, 'of-nobody']) await buildLock(context, { accountId });
      await buildLock(context, { address: '192.0.2.1' });
      const [row] = await LoginThrottle.findAll({ where: { accountId: owner }, raw: true });
      await LoginThrottle.create({ ...(row as NonNullable<typeof row>), subject: 'pair:abc' });
      await LoginThrottle.update({ lockedUntil: new Date(0) }, { where: { accountId: foreign } });
      const { people } = await show(cast.admin);
      expect(people).to.include({ total: 6, active: 5, inactive: 1, initialPassword: 2, locked: 1 });
      expect(people.byRole.trainee).to.deep.equal({
        ...noAccounts,
        total: 3,
        active: 2,
        inactive: 1,
        initialPassword: 2,
      });
      expect(people.byRole.trainer).to.deep.equal({ ...noAccounts, total: 2, active: 2, locked: 1 });
    });

    it('counts courses, enrollments, requests and files', async () => {
      const published = await course(cast.owner, { isPublished: true });
      await course(cast.foreign);
      for (const status of ['pending', 'pending', 'active', 'cancelled'] as const)
        await enrollment({ status }, published);
      await buildMaterial(harness.context, published, {}, 'twelve bytes');
      await buildMaterial(harness.context, published, {}, 'four');
      await buildMaterial(harness.context, published, { state: 'marked' }, 'not counted');
      const shown = await show(cast.admin);
      expect(shown).to.deep.include({
        courses: { total: 2, published: 1, unpublished: 1 },
        enrollments: { total: 4, pending: 2, waiting: 0, active: 1, completed: 0, cancelled: 1 },
        requestsWaiting: 2,
      });
      expect(shown.storage).to.deep.include({ files: 2, bytes: 16 });
      expect(shown.storage.byKind.material).to.deep.equal({ files: 2, bytes: 16 });
    });

    it('names the last five imports, the newest first', async () => {
      const { Import } = harness.context.database.models;
      const ids: string[] = [];
      for (let day = 1; day <= 6; day += 1) {
        ids.unshift(await buildImport(harness.context, 0));
        await Import.update({ createdAt: new Date(Date.UTC(2026, 0, day)), rowsDone: 3 }, { where: { id: ids[0] } });
      }
      await Import.update({ createdCount: 6, fileName: '6.csv' }, { where: { id: ids[0] } });
      const { number } = await Import.findByPk(ids[0] ?? '', { rejectOnEmpty: true });
      const { imports } = await show(cast.admin);
      expect(imports.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 5));
      expect(imports[0]).to.deep.equal({
        id: ids[0],
        number,
        status: 'completed',
        file: '6.csv',
        counts: { rows: 3, created: 6, updated: 0, skipped: 0, rejected: 0, enrolled: 0, waiting: 0, leftOut: 0 },
        createdAt: '2026-01-06T00:00:00.000Z',
        finishedAt: null,
      });
    });

    it('counts enrollments and accounts by week', async () => {
      const { sequelize } = harness.context.database;
      const starts = weekStarts(new Date());
      const monday = (index: number) => starts[index]?.getTime() ?? Number.NaN;
      const one = await course(cast.owner);
      // The first and last moment of a week, a time before the shown weeks, and a time of this week.
      for (const at of [monday(3), monday(4) - 1, monday(0) - 1, monday(11)])
        await enrollment({ enrolledAt: new Date(at) }, one);
      const replacements = { at: new Date(monday(5)), id: cast.trainee.user.id };
      await sequelize.query('UPDATE users SET created_at = :at WHERE id = :id', { replacements });
      const { weeks } = await show(cast.admin);
      const counts = (key: string) => weeks.map((week: Record<string, number>) => week[key]);
      expect(counts('enrollments')).to.deep.equal([0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
      expect(counts('accounts')).to.deep.equal([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 7]);
    });
  });

  describe('for a trainer', () => {
    it("is about the trainer's own courses", async () => {
      const [weaving, knots] = [
        await course(cast.owner, { title: 'Weaving', isPublished: true }),
        await course(cast.owner, { title: 'Knots' }),
      ];
      const foreign = await course(cast.foreign, { title: 'Bees' });
      for (const [of, status] of [
        [weaving, 'pending'],
        [knots, 'pending'],
        [knots, 'pending'],
        [weaving, 'active'],
        [foreign, 'pending'],
        [foreign, 'active'],
      ] as const)
        await enrollment({ status, progress: status === 'active' ? 100 : 0 }, of);
      await enrollment({ status: 'active', progress: 99 }, knots);
      await enrollment({ status: 'completed', progress: 100 }, knots);
      expect(await show(cast.owner)).to.deep.equal({
        role: 'trainer',
        courses: { total: 2, published: 1, unpublished: 1 },
        enrollments: { ...noEnrollments, total: 6, pending: 3, active: 2, completed: 1 },
        requestsWaiting: 3,
        requestsByCourse: [
          { course: { id: knots.id, title: 'Knots' }, waiting: 2 },
          { course: { id: weaving.id, title: 'Weaving' }, waiting: 1 },
        ],
        finished: 1,
        weeks: thisWeek().map((week, index) => ({ week, enrollments: index === 11 ? 6 : 0 })),
      });
    });
  });

  describe('for a trainee', () => {
    const enroll = (trainee: User, of: Awaited<ReturnType<typeof course>>, given: object) =>
      buildEnrollment(harness.context, trainee, of, given);

    it('is about their own courses and their progress', async () => {
      const [weaving, knots, bees] = [await course(cast.owner), await course(cast.owner), await course(cast.foreign)];
      const { user } = cast.trainee;
      const older = await enroll(user, weaving, {
        status: 'active',
        progress: 40,
        enrolledAt: new Date(Date.now() - dayMs),
      });
      const newer = await enroll(user, knots, { status: 'active', progress: 75 });
      await enroll(user, bees, { status: 'completed', progress: 100 });
      await enrollment({ status: 'active', progress: 5 }, weaving);
      const shown = await show(cast.trainee);
      expect(shown).to.have.all.keys('role', 'enrollments', 'averageProgress', 'current');
      expect(shown.enrollments).to.deep.equal({ ...noEnrollments, total: 3, active: 2, completed: 1 });
      expect(shown.averageProgress).to.equal(58);
      expect(shown.current.map(({ id }: { id: string }) => id)).to.deep.equal([newer.id, older.id]);
      const { body } = await harness.api('post', '/api/auth/check-enrollment', cast.trainee.token).expect(200);
      const dates = { courseType: null, startDate: null, endDate: null, location: null };
      expect(shown.current).to.deep.equal(
        body.enrollments.map((one: { course: object }) => ({ ...one, course: { ...one.course, ...dates } })),
      );
    });
  });
});

describe('weekStarts()', () => {
  const days = (now: string) => weekStarts(new Date(now)).map((start) => start.toISOString());

  it('returns the last twelve Mondays at 00:00 UTC', () => {
    const starts = days('2026-02-01T12:00:00Z');
    expect(starts).to.have.length(12);
    expect([starts[0], starts[11]]).to.deep.equal(['2025-11-10T00:00:00.000Z', '2026-01-26T00:00:00.000Z']);
    expect(days('2026-02-01T23:59:59.999Z')[11]).to.equal('2026-01-26T00:00:00.000Z');
    expect(days('2026-02-02T00:00:00Z')[11]).to.equal('2026-02-02T00:00:00.000Z');
  });
});
