import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { User } from '../../../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { keys } from '../../../support/terminal.js';

describe('coursectl courses import', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const titles = async () => {
    const courses = await harness.context.database.models.Course.findAll({ order: ['title'] });
    return courses.map(({ title }) => title);
  };
  const file = (text: string, name = 'courses.csv') => {
    writeFileSync(path.join(cli.folder, name), text);
    return name;
  };
  const twoCourses = 'title,description,startDate\nBees,How they live.,2030-01-07\nKnots,Ropes.,07.01.2030\n';

  let ada: User;
  beforeEach(async () => {
    ada = await buildUser(harness.context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
  });

  it('creates the courses of an export with all fields, from CSV and workbooks', async () => {
    const fields = {
      title: 'Weaving',
      description: '=Warp\nand weft.',
      category: 'Crafts',
      level: 'beginner' as const,
      tagsJson: '["loom","wool"]',
      maxStudents: 12,
      startDate: '2030-01-07',
      endDate: '2030-03-01',
      autoAccept: true,
      waitingMax: 0,
    };
    for (const name of ['out.csv', 'out.xlsx']) {
      const course = await buildCourse(harness.context, ada, fields);
      expect((await cli.run(['courses', 'export', '--output', name])).exitCode).to.equal(0);
      await course.destroy();
      const { exitCode, stderr } = await cli.run(['courses', 'import', name, '--yes']);
      expect(exitCode, stderr).to.equal(0);
      expect(stderr).to.match(/Ignored: isPublished, seatsTaken, createdAt, updatedAt, id\n/);
      const created = await harness.context.database.models.Course.findOne({ rejectOnEmpty: true });
      expect(created).to.include({ ...fields, trainerId: ada.id, isPublished: false });
      await created.destroy();
    }
  });

  it('shows a plan with all columns and every skipped row, then asks', async () => {
    await buildCourse(harness.context, ada, { title: 'bees', startDate: '2030-01-07' });
    await buildCourse(harness.context, ada, { title: 'Wax', startDate: '2029-01-07' });
    const name = file(
      'Title;Description;Start date;End date;Trainer;Room key\n' +
        'Bees;How they live.;2030-01-07;;ada@x.org;1\n' +
        'Wax;Candles.;2030-01-07;;Ada Zuse;1\n' +
        'Knots;Ropes.;2030-01-07;2030-01-01;ada@x.org;1\n' +
        'Glass;Blown.;31/12/2030;;ada@x.org;1\n' +
        'Silk;Worms.;;;Nobody;1\nSalt;Sea.;;;;1\nWax;Candles.;2030-01-07;;ada@x.org;1\n',
    );
    const plan =
      'Columns:\n' +
      '  Title = title; 7 courses: Bees\n' +
      '  Description = description; 7 courses: How they live.\n' +
      '  Start date = startDate; 5 courses: 2030-01-07\n' +
      '  End date = endDate; 1 course: 2030-01-01\n' +
      '  Trainer = trainer; 6 courses: ada@x.org\n' +
      'Ignored: Room key (to import one, rename its heading: shortDescription, category, level, language, courseType, ' +
      'tags, requirements, learningOutcomes, maxStudents, enrollUntil, autoAccept, waitingMax, location, isFeatured)\n' +
      'Line 2, "Bees": exists already, unchanged\n' +
      'Line 3, "Wax": created, although a course with another first day has this title\n' +
      'Line 4, "Knots": rejected: endDate must not be before startDate.\n' +
      'Line 5, "Glass": rejected: startDate must be a date as YYYY-MM-DD.\n' +
      'Line 6, "Silk": rejected: There is no active trainer Nobody.\n' +
      'Line 7, "Salt": rejected: The trainer is missing: fill in the column trainer, or add --trainer.\n' +
      'Line 8, "Wax": rejected: The row repeats the title and first day of line 3.\n' +
      '1 course to create, 1 existing, 5 rejected: correct their rows and import the file again\n';
    const argv = ['courses', 'import', name];
    expect(await cli.run([...argv, '--dry-run'])).to.deep.equal({ exitCode: 3, stdout: plan, stderr: '' });
    expect((await cli.refusal(argv)).message).to.equal('Confirmation needs a terminal: add --yes to import.');
    const no = await cli.atTerminal(argv, [['Create 1 course? (y/N)', `n${keys.enter}`]], { columns: 120 });
    expect(no.exitCode).to.equal(1);
    expect(await titles()).to.deep.equal(['Wax', 'bees']);
    const { rows } = await cli.json<{ rows: { outcome: string }[] }>([...argv, '--trainer', 'ada@x.org', '--yes']);
    expect(rows.map(({ outcome }) => outcome).join()).to.equal(
      'exists,create,rejected,rejected,rejected,create,rejected',
    );
    expect(await titles()).to.deep.equal(['Salt', 'Wax', 'Wax', 'bees']);
  });

  it('creates nothing without a title column, or for an inactive trainer', async () => {
    const { message } = await cli.refusal(['courses', 'import', file('name,description\nBees,Life.\n')]);
    expect(message).to.match(
      /^The file courses.csv has no column title. Its columns: name, description. Rename .* such as: title, description,/,
    );
    await ada.update({ isActive: false });
    const { exitCode, stdout } = await cli.run([
      'courses',
      'import',
      file(twoCourses),
      '--trainer',
      'ada@x.org',
      '--yes',
    ]);
    expect(exitCode, stdout).to.equal(1);
    expect(await titles()).to.deep.equal([]);
  });

  it('deletes untouched courses on undo, and keeps changed courses and courses with enrollments', async () => {
    const imported = (text: string) => cli.run(['courses', 'import', file(text), '--trainer', 'ada@x.org', '--yes']);
    await imported('title,description\nOld,Before.\n');
    const { stdout } = await imported(`${twoCourses}Silk,Worms.,2030-01-08\n`);
    expect(stdout).to.equal(
      '3 courses created, hidden until published.\nTo undo this: coursectl courses undo-import\n',
    );
    await cli.run(['courses', 'publish', 'Knots']);
    const silk = await harness.context.database.models.Course.findOne({
      where: { title: 'Silk' },
      rejectOnEmpty: true,
    });
    const enrollment = await buildEnrollment(harness.context, await buildUser(harness.context), silk);
    const undo = ['courses', 'undo-import'];
    const dry = await cli.run([...undo, '--dry-run']);
    expect(dry.stdout).to.match(/^Import of .*Z: 1 course to delete\n( {2}kept, because .*\n){2}$/);
    const undone = await cli.atTerminal(undo, [['Delete 1 course? (y/N)', `y${keys.enter}`]], { columns: 120 });
    expect(undone.stdout).to.equal('1 course deleted.\n');
    expect(await titles()).to.deep.equal(['Knots', 'Old', 'Silk']);
    await enrollment.destroy();
    await buildMaterial(harness.context, silk);
    expect((await cli.run([...undo, '--yes'])).stdout).to.equal('1 course deleted.\n');
    expect(await harness.context.database.models.StoredFile.count()).to.equal(0);
    expect((await cli.run([...undo, '--yes'])).stdout).to.match(/: 0 courses to delete\n/);
    await cli.run(['courses', 'delete', 'Knots', '--yes']);
    expect((await cli.run([...undo, '--yes'])).stdout).to.equal('1 course deleted.\n');
    expect(await titles()).to.deep.equal([]);
    expect((await cli.refusal([...undo, '--yes'])).message).to.equal('There is no import of courses to undo.');
    expect(await audited()).to.include.members(['course.import cli', 'course.undo-import cli']);
  });
});
