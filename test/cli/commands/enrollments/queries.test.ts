import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

interface Listing {
  enrollments: { id: string; status: string; user: { email: string } }[];
  pagination: object;
}

describe('coursectl enrollments', () => {
  const { harness, cli } = useHarnessAndCli();

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

  describe('export', () => {
    beforeEach(async () => {
      await buildEnrollment(harness.context, ben, bees, { status: 'active', progress: 40 });
      await buildEnrollment(harness.context, cleo, bees, { status: 'pending' });
      await buildEnrollment(harness.context, cleo, wasps, { status: 'completed' });
    });

    it('writes the chosen fields of matching enrollments, also phones', async () => {
      const argv = ['enrollments', 'export', '--course', 'bees', '--fields', 'lastName,phone,status'];
      expect((await cli.run(argv)).stdout).to.equal(
        `\ufefflastName,phone,status\nYoung,'${ben.phone},active\nMüller,'555 0101,pending\n`,
      );
      const wanted = ['enrollments', 'export', '--trainee', 'cleo@x.org', '--output', 'cleo.xlsx'];
      expect((await cli.run(wanted)).stdout).to.equal('2 enrollments written to cleo.xlsx.\n');
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const all = await harness.api('get', '/api/enrollments/export.csv', token).expect(200);
      expect((await cli.run(['enrollments', 'export'])).stdout).to.equal(all.text);
    });

    it('refuses wrong options before it writes anything', async () => {
      const says = async (...options: string[]) => (await cli.refusal(['enrollments', 'export', ...options])).message;
      expect(await says('--fields', 'weight')).to.match(/^--fields must be one of firstName, .+\.$/);
      const both = ['--search', 'x', '--trainee', 'ben@x.org'];
      expect(await says(...both)).to.equal('--search and --trainee cannot be used together.');
    });
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

    it('shows a table with a line for each enrollment, with the page below', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['enrollments', 'list', '--course', 'Bees']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: 'Page 1 of 1, 2 enrollments.\n' });
      const [heading, first, second] = stdout.split('\n');
      expect(heading).to.match(/^TRAINEE +EMAIL +COURSE +STATUS +PROGRESS +ENROLLED +ID$/);
      expect(first).to.match(/^Cleo Müller +cleo@x\.org +Bees +pending +0 +2026-01-02T00:00:00\.000Z +[\da-f-]{36}$/);
      expect(second).to.match(/^Ben Young +ben@x\.org +Bees +active +40 +2026-01-01T00:00:00\.000Z +[\da-f-]{36}$/);
    });

    it('prints the response of the API for the super admin with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/enrollments?limit=2', token).expect(200);
      expect(await cli.json(['enrollments', 'list', '--limit', '2'])).to.deep.equal(body);
      const path = `/api/enrollments?trainerId=${trainer.id}&search=young`;
      const scoped = await harness.api('get', path, token).expect(200);
      const argv = ['enrollments', 'list', '--trainer', 'ada@x.org', '--search', 'young'];
      expect(await cli.json(argv)).to.deep.equal(scoped.body);
    });

    it('filters by course, trainee, trainer, statuses and text, sorts and pages', async () => {
      const [b, c] = ['ben@x.org', 'cleo@x.org'];
      for (const [line, found] of [
        ['--trainee 555-0101', [c, c]],
        [`--trainee cleo@x.org --course ${wasps.id}`, [c]],
        ['--trainer ada@x.org', [c, b]],
        ['--trainer ada@x.org --course Wasps', []],
        ['--trainer ada@x.org --trainee cleo@x.org', [c]],
        ['--status active,pending', [c, b]],
        ['--trainer ada@x.org --search MULLER', [c]],
        ['--course Bees --search muller --status active', []],
        // The search covers trainees only, not titles of courses.
        ['--search bees', []],
        ['--course Bees --sort -progress --limit 1', [b]],
        ['--course Bees --limit 1 --page 2', [b]],
      ] as const)
        expect(await emails(...line.split(' ')), line).to.deep.equal(found);
    });

    it('refuses unknown values', async () => {
      for (const [line, exitCode, message] of [
        ['list --course Ants', 1, 'Course not found: Ants. To search for them: coursectl courses list --search <text>'],
        [
          'list --trainee nobody',
          1,
          'User not found: nobody. To search for them: coursectl users list --search <text>',
        ],
        [
          'list --trainer ben@x.org',
          1,
          'ben@x.org is a trainee, not a trainer. To list trainers: coursectl courses trainers',
        ],
        ['list --status x', 2, '--status must be one of pending, waiting, active, completed, cancelled.'],
        ['list --sort progress', 2, '--sort needs --course, --trainee or --trainer.'],
      ] as const)
        expect(await cli.refusal(['enrollments', ...line.split(' ')])).to.deep.equal({ exitCode, message });
    });
  });

  describe('show', () => {
    it('shows a line for each field, and the response of the API with --json', async () => {
      const { id } = await buildEnrollment(harness.context, ben, bees, {
        status: 'active',
        notes: 'Paid.\nBy cheque.',
      });
      const { stdout } = await cli.run(['enrollments', 'show', id]);
      const lines = stdout.split('\n');
      expect(lines).to.include('trainee   Ben Young (ben@x.org)').and.to.include(`course    Bees (${bees.id})`);
      expect(lines).to.include('message   Paid.').and.to.include('          By cheque.');
      expect(stdout).not.to.match(/^completed/m);
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', `/api/enrollments/${id}`, token).expect(200);
      expect(await cli.json(['enrollments', 'show', id])).to.deep.equal(body);
    });
  });

  describe('stats', () => {
    it('counts by status', async () => {
      await buildEnrollment(harness.context, ben, bees, { status: 'active' });
      await buildEnrollment(harness.context, cleo, bees, { status: 'completed' });
      const stats = { total: 2, pending: 0, waiting: 0, active: 1, completed: 1, cancelled: 0 };
      expect(await cli.json(['enrollments', 'stats'])).to.deep.equal({ stats });
      const { stdout } = await cli.run(['enrollments', 'stats']);
      expect(stdout).to.match(
        /^STATUS +ENROLLMENTS\ntotal +2\npending +0\nwaiting +0\nactive +1\ncompleted +1\ncancelled +0\n$/,
      );
    });
  });
});
