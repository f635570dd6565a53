import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { enrollmentFieldNames } from '../../../../src/schemas/enrollment-fields.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { keys } from '../../../support/terminal.js';

interface Answer {
  enrollment: Record<string, unknown> & { id: string };
}

describe('changes of enrollments at the command line', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const models = () => harness.context.database.models;
  const refusal = (...argv: string[]) => cli.refusal(['enrollments', ...argv]);

  let trainer: User;
  let ben: User;
  let cleo: User;
  let bees: Course;
  beforeEach(async () => {
    const { context } = harness;
    trainer = await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
    ben = await buildUser(context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org' });
    cleo = await buildUser(context, { firstName: 'Cleo', lastName: 'Müller', email: 'cleo@x.org', phone: '555 0101' });
    bees = await buildCourse(context, trainer, { title: 'Bees' });
  });

  describe('assign', () => {
    it('enrolls one trainee, active by default', async () => {
      const { exitCode, stdout } = await cli.run(['enrollments', 'assign', 'Bees', 'ben@x.org']);
      const { id } = await models().Enrollment.findOne({ rejectOnEmpty: true });
      expect({ exitCode, stdout }).to.deep.equal({
        exitCode: 0,
        stdout: `Enrolled Ben Young in "Bees" (${id}), active.\n`,
      });
      const argv = ['enrollments', 'assign', bees.id, '555 0101', '--status', 'pending', '--reply', 'Paid.'];
      const { enrollment } = await cli.json<Answer>(argv);
      expect(enrollment).to.include({ userId: cleo.id, courseId: bees.id, status: 'pending', reply: 'Paid.' });
      expect(await audited()).to.deep.equal(['enrollment.assign cli', 'enrollment.assign cli']);
    });

    it('adds a trainee to the waiting list of a full course with --when-full wait; a second run adds nothing', async () => {
      await bees.update({ maxStudents: 1 });
      await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      const argv = ['enrollments', 'assign', 'Bees', 'cleo@x.org', '--when-full', 'wait'];
      expect((await cli.run(argv)).stdout).to.match(/ \([0-9a-f-]{36}\) is on the waiting list, number 1\.\n$/);
      expect((await cli.run(argv)).stdout).to.match(/ is waiting already\.\n$/);
    });

    it('refuses what the API refuses', async () => {
      await cli.run(['enrollments', 'assign', 'Bees', 'ben@x.org']);
      await bees.update({ maxStudents: 1 });
      for (const [line, message] of [
        ['assign Ants ben@x.org', 'Course not found: Ants. To search for them: coursectl courses list --search <text>'],
        [
          'assign Bees nobody',
          'Trainee not found: nobody. To search for them: coursectl users list --role trainee --search <text>',
        ],
        [
          'assign Bees ada@x.org',
          'ada@x.org is a trainer, not a trainee. To list trainees: coursectl users list --role trainee',
        ],
        ['assign Bees ben@x.org --status pending', 'Already enrolled in this course.'],
        ['assign Bees ben@x.org --reply Paid.', 'Already enrolled in this course.'],
        [
          'assign Bees cleo@x.org',
          'Course is at maximum capacity. Raise its maximum, or use its waiting list (--when-full wait).',
        ],
      ] as const)
        expect(await refusal(...line.split(' '))).to.deep.equal({ exitCode: 1, message });
      const status = { exitCode: 2, message: '--status must be one of pending, active.' };
      expect(await refusal('assign', 'Bees', 'ben@x.org', '--status', 'completed')).to.deep.equal(status);
    });
  });

  describe('status', () => {
    it('changes the status and the reply', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'pending' });
      const { stdout } = await cli.run(['enrollments', 'status', id, 'active', '--reply', 'Paid.']);
      expect(stdout).to.equal('Ben Young in "Bees" is active now.\n');
      const { enrollment } = await cli.json<Answer>(['enrollments', 'status', id, 'completed', '--reply', '']);
      expect(enrollment).to.include({ id, status: 'completed', progress: 100, reply: null });
      expect(await audited()).to.deep.equal(['enrollment.status cli', 'enrollment.status cli']);
    });

    it('shows a rename since the enrollment before a completion, and asks at a terminal', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, {
        status: 'active',
        formerName: 'Benjamin Old',
      });
      const rename = 'Renamed since enrolling:\n  Ben Young in "Bees", was Benjamin Old\n';
      const argv = ['enrollments', 'status', id, 'completed'];
      const no = await cli.atTerminal(argv, [['Complete this enrollment? (y/N)', `n${keys.enter}`]]);
      expect(no.exitCode).to.equal(1);
      expect(no.terminal.screen()).to.include(rename).and.to.include('Nothing was changed.');
      expect((await cli.run(['enrollments', 'show', id])).stdout).to.match(/^name when enrolling +Benjamin Old$/m);
      const { exitCode, stderr } = await cli.run(argv);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: rename });
      expect((await cli.run(['enrollments', 'status', id, 'active'])).stderr).to.equal('');
    });

    it('warns of a completion before the first day of the course', async () => {
      await bees.update({ startDate: '2999-01-04' });
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      const warning = 'Completed before the first day:\n  "Bees" begins on 2999-01-04\n';
      const several = ['enrollments', 'status', 'completed', '--course', 'Bees', '--yes'];
      expect((await cli.run([...several, '--dry-run'])).stdout).to.include(warning);
      expect((await cli.run(['enrollments', 'status', id, 'completed'])).stderr).to.equal(warning);
    });
  });

  describe('a command that is run again', () => {
    it('does not change an enrollment in the wanted state, for one and for several', async () => {
      const message = 'Ben Young in "Bees" is active already.\n';
      const assign = ['enrollments', 'assign', 'Bees', 'ben@x.org', '--reply', 'Paid.'];
      await cli.run(assign);
      expect(await cli.run(assign)).to.deep.equal({ exitCode: 0, stdout: message, stderr: '' });
      const { id } = (await cli.json<Answer>(assign)).enrollment;
      const status = ['enrollments', 'status', 'active', '--trainee', 'ben@x.org', '--course', 'Bees'];
      for (const argv of [status, [...status, '--reply', ' Paid. '], ['enrollments', 'status', id, 'active']])
        expect(await cli.run(argv)).to.deep.equal({ exitCode: 0, stdout: message, stderr: '' });
      expect((await cli.json<Answer>(status)).enrollment).to.include({ id, status: 'active', reply: 'Paid.' });
      const other = await refusal('status', id, 'active', '--reply', 'Owes.');
      expect(other).to.deep.equal({ exitCode: 1, message: "Enrollment can't change from active to active." });
      expect(await audited()).to.deep.equal(['enrollment.assign cli']);
    });
  });

  describe('reply', () => {
    it('sets and clears the reply', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { notes: 'Please.' });
      expect((await cli.run(['enrollments', 'reply', id, 'See you.'])).stdout).to.equal(
        'Ben Young in "Bees": the reply is saved.\n',
      );
      const shown = { status: 'pending', notes: 'Please.', replyBy: null };
      expect(await models().Enrollment.findByPk(id)).to.include({ ...shown, reply: 'See you.' });
      expect((await cli.json<Answer>(['enrollments', 'reply', id, ''])).enrollment).to.include({
        ...shown,
        reply: null,
      });
      expect(await audited()).to.deep.equal(['enrollment.reply cli', 'enrollment.reply cli']);
    });
  });

  describe('progress', () => {
    it('sets the progress', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      expect((await cli.run(['enrollments', 'progress', id, '75'])).stdout).to.equal(
        'Ben Young in "Bees": progress is 75 % now.\n',
      );
      expect((await cli.json<Answer>(['enrollments', 'progress', id, '0'])).enrollment).to.include({ id, progress: 0 });
      expect(await audited()).to.deep.equal(['enrollment.progress cli', 'enrollment.progress cli']);
    });
  });

  describe('an enrollment', () => {
    it('is found by trainee and course, or by one of both if only one enrollment matches', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      for (const options of [
        ['--trainee', 'BEN@x.org', '--course', 'bees'],
        ['--trainee', ben.phone],
        ['--course', 'BEES'],
      ])
        expect((await cli.json<Answer>(['enrollments', 'show', ...options])).enrollment.id).to.equal(id);
      const named = ['--trainee', 'ben@x.org', '--course', 'Bees'];
      expect((await cli.json<Answer>(['enrollments', 'progress', '75', ...named])).enrollment).to.include({
        progress: 75,
      });
      await bees.update({ isPublished: true, maxStudents: 1 });
      const next = await buildEnrollment(harness.context, cleo, bees, { status: 'waiting' });
      const { enrollment } = await cli.json<Answer>(['enrollments', 'status', 'cancelled', ...named]);
      expect(enrollment).to.include({ id, status: 'cancelled' });
      // The command promotes the next person on the waiting list.
      expect(await next.reload()).to.include({ status: 'pending' });
      expect((await cli.run(['enrollments', 'remove', ...named, '--yes'])).stdout).to.equal('Removed 1 enrollment.\n');
    });

    it('is not chosen among several: the command lists all', async () => {
      const one = await buildEnrollment(harness.context, ben, bees);
      const other = await buildEnrollment(harness.context, cleo, bees);
      const { exitCode, message } = await refusal('show', '--course', 'bees');
      expect(exitCode).to.equal(2);
      expect(message).to.match(/^Enrollment: there are several\. Add --trainee, or name one by its id: /);
      expect(message)
        .to.include(`${one.id} (Ben Young in "Bees")`)
        .and.to.include(`${other.id} (Cleo Müller in "Bees")`);
    });

    it('is refused if it is missing or named in two ways', async () => {
      const missing = 'An enrollment is missing: give its id, or --trainee and --course. To list them:';
      for (const [line, code, says] of [
        ['show x', 1, 'Enrollment not found: x. To list them: coursectl enrollments list'],
        ['show --trainee ben@x.org --course bees', 1, 'There is no enrollment of ben@x.org in bees.'],
        [
          'show --trainee nobody@x.org',
          1,
          'User not found: nobody@x.org. To search for them: coursectl users list --search <text>',
        ],
        ['show x --course Bees', 2, ''],
        ['remove --yes', 2, `${missing} coursectl enrollments list`],
      ] as const) {
        const { exitCode, message } = await refusal(...line.split(' '));
        expect(exitCode, line).to.equal(code);
        expect(message).to.include(says);
      }
    });
  });

  describe('remove', () => {
    it('removes an enrollment with --yes, and prints it', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees);
      const removed = await cli.json<object>(['enrollments', 'remove', id, '--yes']);
      expect(removed).to.include({ removedCount: 1 });
      expect(removed).to.have.nested.include({
        'removedEnrollments[0].id': id,
        'removedEnrollments[0].userId': ben.id,
      });
      expect(await audited()).to.deep.equal(['enrollment.remove cli']);
    });

    it('shows the enrollments at a terminal, and asks', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active', progress: 40 });
      const no = await cli.atTerminal(['enrollments', 'remove', id], [['Remove this enrollment? (y/N)', keys.enter]]);
      expect(no.exitCode).to.equal(1);
      expect(no.terminal.screen()).to.include(
        '1 enrollment to remove:\n  Ben Young in "Bees", active, progress 40 %\n',
      );
      expect(no.terminal.screen()).to.include('Nothing was removed.');
      const yes = await cli.atTerminal(['enrollments', 'remove', id], [['Remove this', `y${keys.enter}`]]);
      expect(yes).to.include({ exitCode: 0, stdout: 'Removed 1 enrollment.\n' });
      expect((await cli.atTerminal(['enrollments', 'remove', id], [])).exitCode).to.equal(1);
    });
  });

  describe('if another session removes the enrollment right after the commit', () => {
    // A trigger removes the enrollment without delay.
    beforeEach(() =>
      harness.context.database.sequelize.query(
        'CREATE TRIGGER removed_at_once AFTER INSERT ON audit_entries FOR EACH ROW BEGIN DELETE FROM enrollments WHERE id = NEW.target_id; END',
      ),
    );
    afterEach(() => harness.context.database.sequelize.query('DROP TRIGGER removed_at_once'));

    it('reports success with the fields of a remaining enrollment', async () => {
      for (const [line, message] of [
        ['assign Bees cleo@x.org', /^Enrolled Cleo Müller in "Bees" \(\S+\), active\.\n$/],
        ['status ID cancelled', /^Ben Young in "Bees" is cancelled now\.\n$/],
        ['progress ID 75', /^Ben Young in "Bees": progress is 75 % now\.\n$/],
        ['reply ID Welcome', /^Ben Young in "Bees": the reply is saved\.\n$/],
        ['remove ID --yes', /^Removed 1 enrollment\.\n$/],
      ] as const) {
        await models().Enrollment.destroy({ where: {} });
        const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'active' });
        const { exitCode, stdout, stderr } = await cli.run(['enrollments', ...line.replace('ID', id).split(' ')]);
        expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
        expect(stdout).to.match(message);
        expect(await models().Enrollment.count()).to.equal(line.startsWith('assign') ? 1 : 0);
      }
      const { id } = await buildEnrollment(harness.context, cleo, bees, { status: 'active' });
      const { enrollment } = await cli.json<Answer>(['enrollments', 'progress', id, '75']);
      const shown = ['waitingPlace', 'certificate', 'formerName', 'user', 'course'];
      expect(enrollment).to.have.all.keys('id', 'userId', 'courseId', ...enrollmentFieldNames, ...shown);
      expect(enrollment.user).to.include({ id: cleo.id, firstName: 'Cleo', email: 'cleo@x.org' });
      expect(enrollment.course).to.include({ id: bees.id, title: 'Bees' });
    });
  });
});
