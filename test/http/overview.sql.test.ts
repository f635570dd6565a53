import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { weekStarts } from '../../src/services/overview/weeks.js';
import { mailSettings } from '../support/environment.js';
import {
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildImport,
  buildLock,
  buildMail,
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
  const dayIn = (days: number) => new Date(Date.parse(today()) + days * dayMs).toISOString().slice(0, 10);
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
        requestsByCourse: [],
        startingSoon: { courses: 0, withRequests: 0, requests: 0 },
        importsToCheck: { rejected: 0, planned: 0 },
        mailTrouble: null,
        heldSyncs: [],
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

    it('names the groups whose last sync was held', async () => {
      const group = await buildGroup(harness.context, [], 'Year 9');
      const held = { leaving: 14, members: 90, limit: 9, file: 'people.csv', at: '2026-11-13T02:00:00.000Z' };
      await buildGroup(harness.context, [], 'Year 10');
      await group.update({ heldJson: JSON.stringify(held) });
      expect((await show(cast.admin)).heldSyncs).to.deep.equal([{ group: { id: group.id, name: 'Year 9' }, ...held }]);
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
        counts: {
          rows: 3,
          created: 6,
          updated: 0,
          skipped: 0,
          rejected: 0,
          enrolled: 0,
          waiting: 0,
          leftOut: 0,
          left: 0,
        },
        createdAt: '2026-01-06T00:00:00.000Z',
        error: null,
        finishedAt: null,
      });
    });

    it('names the five courses with the most requests', async () => {
      for (let count = 0; count <= 6; count += 1) {
        const one = await course(cast.owner, { title: `Course ${count}`, startDate: dayIn(count) });
        for (let index = 0; index < count; index += 1) await enrollment({ status: 'pending' }, one);
      }
      const { requestsByCourse } = await show(cast.admin);
      expect(
        requestsByCourse.map((one: { course: { title: string; startDate: string }; waiting: number }) => [
          one.course.title,
          one.course.startDate,
          one.waiting,
        ]),
      ).to.deep.equal([6, 5, 4, 3, 2].map((count) => [`Course ${count}`, dayIn(count), count]));
    });

    it('counts the courses that start within seven days, as the lists behind them do', async () => {
      const [yesterday, now, last] = [
        await course(cast.owner, { startDate: dayIn(-1) }),
        await course(cast.owner, { startDate: dayIn(0) }),
        await course(cast.foreign, { startDate: dayIn(7) }),
      ];
      const late = await course(cast.owner, { startDate: dayIn(8) });
      for (const one of [yesterday, last, last, late]) await enrollment({ status: 'pending' }, one);
      await enrollment({ status: 'active' }, now);
      const shown = { courses: 2, withRequests: 1, requests: 2 };
      expect((await show(cast.admin)).startingSoon).to.deep.equal(shown);
      expect((await show(cast.owner)).startingSoon).to.deep.equal({ courses: 1, withRequests: 0, requests: 0 });
      const list = async (url: string, { token }: Person) => (await harness.api('get', url, token).expect(200)).body;
      const { courses } = await list('/api/courses?startsWithin=7&sortBy=soonest', cast.admin);
      expect(courses.map(({ id }: { id: string }) => id)).to.deep.equal([now.id, last.id]);
      const { courses: own } = await list(`/api/courses/trainer/${cast.owner.user.id}?startsWithin=7`, cast.owner);
      expect(own.map(({ id }: { id: string }) => id)).to.deep.equal([now.id]);
      for (const query of ['', '&progress=0', '&search=e']) {
        const url = `/api/enrollments?status=pending&startsWithin=7${query}`;
        const { enrollments } = await list(url, cast.admin);
        expect(enrollments.map((one: { course: { id: string } }) => one.course.id)).to.deep.equal([last.id, last.id]);
      }
      expect((await list('/api/enrollments?startsWithin=7', cast.owner)).pagination.totalItems).to.equal(1);
      await harness.api('get', '/api/courses?startsWithin=-1', cast.admin.token).expect(400);
    });

    it('counts recent imports with rejected rows, and plans to confirm', async () => {
      const { Import } = harness.context.database.models;
      const ago = (days: number) => new Date(Date.now() - days * dayMs);
      const ids: string[] = [];
      for (const given of [
        { finishedAt: ago(1) },
        { finishedAt: ago(1), rejectedCount: 0 },
        { finishedAt: ago(8) },
        { finishedAt: ago(1), status: 'undone' },
        { status: 'planned' },
      ] as const) {
        const id = await buildImport(harness.context, 2);
        await Import.update(given, { where: { id } });
        ids.push(id);
      }
      expect((await show(cast.admin)).importsToCheck).to.deep.equal({ rejected: 1, planned: 1 });
      const { body } = await harness.api('get', '/api/imports?rejectedWithin=7', cast.admin.token).expect(200);
      expect(body.imports.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 1));
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
          { course: { id: knots.id, title: 'Knots', startDate: null }, waiting: 2 },
          { course: { id: weaving.id, title: 'Weaving', startDate: null }, waiting: 1 },
        ],
        startingSoon: { courses: 0, withRequests: 0, requests: 0 },
        nextCourse: null,
        finished: 1,
        weeks: thisWeek().map((week, index) => ({ week, enrollments: index === 11 ? 6 : 0 })),
      });
    });
  });

  describe('for a trainer with courses in the future', () => {
    it('has the next course with its participants and requests', async () => {
      await course(cast.owner, { startDate: dayIn(-2), endDate: dayIn(2) });
      await course(cast.foreign, { startDate: dayIn(1) });
      await course(cast.owner, { startDate: dayIn(9) });
      const given = {
        title: 'Knots',
        startDate: dayIn(3),
        endDate: dayIn(4),
        courseType: 'classroom',
        location: 'Room 4',
      };
      const next = await course(cast.owner, { ...given, maxStudents: 3 });
      for (const status of ['active', 'completed', 'pending', 'cancelled'] as const) await enrollment({ status }, next);
      expect((await show(cast.owner)).nextCourse).to.deep.equal({
        id: next.id,
        ...given,
        maxStudents: 3,
        isPublished: false,
        participants: 1,
        waiting: 0,
        requests: 1,
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

describe('GET /api/overview where mail is sent', () => {
  const harness = useHarness(mailSettings);
  const cast = useCast(harness);

  it('tells refused mails from unknown addresses, and counts what is held back', async () => {
    const show = async () => (await harness.api('get', '/api/overview', cast.admin.token).expect(200)).body.overview;
    expect((await show()).mailTrouble).to.equal(null);
    const failed = { state: 'failed', nextAt: null } as const;
    const old = new Date(Date.now() - 4 * dayMs);
    await buildMail(harness.context, { ...failed, lastError: '554 5.7.1 No', createdAt: old });
    expect((await show()).mailTrouble).to.equal(null);
    await buildMail(harness.context, { ...failed, lastError: '554 5.7.1 No' });
    const unknown = { ...failed, lastError: '550 5.1.1 Unknown', addressUnknown: true };
    const { id } = await buildMail(harness.context, unknown);
    const { since, ...trouble } = (await show()).mailTrouble;
    expect(trouble).to.deep.equal({
      pausedBy: null,
      held: 0,
      refused: 1,
      refusedBy: '554 5.7.1 No',
      addressUnknown: 1,
    });
    const url = `/api/mails?state=failed&addressUnknown=true&since=${since}`;
    const { body } = await harness.api('get', url, cast.admin.token).expect(200);
    expect(body.mails.map((mail: { id: string }) => mail.id)).to.deep.equal([id]);
    for (const lastError of ['The mail server refuses connections.', null])
      await buildMail(harness.context, { lastError });
    expect((await show()).mailTrouble).to.include({ pausedBy: 'The mail server refuses connections.', held: 2 });
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
