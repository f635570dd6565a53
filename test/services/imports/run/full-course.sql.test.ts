import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
import { emailsOf, hashedPeople, recordsOf, useImporting } from '../support/importing.js';
import { importFirstBatch } from '../support/running.js';
import { runToEnd, runToPlan, submit } from '../support/submitting.js';

for (const batchRows of [7, 50])
  describe(`A file of 30 people for a course with 20 seats, ${batchRows} rows a batch`, () => {
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.org', PUBLIC_URL: 'https://example.org' };
    const importing = useImporting({ IMPORT_BATCH_ROWS: String(batchRows), ...mail });
    const { models } = importing;
    const [seated, others] = [emailsOf(20), emailsOf(10, 'p', 21)];
    let course: Course;
    let file: string;
    beforeEach(async () => {
      const trainer = await buildUser(importing.context, { role: 'trainer' });
      course = await buildCourse(importing.context, trainer, { title: 'Bees', maxStudents: 20, isPublished: true });
      file = importing.write('people.csv', hashedPeople(30));
    });
    const run = (...args: string[]) => importing.json(file, '--course', 'Bees', ...args);
    const text = async (...args: string[]) =>
      (await importing.run(file, '--course', 'Bees', ...args)).stdout.replace(/\s+/g, ' ');
    /** Emails of people with a status, in the order of the waiting list if they wait. */
    const emailsWith = async (status: 'active' | 'waiting') => {
      const include = [{ model: models().User, as: 'user' }];
      const found = await models().Enrollment.findAll({ where: { status }, include, order: ['waitingNumber', 'id'] });
      return found.map(({ user }) => user?.email);
    };
    const trainees = () => models().User.count({ where: { role: 'trainee' } });
    const codes = async (id: string) =>
      (await importing.ledger(id)).map(({ outcome, code, otherCodes }) => `${outcome} ${code}${otherCodes ?? ''}`);
    const tenTimes = (code: string) => Array<string>(10).fill(code);
    const created = Array<string>(20).fill('created null');

    it('rejects the others by default, and the reason names the options and the number of rows', async () => {
      const reason =
        'Course is at maximum capacity. Raise its maximum, or import with --when-full wait (waiting list) or --when-full skip-course (account alone).';
      expect(await text('--dry-run')).to.include(`10 rows COURSE_FULL: ${reason.replace(/\.$/, '')} (lines 22, 23,`);
      const { exitCode, counts, rejectsFile } = await run();
      expect([exitCode, counts.created, counts.rejected]).to.deep.equal([3, 20, 10]);
      expect(recordsOf(rejectsFile)[0]).to.include({ code: 'COURSE_FULL', reason });
    });

    it('creates their accounts with skip-course; plan, result and ledger say that the course is left out', async () => {
      const plan = await text('--when-full', 'skip-course', '--dry-run');
      const leftOut =
        '10 rows COURSE_FULL: Course is at maximum capacity: the rows are imported without it (lines 22, ';
      expect(plan).to.include(`20 enrollments to make 10 enrollments to leave out: ${leftOut}`);
      const { exitCode, id, counts, rejectsFile } = await run('--when-full', 'skip-course');
      expect([exitCode, rejectsFile]).to.deep.equal([0, null]);
      expect(counts).to.include({ created: 30, rejected: 0, enrolled: 20, waiting: 0, leftOut: 10 });
      expect([await trainees(), await emailsWith('active')]).to.deep.equal([30, seated]);
      expect(await codes(id)).to.deep.equal([...created, ...tenTimes('created COURSE_FULL')]);
      expect((await importing.ledger(id)).at(-1)?.reason).to.equal('No place in "Bees": the course is full.');
      // The accounts exist now, so a second import of the file skips the rows and leaves their courses out.
      const again = await run('--when-full', 'skip-course');
      expect(again.counts).to.include({ skipped: 30, leftOut: 10 });
      expect((await codes(again.id)).slice(20)).to.deep.equal(tenTimes('skipped ALREADY_EXISTS COURSE_FULL '));
      const { stdout } = await importing.cli('imports', 'show', again.id.slice(-8));
      expect(stdout).to.match(/left out\s+10/);
    });

    it('puts them on the waiting list with wait, in the order of the rows, and undo removes them', async () => {
      const wait = ['--when-full', 'wait'];
      expect(await text(...wait, '--dry-run')).to.include(
        '20 enrollments to make 10 enrollments to put on waiting lists',
      );
      const plan = await importing.plan(file, { course: 'Bees', whenFull: 'wait', notify: true });
      expect([plan.news, plan.counts.waiting]).to.deep.equal([20, 10]);
      const { exitCode, id, counts } = await run(...wait, '--notify');
      expect(exitCode).to.equal(0);
      expect(counts).to.include({ created: 30, rejected: 0, enrolled: 20, waiting: 10, leftOut: 0 });
      expect([await emailsWith('active'), await emailsWith('waiting')]).to.deep.equal([seated, others]);
      expect(await codes(id)).to.deep.equal([...created, ...tenTimes('created null')]);
      expect((await course.reload()).waitingCounter).to.equal(10);
      expect(await models().Mail.count({ where: { kind: 'enrolled' } })).to.equal(20);
      const again = await run(...wait);
      expect(again.counts).to.include({ skipped: 30, enrolled: 0, waiting: 0, leftOut: 0 });
      await importing.cli('imports', 'undo', id, '--yes');
      expect([await trainees(), await models().Enrollment.count()]).to.deep.equal([0, 0]);
    });

    it('creates accounts without a place if the waiting list is full, too, with a separate reason', async () => {
      await course.update({ waitingMax: 4 });
      const { id, counts } = await run('--when-full', 'wait');
      expect(counts).to.include({ created: 30, rejected: 0, enrolled: 20, waiting: 4, leftOut: 6 });
      expect(await emailsWith('waiting')).to.deep.equal(others.slice(0, 4));
      expect((await codes(id)).slice(24)).to.deep.equal(Array(6).fill('created WAITING_LIST_FULL'));
      const reason = 'No place in "Bees": the course and its waiting list are full.';
      expect((await importing.ledger(id)).at(-1)?.reason).to.equal(reason);
    });

    it('has the same result if it is interrupted and resumed', async () => {
      const whole = hashedPeople(120);
      await course.update({ maxStudents: 60, waitingMax: 50 });
      const long = importing.write('long.csv', whole);
      const options = { course: 'Bees', whenFull: 'wait' };
      const { counts } = await importFirstBatch(importing.context, long, {}, options);
      expect(counts.rows).to.be.lessThan(120);
      const ended = await importing.json(long, '--course', 'Bees', '--when-full', 'wait');
      expect(ended.counts).to.include({ rows: 120, created: 120, enrolled: 60, waiting: 50, leftOut: 10 });
      expect(await emailsWith('waiting')).to.deep.equal(emailsOf(50, 'p', 61));
      expect((await importing.plan(long, options)).unfinished).to.equal(null);
    });

    it('is not imported with --plan if --when-full differs from the plan', async () => {
      const { stdout } = await importing.run(file, '--course', 'Bees', '--when-full', 'wait', '--dry-run', '--json');
      const { id } = (JSON.parse(stdout) as { plan: { id: string } }).plan;
      const other = await importing.run(file, '--course', 'Bees', '--when-full', 'skip-course', '--plan', id);
      expect([other.exitCode, await trainees()]).to.deep.equal([1, 0]);
      expect(other.stderr).to.include(`The plan ${id} is out of date`);
      expect((await importing.run(file, '--course', 'Bees', '--when-full', 'wait', '--plan', id)).exitCode).to.equal(0);
    });

    it('gives free seats to the waiting list first', async () => {
      // The course is unpublished, so nobody moves up automatically.
      await course.update({ isPublished: false });
      const waiting = await buildEnrollment(importing.context, await buildUser(importing.context), course, {
        status: 'waiting',
      });
      const inactive = await buildUser(importing.context, { isActive: false });
      await buildEnrollment(importing.context, inactive, course, { status: 'waiting' });
      const { counts } = await run('--when-full', 'wait');
      expect(counts).to.include({ created: 30, enrolled: 19, waiting: 11 });
      expect(await emailsWith('active')).to.deep.equal(seated.slice(0, 19));
      expect((await waiting.reload()).status).to.equal('waiting');
    });

    it('puts people with cancelled enrollments on the waiting list, and undo restores them', async () => {
      await course.update({ maxStudents: 1 });
      await buildEnrollment(importing.context, await buildUser(importing.context), course, { status: 'active' });
      const ada = await buildUser(importing.context, { email: 'p00003@example.org' });
      const left = await buildEnrollment(importing.context, ada, course, { status: 'cancelled', cancelReason: 'left' });
      const { id, counts } = await run('--when-full', 'wait');
      expect(counts).to.include({ created: 29, skipped: 1, enrolled: 0, waiting: 30 });
      expect(await emailsWith('waiting')).to.deep.equal([...seated, ...others]);
      expect(await left.reload()).to.include({ status: 'waiting', waitingNumber: 3, cancelReason: null });
      const entry = await models().AuditEntry.findOne({ where: { action: 'user.import' }, rejectOnEmpty: true });
      expect(entry.after)
        .to.include({ importId: id })
        .and.to.deep.include({ waitingLists: [course.id] });
      await importing.cli('imports', 'undo', id, '--yes');
      expect(await left.reload()).to.include({ status: 'cancelled', waitingNumber: null, cancelReason: 'left' });
    });

    it('finds the rows without the course over HTTP by their code', async () => {
      const { token } = await signIn(importing.context, { role: 'super_admin' });
      const rowsOf = async (id: string) => {
        const { body } = await importing.api('get', `/api/imports/${id}/rows?code=COURSE_FULL`, token).expect(200);
        return body.rows.map(({ line, outcome, code, message }: Record<string, unknown>) => [
          line,
          outcome,
          code,
          message,
        ]);
      };
      const expected = Array.from({ length: 10 }, (_, index) => [
        22 + index,
        'created',
        'COURSE_FULL',
        'No place in "Bees": the course is full.',
      ]);
      const options = { course: 'Bees', whenFull: 'skip-course' };
      const planned = await submit(importing, hashedPeople(30), { ...options, plan: true });
      await runToPlan(importing, planned.id);
      const { body } = await importing.api('get', `/api/imports/${planned.id}`, token).expect(200);
      expect(body.import.plan.counts).to.include({ created: 30, enrolled: 20, leftOut: 10 });
      expect(body.import.plan.reasons).to.have.length(1);
      expect(body.import.plan.reasons[0]).to.include({ outcome: 'created', code: 'COURSE_FULL', count: 10 });
      expect(await rowsOf(planned.id)).to.deep.equal(expected);
      const { id } = await submit(importing, hashedPeople(30), options);
      expect(await runToEnd(importing, id)).to.include({ status: 'completed', enrolledCount: 20, leftOutCount: 10 });
      expect(await rowsOf(id)).to.deep.equal(expected);
    });
  });
