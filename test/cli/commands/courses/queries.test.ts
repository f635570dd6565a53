import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { weaving } from '../../../http/support/courses.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

interface Listing {
  courses: { id: string; title: string }[];
  pagination: Record<'currentPage' | 'totalPages' | 'totalItems' | 'itemsPerPage', number>;
}

describe('coursectl courses', () => {
  const { harness, cli } = useHarnessAndCli();
  const titles = async (...options: string[]) =>
    (await cli.json<Listing>(['courses', 'list', ...options])).courses.map(({ title }) => title);

  let ada: User;
  let grace: User;
  let loom: Course;
  beforeEach(async () => {
    const { context } = harness;
    ada = await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
    grace = await buildUser(context, { firstName: 'Grace', lastName: 'Adler', email: 'grace@x.org', role: 'trainer' });
    loom = await buildCourse(context, ada, {
      title: 'Weaving',
      category: 'Crafts',
      level: 'beginner',
      isPublished: true,
    });
    await buildCourse(context, ada, {
      title: 'Überfärben',
      category: 'Crafts',
      level: 'advanced',
      courseType: 'online',
    });
    await buildCourse(context, grace, { title: 'Bees', courseType: 'online', isPublished: true, isFeatured: true });
  });

  describe('list', () => {
    it('shows a table with a line for each course, with the page below', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['courses', 'list', '--limit', '2']);
      expect({ exitCode, stderr }).to.deep.equal({
        exitCode: 0,
        stderr: 'Page 1 of 2, 3 courses. Add --page 2 for the next page, or --limit all.\n',
      });
      const [heading, bees, dyeing, ...rest] = stdout.split('\n');
      expect(heading).to.match(
        /^TITLE +BEGINS +ENDS +SEATS +TRAINER +STATE +CATEGORY +LEVEL +TYPE +REQUESTS UNTIL +.* +TRAINER ID$/,
      );
      expect(bees).to.match(/^Bees +0 +Grace Adler +published +online/);
      expect(dyeing).to.match(/^Überfärben +0 +Ada Zuse +hidden +Crafts +advanced +online/);
      expect(rest).to.deep.equal(['']);
    });

    it('writes all courses to a pipe; shows dates, seats, trainer and state at a narrow terminal', async () => {
      for (let count = 0; count < 12; count += 1)
        await buildCourse(harness.context, grace, { title: `Knots ${count}` });
      await loom.update({ startDate: '2026-01-05', endDate: '2026-03-27', maxStudents: 12 });
      const piped = await cli.run(['courses', 'list']);
      expect(piped.stdout.trimEnd().split('\n')).to.have.lengthOf(16);
      expect(piped.stderr).to.equal('Page 1 of 1, 15 courses.\n');
      const { stdout } = await cli.run(['courses', 'list', '--search', 'Weaving'], {
        screen: { columns: 80, rows: 24 },
      });
      expect(stdout).to.match(/TITLE +BEGINS +ENDS +SEATS +TRAINER +STATE/);
      expect(stdout).to.match(/^Weaving +2026-01-05 +2026-03-27 +0 of 12 +Ada Zuse +ended/m);
    });

    it('prints the response of the API for the super admin with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses?limit=2', token).expect(200);
      expect(await cli.json(['courses', 'list', '--limit', '2'])).to.deep.equal(body);
    });

    it('filters by category, level, type, trainer, state, end and text, sorts and pages', async () => {
      await loom.update({ endDate: '2020-01-01' });
      await harness.context.database.models.Course.update(
        { startDate: '2020-01-01' },
        { where: { title: 'Überfärben' } },
      );
      for (const [line, found] of [
        ['--category Crafts', ['Überfärben', 'Weaving']],
        ['--level advanced', ['Überfärben']],
        ['--type online --published', ['Bees']],
        ['--unpublished', ['Überfärben']],
        ['--search UBERFARBEN', ['Überfärben']],
        ['--trainer GRACE@x.org', ['Bees']],
        ['--sort title --limit 2 --page 1', ['Bees', 'Überfärben']],
        ['--sort title --limit 2 --page 2', ['Weaving']],
        ['--sort title --limit 2 --page 3', []],
        ['--ended true', ['Weaving']],
        ['--ended false --sort soonest', ['Überfärben', 'Bees']],
      ] as const)
        expect(await titles(...line.split(' ')), line).to.deep.equal(found);
    });

    it('shows seats, in JSON on request, and filters by seats', async () => {
      await loom.update({ maxStudents: 1 });
      for (const status of ['active', 'waiting'] as const)
        await buildEnrollment(harness.context, await buildUser(harness.context), loom, { status });
      expect(await titles('--full')).to.deep.equal(['Weaving']);
      expect(await titles('--seats-left')).to.deep.equal(['Bees', 'Überfärben']);
      const { stdout } = await cli.run([
        'courses',
        'list',
        '--sort',
        '-title',
        '--columns',
        'title,seats,waiting,state',
      ]);
      const [heading, weaving, , bees] = stdout.split('\n');
      expect(heading).to.match(/^TITLE +SEATS +WAITING +STATE$/);
      expect(weaving).to.match(/^Weaving +1 of 1 +1 +published$/);
      expect(bees).to.match(/^Bees +0 +published$/);
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses?include=seats&seatsLeft=false', token).expect(200);
      expect(await cli.json(['courses', 'list', '--include', 'seats', '--full'])).to.deep.equal(body);
      const show = ['courses', 'show', 'Weaving', '--include', 'seats'];
      expect(await cli.json(show)).to.deep.equal({ course: body.courses[0] });
      expect((await cli.run(show)).stdout).to.match(/^seats +1 taken, 0 left, 1 waiting$/m);
    });

    it('refuses unknown values', async () => {
      for (const [line, exitCode, message] of [
        ['--level hard', 2, '--level must be one of beginner, intermediate, advanced.'],
        ['--sort trainer', 2, '--sort must be one of createdAt, updatedAt, title, category, startDate, soonest.'],
        ['--include trainees', 2, '--include must be one of seats.'],
        ['--seats-left --full', 2, '--seats-left and --full cannot be used together.'],
        [
          '--trainer nobody@x.org',
          1,
          'User not found: nobody@x.org. To search for them: coursectl users list --search <text>',
        ],
      ] as const)
        expect(await cli.refusal(['courses', 'list', ...line.split(' ')])).to.deep.equal({ exitCode, message });
    });
  });

  describe('show', () => {
    const idOf = async (reference: string) =>
      (await cli.json<{ course: { id: string } }>(['courses', 'show', reference])).course.id;

    it('finds a course by id, by the last 8 characters of the id, or by title', async () => {
      for (const reference of [loom.id, loom.id.slice(-8), 'Weaving', ' Weaving ', 'weaving', 'WEAVING'])
        expect(await idOf(reference), reference).to.equal(loom.id);
      for (const reference of ['Glass', 'Fäden', "'; --"]) {
        const message = `Course not found: ${reference}. To search for them: coursectl courses list --search <text>`;
        expect(await cli.refusal(['courses', 'show', reference])).to.deep.equal({ exitCode: 1, message });
      }
    });

    it('ignores the case of a title, but prefers the exact spelling', async () => {
      const { context } = harness;
      const straße = await buildCourse(context, grace, { title: 'Straße für Éva' });
      expect(await idOf('STRASSE FÜR ÉVA')).to.equal(straße.id);
      const capitals = await buildCourse(context, grace, { title: 'WEAVING' });
      expect([await idOf('Weaving'), await idOf('WEAVING')]).to.deep.equal([loom.id, capitals.id]);
      const both = `${loom.id} (Weaving, no date, Ada Zuse), ${capitals.id} (WEAVING, no date, Grace Adler)`;
      const message = `Course: there are several with this title. Name it by its id: ${both}.`;
      expect(await cli.refusal(['courses', 'show', 'weaving'])).to.deep.equal({ exitCode: 2, message });
      // A title takes precedence over a short id.
      const named = await buildCourse(context, grace, { title: loom.id.slice(-8) });
      expect(await idOf(named.title)).to.equal(named.id);
    });

    it('lists at most ten courses of the same title', async () => {
      for (let count = 0; count < 11; count += 1) await buildCourse(harness.context, grace, { title: 'Weaving' });
      const { stderr } = await cli.run(['courses', 'show', 'Weaving']);
      expect(stderr.match(/[\da-f-]{36}/g)).to.have.lengthOf(10);
      expect(stderr).to.match(/ and 2 more\.\n$/);
    });

    it('prints the response of the API with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { course } = (
        await harness
          .api('post', '/api/courses', token)
          .send({ ...weaving, trainerId: ada.id })
          .expect(201)
      ).body as { course: object };
      expect(await cli.json(['courses', 'show', weaving.title])).to.deep.equal({ course });
    });

    it('prints a line for each field, several for a multi-line text, and none for an empty field', async () => {
      await loom.update({ description: 'Warp and weft.\r\nBring wool.', maxStudents: 12 });
      const { stdout } = await cli.run(['courses', 'show', 'Weaving']);
      const lines = stdout.split('\n');
      expect(lines[0]).to.match(/^FIELD +VALUE$/);
      expect(lines).to.include('description   Warp and weft.').and.to.include('              Bring wool.');
      expect(stdout)
        .to.match(/^capacity +12$/m)
        .and.to.match(new RegExp(`^trainer +Ada Zuse \\(${ada.id}\\)$`, 'm'))
        .and.not.to.match(/^location/m);
    });
  });

  describe('calendar', () => {
    it('writes the calendar of the API to standard output or a file, and refuses a course without dates', async () => {
      await loom.update({ startDate: '2026-05-04' });
      const { text } = await harness.api('get', `/api/courses/${loom.id}/calendar.ics`).expect(200);
      expect(await cli.run(['courses', 'calendar', 'Weaving'])).to.include({ exitCode: 0, stdout: text });
      const written = await cli.run(['courses', 'calendar', 'Weaving', '--output', 'weaving.ics']);
      expect(written).to.include({ exitCode: 0, stdout: 'The calendar was written to weaving.ics.\n' });
      expect(readFileSync(path.join(cli.folder, 'weaving.ics'), 'utf8')).to.equal(text);
      const message = 'The course has no dates yet.';
      expect(await cli.refusal(['courses', 'calendar', 'Bees'])).to.deep.equal({ exitCode: 1, message });
    });
  });

  describe('categories', () => {
    it('lists each category a single time', async () => {
      await buildCourse(harness.context, grace, { category: 'Animals' });
      expect((await cli.run(['courses', 'categories'])).stdout).to.equal('Animals\nCrafts\n');
      expect(await cli.json(['courses', 'categories'])).to.deep.equal({ categories: ['Animals', 'Crafts'] });
    });
  });

  describe('trainers', () => {
    it('lists the available trainers by name', async () => {
      await buildUser(harness.context, { role: 'trainer', isActive: false });
      const { stdout, stderr } = await cli.run(['courses', 'trainers']);
      const [heading, first, second] = stdout.split('\n');
      expect(heading).to.match(/^NAME +EMAIL$/);
      expect(first).to.match(/^Grace Adler +grace@x\.org$/);
      expect(second).to.match(/^Ada Zuse +ada@x\.org$/);
      expect(stderr).to.equal('Page 1 of 1, 2 trainers.\n');
    });

    it('searches, pages, and prints the response of the API with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses/trainers/available?search=zuse', token).expect(200);
      expect(await cli.json(['courses', 'trainers', '--search', 'ZUSE'])).to.deep.equal(body);
    });
  });

  describe('export', () => {
    it('writes the chosen fields of matching courses', async () => {
      const argv = ['courses', 'export', '--trainer', 'ada@x.org', '--fields', 'seatsTaken,title'];
      await buildEnrollment(harness.context, await buildUser(harness.context), loom, { status: 'active' });
      expect((await cli.run(argv)).stdout).to.equal('\ufeffseatsTaken,title\n1,Weaving\n0,Überfärben\n');
      const wanted = [...argv, '--published', '--output', 'courses.csv'];
      expect((await cli.run(wanted)).stdout).to.equal('1 course written to courses.csv.\n');
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const all = await harness.api('get', '/api/courses/export.csv', token).expect(200);
      expect((await cli.run(['courses', 'export'])).stdout).to.equal(all.text);
    });

    it('refuses wrong options before it writes anything', async () => {
      const says = async (...options: string[]) => (await cli.refusal(['courses', 'export', ...options])).message;
      expect(await says('--fields', 'title,weight')).to.match(/^--fields must be one of title, description, .+\.$/);
      expect(await says('--full', '--seats-left')).to.equal('--seats-left and --full cannot be used together.');
    });
  });

  describe('stats', () => {
    it('counts by state and category', async () => {
      expect((await cli.run(['courses', 'stats'])).stdout.split('\n')).to.have.members([
        '3 courses: 2 published, 1 not published, 1 featured',
        'CATEGORY  COURSES',
        '(none)          1',
        'Crafts          2',
        '',
      ]);
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses/stats/overview', token).expect(200);
      expect(await cli.json(['courses', 'stats'])).to.deep.equal(body);
    });
  });
});
