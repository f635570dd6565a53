import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, expectInvalid, messages } from './support/expectations.js';

describe('GET /api/enrollments/trainer/:trainerId', () => {
  const harness = useHarness();
  let trainer: User;
  let token: string;
  beforeEach(async () => {
    ({ user: trainer, token } = await signIn(harness.context, { role: 'trainer' }));
  });
  const list = (query = '', as = token, trainerId = trainer.id) =>
    harness.api('get', `/api/enrollments/trainer/${trainerId}${query}`, as);
  const ids = async (query: string) => {
    const { body } = await list(query).expect(200);
    expect(body.pagination.totalItems).to.equal(body.enrollments.length);
    return body.enrollments.map(({ id }: { id: string }) => id);
  };

  it('lists an enrollment with exactly the documented fields', async () => {
    const trainee = await buildUser(harness.context, {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
    });
    const given = { title: 'Compilers', description: 'From A-0 on.', thumbnail: '/uploads/a-0.webp' };
    const course = await buildCourse(harness.context, trainer, given);
    const enrollment = await buildEnrollment(harness.context, trainee, course, {
      status: 'completed',
      progress: 100,
      notes: 'With honours',
      enrolledAt: new Date('2026-01-02T03:04:05.678Z'),
      completedAt: new Date('2026-02-03T04:05:06.789Z'),
    });
    const { body } = await list().expect(200);
    expect(body).to.deep.equal({
      enrollments: [
        {
          id: enrollment.id,
          userId: trainee.id,
          courseId: course.id,
          status: 'completed',
          progress: 100,
          notes: 'With honours',
          enrolledAt: '2026-01-02T03:04:05.678Z',
          completedAt: '2026-02-03T04:05:06.789Z',
          user: { id: trainee.id, firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', avatar: null },
          course: { id: course.id, ...given },
        },
      ],
      pagination: { currentPage: 1, totalPages: 1, totalItems: 1, itemsPerPage: 20 },
    });
  });

  it("lists enrollments in the trainer's own courses only, in every status, newest first", async () => {
    const other = await buildUser(harness.context, { role: 'trainer' });
    const trainee = await buildUser(harness.context);
    await buildEnrollment(harness.context, trainee, await buildCourse(harness.context, other));
    const own: string[] = [];
    for (const [index, status] of (['pending', 'active', 'completed', 'cancelled'] as const).entries()) {
      const enrolledAt = new Date(Date.UTC(2026, 0, index + 1));
      const course = await buildCourse(harness.context, trainer);
      own.push((await buildEnrollment(harness.context, trainee, course, { status, enrolledAt })).id);
    }
    expect(await ids('')).to.deep.equal(own.reverse());
  });

  it('is empty for a trainer without enrollments', async () => {
    await buildCourse(harness.context, trainer);
    expect(await ids('')).to.deep.equal([]);
  });

  it("refuses another trainer's enrollments", async () => {
    const other = await buildUser(harness.context, { role: 'trainer' });
    const response = await list('', token, other.id);
    expectFailure(response, 403, "Access denied. Another trainer's data can't be read.");
  });

  it('refuses a trainee', async () => {
    const trainee = await signIn(harness.context);
    const response = await list('', trainee.token);
    expectFailure(response, 403, 'Access denied. Trainer or Super admin role required.');
  });

  it('needs a token', async () => {
    expectFailure(await harness.api('get', `/api/enrollments/trainer/${trainer.id}`), 401, messages.noToken);
  });

  it("shows the super admin any trainer's enrollments, and 404 where there is no such trainer", async () => {
    await buildEnrollment(
      harness.context,
      await buildUser(harness.context),
      await buildCourse(harness.context, trainer),
    );
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await list('', admin.token).expect(200);
    expect(body.enrollments).to.have.length(1);
    for (const trainerId of ['nobody', admin.user.id]) {
      expectFailure(await list('', admin.token, trainerId), 404, 'Trainer not found.');
    }
  });

  it('filters by course', async () => {
    const trainee = await buildUser(harness.context);
    const course = await buildCourse(harness.context, trainer);
    const wanted = await buildEnrollment(harness.context, trainee, course);
    await buildEnrollment(harness.context, trainee, await buildCourse(harness.context, trainer));
    expect(await ids(`?courseId=${course.id}`)).to.deep.equal([wanted.id]);
    expect(await ids('?courseId=unknown')).to.deep.equal([]);
  });

  it("shows nothing of another trainer's course", async () => {
    const other = await buildUser(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, other);
    await buildEnrollment(harness.context, await buildUser(harness.context), course);
    expect(await ids(`?courseId=${course.id}`)).to.deep.equal([]);
  });

  it('filters by status', async () => {
    const trainee = await buildUser(harness.context);
    for (const status of ['pending', 'active', 'completed', 'cancelled'] as const) {
      const { id } = await buildEnrollment(harness.context, trainee, await buildCourse(harness.context, trainer), {
        status,
      });
      expect(await ids(`?status=${status}`)).to.deep.equal([id]);
    }
  });

  it('takes the four statuses only', async () => {
    for (const status of ['', 'Active', 'done', 'active,done', 'active;pending', 'active&status=pending']) {
      expectInvalid(await list(`?status=${status}`), ['status'], 'query');
    }
    await list('?status=active,pending').expect(200);
  });

  it("searches the trainee's name and email and the course's title, minding neither case nor accents", async () => {
    const build = async (given: object, title: string) => {
      const course = await buildCourse(harness.context, trainer, { title });
      return (await buildEnrollment(harness.context, await buildUser(harness.context, given), course)).id;
    };
    const jose = await build({ firstName: 'José', lastName: 'Núñez', email: 'j.n@example.org' }, 'Weaving');
    const percent = await build({ firstName: 'Per', lastName: 'Cent', email: 'a_b@example.org' }, '100% Señal');
    for (const term of ['jose', 'NUÑEZ', 'nunez', 'josé nu', 'j.n@', 'weaving']) {
      expect(await ids(`?search=${encodeURIComponent(term)}`), term).to.deep.equal([jose]);
    }
    for (const term of ['%', '_', 'senal', 'PER CENT']) {
      expect(await ids(`?search=${encodeURIComponent(term)}`), term).to.deep.equal([percent]);
    }
    expect(await ids('?search=')).to.have.length(2);
    for (const term of ['nobody', "' OR 1=1 --"])
      expect(await ids(`?search=${encodeURIComponent(term)}`)).to.deep.equal([]);
  });

  it("doesn't search what it doesn't show: phones", async () => {
    const trainee = await buildUser(harness.context, { phone: '+1 555 7770001' });
    await buildEnrollment(harness.context, trainee, await buildCourse(harness.context, trainer));
    const { body } = await list('?search=7770001').expect(200);
    expect(body.enrollments).to.deep.equal([]);
  });

  it('combines filters, search and paging', async () => {
    const course = await buildCourse(harness.context, trainer, { title: 'Looms' });
    const elsewhere = await buildCourse(harness.context, trainer, { title: 'Looms too' });
    for (const [status, place] of [
      ['active', course],
      ['active', course],
      ['pending', course],
      ['active', elsewhere],
    ] as const) {
      await buildEnrollment(harness.context, await buildUser(harness.context), place, { status });
    }
    const { body } = await list(`?search=loom&status=active&courseId=${course.id}&limit=1&page=2`).expect(200);
    expect(body.enrollments).to.have.length(1);
    expect(body.pagination).to.deep.equal({ currentPage: 2, totalPages: 2, totalItems: 2, itemsPerPage: 1 });
  });
});
