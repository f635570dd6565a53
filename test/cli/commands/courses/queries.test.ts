import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { weaving } from '../../../http/support/courses.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';

interface Listing {
  courses: { id: string; title: string }[];
  pagination: Record<'currentPage' | 'totalPages' | 'totalItems' | 'itemsPerPage', number>;
}

describe('coursectl courses', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
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
    it('shows a table for people, a line a course, with the page below', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['courses', 'list', '--limit', '2']);
      expect({ exitCode, stderr }).to.deep.equal({
        exitCode: 0,
        stderr: 'Page 1 of 2, 3 courses. Add --page 2 for the next page, or --limit all.\n',
      });
      const [heading, bees, dyeing, ...rest] = stdout.split('\n');
      expect(heading).to.match(/^TITLE +CATEGORY +LEVEL +TYPE +TRAINER +PUBLISHED$/);
      expect(bees).to.match(/^Bees +online +Grace Adler +yes$/);
      expect(dyeing).to.match(/^Überfärben +Crafts +advanced +online +Ada Zuse +no$/);
      expect(rest).to.deep.equal(['']);
    });

    it('counts one course as one, and says so when there is none', async () => {
      const footer = async (search: string) =>
        (await cli.run(['courses', 'list', '--search', search])).stderr.trimEnd();
      expect(await footer('bees')).to.equal('Page 1 of 1, 1 course.');
      expect(await footer('nothing')).to.equal('No courses.');
    });

    it('gives what the API gives the super admin, with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses?limit=2', token).expect(200);
      expect(await cli.json(['courses', 'list', '--limit', '2'])).to.deep.equal(body);
    });

    it('filters by category, level, type, trainer, state and text', async () => {
      expect(await titles('--category', 'Crafts')).to.deep.equal(['Überfärben', 'Weaving']);
      expect(await titles('--level', 'advanced')).to.deep.equal(['Überfärben']);
      expect(await titles('--type', 'online', '--published')).to.deep.equal(['Bees']);
      expect(await titles('--unpublished')).to.deep.equal(['Überfärben']);
      expect(await titles('--search', 'UBERFARBEN')).to.deep.equal(['Überfärben']);
      for (const trainer of [grace.id, 'GRACE@x.org', grace.phone])
        expect(await titles('--trainer', trainer), trainer).to.deep.equal(['Bees']);
    });

    it('shows the seats on request, and filters by them', async () => {
      await loom.update({ maxStudents: 1 });
      await buildEnrollment(harness.context, await buildUser(harness.context), loom, { status: 'active' });
      expect(await titles('--full')).to.deep.equal(['Weaving']);
      expect(await titles('--seats-left')).to.deep.equal(['Bees', 'Überfärben']);
      const { stdout } = await cli.run(['courses', 'list', '--include', 'seats', '--sort', '-title']);
      const [heading, weaving, , bees] = stdout.split('\n');
      expect(heading).to.match(/ PUBLISHED +SEATS$/);
      expect(weaving).to.match(/^Weaving .* yes +1 taken, 0 left$/);
      expect(bees).to.match(/^Bees .* yes +0 taken, no limit$/);
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses?include=seats&seatsLeft=false', token).expect(200);
      expect(await cli.json(['courses', 'list', '--include', 'seats', '--full'])).to.deep.equal(body);
      const show = ['courses', 'show', 'Weaving', '--include', 'seats'];
      expect(await cli.json(show)).to.deep.equal({ course: body.courses[0] });
      expect((await cli.run(show)).stdout.split('\n')).to.include('seats        1 taken, 0 left');
    });

    it('sorts and pages', async () => {
      const byTitle = ['--sort', 'title', '--limit', '2'];
      expect(await titles(...byTitle, '--page', '1')).to.include('Bees');
      expect(await titles(...byTitle, '--page', '2')).to.have.lengthOf(1);
      expect(await titles(...byTitle, '--page', '3')).to.deep.equal([]);
      const result = await cli.run(['courses', 'list', ...byTitle, '--page', '3']);
      expect(result).to.deep.equal({ exitCode: 0, stdout: '', stderr: 'No page 3: 2 pages, 3 courses.\n' });
    });

    const refused: [options: string[], exitCode: number, says: string][] = [
      [['--level', 'hard'], 2, '--level must be one of beginner, intermediate, advanced.'],
      [['--type', 'x'], 2, '--type must be one of online, classroom, hybrid.'],
      [['--sort', 'trainer'], 2, '--sort must be one of createdAt, updatedAt, title, category, startDate.'],
      [['--include', 'trainees'], 2, '--include must be one of seats.'],
      [['--seats-left', '--full'], 2, '--seats-left and --full cannot be used together.'],
      [['--limit', '101'], 2, '--limit must be a whole number from 1 to 100.'],
      [['--trainer', 'nobody@x.org'], 1, 'User not found: nobody@x.org. To list them: coursectl users list'],
    ];
    for (const [options, code, says] of refused) {
      it(`refuses ${options.join(' ')}`, async () => {
        const { exitCode, stdout, stderr } = await cli.run(['courses', 'list', ...options]);
        expect({ exitCode, stdout, stderr }).to.deep.equal({ exitCode: code, stdout: '', stderr: `error: ${says}\n` });
      });
    }
  });

  describe('show', () => {
    const idOf = async (reference: string) =>
      (await cli.json<{ course: { id: string } }>(['courses', 'show', reference])).course.id;

    it('finds a course by id, the last 8 characters of it, or title', async () => {
      for (const reference of [loom.id, loom.id.slice(-8), 'Weaving', ' Weaving ', 'weaving', 'WEAVING'])
        expect(await idOf(reference), reference).to.equal(loom.id);
      for (const reference of ['Weav', 'Überfarben', 'x'.repeat(300), "'; --"]) {
        const { exitCode, stderr } = await cli.run(['courses', 'show', reference]);
        const says = `error: Course not found: ${reference}. To list them: coursectl courses list\n`;
        expect({ exitCode, stderr }, reference).to.deep.equal({ exitCode: 1, stderr: says });
      }
    });

    it('ignores the case of a title, but prefers the one that is spelled as it was typed', async () => {
      const { context } = harness;
      const straße = await buildCourse(context, grace, { title: 'Straße für Éva' });
      expect(await idOf('STRASSE FÜR ÉVA')).to.equal(straße.id);
      const capitals = await buildCourse(context, grace, { title: 'WEAVING' });
      expect([await idOf('Weaving'), await idOf('WEAVING')]).to.deep.equal([loom.id, capitals.id]);
      const { exitCode, stderr } = await cli.run(['courses', 'show', 'weaving']);
      const both = `${loom.id} (Weaving, Ada Zuse), ${capitals.id} (WEAVING, Grace Adler)`;
      const says = `Course: there are several with this title. Name it by its id: ${both}.`;
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 2, stderr: `error: ${says}\n` });
    });

    it('takes a title before the last characters of an id', async () => {
      const ending = loom.id.slice(-8);
      const named = await buildCourse(harness.context, grace, { title: ending });
      expect(await idOf(ending)).to.equal(named.id);
    });

    it('lists the courses that share a title', async () => {
      const other = await buildCourse(harness.context, grace, { title: 'Weaving' });
      const { exitCode, stdout, stderr } = await cli.run(['courses', 'show', 'Weaving']);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.equal(
        `error: Course: there are several with this title. Name it by its id: ${loom.id} (Weaving, Ada Zuse), ${other.id} (Weaving, Grace Adler).\n`,
      );
      expect((await cli.run(['courses', 'show', other.id])).exitCode).to.equal(0);
    });

    it('lists at most ten of them', async () => {
      for (let count = 0; count < 11; count += 1) await buildCourse(harness.context, grace, { title: 'Weaving' });
      const { stderr } = await cli.run(['courses', 'show', 'Weaving']);
      expect(stderr.match(/[\da-f-]{36}/g)).to.have.lengthOf(10);
      expect(stderr).to.match(/ and 2 more\.\n$/);
    });

    it('gives what the API gives, with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { course } = (
        await harness
          .api('post', '/api/courses', token)
          .send({ ...weaving, trainerId: ada.id })
          .expect(201)
      ).body as { course: object };
      expect(await cli.json(['courses', 'show', weaving.title])).to.deep.equal({ course });
    });

    it('prints a line per field, several for a text of several lines, and none for an empty field', async () => {
      await loom.update({ description: 'Warp and weft.\r\nBring wool.', maxStudents: 12 });
      const { stdout } = await cli.run(['courses', 'show', 'Weaving']);
      const lines = stdout.split('\n');
      expect(lines[0]).to.match(/^FIELD +VALUE$/);
      expect(lines).to.include('description  Warp and weft.').and.to.include('             Bring wool.');
      expect(stdout)
        .to.match(/^capacity +12$/m)
        .and.to.match(new RegExp(`^trainer +Ada Zuse \\(${ada.id}\\)$`, 'm'))
        .and.not.to.match(/^location/m);
    });
  });

  describe('categories', () => {
    it('lists each once', async () => {
      await buildCourse(harness.context, grace, { category: 'Animals' });
      expect((await cli.run(['courses', 'categories'])).stdout).to.equal('Animals\nCrafts\n');
      expect(await cli.json(['courses', 'categories'])).to.deep.equal({ categories: ['Animals', 'Crafts'] });
    });

    it('says so when there are none', async () => {
      await harness.context.database.models.Course.update({ category: null }, { where: {} });
      expect((await cli.run(['courses', 'categories'])).stderr).to.equal('No categories.\n');
    });
  });

  describe('trainers', () => {
    it('lists those who can be given a course, by name', async () => {
      await buildUser(harness.context, { role: 'trainer', isActive: false });
      const { stdout, stderr } = await cli.run(['courses', 'trainers']);
      const [heading, first, second] = stdout.split('\n');
      expect(heading).to.match(/^NAME +EMAIL$/);
      expect(first).to.match(/^Grace Adler +grace@x\.org$/);
      expect(second).to.match(/^Ada Zuse +ada@x\.org$/);
      expect(stderr).to.equal('Page 1 of 1, 2 trainers.\n');
    });

    it('searches and pages, and gives what the API gives with --json', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const { body } = await harness.api('get', '/api/courses/trainers/available?search=zuse', token).expect(200);
      expect(await cli.json(['courses', 'trainers', '--search', 'ZUSE'])).to.deep.equal(body);
      const { exitCode, stderr } = await cli.run(['courses', 'trainers', '--page', '0']);
      expect({ exitCode, stderr }).to.deep.equal({
        exitCode: 2,
        stderr: 'error: --page must be a whole number from 1 to 1000000.\n',
      });
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

    it('prints zeros when there are no courses', async () => {
      await harness.context.database.models.Course.destroy({ where: {} });
      expect((await cli.run(['courses', 'stats'])).stdout).to.equal(
        '0 courses: 0 published, 0 not published, 0 featured\n',
      );
    });
  });
});
