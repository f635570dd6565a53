import { expect } from 'chai';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { weaving } from '../../../http/support/courses.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { keys } from '../../../support/terminal.js';

interface Answer {
  course: Record<string, unknown> & { id: string };
}

/** Options with a value, by field. */
const options = {
  shortDescription: '--short-description',
  category: '--category',
  level: '--level',
  language: '--language',
  courseType: '--type',
  requirements: '--requirements',
  learningOutcomes: '--learning-outcomes',
  maxStudents: '--max-students',
  startDate: '--start-date',
  endDate: '--end-date',
  enrollUntil: '--enroll-until',
  waitingMax: '--waiting-max',
  location: '--location',
} as const;
const fields = Object.entries(options) as [keyof typeof options, string][];
const required = ['--title', weaving.title, '--description', weaving.description];
const given = fields.flatMap(([field, option]) => [option, String(weaving[field])]);
const everything = [...required, ...given, '--tag', 'loom', '--tag', 'wool', '--featured', '--auto-accept'];
const least = ['--title', 'Bees', '--description', 'How they live.'];

describe('changes of courses at the command line', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const models = () => harness.context.database.models;
  const refusal = (...argv: string[]) => cli.refusal(argv);

  let ada: User;
  beforeEach(async () => {
    ada = await buildUser(harness.context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
  });

  describe('coursectl courses create', () => {
    it('accepts every field of a course', async () => {
      const argv = ['courses', 'create', ...everything, '--trainer', 'ada@x.org'];
      const { course } = await cli.json<Answer>(argv);
      expect(course).to.deep.include({ ...weaving, isPublished: false, trainerId: ada.id, thumbnail: null });
      expect(await cli.json(['courses', 'show', course.id])).to.deep.equal({ course });
      expect(await audited()).to.deep.equal(['course.create cli']);
    });

    it('reports the new course in one line, with the next step', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['courses', 'create', ...least, '--trainer', ada.phone]);
      const { id } = await models().Course.findOne({ rejectOnEmpty: true });
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      expect(stdout).to.equal(`Created "Bees" (${id}).\nTo publish it: coursectl courses publish ${id}\n`);
    });

    it('says that a title exists already', async () => {
      const first = await buildCourse(harness.context, ada, { title: 'BEES' });
      const argv = ['courses', 'create', ...least, '--trainer', ada.email];
      expect((await cli.run(argv)).stdout).to.include(`\nOther courses with this title: ${first.id}\n`);
      const { sameTitle } = await cli.json<{ sameTitle: string[] }>(argv);
      expect(sameTitle).to.have.lengthOf(2).and.to.include(first.id);
    });

    it('reads empty values and "none" as null', async () => {
      const nothing = ['--category', '', '--location', ' ', '--max-students', 'none', '--start-date', ''];
      const { course } = await cli.json<Answer>(['courses', 'create', ...least, ...nothing, '--trainer', ada.id]);
      expect(course).to.deep.include({ category: null, location: null, tags: [], maxStudents: null, startDate: null });
    });

    it('refuses an inactive trainer, before anything is done', async () => {
      await ada.update({ isActive: false });
      const inactive = { exitCode: 1, message: 'Trainer account is inactive.' };
      expect(await refusal('courses', 'create', ...least, '--trainer', 'ada@x.org')).to.deep.equal(inactive);
      expect(await models().Course.count()).to.equal(0);
    });
  });

  describe('coursectl courses edit', () => {
    let course: Course;
    beforeEach(async () => {
      const { tags, ...columns } = weaving;
      course = await buildCourse(harness.context, ada, {
        ...columns,
        level: 'beginner',
        courseType: 'classroom',
        tagsJson: JSON.stringify(tags),
      });
    });

    it('changes the given fields only', async () => {
      const argv = ['courses', 'edit', weaving.title, '--title', 'Weaving', '--max-students', '20', '--tag', 'silk'];
      expect((await cli.run(argv)).stdout).to.equal(`Changed "Weaving" (${course.id}).\n`);
      const { course: changed } = await cli.json<Answer>(['courses', 'show', 'Weaving']);
      expect(changed).to.deep.include({ ...weaving, title: 'Weaving', maxStudents: 20, tags: ['silk'] });
      expect(await audited()).to.deep.equal(['course.update cli']);
    });

    it('clears fields with empty values', async () => {
      const cleared = fields.flatMap(([, option]) => [option, '']);
      const argv = ['courses', 'edit', course.id, ...cleared, '--tag', '', '--no-featured', '--no-auto-accept'];
      const { course: changed } = await cli.json<Answer>(argv);
      const { title, description } = weaving;
      const nothing = Object.fromEntries(fields.map(([field]) => [field, null]));
      expect(changed).to.deep.include({
        title,
        description,
        ...nothing,
        tags: [],
        autoAccept: false,
        isFeatured: false,
      });
    });

    it('refuses invalid changes', async () => {
      await buildEnrollment(harness.context, await buildUser(harness.context), course);
      await buildEnrollment(harness.context, await buildUser(harness.context), course);
      for (const [more, message] of [
        [['--end-date', '2026-08-31'], '--end-date must not be before --start-date.'],
        [['--max-students', '1'], '--max-students must be at least 2: so many seats are taken.'],
      ] as const)
        expect(await refusal('courses', 'edit', course.id, ...more)).to.deep.equal({ exitCode: 2, message });
    });
  });

  describe('coursectl courses publish and unpublish', () => {
    it('report the result, and are recorded in the audit log', async () => {
      const { id } = await buildCourse(harness.context, ada, { title: 'Bees' });
      expect((await cli.run(['courses', 'publish', 'Bees'])).stdout).to.equal(`"Bees" (${id}) is published.\n`);
      const { course } = await cli.json<Answer>(['courses', 'unpublish', 'Bees']);
      expect(course).to.include({ id, isPublished: false });
      expect(await audited()).to.deep.equal(['course.publish cli', 'course.unpublish cli']);
      expect((await cli.run(['courses', 'unpublish', id])).stdout).to.equal(`"Bees" (${id}) is no longer published.\n`);
      expect(await refusal('courses', 'publish', 'x')).to.deep.equal({
        exitCode: 1,
        message: 'Course not found: x. To search for them: coursectl courses list --search <text>',
      });
    });
  });

  describe('coursectl courses assign-trainer', () => {
    it('assigns the course and its enrollments to another trainer', async () => {
      const course = await buildCourse(harness.context, ada, { title: 'Bees' });
      const enrollment = await buildEnrollment(harness.context, await buildUser(harness.context), course);
      const grace = await buildUser(harness.context, { firstName: 'Grace', lastName: 'Hopper', role: 'trainer' });
      const { stdout } = await cli.run(['courses', 'assign-trainer', 'Bees', grace.email]);
      expect(stdout).to.equal(`"Bees" (${course.id}) is now a course of Grace Hopper.\n`);
      expect((await enrollment.reload()).trainerId).to.equal(grace.id);
      expect(await audited()).to.deep.equal(['course.assign-trainer cli']);
      const { email } = await buildUser(harness.context);
      for (const [reference, message] of [
        [email, `${email} is a trainee, not a trainer. To list trainers: coursectl courses trainers`],
        ['nobody', 'Trainer not found: nobody. To search for them: coursectl courses trainers --search <text>'],
      ] as const)
        expect(await refusal('courses', 'assign-trainer', 'Bees', reference)).to.deep.equal({ exitCode: 1, message });
    });
  });

  describe('coursectl courses delete', () => {
    let course: Course;
    beforeEach(async () => {
      course = await buildCourse(harness.context, ada, { title: 'Bees' });
      const trainee = await buildUser(harness.context);
      await buildEnrollment(harness.context, trainee, course, { status: 'completed' });
      await buildMaterial(harness.context, course);
    });
    const activate = () => models().Enrollment.update({ status: 'active' }, { where: {} });

    it('deletes without a question with --yes', async () => {
      const { exitCode, stdout } = await cli.run(['courses', 'delete', 'Bees', '--yes']);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: `Deleted "Bees" (${course.id}).\n` });
      expect([await models().Course.count(), await models().Enrollment.count()]).to.deep.equal([0, 0]);
      expect(await audited()).to.deep.equal(['course.delete cli']);
      const other = await buildCourse(harness.context, ada);
      const { course: deleted } = await cli.json<Answer>(['courses', 'delete', other.id, '--yes']);
      expect(deleted).to.include({ id: other.id, trainerId: ada.id });
    });

    it('deletes nothing after a no, a bare Enter or Ctrl-C', async () => {
      for (const [answer, code] of [
        [`n${keys.enter}`, 1],
        [keys.enter, 1],
        [keys.ctrlC, 130],
      ] as const) {
        const { exitCode, stdout } = await cli.atTerminal(
          ['courses', 'delete', 'Bees'],
          [['Delete this course?', answer]],
        );
        expect({ exitCode, stdout }).to.deep.equal({ exitCode: code, stdout: '' });
      }
      // The command never asks with --json.
      const { exitCode, stdout } = await cli.atTerminal(['courses', 'delete', 'Bees', '--json'], []);
      expect(exitCode).to.equal(2);
      const message = 'Confirmation needs a terminal: add --yes to delete.';
      expect(JSON.parse(stdout).error).to.deep.equal({ code: 'USAGE', message });
      expect(await models().Course.count()).to.equal(1);
    });

    it('refuses while there are active enrollments, before it asks, unless forced', async () => {
      await activate();
      const message = 'Course has active enrollments. Add --force to delete it anyway.';
      expect(await refusal('courses', 'delete', 'Bees', '--yes')).to.deep.equal({ exitCode: 1, message });
      const { exitCode, terminal } = await cli.atTerminal(['courses', 'delete', 'Bees'], []);
      expect(exitCode).to.equal(1);
      expect(terminal.screen()).to.include(message).and.not.to.include('Delete this course?');
      const forced = await cli.atTerminal(
        ['courses', 'delete', 'Bees', '--force', '--quiet'],
        [
          [`"Bees" (${course.id}) will be deleted with 1 enrollment (1 active) and 1 file.`, ''],
          ['Delete this course? (y/N)', `y${keys.enter}`],
        ],
      );
      expect(forced.exitCode).to.equal(0);
      expect(await models().Course.count()).to.equal(0);
    });
  });
});
