import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { testEnvironment, useHarness } from '../support/harness.js';
import { useCommandLine } from '../support/run-cli.js';
import { keys } from '../support/terminal.js';

interface Listing {
  enrollments: { id: string; status: string; user: { email: string } }[];
  pagination: object;
}

interface Answer {
  enrollment: Record<string, unknown> & { id: string };
}

describe('coursectl enrollments', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const models = () => harness.context.database.models;
  const refusal = async (...argv: string[]) => {
    const { exitCode, stdout, stderr } = await cli.run(['enrollments', ...argv]);
    expect(stdout).to.equal('');
    return { exitCode, said: stderr.replace(/^error: |\n$/g, '') };
  };
  const audited = async () =>
    (await models().AuditEntry.findAll({ order: [['id', 'ASC']] })).map(({ action, origin }) => `${action} ${origin}`);

  let trainer: User;
  let ben: User;
  let cleo: User;
  let bees: Course;
  let wasps: Course;
  beforeEach(async () => {
    const { context } = harness;
    trainer = await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
    ben = await buildUser(context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org' });
    cleo = await buildUser(context, { firstName: 'Cleo', lastName: 'Müller', email: 'cleo@x.org', phone: '555 0101' });
    bees = await buildCourse(context, trainer, { title: 'Bees' });
    wasps = await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: 'Wasps' });
  });

  describe('list', () => {
    const emails = async (...options: string[]) =>
      (await cli.json<Listing>(['enrollments', 'list', ...options])).enrollments.map(({ user }) => user.email);

    beforeEach(async () => {
      const at = (day: number) => ({ enrolledAt: new Date(Date.UTC(2026, 0, day)) });
      await buildEnrollment(harness.context, ben, bees, { ...at(1), status: 'active', progress: 40 });
      await buildEnrollment(harness.context, cleo, bees, { ...at(2), status: 'pending' });
      await buildEnrollment(harness.context, cleo, wasps, { ...at(3), status: 'completed' });
    });

    it('shows a table for people, a line an enrollment, with the page below', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['enrollments', 'list', '--course', 'Bees']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      const [heading, first, second, footer] = stdout.split('\n');
      expect(heading).to.match(/^ID +TRAINEE +EMAIL +COURSE +STATUS +PROGRESS +ENROLLED$/);
      expect(first).to.match(/^[\da-f-]{36} +Cleo Müller +cleo@x\.org +Bees +pending +0 +2026-01-02T00:00:00\.000Z$/);
      expect(second).to.match(/ Ben Young +ben@x\.org +Bees +active +40 +2026-01-01T00:00:00\.000Z$/);
      expect(footer).to.equal('Page 1 of 1, 2 enrollments.');
    });

    it('says so when there is none, and counts one as one', async () => {
      const footer = async (status: string) =>
        (await cli.run(['enrollments', 'list', '--status', status])).stdout.split('\n').at(-2);
      expect(await footer('cancelled')).to.equal('No enrollments. Page 1 of 1, 0 enrollments.');
      expect(await footer('active')).to.equal('Page 1 of 1, 1 enrollment.');
    });

    it('gives what the API gives the super admin, with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/enrollments?limit=2', token).expect(200);
      expect(await cli.json(['enrollments', 'list', '--limit', '2'])).to.deep.equal(body);
      const path = `/api/enrollments/trainer/${trainer.id}?search=young`;
      const scoped = await harness.api('get', path, token).expect(200);
      const argv = ['enrollments', 'list', '--trainer', 'ada@x.org', '--search', 'young'];
      expect(await cli.json(argv)).to.deep.equal(scoped.body);
    });

    it('filters by course, trainee, trainer, status and text', async () => {
      expect(await emails('--user', '555-0101')).to.deep.equal(['cleo@x.org', 'cleo@x.org']);
      expect(await emails('--user', 'cleo@x.org', '--course', wasps.id)).to.deep.equal(['cleo@x.org']);
      expect(await emails('--trainer', 'ada@x.org')).to.deep.equal(['cleo@x.org', 'ben@x.org']);
      expect(await emails('--trainer', 'ada@x.org', '--course', 'Wasps')).to.deep.equal([]);
      expect(await emails('--status', 'active')).to.deep.equal(['ben@x.org']);
      expect(await emails('--trainer', 'ada@x.org', '--search', 'MULLER')).to.deep.equal(['cleo@x.org']);
      expect(await emails('--course', 'Bees', '--search', 'muller')).to.deep.equal(['cleo@x.org']);
      expect(await emails('--course', 'Bees', '--search', 'muller', '--status', 'active')).to.deep.equal([]);
    });

    it('knows the course too where it looks into one', async () => {
      const { stdout } = await cli.run(['enrollments', 'list', '--course', 'Bees', '--search', 'ben']);
      expect(stdout.split('\n')[1]).to.match(/ ben@x\.org +Bees +active/);
      const { enrollments } = await cli.json<{ enrollments: { course: object }[] }>([
        ...['enrollments', 'list', '--course', 'Bees', '--search', 'ben'],
      ]);
      const { id, title, description } = bees;
      expect(enrollments[0]?.course).to.deep.equal({ id, title, description, thumbnail: null });
    });

    it('pages', async () => {
      expect(await emails('--limit', '1', '--page', '3', '--trainer', 'ada@x.org')).to.deep.equal([]);
      expect(await emails('--limit', '1', '--page', '2', '--course', 'Bees')).to.deep.equal(['ben@x.org']);
    });

    it('refuses what it does not know', async () => {
      expect(await refusal('list', '--course', 'Ants')).to.deep.equal({ exitCode: 1, said: 'Course not found.' });
      expect(await refusal('list', '--user', 'nobody')).to.deep.equal({ exitCode: 1, said: 'User not found.' });
      expect(await refusal('list', '--trainer', 'nobody')).to.deep.equal({ exitCode: 1, said: 'User not found.' });
      await models().Enrollment.destroy({ where: {} });
      expect(await refusal('list', '--trainer', 'ben@x.org')).to.deep.equal({
        exitCode: 1,
        said: 'Trainer not found.',
      });
      expect(await refusal('list', '--status', 'x')).to.deep.equal({
        exitCode: 2,
        said: 'status must be one of pending, active, completed, cancelled.',
      });
    });
  });

  describe('show', () => {
    it('shows a line a field for people, and what the API gives with --json', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, {
        status: 'active',
        notes: 'Paid.\nBy cheque.',
      });
      const { stdout } = await cli.run(['enrollments', 'show', id]);
      const lines = stdout.split('\n');
      expect(lines).to.include('trainee   Ben Young (ben@x.org)').and.to.include(`course    Bees (${bees.id})`);
      expect(lines).to.include('notes     Paid.').and.to.include('          By cheque.');
      expect(stdout).not.to.match(/^completed/m);
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', `/api/enrollments/${id}`, token).expect(200);
      expect(await cli.json(['enrollments', 'show', id])).to.deep.equal(body);
    });

    it('refuses an unknown one', async () => {
      expect(await refusal('show', 'x')).to.deep.equal({ exitCode: 1, said: 'Enrollment not found.' });
    });
  });

  describe('assign', () => {
    it('enrolls one trainee, active unless said otherwise', async () => {
      const { exitCode, stdout } = await cli.run(['enrollments', 'assign', 'Bees', 'ben@x.org']);
      const { id } = await models().Enrollment.findOne({ rejectOnEmpty: true });
      expect({ exitCode, stdout }).to.deep.equal({
        exitCode: 0,
        stdout: `Enrolled Ben Young in "Bees" (${id}), active.\n`,
      });
      const argv = ['enrollments', 'assign', bees.id, '555 0101', '--status', 'pending', '--notes', 'Paid.'];
      const { enrollment } = await cli.json<Answer>(argv);
      expect(enrollment).to.include({ userId: cleo.id, courseId: bees.id, status: 'pending', notes: 'Paid.' });
      expect(await audited()).to.deep.equal(['enrollment.assign cli', 'enrollment.assign cli']);
    });

    it('refuses what the API refuses', async () => {
      const assign = (course: string, ...more: string[]) => refusal('assign', course, ...more);
      expect(await assign('Ants', 'ben@x.org')).to.deep.equal({ exitCode: 1, said: 'Course not found.' });
      for (const reference of ['nobody', 'ada@x.org'])
        expect(await assign('Bees', reference)).to.deep.equal({ exitCode: 1, said: 'Trainee not found.' });
      const status = { exitCode: 2, said: 'status must be one of pending, active.' };
      expect(await assign('Bees', 'ben@x.org', '--status', 'completed')).to.deep.equal(status);
      await cli.run(['enrollments', 'assign', 'Bees', 'ben@x.org']);
      const twice = { exitCode: 1, said: 'Already enrolled in this course.' };
      expect(await assign('Bees', 'ben@x.org')).to.deep.equal(twice);
      await bees.update({ maxStudents: 1 });
      const full = { exitCode: 1, said: 'Course is at maximum capacity.' };
      expect(await assign('Bees', 'cleo@x.org')).to.deep.equal(full);
    });

    it('enrolls several, names those who are not and why, and exits with 3', async () => {
      await buildEnrollment(harness.context, ben, bees);
      const out = await buildUser(harness.context, { email: 'out@x.org', isActive: false });
      const argv = ['enrollments', 'assign', 'Bees', 'ben@x.org', '555 0101', 'out@x.org', 'nobody@x.org'];
      const { exitCode, stdout } = await cli.run(argv);
      expect(exitCode).to.equal(3);
      expect(stdout.split('\n')).to.deep.equal([
        '1 trainee enrolled, 3 skipped',
        '  ben@x.org: Already enrolled in this course.',
        '  out@x.org: Trainee account is inactive.',
        '  nobody@x.org: Trainee not found.',
        '',
      ]);
      const { enrollments, skipped } = await cli.json<{ enrollments: object[]; skipped: object[] }>(argv);
      expect(enrollments).to.deep.equal([]);
      expect(skipped[2]).to.deep.equal({ traineeId: out.id, reason: 'Trainee account is inactive.' });
    });

    it('exits with 0 when all of several are enrolled', async () => {
      const { exitCode, stdout } = await cli.run(['enrollments', 'assign', 'Bees', ben.id, cleo.id]);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: '2 trainees enrolled, 0 skipped\n' });
    });

    it('takes each of several once, and all or none where room is short', async () => {
      expect(await refusal('assign', 'Bees', ben.id, 'ben@x.org')).to.deep.equal({
        exitCode: 2,
        said: 'traineeIds must name each one once.',
      });
      await bees.update({ maxStudents: 1 });
      expect(await refusal('assign', 'Bees', ben.id, cleo.id)).to.deep.equal({
        exitCode: 1,
        said: 'Course is at maximum capacity.',
      });
      expect(await models().Enrollment.count()).to.equal(0);
    });
  });

  describe('status', () => {
    it('moves an enrollment on, with notes', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'pending' });
      const { stdout } = await cli.run(['enrollments', 'status', id, 'active', '--notes', 'Paid.']);
      expect(stdout).to.equal('Ben Young in "Bees" is active now.\n');
      const { enrollment } = await cli.json<Answer>(['enrollments', 'status', id, 'completed', '--notes', '']);
      expect(enrollment).to.include({ id, status: 'completed', progress: 100, notes: null });
      expect(await audited()).to.deep.equal(['enrollment.status cli', 'enrollment.status cli']);
    });

    it('refuses what can not follow', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'completed' });
      expect(await refusal('status', id, 'active')).to.deep.equal({
        exitCode: 1,
        said: "Enrollment can't change from completed to active.",
      });
      expect((await refusal('status', id, 'done')).exitCode).to.equal(2);
      expect(await refusal('status', 'x', 'active')).to.deep.equal({ exitCode: 1, said: 'Enrollment not found.' });
    });
  });

  describe('progress', () => {
    it('sets how far a trainee is', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      expect((await cli.run(['enrollments', 'progress', id, '75'])).stdout).to.equal(
        'Ben Young in "Bees": 75 % done.\n',
      );
      expect((await cli.json<Answer>(['enrollments', 'progress', id, '0'])).enrollment).to.include({ id, progress: 0 });
      expect(await audited()).to.deep.equal(['enrollment.progress cli', 'enrollment.progress cli']);
    });

    it('refuses what is no number from 0 to 100, and what is not under way', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'completed' });
      for (const number of ['101', '7.5', '75%', 'half', '', '1e1', '0x10', '9'.repeat(30)])
        expect(await refusal('progress', id, number), number).to.deep.equal({
          exitCode: 2,
          said: 'progress must be a whole number from 0 to 100.',
        });
      expect(await refusal('progress', id, '5')).to.deep.equal({
        exitCode: 1,
        said: "Progress can't change while the enrollment is completed.",
      });
    });

    it('takes a negative number for an option, as commands do, unless told that options are over', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      expect((await refusal('progress', id, '-1')).exitCode).to.equal(2);
      const { said } = await refusal('progress', id, '--', '-1');
      expect(said).to.equal('progress must be a whole number from 0 to 100.');
    });
  });

  describe('remove', () => {
    it('removes those that are named, with --yes, and gives what they were', async () => {
      const one = await buildEnrollment(harness.context, ben, bees);
      const other = await buildEnrollment(harness.context, cleo, bees);
      const { removedCount, removedEnrollments } = await cli.json<{
        removedCount: number;
        removedEnrollments: object[];
      }>(['enrollments', 'remove', one.id, other.id, '--yes']);
      expect(removedCount).to.equal(2);
      expect(removedEnrollments[0]).to.include({ id: one.id, userId: ben.id, courseId: bees.id });
      expect(await audited()).to.deep.equal(['enrollment.remove cli', 'enrollment.remove cli']);
    });

    it('removes all or none', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees);
      expect(await refusal('remove', id, 'x', '--yes')).to.deep.equal({ exitCode: 1, said: 'Enrollment not found.' });
      expect(await refusal('remove', id, id, '--yes')).to.deep.equal({
        exitCode: 2,
        said: 'enrollmentIds must name each one once.',
      });
      expect(await models().Enrollment.count()).to.equal(1);
    });

    it('shows at a terminal what they are, and asks', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active', progress: 40 });
      const no = await cli.atTerminal(['enrollments', 'remove', id], [['Remove this enrollment? (y/N)', keys.enter]]);
      expect(no.exitCode).to.equal(130);
      expect(no.terminal.screen()).to.include('1 enrollment to remove:\n  Ben Young in "Bees", active, 40 % done\n');
      expect(no.terminal.screen()).to.include('Nothing was removed.');
      const yes = await cli.atTerminal(['enrollments', 'remove', id], [['Remove this', `y${keys.enter}`]]);
      expect({ exitCode: yes.exitCode, stdout: yes.stdout }).to.deep.equal({
        exitCode: 0,
        stdout: 'Removed 1 enrollment.\n',
      });
      const gone = await cli.atTerminal(['enrollments', 'remove', id], []);
      expect(gone.exitCode).to.equal(1);
    });

    it('names twenty of many', async () => {
      const ids: string[] = [];
      for (let count = 0; count < 22; count += 1)
        ids.push((await buildEnrollment(harness.context, await buildUser(harness.context), bees)).id);
      const { terminal } = await cli.atTerminal(
        ['enrollments', 'remove', ...ids],
        [['Remove these enrollments?', keys.ctrlC]],
      );
      expect(terminal.screen().match(/ in "Bees", /g)).to.have.lengthOf(20);
      expect(terminal.screen()).to.include('  and 2 more\n');
    });
  });

  describe('stats', () => {
    it('counts by status', async () => {
      await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      await buildEnrollment(harness.context, cleo, bees, { status: 'completed' });
      const stats = { total: 2, pending: 0, active: 1, completed: 1, cancelled: 0 };
      expect(await cli.json(['enrollments', 'stats'])).to.deep.equal({ stats });
      const { stdout } = await cli.run(['enrollments', 'stats']);
      expect(stdout).to.match(/^STATUS +ENROLLMENTS\ntotal +2\npending +0\nactive +1\ncompleted +1\ncancelled +0\n$/);
    });
  });
});
