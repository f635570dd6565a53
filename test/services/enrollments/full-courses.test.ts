import { expect } from 'chai';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../../../src/context.js';
import type { Course } from '../../../src/db/models/course.js';
import type { User } from '../../../src/db/models/user.js';
import { AppError } from '../../../src/errors.js';
import { enrollmentStatuses } from '../../../src/schemas/enrollment.js';
import { deleteUser } from '../../../src/services/accounts/commands.js';
import { isFullWith, reserveSeats, seatStatuses } from '../../../src/services/capacity.js';
import { type Caller, operator } from '../../../src/services/core.js';
import { createCourse, updateCourse } from '../../../src/services/courses/commands.js';
import { listCourses, listTrainerCourses } from '../../../src/services/courses/queries.js';
import { assignMany, removeMany } from '../../../src/services/enrollments/bulk.js';
import { changeStatus } from '../../../src/services/enrollments/changes.js';
import { assignEnrollment, removeEnrollments, requestEnrollment } from '../../../src/services/enrollments/commands.js';
import { settleCourses } from '../../../src/services/freed-seats.js';
import { undoImport } from '../../../src/services/imports/commands.js';
import { startHousekeeping } from '../../../src/services/maintenance/schedule.js';
import { onMysql } from '../../support/database.js';
import { atDepth } from '../../support/depth.js';
import { buildEnrollment, buildTrainees, buildUser } from '../../support/factories.js';
import { emptyDatabase } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { until } from '../../support/until.js';
import { useImporting } from '../imports/support/importing.js';
import { importFile } from '../imports/support/running.js';

const callerOf = (user: User): Caller => ({
  user,
  sessionId: '',
  sessionExpiresAt: new Date(),
  ip: null,
  userAgent: null,
});

const admin = { actorId: null, role: 'super_admin' } as const;

describe('Courses that are full', function () {
  this.timeout(scaled(120_000));
  const importing = useImporting();
  const context = (): Context => importing.context;
  const models = () => context().database.models;

  const trainer = () => buildUser(context(), { role: 'trainer' });
  /** A published course as the program makes it. */
  async function newCourse(maxStudents: number | null, trainerId?: string): Promise<Course> {
    const fields = { title: `Looms ${uuidv7()}`, description: 'Wood and thread.', maxStudents };
    const course = await createCourse(context(), operator, { ...fields, trainerId: trainerId ?? (await trainer()).id });
    return course.update({ isPublished: true });
  }
  const seats = ({ id }: Course) => models().Enrollment.count({ where: { courseId: id, status: [...seatStatuses] } });
  const flag = async (course: Course) => (await course.reload()).isFull;

  const coursesWithNotes = async () => (await models().FreedSeat.findAll()).map(({ courseId }) => courseId);

  /**
   * What the filters find is what counting finds, and every full course has the flag.
   * @returns which courses have it and aren't full: it is noted that their seats were freed
   */
  async function expectRight(): Promise<string[]> {
    const courses = await models().Course.findAll({ order: ['id'] });
    const counts = await Promise.all(courses.map(seats));
    const full = courses.filter((course, index) => isFullWith(course, counts[index] ?? 0)).map(({ id }) => id);
    const others = courses.map(({ id }) => id).filter((id) => !full.includes(id));
    const flagged = courses.filter(({ isFull }) => isFull).map(({ id }) => id);
    expect(flagged).to.include.members(full);
    for (const [seatsLeft, expected] of [
      ['false', full],
      ['true', others],
    ] as const) {
      const { items, pagination } = await listCourses(context(), admin, { seatsLeft, limit: 50 });
      expect(items.map(({ id }) => id)).to.have.members(expected);
      expect(pagination.totalItems).to.equal(expected.length);
    }
    const wrong = flagged.filter((id) => !full.includes(id));
    expect(await coursesWithNotes()).to.include.members(wrong);
    return wrong;
  }

  it('are found after any sequence of changes', async () => {
    const at = fc.nat();
    const plain = fc.constantFrom('request', 'request', 'assign', 'assign', 'remove', 'account', 'undo');
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ what: plain, at, by: at }) },
      fc.record({ what: fc.constantFrom('status'), at, by: at, status: fc.constantFrom(...enrollmentStatuses) }),
      fc.record({
        what: fc.constantFrom('assignMany', 'removeMany'),
        at,
        by: at,
        count: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ what: fc.constantFrom('limit'), at, by: at, limit: fc.option(fc.integer({ min: 1, max: 5 })) }),
      fc.record({ what: fc.constantFrom('import'), at, by: at, count: fc.integer({ min: 1, max: 2 }) }),
    );
    const done: Record<string, number> = {};
    let newest = 10_000;
    const next = () => ++newest;
    const check = async (steps: { what: string; at: number; by: number; [field: string]: unknown }[]) => {
      const { id: trainerId } = await trainer();
      const courses = [await newCourse(1, trainerId), await newCourse(2, trainerId), await newCourse(null, trainerId)];
      const trainees = [...(await buildTrainees(context(), 6))];
      const imports: string[] = [];
      const { signal } = new AbortController();
      for (const [index, { what, at: chosen, by, ...given }] of steps.entries()) {
        const course = courses[chosen % courses.length] as Course;
        const traineeId = trainees[by % trainees.length] ?? '';
        const enrollments = await models().Enrollment.findAll({ order: ['id'] });
        const enrollment = enrollments[by % Math.max(1, enrollments.length)];
        const several = <T>(all: readonly T[]) => all.slice(by % Math.max(1, all.length)).slice(0, Number(given.count));
        const changes: Record<string, () => Promise<unknown>> = {
          request: async () => {
            const user = await models().User.findByPk(traineeId, { rejectOnEmpty: true });
            return requestEnrollment(context(), callerOf(user), { courseId: course.id });
          },
          assign: () => assignEnrollment(context(), operator, { courseId: course.id, traineeId }),
          assignMany: () =>
            assignMany(context(), operator, { courseId: course.id, traineeIds: several(trainees), status: 'active' }),
          status: async () => enrollment && changeStatus(context(), operator, enrollment.id, { status: given.status }),
          remove: async () => enrollment && removeEnrollments(context(), operator, [enrollment.id]),
          removeMany: async () =>
            removeMany(context(), operator, { enrollmentIds: several(enrollments).map(({ id }) => id) }),
          limit: () => updateCourse(context(), operator, course.id, { maxStudents: given.limit }),
          account: async () => {
            await deleteUser(context(), operator, traineeId);
            trainees.splice(trainees.indexOf(traineeId), 1, ...(await buildTrainees(context(), 1, next())));
          },
          import: async () => {
            const known = await models().User.findByPk(traineeId, { rejectOnEmpty: true });
            const rows = Array.from({ length: Number(given.count) }, (_, row) => {
              const email = row === 0 ? known.email : `imported${index}.${uuidv7()}@example.org`;
              const phone = row === 0 ? known.phone : `+1 555 ${next()}`;
              return `Ann,Lee,${email},${phone},${course.title},active`;
            });
            const text = `firstName,lastName,email,phone,course,enrollmentStatus\n${rows.join('\n')}\n`;
            const { id, counts } = await importFile(context(), importing.write(`${uuidv7()}.csv`, text));
            imports.push(id);
            return counts.enrolled > 0 ? 'enrolled' : 'rejected';
          },
          undo: async () => {
            const id = imports.pop();
            return id === undefined
              ? undefined
              : undoImport(context(), operator, id, { signal, onWait: () => undefined });
          },
        };
        const result = await changes[what]?.().then(
          (outcome) => (typeof outcome === 'string' ? outcome : 'done'),
          (error: unknown) => {
            if (!(error instanceof AppError)) throw error;
            return error.code;
          },
        );
        done[`${what} ${result}`] = (done[`${what} ${result}`] ?? 0) + 1;
        // One change after the other leaves nothing to settle.
        expect(await expectRight(), `after ${what}: ${result}`).to.deep.equal([]);
        expect(await coursesWithNotes(), `after ${what}: ${result}`).to.deep.equal([]);
      }
    };
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { minLength: 40, maxLength: 50 }), check)
        .afterEach(() => emptyDatabase(context())),
      // Shorter sequences would be tried for minutes.
      { numRuns: atDepth(6, 24), includeErrorInReport: true, endOnFailure: true },
    );
    for (const what of ['request', 'assign', 'assignMany', 'status', 'remove', 'limit', 'account', 'undo'])
      expect(done[`${what} done`], what).to.be.above(0);
    expect(done['import enrolled']).to.be.above(0);
    expect(Object.keys(done).some((outcome) => outcome.endsWith('COURSE_FULL'))).to.equal(true);
  });

  /** A course with one seat, which a trainee has. */
  async function fullCourse() {
    const course = await newCourse(1);
    const [traineeId = ''] = await buildTrainees(context(), 1, 1);
    const { id } = await assignEnrollment(context(), operator, { courseId: course.id, traineeId });
    expect(await flag(course)).to.equal(true);
    return { course, traineeId, enrollmentId: id };
  }

  it('are no longer once a seat is free, whatever freed it', async () => {
    const frees: Record<string, (full: Awaited<ReturnType<typeof fullCourse>>) => Promise<unknown>> = {
      cancelled: ({ enrollmentId }) => changeStatus(context(), operator, enrollmentId, { status: 'cancelled' }),
      completed: ({ enrollmentId }) => changeStatus(context(), operator, enrollmentId, { status: 'completed' }),
      removed: ({ enrollmentId }) => removeEnrollments(context(), operator, [enrollmentId]),
      'removed with others': ({ enrollmentId }) => removeMany(context(), operator, { enrollmentIds: [enrollmentId] }),
      'of a deleted account': ({ traineeId }) => deleteUser(context(), operator, traineeId),
      'by another limit': ({ course }) => updateCourse(context(), operator, course.id, { maxStudents: 2 }),
      'without a limit': ({ course }) => updateCourse(context(), operator, course.id, { maxStudents: null }),
    };
    for (const [what, free] of Object.entries(frees)) {
      const full = await fullCourse();
      const { updatedAt } = full.course;
      await free(full);
      expect(await flag(full.course), what).to.equal(false);
      if (!what.includes('limit')) expect(full.course.updatedAt, what).to.deep.equal(updatedAt);
      expect(await expectRight()).to.deep.equal([]);
      await emptyDatabase(context());
    }
  });

  it('are no longer once an import is undone that filled them', async () => {
    const [one, other] = [await newCourse(2), await newCourse(2)];
    const rows = [one, one, other].map(
      ({ title }, index) => `Ann,Lee,a${index}@example.org,+1 555 ${1000 + index},${title},active`,
    );
    const known = await buildUser(context(), { email: 'known@example.org', phone: '+1 555 777' });
    rows.push(`Ann,Lee,${known.email},${known.phone},${other.title},active`);
    const text = `firstName,lastName,email,phone,course,enrollmentStatus\n${rows.join('\n')}\n`;
    const { id, counts } = await importFile(context(), importing.write('people.csv', text));
    expect(counts.enrolled).to.equal(4);
    expect([await flag(one), await flag(other)]).to.deep.equal([true, true]);
    await undoImport(context(), operator, id, {
      signal: new AbortController().signal,
      onWait: () => undefined,
    });
    expect([await flag(one), await flag(other)]).to.deep.equal([false, false]);
    expect(await seats(other)).to.equal(0);
  });

  it('are found without those whose seats were freed before a crash, and the next cleanup stores it', async () => {
    const { course, enrollmentId } = await fullCourse();
    const still = await newCourse(1, course.trainerId);
    const [traineeId = ''] = await buildTrainees(context(), 1, 2);
    await assignEnrollment(context(), operator, { courseId: still.id, traineeId });
    const { database } = context();
    let transactions = 0;
    const inTransaction: typeof database.inTransaction = (...work) => {
      transactions += 1;
      if (transactions > 1) throw new Error('The database is away.');
      return database.inTransaction(...work);
    };
    const failing = { ...context(), database: { ...database, inTransaction } };
    // The change has succeeded.
    expect(await removeEnrollments(failing, operator, [enrollmentId])).to.have.length(1);
    expect(transactions).to.equal(2);
    expect(await expectRight()).to.deep.equal([course.id]);
    const housekeeping = startHousekeeping(context());
    try {
      await until(async () => !(await flag(course)), 'the course is known to have a free seat');
    } finally {
      await housekeeping.close();
    }
    expect(await expectRight()).to.deep.equal([]);
    expect(await coursesWithNotes()).to.deep.equal([]);
    expect(await flag(still)).to.equal(true);
  });

  it('are settled by the cleanup, all of them, and what was noted of deleted courses is deleted', async () => {
    const { signal } = new AbortController();
    // Changed by hand; more than are counted together.
    const { id: trainerId } = await trainer();
    const others = Array.from({ length: 450 }, (_, index) => ({
      ...{ id: uuidv7(), trainerId, title: 'Looms', description: 'Wood.', searchKey: 'looms', titleKey: 'looms' },
      ...{ maxStudents: index % 2 === 0 ? 1 : null, isFull: true },
    }));
    await models().Course.bulkCreate(others);
    const full = await models().Course.findByPk(others[200]?.id ?? '', { rejectOnEmpty: true });
    await buildEnrollment(context(), await buildUser(context()), full);
    const deleted = Array.from({ length: 450 }, () => ({ id: uuidv7(), courseId: uuidv7() }));
    await models().FreedSeat.bulkCreate([...deleted, { id: uuidv7(), courseId: full.id }]);
    expect(await settleCourses(context(), AbortSignal.abort())).to.equal(0);
    expect(await models().FreedSeat.count()).to.equal(451);
    expect(await settleCourses(context(), signal)).to.equal(449);
    expect(await models().Course.findAll({ where: { isFull: true } })).to.have.length(1);
    expect(await flag(full)).to.equal(true);
    expect(await models().FreedSeat.count()).to.equal(0);
    expect(await settleCourses(context(), signal)).to.equal(0);
  });

  it('are found among those of a trainer, too', async () => {
    const { course } = await fullCourse();
    const other = await newCourse(1, course.trainerId);
    const found = async (seatsLeft: string) =>
      (await listTrainerCourses(context(), admin, course.trainerId, { seatsLeft })).items.map(({ id }) => id);
    expect(await found('false')).to.deep.equal([course.id]);
    expect(await found('true')).to.deep.equal([other.id]);
  });

  it('are found where a seat is freed while another transaction takes the last one', async function () {
    // SQLite has no locks of rows: there one transaction writes at a time.
    if (!onMysql) return this.skip();
    const course = await newCourse(2);
    const [first = '', second = ''] = await buildTrainees(context(), 2);
    const { id } = await assignEnrollment(context(), operator, { courseId: course.id, traineeId: first });
    const { database } = context();
    await database.inTransaction(async (transaction) => {
      const locked = await models().Course.findByPk(course.id, {
        transaction,
        lock: transaction.LOCK.UPDATE,
        rejectOnEmpty: true,
      });
      await reserveSeats(context(), locked, 1, transaction);
      const fields = { id: uuidv7(), userId: second, courseId: course.id, trainerId: course.trainerId };
      await models().Enrollment.create({ ...fields, enrolledAt: new Date() }, { transaction });
      // Neither waits for the course, nor clears what isn't committed yet.
      await changeStatus(context(), operator, id, { status: 'cancelled' });
      await settleCourses(context(), new AbortController().signal);
    });
    expect(await expectRight()).to.deep.equal([course.id]);
    expect(await settleCourses(context(), new AbortController().signal)).to.equal(1);
    expect(await expectRight()).to.deep.equal([]);
  });

  it('are known at every moment, when seats are taken and freed together', async () => {
    const course = await newCourse(3);
    const users = await Promise.all(Array.from({ length: 8 }, () => buildUser(context())));
    const { signal } = new AbortController();
    const ignoring = (work: Promise<unknown>) =>
      work.catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    let [isOver, looks] = [false, 0];
    const end = () => {
      isOver = true;
    };
    /** One trainee who comes and goes, until there have been enough looks meanwhile. */
    const comeAndGo = async (user: User, index: number) => {
      for (let round = 0; !isOver && (round < atDepth(8, 16) || looks <= 10); round += 1) {
        await ignoring(requestEnrollment(context(), callerOf(user), { courseId: course.id }));
        const own = await models().Enrollment.findOne({ where: { userId: user.id } });
        if (own && (index + round) % 3 === 0) await ignoring(removeEnrollments(context(), operator, [own.id]));
        else if (own) await ignoring(changeStatus(context(), operator, own.id, { status: 'cancelled' }));
      }
    };
    /** In one statement, which sees one moment. */
    const wrong = `SELECT COUNT(*) AS wrong FROM (
      SELECT id, is_full, COALESCE(max_students <= (SELECT COUNT(*) FROM enrollments
        WHERE course_id = courses.id AND status IN ('pending', 'active')), 0) AS has_all FROM courses) AS counted
      WHERE is_full <> has_all AND (is_full = 0 OR id NOT IN (SELECT course_id FROM freed_seats))`;
    const watch = async () => {
      for (; !isOver; looks += 1) {
        const [[row]] = (await context().database.sequelize.query(wrong)) as unknown as [{ wrong: number }[]];
        expect(Number(row?.wrong)).to.equal(0);
        if (looks % 3 === 0) await settleCourses(context(), signal);
        if (looks % 7 === 0)
          await ignoring(updateCourse(context(), operator, course.id, { maxStudents: 2 + (looks % 3) }));
      }
    };
    // Whichever fails ends the others.
    await Promise.all([Promise.all(users.map(comeAndGo)).finally(end), watch().finally(end)]);
    await settleCourses(context(), signal);
    expect(await expectRight()).to.deep.equal([]);
    expect(await coursesWithNotes()).to.deep.equal([]);
  });
});
