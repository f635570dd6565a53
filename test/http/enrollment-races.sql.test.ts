import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import { createApp } from '../../src/http/server/app.js';
import { seatStatuses } from '../../src/schemas/enrollment-statuses.js';
import { type Context, createContext } from '../../src/services/context.js';
import { type Promoter, startPromoter } from '../../src/services/waiting-list/promoter.js';
import { coursesDue } from '../../src/services/waiting-list/promotion.js';
import { atDepth } from '../support/depth.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildEnrollment, signIn } from '../support/factories.js';
import { relaxedDeadlines, useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { until } from '../support/until.js';
import { type Person, serve, useCast } from './support/cast.js';

type Call = [by: Person, method: string, path: string, body?: object];

const full = '400 Course is at maximum capacity.';
const enrolled = '400 Already enrolled in this course.';
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

for (const instances of [1, 2]) {
  describe(`Concurrent requests to ${instances} ${instances === 1 ? 'instance' : 'instances'}`, () => {
    const harness = useHarness({}, undefined, { deadlines: relaxedDeadlines });
    const servers: Awaited<ReturnType<typeof serve>>[] = [];
    const promoters: Promoter[] = [];
    let second: Context | undefined;
    const cast = useCast(harness);
    let course: Course;
    before(async () => {
      servers.push(await serve(harness.app));
      promoters.push(startPromoter(harness.context));
      if (instances === 1) return;
      const { config, hasher, logger } = harness.context;
      const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: config.dataDir };
      second = await createContext(loadConfig({ env, cwd: config.dataDir }), logger, { hasher });
      servers.push(await serve(createApp(second, { deadlines: relaxedDeadlines })));
      promoters.push(startPromoter(second));
    });
    after(async () => {
      for (const server of servers) await server.close();
      for (const promoter of promoters) await promoter.close();
      await second?.close();
    });
    beforeEach(async () => {
      course = await buildCourse(harness.context, cast.owner.user, { isPublished: true, maxStudents: 10 });
    });

    /**
     * Sends all requests at the same time, distributed over the instances.
     * @returns the number of responses by status and error
     */
    async function race(calls: readonly Call[]): Promise<Record<string, number>> {
      const responses = await Promise.all(
        calls.map(async ([{ token }, method, path, body], index) => {
          const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
          const url = `${servers[index % servers.length]?.url}/api${path}`;
          const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
          const given = (await response.json()) as { error?: string; enrollment?: { status: string } };
          // The response shows the requested change, also if another change followed.
          const wanted = path.endsWith('/status') && response.ok ? (body as { status: string }).status : undefined;
          if (wanted !== undefined) expect(given.enrollment?.status).to.equal(wanted);
          return `${response.status} ${given.error ?? 'done'}`;
        }),
      );
      const counts: Record<string, number> = {};
      for (const response of responses) counts[response] = (counts[response] ?? 0) + 1;
      return counts;
    }
    const people = async (count: number) => {
      const signedIn: Person[] = [];
      for (const _ of numbers(count)) signedIn.push(await signIn(harness.context));
      return signedIn;
    };
    const ask = (by: Person): Call => [by, 'POST', '/enrollments', { courseId: course.id }];
    const assign = ({ user }: Person): Call => [
      ...([cast.owner, 'POST', '/enrollments/assign'] as const),
      { courseId: course.id, traineeId: user.id },
    ];
    const change = (by: Person, { id }: Enrollment, status: string): Call => [
      ...([by, 'PUT', `/enrollments/${id}/status`] as const),
      { status },
    ];
    const seats = () =>
      harness.context.database.models.Enrollment.count({
        where: { courseId: course.id, status: [...seatStatuses] },
      });

    it('give the 10 seats of a course to 10 of 60 trainees', async () => {
      const trainees = await people(60);
      expect(await race(trainees.map(ask))).to.deep.equal({ '201 done': 10, [full]: 50 });
      expect(await seats()).to.equal(10);
    });

    it('give the 20 seats of a course in the order of the waiting list, while trainees leave and join', async () => {
      await course.update({ maxStudents: 20, autoAccept: true });
      const count = atDepth(120, 200);
      const trainees = await people(count);
      const personOf = new Map(trainees.map((person) => [person.user.id, person]));
      const join = (by: Person): Call => [
        ...([by, 'POST', '/enrollments'] as const),
        { courseId: course.id, joinWaitingList: true },
      ];
      const leave = (enrollment: Enrollment): Call =>
        change(personOf.get(enrollment.userId) as Person, enrollment, 'cancelled');
      const rows = () => harness.context.database.models.Enrollment.findAll({ where: { courseId: course.id } });
      const having = (all: readonly Enrollment[], wanted: string) => all.filter(({ status }) => status === wanted);
      let isRacing = true;
      const most = (async () => {
        let found = 0;
        while (isRacing) found = Math.max(found, await seats());
        return found;
      })();
      await race(trainees.slice(0, count / 2).map(join));
      for (const late of [trainees.slice(count / 2, (count * 3) / 4), trainees.slice((count * 3) / 4), []]) {
        const before = await rows();
        const leaving = [...having(before, 'active').slice(0, 10), ...having(before, 'waiting').slice(0, 10)].map(
          leave,
        );
        const joining = late.map(join);
        const calls = numbers(50).flatMap((index) =>
          [joining, leaving].flatMap((some) => some.slice(index, index + 1)),
        );
        const counts = await race(calls);
        expect(counts).to.deep.equal({ '200 done': 20, ...(late.length > 0 && { '201 done': late.length }) });
        await until(async () => (await coursesDue(harness.context)).length === 0);
        const [queue, after] = [having(before, 'waiting'), await rows()];
        const statusOf = new Map(after.map(({ id, status }) => [id, status]));
        const stayed = queue
          .filter(({ id }) => statusOf.get(id) !== 'cancelled')
          .sort((one, other) => (one.waitingNumber ?? 0) - (other.waitingNumber ?? 0));
        // The first people on the waiting list have the seats of the people who left.
        expect(stayed.map(({ id }) => statusOf.get(id))).to.deep.equal(
          stayed.map((_, index) => (index < 10 ? 'active' : 'waiting')),
        );
        expect(having(after, 'active')).to.have.length(20);
      }
      isRacing = false;
      expect(await most).to.equal(20);
    }).timeout(scaled(30_000));

    it('give the last seat to one trainee only: by request, assignment, bulk assignment or change of status', async () => {
      await course.update({ maxStudents: 1 });
      const [asking, assigned, many, returning] = [await people(5), await people(5), await people(5), await people(10)];
      const cancelled = await Promise.all(
        returning.map(({ user }) => buildEnrollment(harness.context, user, course, { status: 'cancelled' })),
      );
      const counts = await race([
        ...asking.map(ask),
        ...assigned.map(assign),
        ...many.map(
          ({ user }): Call => [
            ...([cast.admin, 'POST', '/enrollments/bulk'] as const),
            { courseId: course.id, traineeIds: [user.id] },
          ],
        ),
        ...cancelled.map((enrollment, index) =>
          index % 2 === 0
            ? change(returning[index] as Person, enrollment, 'pending')
            : change(cast.owner, enrollment, 'active'),
        ),
      ]);
      const { '200 done': again = 0, '201 done': anew = 0, ...refused } = counts;
      expect(again + anew).to.equal(1);
      const toManagers = `${full} Raise its maximum, or use its waiting list (whenFull: wait).`;
      const { [full]: ofTrainees = 0, [toManagers]: ofManagers = 0, ...others } = refused;
      expect([ofTrainees + ofManagers, others]).to.deep.equal([24, {}]);
      expect(await seats()).to.equal(1);
    });

    it('never fill more seats than the course has, even if its capacity is lowered at the same time', async () => {
      await course.update({ maxStudents: null });
      const trainees = await people(20);
      const lower: Call = [cast.owner, 'PUT', `/courses/${course.id}`, { maxStudents: 5 }];
      await race(trainees.flatMap((trainee, index) => (index % 5 === 2 ? [lower, ask(trainee)] : [ask(trainee)])));
      const { maxStudents } = await course.reload();
      expect(await seats()).to.be.at.most(maxStudents ?? 20);
    });

    it('enroll a trainee only once by requests and assignments, also after a cancellation', async () => {
      const calls = numbers(20).map((index) => (index % 2 === 0 ? ask(cast.trainee) : assign(cast.trainee)));
      expect(await race(calls)).to.deep.equal({ '201 done': 1, [enrolled]: 19 });
      await harness.context.database.models.Enrollment.update({ status: 'cancelled' }, { where: {} });
      expect(await race(calls)).to.deep.equal({ '201 done': 1, [enrolled]: 19 });
      expect(await harness.context.database.models.Enrollment.count()).to.equal(1);
    });

    it('to enroll succeed before the deletion of the course and get 404 afterwards, and no enrollment is left', async () => {
      await course.update({ maxStudents: null });
      const trainees = await people(30);
      const calls: Call[] = trainees.map((trainee, index) => (index % 3 === 0 ? assign(trainee) : ask(trainee)));
      calls.splice(12, 0, [cast.admin, 'DELETE', `/courses/${course.id}?force=true`]);
      const {
        '200 done': deleted,
        '201 done': done = 0,
        '404 Course not found.': late = 0,
        ...others
      } = await race(calls);
      expect(others).to.deep.equal({});
      expect([deleted, done + late]).to.deep.equal([1, 30]);
      expect(await harness.context.database.models.Enrollment.count()).to.equal(0);
    });

    it('store the current trainer of the course in all enrollments, even if the trainer changes at the same time', async () => {
      await course.update({ maxStudents: null });
      const trainees = await people(30);
      const given = (to: Person): Call => [
        ...([cast.admin, 'PUT', `/courses/${course.id}/assign-trainer`] as const),
        { trainerId: to.user.id },
      ];
      const calls = trainees.flatMap((trainee, index) => [
        ask(trainee),
        ...(index % 5 === 0 ? [given(index % 2 === 0 ? cast.foreign : cast.owner)] : []),
      ]);
      expect(await race(calls)).to.deep.equal({ '200 done': 6, '201 done': 30 });
      const { trainerId } = await course.reload();
      const { Enrollment } = harness.context.database.models;
      expect(await Enrollment.count({ where: { trainerId } })).to.equal(30);
      expect(await Enrollment.count()).to.equal(30);
    });

    it('change a status only once, and refuse 49 equal changes', async () => {
      const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'pending' });
      const by = (index: number) => (index % 2 === 0 ? cast.owner : cast.admin);
      const counts = await race(numbers(50).map((index) => change(by(index), enrollment, 'active')));
      expect(counts).to.deep.equal({ '200 done': 1, "400 Enrollment can't change from active to active.": 49 });
      expect(await harness.context.database.models.AuditEntry.count()).to.equal(1);
    });

    it('remove overlapping lists of enrollments completely or not at all, also while the course is reassigned and deleted', async () => {
      const { context } = harness;
      const trainees = await people(10);
      const ids: string[] = [];
      for (const { user } of trainees)
        ids.push((await buildEnrollment(context, user, course, { status: 'active' })).id);
      const removal = (index: number): Call => [
        ...([cast.admin, 'DELETE', '/enrollments/bulk/remove'] as const),
        { enrollmentIds: [...ids.slice(index % 10), ...ids.slice(0, index % 10)] },
      ];
      expect(await race(numbers(20).map(removal))).to.deep.equal({ '200 done': 1, '404 Enrollment not found.': 19 });
      await context.database.models.Enrollment.bulkCreate(
        trainees.map(({ user: { id: userId } }, index) => ({
          id: ids[index] ?? '',
          userId,
          courseId: course.id,
          trainerId: cast.owner.user.id,
          status: 'active' as const,
          enrolledAt: new Date(),
        })),
      );
      const path = `/courses/${course.id}`;
      const counts = await race([
        ...numbers(5).map(removal),
        [cast.admin, 'PUT', `${path}/assign-trainer`, { trainerId: cast.foreign.user.id }],
        ...numbers(5).map(removal),
        [cast.admin, 'DELETE', `${path}?force=true`],
        ...numbers(5).map(removal),
      ]);
      const { '200 done': done = 0, '404 Enrollment not found.': late = 0, ...others } = counts;
      const gone = others['404 Course not found.'] ?? 0;
      expect([done + late + gone, Object.keys(others).length <= 1]).to.deep.equal([17, true]);
      expect(await context.database.models.Enrollment.count()).to.equal(0);
    });

    it('remove an enrollment only once, while its progress changes', async () => {
      const enrollment = await buildEnrollment(harness.context, cast.trainee.user, course, { status: 'active' });
      const removal: Call = [cast.owner, 'DELETE', `/enrollments/${enrollment.id}`];
      const progress: Call = [cast.owner, 'PUT', `/enrollments/${enrollment.id}/progress`, { progress: 50 }];
      const counts = await race(numbers(30).map((index) => (index % 3 === 2 ? removal : progress)));
      const { '200 done': done = 0, '404 Enrollment not found.': late = 0, ...others } = counts;
      expect(others).to.deep.equal({});
      expect([done > 0, done + late]).to.deep.equal([true, 30]);
      const removed = { action: 'enrollment.remove' };
      expect(await harness.context.database.models.AuditEntry.count({ where: removed })).to.equal(1);
    });
  });
}
