import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { operator } from '../../src/services/core.js';
import { enrollmentsTable } from '../../src/services/enrollments/export.js';
import { insertEnrollments } from '../../src/services/enrollments/store.js';
import { withNewIds } from '../../src/services/new-ids.js';
import { buildCertificate, buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { rowsInBytes } from '../support/workbooks.js';
import { castOf, type Person, useCast } from './support/cast.js';
import { expectInvalid } from './support/expectations.js';

type Row = Record<string, string>;

function useExports(kind: 'enrollments' | 'courses' | 'users') {
  const harness = useHarness();
  const call = (by: Person, query: Record<string, string> = {}) =>
    harness.api('get', `/api/${kind}/export.csv?${new URLSearchParams(query)}`, by.token);
  const rows = async (by: Person, query: Record<string, string> = {}) =>
    parse<Row>((await call(by, query).expect(200)).text, { columns: true, bom: true });
  return { harness, call, rows };
}

describe('GET /api/enrollments/export.csv', () => {
  const { harness, call, rows } = useExports('enrollments');
  const at = new Date('2026-03-01T10:00:00.000Z');
  const cast = useCast(harness);
  let grace: User;
  let own: Course;
  beforeEach(async () => {
    const { context } = harness;
    grace = await buildUser(context, { firstName: 'Grace', lastName: '=cmd()', phone: '0151 1234567' });
    own = await buildCourse(context, cast.owner.user, { title: 'Compilers' });
    const foreign = await buildCourse(context, cast.foreign.user, { title: 'Machines' });
    await buildEnrollment(context, grace, own, {
      status: 'completed',
      progress: 100,
      enrolledAt: at,
      completedAt: at,
      notes: '@home, mornings',
      reply: 'Well done',
    });
    await buildEnrollment(context, cast.trainee.user, own, { status: 'pending' });
    await buildEnrollment(context, grace, foreign, { status: 'active' });
  });

  it('contains the trainee, the course and all fields, oldest first, with formulas escaped', async () => {
    const [first, ...others] = await rows(cast.admin);
    const { id, ...fields } = first ?? {};
    expect(await harness.context.database.models.Enrollment.findByPk(id)).to.include({ courseId: own.id });
    expect(fields).to.deep.equal({
      firstName: 'Grace',
      lastName: "'=cmd()",
      email: grace.email,
      phone: "'0151 1234567",
      course: 'Compilers',
      status: 'completed',
      progress: '100',
      notes: "'@home, mornings",
      notesAt: '',
      reply: 'Well done',
      replyAt: '',
      replyBy: '',
      cancelReason: '',
      enrolledAt: at.toISOString(),
      completedAt: at.toISOString(),
      waitingPlace: '',
      certificate: '',
      userId: grace.id,
      courseId: own.id,
    });
    expect(others.map(({ course, status }) => [course, status])).to.deep.equal([
      ['Compilers', 'pending'],
      ['Machines', 'active'],
    ]);
  });

  it('contains places on waiting lists, and certificates', async () => {
    const { context } = harness;
    const { code } = await buildCertificate(context, cast.trainee.user, await buildCourse(context, cast.owner.user));
    for (const name of ['Ada', 'Ben'])
      await buildEnrollment(context, await buildUser(context, { firstName: name }), own, { status: 'waiting' });
    const query = { fields: 'firstName,waitingPlace', status: 'waiting' };
    expect((await call(cast.owner, query).expect(200)).text).to.equal('\ufefffirstName,waitingPlace\nAda,1\nBen,2\n');
    const completed = await rows(cast.owner, {
      fields: 'certificate',
      userId: cast.trainee.user.id,
      status: 'completed',
    });
    expect(completed).to.deep.equal([{ certificate: code }]);
  });

  it('contains the requested fields in the requested order, in CSV and in a workbook', async () => {
    const query = { fields: 'status,lastName,status', courseId: own.id };
    expect((await call(cast.admin, query).expect(200)).text).to.equal(
      `\ufeffstatus,lastName\ncompleted,'=cmd()\npending,${cast.trainee.user.lastName}\n`,
    );
    const workbook = await call(cast.admin, { ...query, format: 'xlsx' })
      .responseType('blob')
      .expect(200);
    expect(workbook.headers['content-disposition']).to.equal('attachment; filename=enrollments.xlsx');
    expect(await rowsInBytes(workbook.body as Buffer)).to.deep.equal([
      ['status', 'lastName'],
      ['completed', '=cmd()'],
      ['pending', cast.trainee.user.lastName],
    ]);
    expectInvalid(await call(cast.admin, { fields: 'status,passwordHash' }), ['fields'], 'query');
  });

  it('contains for trainers only enrollments in their own courses, without phones', async () => {
    const found = await rows(cast.owner);
    expect(found.map(({ email, course }) => [email, course])).to.deep.equal([
      [grace.email, 'Compilers'],
      [cast.trainee.user.email, 'Compilers'],
    ]);
    expect(found[0]).not.to.have.property('phone');
    expectInvalid(await call(cast.owner, { fields: 'email,phone' }), ['fields'], 'query');
    expect(await rows(cast.owner, { trainerId: cast.foreign.user.id })).to.deep.equal([]);
  });

  it('accepts the filters of the listing', async () => {
    const filters = [
      { status: 'pending,active' },
      { courseId: own.id, status: 'completed' },
      { userId: grace.id },
      { trainerId: cast.foreign.user.id },
      { search: 'grace' },
      { search: 'grace', courseId: own.id },
      { progress: '100' },
    ];
    for (const filter of filters) {
      const { body } = await harness
        .api('get', `/api/enrollments?${new URLSearchParams(filter as Row)}`, cast.admin.token)
        .expect(200);
      const listed = (body.enrollments as { id: string }[]).map(({ id }) => id).sort();
      expect(listed, JSON.stringify(filter)).not.to.have.length(0);
      expect((await rows(cast.admin, filter as Row)).map(({ id }) => id)).to.deep.equal(listed);
    }
    expectInvalid(await call(cast.admin, { status: 'gone' }), ['status'], 'query');
  });

  it('contains each of very many rows exactly once, except rows removed during the export', async () => {
    const { context } = harness;
    const people = Array.from({ length: 13 }, () => buildUser(context));
    const courses = Array.from({ length: 400 }, () => buildCourse(context, cast.owner.user));
    const trainees = await Promise.all(people);
    const places = (await Promise.all(courses)).flatMap(({ id: courseId, trainerId }) =>
      trainees.map(({ id: userId }) => ({ userId, courseId, trainerId, status: 'active' as const, notes: null })),
    );
    const enrollments = withNewIds(places).map(([id, place]) => ({ id, ...place }));
    await context.database.inTransaction((transaction) =>
      insertEnrollments(context, enrollments, new Date(), transaction),
    );
    const ids = enrollments.map(({ id }) => id);
    const exported: string[] = [];
    const table = enrollmentsTable(context, operator, {
      trainerId: cast.owner.user.id,
      status: 'active',
      fields: 'id',
    });
    for (let some = await table.next(); some; some = await table.next()) {
      // Removes all rows of the next query, once.
      if (exported.length === 0)
        await context.database.models.Enrollment.destroy({ where: { id: ids.splice(some.length, some.length) } });
      exported.push(...some.map(([id]) => String(id)));
    }
    expect(exported).to.deep.equal(ids);
  });
});

describe('GET /api/courses/export.csv', () => {
  const { harness, call, rows } = useExports('courses');
  const cast = useCast(harness);
  let weaving: Course;
  beforeEach(async () => {
    const { context } = harness;
    weaving = await buildCourse(context, cast.owner.user, {
      title: 'Weaving',
      category: 'Crafts',
      maxStudents: 2,
      startDate: '2026-09-01',
      tagsJson: '["wool","colour"]',
      isPublished: true,
    });
    await buildEnrollment(context, cast.trainee.user, weaving, { status: 'active' });
    await buildCourse(context, cast.foreign.user, { title: 'Bees', isPublished: true });
  });

  it('contains all fields, the seats taken and the trainer, oldest first', async () => {
    const [first, ...others] = await rows(cast.admin);
    const { firstName, lastName } = cast.owner.user;
    expect(first).to.include({
      id: weaving.id,
      title: 'Weaving',
      tags: 'wool, colour',
      maxStudents: '2',
      seatsTaken: '1',
      startDate: '2026-09-01',
      endDate: '',
      isPublished: 'true',
      trainer: `${firstName} ${lastName}`,
    });
    expect(others.map(({ title, seatsTaken }) => [title, seatsTaken])).to.deep.equal([['Bees', '0']]);
  });

  it('contains for trainers only their own courses, published or not', async () => {
    await weaving.update({ isPublished: false });
    expect((await rows(cast.owner)).map(({ title }) => title)).to.deep.equal(['Weaving']);
    expect(await rows(cast.owner, { trainerId: cast.foreign.user.id })).to.deep.equal([]);
  });

  it('accepts the filters of the listing and the requested fields; dates are dates in a workbook', async () => {
    for (const [filter, titles] of [
      [{ category: 'Crafts' }, ['Weaving']],
      [{ search: 'bee' }, ['Bees']],
      [{ isPublished: 'false' }, []],
      [{ trainerId: cast.foreign.user.id }, ['Bees']],
      [{ seatsLeft: 'true' }, ['Weaving', 'Bees']],
      [{ seatsLeft: 'false' }, []],
    ] as const)
      expect(await rows(cast.admin, { ...filter, fields: 'title' })).to.deep.equal(titles.map((title) => ({ title })));
    const chosen = { fields: 'startDate,title', category: 'Crafts', format: 'xlsx' };
    const { body } = await call(cast.admin, chosen).responseType('blob').expect(200);
    expect(await rowsInBytes(body as Buffer)).to.deep.equal([
      ['startDate', 'title'],
      ['2026-09-01', 'Weaving'],
    ]);
    expectInvalid(await call(cast.admin, { fields: 'lockVersion' }), ['fields'], 'query');
  });
});

describe('GET /api/users/export.csv', () => {
  const { harness, call } = useExports('users');

  it('contains the requested fields in the requested order', async () => {
    const { admin } = await castOf(harness.context);
    const { text } = await call(admin, { fields: 'role,email', role: 'super_admin' }).expect(200);
    expect(text).to.equal(`\ufeffrole,email\nsuper_admin,${admin.user.email}\n`);
    expectInvalid(await call(admin, { fields: 'passwordHash' }), ['fields'], 'query');
  });
});
