import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { removal, statusChange } from '../../../../src/cli/commands/enrollments/bulk.js';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { scaled } from '../../../support/machine.js';
import { keys } from '../../../support/terminal.js';

interface Outcomes {
  counts: Record<'done' | 'unchanged' | 'refused', number>;
  outcomes: { given: string | null; id: string; name: string; outcome: string; code: string; enrollment?: object }[];
}

describe('Changes of many enrollments at the command line', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const models = () => harness.context.database.models;
  const run = (...argv: string[]) => cli.run(['enrollments', ...argv]);
  const outcomesOf = async (...argv: string[]) => {
    const { exitCode, stdout } = await run(...argv, '--json');
    const { outcomes, counts } = JSON.parse(stdout) as Outcomes;
    return { exitCode, counts, outcomes: outcomes.map(({ given, outcome, code }) => [given, outcome, code]) };
  };
  const statuses = async () =>
    (await models().Enrollment.findAll({ order: [['id', 'ASC']] })).map(({ status }) => status);

  let ben: User;
  let cleo: User;
  let bees: Course;
  let knots: Course;
  beforeEach(async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { email: 'ada@x.org', role: 'trainer' });
    ben = await buildUser(context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org' });
    cleo = await buildUser(context, { firstName: 'Cleo', lastName: 'Müller', email: 'cleo@x.org', phone: '555 0101' });
    bees = await buildCourse(context, trainer, { title: 'Bees' });
    knots = await buildCourse(context, trainer, { title: 'Knots' });
  });

  describe('assign', () => {
    it('enrolls several trainees; exits with 3 if some are enrolled already or refused', async () => {
      await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      const pending = await buildUser(harness.context, { email: 'pending@x.org' });
      await buildEnrollment(harness.context, pending, bees, { status: 'pending' });
      await buildUser(harness.context, { email: 'out@x.org', isActive: false });
      const names = ['ben@x.org', '555 0101', 'out@x.org', 'nobody@x.org', 'ada@x.org', 'pending@x.org', cleo.id];
      const { exitCode, counts, outcomes } = await outcomesOf('assign', 'bees', ...names, '--yes');
      expect({ exitCode, counts }).to.deep.equal({ exitCode: 3, counts: { done: 1, unchanged: 1, refused: 4 } });
      expect(outcomes).to.deep.equal([
        ['ben@x.org', 'unchanged', null],
        ['555 0101', 'done', null],
        ['out@x.org', 'refused', 'ACCOUNT_INACTIVE'],
        ['nobody@x.org', 'refused', 'NOT_FOUND'],
        ['ada@x.org', 'refused', 'NOT_FOUND'],
        ['pending@x.org', 'refused', 'ALREADY_ENROLLED'],
      ]);
      expect(await audited()).to.deep.equal(['enrollment.assign cli']);
    });

    it('prints the enrollments with --json, and applies status and reply to all', async () => {
      const argv = ['assign', 'Bees', ben.id, cleo.id, '--status', 'pending', '--reply', 'Paid.', '--yes', '--json'];
      const { outcomes } = JSON.parse((await run(...argv)).stdout) as Outcomes;
      for (const { enrollment } of outcomes) expect(enrollment).to.include({ status: 'pending', reply: 'Paid.' });
      const removed = await run('remove', '--course', 'Bees', '--yes', '--json');
      const [first] = (JSON.parse(removed.stdout) as Outcomes).outcomes;
      expect(first?.enrollment).to.include({ courseId: bees.id, reply: 'Paid.' });
    });

    it('accepts an exported list of enrollments, or filters of accounts', async () => {
      for (const trainee of [ben, cleo]) await buildEnrollment(harness.context, trainee, bees);
      const { stdout } = await run('list', '--course', 'Bees', '--output', 'csv');
      writeFileSync(path.join(cli.folder, 'class.csv'), stdout);
      const listed = await run('assign', 'Knots', '--from', 'class.csv', '--yes');
      expect(listed.stderr).to.equal('2 trainees enrolled in "Knots".\n');
      await models().Enrollment.destroy({ where: {} });
      const filtered = await run('assign', 'Knots', '--search', 'x.org', '--yes');
      expect(filtered.stderr).to.equal('2 trainees enrolled in "Knots".\n');
    });

    it('enrolls nobody if the seats are too few for all', async () => {
      const { id } = await buildUser(harness.context);
      await bees.update({ maxStudents: 2 });
      for (const more of ['--yes', '--dry-run'])
        expect(await cli.refusal(['enrollments', 'assign', 'Bees', ben.id, cleo.id, id, more])).to.deep.equal({
          exitCode: 1,
          message:
            'The course has 2 seats left, and 3 trainees would be enrolled: none was. Choose fewer, raise its maximum, or use its waiting list for the others (--when-full wait).',
        });
      expect(await models().Enrollment.count()).to.equal(0);
    });

    it('counts trainees for the waiting list in plan and summary with --when-full wait', async () => {
      const { id } = await buildUser(harness.context, { firstName: 'Dan', lastName: 'Zed', email: 'dan@x.org' });
      await bees.update({ maxStudents: 2 });
      const argv = ['assign', 'Bees', ben.id, cleo.id, id, '--when-full', 'wait'];
      const { stdout } = await run(...argv, '--dry-run');
      expect(stdout).to.include('3 trainees to enroll in "Bees", 1 of them on the waiting list:\n');
      expect(stdout).to.match(/ {2}Dan Zed .*: on the waiting list\n/);
      const done = await run(...argv, '--yes');
      expect(done.exitCode).to.equal(0);
      expect(done.stdout).to.match(/enrolled, active +Cleo Müller .*\non the waiting list +Dan Zed/);
      expect(done.stderr).to.equal('3 trainees enrolled in "Bees", 1 of them on the waiting list.\n');
      expect(await statuses()).to.have.members(['active', 'active', 'waiting']);
      const again = await run(...argv, '--yes');
      expect([again.exitCode, again.stderr]).to.deep.equal([0, '0 trainees enrolled in "Bees", 3 enrolled already.\n']);
    });

    it('enrolls more trainees than one request of the API accepts', async () => {
      const emails: string[] = [];
      for (let count = 0; count < 70; count += 1) emails.push((await buildUser(harness.context)).email);
      const argv = ['enrollments', 'assign', 'Bees', '--from', '-', '--yes', '--reply', 'x'.repeat(1500)];
      const { stderr, exitCode } = await cli.run(argv, { stdin: emails.join('\n') });
      expect(exitCode).to.equal(0);
      expect(stderr).to.match(/(^|\n)70 trainees enrolled in "Bees"\.\n$/);
    }).timeout(scaled(60_000));
  });

  describe('status', () => {
    it("changes several enrollments, and lists those that can't be changed", async () => {
      const one = await buildEnrollment(harness.context, ben, bees, { status: 'pending' });
      const other = await buildEnrollment(harness.context, cleo, bees, { status: 'active' });
      const last = await buildEnrollment(harness.context, cleo, knots, { status: 'completed' });
      await buildEnrollment(harness.context, ben, knots, { status: 'active' });
      await knots.update({ maxStudents: 1 });
      const names = [one.id, other.id.slice(-8), last.id, 'x'];
      const { exitCode, outcomes } = await outcomesOf('status', ...names, 'active', '--yes');
      expect(exitCode).to.equal(3);
      expect(outcomes).to.deep.equal([
        [one.id, 'done', null],
        [other.id.slice(-8), 'unchanged', null],
        [last.id, 'refused', 'COURSE_FULL'],
        ['x', 'refused', 'NOT_FOUND'],
      ]);
      expect(await audited()).to.deep.equal(['enrollment.status cli']);
      const again = await run('status', ...names, 'active', '--yes');
      expect(again.stderr).to.equal('0 enrollments changed to active, 2 active already, 2 refused.\n');
    });

    it('does not change an enrollment whose status changed after the plan', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, { status: 'cancelled' });
      const shown = {
        id,
        name: 'x',
        label: 'x',
        status: 'pending' as const,
        reply: null,
        course: { title: 'Bees', startDate: null },
      };
      const selection = { entries: [{ given: null, found: shown }], repeated: 0 };
      const several = { kind: 'several' as const, selection: async () => selection };
      const work = await statusChange(harness.context, several, { status: 'active' });
      const { results, stopped } = await work.change([shown], new AbortController().signal);
      expect(stopped).to.equal(undefined);
      expect(results.map(({ outcome, refusal }) => [outcome, refusal?.code])).to.deep.equal([
        ['refused', 'STATUS_CHANGED'],
      ]);
      expect(await statuses()).to.deep.equal(['cancelled']);
    });

    it('shows renames since the enrollment before completions', async () => {
      const renamed = { status: 'active', formerName: 'Somebody Else' } as const;
      for (let count = 0; count < 21; count += 1)
        await buildEnrollment(harness.context, await buildUser(harness.context), bees, renamed);
      await buildEnrollment(harness.context, ben, bees, { status: 'active', formerName: 'Ben Young' });
      await buildEnrollment(harness.context, cleo, bees, { ...renamed, status: 'completed' });
      const argv = ['status', 'completed', '--course', 'bees'];
      const shown = /Renamed since enrolling:\n( {2}.* in "Bees", was Somebody Else\n){21}/;
      expect((await run(...argv, '--dry-run')).stdout).to.match(shown);
      const no = await cli.atTerminal(['enrollments', ...argv], [['Change these 22', `n${keys.enter}`]]);
      expect(no.terminal.screen()).to.match(shown);
      expect((await run(...argv, '--yes')).stderr).to.match(shown);
      expect((await run('status', 'active', '--course', 'bees', '--yes')).stderr).not.to.include('Renamed');
    });

    it('accepts the filters of the list; --status is one of them', async () => {
      await buildEnrollment(harness.context, ben, bees, { status: 'pending' });
      await buildEnrollment(harness.context, cleo, bees, { status: 'pending' });
      await buildEnrollment(harness.context, cleo, knots, { status: 'pending' });
      const argv = ['status', 'active', '--course', 'bees', '--status', 'pending'];
      const { stderr, exitCode } = await run(...argv, '--yes');
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '2 enrollments changed to active.\n' });
      expect(await statuses()).to.deep.equal(['active', 'active', 'pending']);
      const { message } = await cli.refusal(['enrollments', 'status', 'done', '--status', 'pending']);
      expect(message).to.equal('status must be one of pending, active, completed, cancelled. Did you mean completed?');
    });

    it('asks for confirmation with --trainee or --course alone, but not with both', async () => {
      await buildEnrollment(harness.context, ben, bees, { status: 'pending' });
      expect((await run('status', 'active', '--trainee', 'ben@x.org', '--course', 'Bees')).stdout).to.equal(
        'Ben Young in "Bees" is active now.\n',
      );
      expect((await cli.refusal(['enrollments', 'status', 'cancelled', '--trainee', 'ben@x.org'])).message).to.equal(
        'Confirmation needs a terminal: add --yes to change, or --dry-run to look first.',
      );
      expect(await statuses()).to.deep.equal(['active']);
    });
  });

  describe('by the filters of the list', () => {
    for (const line of ['status completed --course Bees', 'remove --trainer ada@x.org --search x.org'])
      it(`"${line}" has results of the same form for one and for several`, async () => {
        for (const trainees of [[], [ben], [ben, cleo]]) {
          await models().Enrollment.destroy({ where: {} });
          for (const trainee of trainees) await buildEnrollment(harness.context, trainee, bees, { status: 'active' });
          const counts = { done: trainees.length, unchanged: 0, refused: 0 };
          for (const dryRun of [true, false]) {
            const { exitCode, stdout } = await run(...line.split(' '), dryRun ? '--dry-run' : '--yes', '--json');
            const { outcomes, ...others } = JSON.parse(stdout) as Outcomes;
            expect({ exitCode, ...others }).to.deep.equal({ exitCode: 0, dryRun, counts });
            expect(outcomes).to.have.lengthOf(trainees.length);
          }
        }
      });

    it('treats --trainee or --course as a filter, and both as one enrollment', async () => {
      const named = ['remove', '--trainee', 'ben@x.org', '--course', 'Bees'];
      const message = 'There is no enrollment of ben@x.org in Bees.';
      for (const more of ['--yes', '--dry-run'])
        expect(await cli.refusal(['enrollments', ...named, more])).to.deep.equal({ exitCode: 1, message });
      await buildEnrollment(harness.context, ben, bees);
      expect((await outcomesOf(...named, '--dry-run')).counts.done).to.equal(1);
      expect(await cli.json(['enrollments', ...named, '--yes'])).to.include({ removedCount: 1 });
    });
  });

  describe('remove', () => {
    it('shows at most twenty enrollments at a terminal, and asks', async () => {
      for (let count = 0; count < 22; count += 1)
        await buildEnrollment(harness.context, await buildUser(harness.context), bees, { status: 'cancelled' });
      const argv = ['enrollments', 'remove', '--course', 'bees'];
      const no = await cli.atTerminal(argv, [['Remove these 22 enrollments? (y/N)', keys.ctrlC]]);
      expect(no.exitCode).to.equal(130);
      expect(no.terminal.screen().match(/ in "Bees", cancelled, /g)).to.have.lengthOf(20);
      expect(no.terminal.screen()).to.include('  and 2 more\n').and.to.include('Nothing was changed.');
      const yes = await cli.atTerminal(argv, [['Remove these', `y${keys.enter}`]]);
      expect(yes.exitCode).to.equal(0);
      expect(await models().Enrollment.count()).to.equal(0);
      expect(await models().AuditEntry.count()).to.equal(22);
    });

    it('removes the other enrollments if one of them is removed after the plan', async () => {
      const one = await buildEnrollment(harness.context, ben, bees);
      const other = await buildEnrollment(harness.context, cleo, bees);
      const shown = {
        name: 'x',
        label: 'x',
        status: 'pending' as const,
        reply: null,
        course: { title: 'Bees', startDate: null },
      };
      const those = [one, other].map(({ id }) => ({ id, ...shown }));
      const selection = { entries: those.map((found) => ({ given: null, found })), repeated: 0 };
      const work = await removal(harness.context, { kind: 'several', selection: async () => selection });
      await other.destroy();
      const { results, stopped } = await work.change(those, new AbortController().signal);
      expect(stopped).to.equal(undefined);
      expect(results.map(({ outcome, refusal }) => [outcome, refusal?.code])).to.deep.equal([
        ['done', undefined],
        ['refused', 'NOT_FOUND'],
      ]);
      expect(await models().Enrollment.count()).to.equal(0);
    });
  });

  describe('--notify', () => {
    const env = () => ({
      ...cli.env,
      SMTP_URL: 'smtp://127.0.0.1:2525',
      MAIL_FROM: 'a@x.org',
      PUBLIC_URL: 'https://x.org',
    });
    const notified = (...argv: string[]) => cli.run(['enrollments', ...argv], { env: env() });
    const mails = async () => {
      const rows = await models().Mail.findAll({ order: [['id', 'ASC']] });
      return rows.map(({ kind, userId }) => [kind, userId]);
    };

    it('mails trainees about enrollments and changes of status only with --notify', async () => {
      await bees.update({ isPublished: true });
      await notified('assign', 'bees', 'ben@x.org');
      await notified('status', 'cancelled', '--course', 'bees', '--yes');
      expect(await mails()).to.deep.equal([]);
      const { stderr } = await notified('assign', 'bees', 'ben@x.org', 'cleo@x.org', '--yes', '--notify');
      expect(stderr).to.equal('2 trainees enrolled in "Bees", with a mail to each in a published course.\n');
      await notified('status', 'completed', '--trainee', 'ben@x.org', '--course', 'bees', '--notify');
      await notified('status', 'cancelled', '--course', 'bees', '--status', 'active', '--yes', '--notify');
      const told = await mails();
      expect(told.slice(0, 2)).to.have.deep.members([
        ['enrolled', ben.id],
        ['enrolled', cleo.id],
      ]);
      expect(told.slice(2)).to.deep.equal([
        ['completed', ben.id],
        ['refused', cleo.id],
      ]);
    });

    it('is refused without a mail server, before anybody is enrolled', async () => {
      const { message } = await cli.refusal(['enrollments', 'assign', 'bees', 'ben@x.org', '--notify']);
      expect(message).to.include('SMTP_URL');
      expect(await models().Enrollment.count()).to.equal(0);
    });
  });
});
