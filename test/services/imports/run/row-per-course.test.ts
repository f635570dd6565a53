import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { corpusFile } from '../support/corpus.js';
import { hashedPeople, recordsOf, useImporting } from '../support/importing.js';
import { importFile, importFirstBatch } from '../support/running.js';
import { runToEnd, runToPlan, submit, submitInterrupted } from '../support/submitting.js';

const header = 'firstName,lastName,email,phone,role,isActive,password,course,enrollmentStatus,reply';
const ann = 'Ann,Lee,ann@x.org,0151 1,,,,';
const bo = 'Bo,Kim,bo@x.org,0151 2,,,,';

for (const batchRows of [1, 50])
  describe(`A file with a line for each course, ${batchRows} rows a batch`, () => {
    const importing = useImporting({ IMPORT_BATCH_ROWS: String(batchRows) });
    const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
    const { models } = importing;
    const course = async (title: string, maxStudents: number | null = null) => {
      const trainer = await buildUser(importing.context, { role: 'trainer' });
      return buildCourse(importing.context, trainer, { title, maxStudents });
    };
    const ledger = async () =>
      (await models().ImportRow.findAll({ order: ['line'] })).map(
        ({ line, outcome, code }) => `${line} ${outcome} ${code}`,
      );
    const enrolled = async () => {
      const users = new Map((await models().User.findAll()).map(({ id, firstName }) => [id, firstName]));
      const courses = new Map((await models().Course.findAll()).map(({ id, title }) => [id, title]));
      const found = await models().Enrollment.findAll();
      return found.map((one) => `${users.get(one.userId)} ${courses.get(one.courseId)} ${one.status}`).sort();
    };
    const trainees = () => models().User.count({ where: { role: 'trainee' } });
    const undo = async (id: string, ...args: string[]) => {
      const { stdout } = await importing.cli('imports', 'undo', id, ...args, '--json');
      return (JSON.parse(stdout) as { undo: { removed: number; restored: number; kept: { code: string }[] } }).undo;
    };
    beforeEach(async () => {
      await course('First Aid');
      await course('Fire Safety');
    });

    it('creates one account with several enrollments, which undo removes', async () => {
      const file = importing.write('people.csv', corpusFile('row-per-course'));
      const shown = (await importing.run(file, '--dry-run')).stdout;
      expect(shown).to.include('3 enrollments to make');
      expect(shown).to.include('  1 row with other courses or groups for the person of an earlier line\n');
      expect(shown).to.include('line 3  skipped  Ann Lee <ann32@corp.example> SAME_PERSON');
      const { id, exitCode, counts, credentialsFile } = await importing.json(file);
      expect({ exitCode, ...counts }).to.include({ exitCode: 0, created: 2, skipped: 1, rejected: 0, enrolled: 3 });
      expect(recordsOf(credentialsFile)).to.have.length(2);
      expect(await ledger()).to.deep.equal(['2 created null', '3 skipped SAME_PERSON', '4 created null']);
      expect(await enrolled()).to.deep.equal([
        'Ann Fire Safety active',
        'Ann First Aid active',
        'Bo Fire Safety active',
      ]);
      const expected = { removed: 2, restored: 0, kept: [], mailsSent: 0 };
      expect(await undo(id, '--dry-run')).to.deep.equal(expected);
      expect(await undo(id, '--yes')).to.deep.equal(expected);
      expect([await trainees(), await enrolled()]).to.deep.equal([0, []]);
    });

    it('enrolls existing accounts, even without a phone in the file, and undo reverts this', async () => {
      await buildUser(importing.context, { firstName: 'Ann', lastName: 'Lee', email: 'ann@x.org', phone: '0151 1' });
      const lines = ['Ann,Lee,ann@x.org,,,,,First Aid,,', 'Ann,Lee,ann@x.org,,,,,Fire Safety,pending,Later'];
      const { id, counts } = await importing.json(write(...lines));
      expect(counts).to.include({ created: 0, skipped: 2, rejected: 0, enrolled: 2 });
      expect(await ledger()).to.deep.equal(['2 skipped ALREADY_EXISTS', '3 skipped SAME_PERSON']);
      expect(await enrolled()).to.deep.equal(['Ann Fire Safety pending', 'Ann First Aid active']);
      const expected = { removed: 0, restored: 1, kept: [], mailsSent: 0 };
      expect(await undo(id, '--dry-run')).to.deep.equal(expected);
      expect(await undo(id, '--yes')).to.deep.equal(expected);
      expect([await trainees(), await enrolled()]).to.deep.equal([1, []]);
    });

    it('updates the account a single time, and enrolls the updated account', async () => {
      const before = { firstName: 'Anna', lastName: 'Lee', email: 'ann@x.org', phone: '0151 1', isActive: false };
      const account = await buildUser(importing.context, before);
      const active = ann.replace(',,,,', ',,yes,,');
      const file = write(`${active}First Aid,,`, `${active}Fire Safety,,`);
      const { id, counts } = await importing.json(file, '--on-existing', 'update');
      expect(counts).to.include({ updated: 1, skipped: 1, rejected: 0, enrolled: 2 });
      expect(await account.reload()).to.include({ firstName: 'Ann', isActive: true });
      expect(await undo(id, '--yes')).to.deep.equal({ removed: 0, restored: 1, kept: [], mailsSent: 0 });
      expect(await account.reload()).to.include({ firstName: 'Anna', isActive: false });
      expect(await enrolled()).to.deep.equal([]);
    });

    it('rejects lines that contradict each other, or repeat a course', async () => {
      const { rejectsFile, counts } = await importing.json(
        write(
          `${ann}First Aid,,`,
          `${ann}First Aid,pending,`,
          `${ann.replace('Lee', 'Li')}Fire Safety,,`,
          `${ann.replace('0151 1', '0151 9')}Fire Safety,,`,
          `${ann.replace(',,,,', ',trainer,,,')}Fire Safety,,`,
          `${ann.replace(',,,,', ',,,Passw0rd-12,')}Fire Safety,,`,
          `${ann},,`,
          `${ann.replace('ann@', 'other@')}Fire Safety,,`,
          `${ann.replace('0151 1', '')}Fire Safety,,`,
          `${ann}Fire Safety,,`,
        ),
      );
      const rejected = [3, 4, 5, 6, 7, 8, 9, 11];
      expect(recordsOf(rejectsFile).map(({ line, code }) => `${line} ${code}`)).to.deep.equal(
        rejected.map((line) => `${line} DUPLICATE_IN_FILE`),
      );
      expect(counts).to.include({ created: 1, skipped: 1, enrolled: 2 });
    });

    it('enrolls a single time in a course that rows name in several ways, and in the course of --course', async () => {
      const { id } = await models().Course.findOne({ where: { title: 'First Aid' }, rejectOnEmpty: true });
      await course('Ropes');
      const file = write(`${ann}First Aid,,`, `${ann}${id},,`, `${ann}Ropes;First Aid,,`);
      const plan = await importing.plan(file, { course: 'Fire Safety' });
      expect(plan.counts).to.include({ created: 1, skipped: 2, rejected: 0, enrolled: 3 });
      const { counts } = await importing.json(file, '--course', 'Fire Safety');
      expect(counts).to.include({ created: 1, skipped: 2, rejected: 0, enrolled: 3 });
      expect(await enrolled()).to.deep.equal(['Ann Fire Safety active', 'Ann First Aid active', 'Ann Ropes active']);
    });

    it('creates the account from the next line if the first line is rejected', async () => {
      await course('Full', 1);
      const file = write(
        `${bo}Full,,`,
        `${ann}Full,,`,
        `${ann}Lost,,`,
        `${ann}First Aid,,`,
        `${ann}Fire Safety,,`,
        `${bo}Full;First Aid,,`,
      );
      const { counts } = await importing.json(file);
      expect(counts).to.include({ created: 2, skipped: 2, rejected: 2, enrolled: 4 });
      expect(await ledger()).to.deep.equal([
        '2 created null',
        '3 rejected COURSE_FULL',
        '4 rejected COURSE_UNKNOWN',
        '5 created null',
        '6 skipped SAME_PERSON',
        '7 skipped SAME_PERSON',
      ]);
    });

    it('keeps the enrollments of all lines if the account is kept', async () => {
      const { id } = await importing.json(write(`${ann}First Aid,,`, `${ann}Fire Safety,,`));
      await models().User.update({ lastLogin: new Date() }, { where: { email: 'ann@x.org' }, silent: true });
      const { removed, kept } = await undo(id, '--yes');
      expect([removed, kept.map(({ code }) => code)]).to.deep.equal([0, ['LOGGED_IN', 'LOGGED_IN']]);
      expect(await enrolled()).to.have.length(2);
    });
  });

describe('A file with a line for each course whose import is interrupted between the lines of a person', () => {
  const importing = useImporting({ IMPORT_BATCH_ROWS: '1' });
  const lines = [`${ann}First Aid,,`, `${ann}Fire Safety,,`, `${ann}First Aid;Ropes,,`, `${bo}Ropes,,`];
  const { plan } = importing;
  let file: string;

  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['First Aid', 'Fire Safety', 'Ropes']) await buildCourse(importing.context, trainer, { title });
    file = importing.write('people.csv', `${[header, ...lines].join('\n')}\n`);
  });

  it('is resumed, with the result of an uninterrupted import', async () => {
    const whole = await plan(file);
    await importFirstBatch(importing.context, file);
    expect((await plan(file)).counts).to.deep.equal(whole.counts);
    const { status, counts } = await importFile(importing.context, file);
    expect({ status, ...counts }).to.include({ status: 'completed', created: 2, skipped: 2, rejected: 0, enrolled: 4 });
    expect(await importing.context.database.models.Enrollment.count()).to.equal(4);
  });

  it('rejects the remaining lines if the account was removed meanwhile', async () => {
    await importFirstBatch(importing.context, file);
    await importing.context.database.models.User.destroy({ where: { email: 'ann@x.org' } });
    const { counts } = await importFile(importing.context, file);
    expect(counts).to.include({ created: 2, skipped: 0, rejected: 2, enrolled: 2 });
    const { ImportRow } = importing.context.database.models;
    expect((await ImportRow.findOne({ where: { line: 3 } }))?.reason).to.equal(
      'The account of line 2 was changed or removed meanwhile.',
    );
  });

  it('is planned and applied over HTTP, and resumed by the service', async () => {
    const { ImportPlanRow, ImportRow } = importing.context.database.models;
    const text = importing.read('people.csv');
    const { id } = await submit(importing, text, { plan: true });
    await runToPlan(importing, id);
    const planned = await ImportPlanRow.findAll({ where: { importId: id }, order: ['line'] });
    expect(planned.map(({ line, code, userId }) => [line, code, userId])).to.deep.equal([
      [2, null, null],
      [3, 'SAME_PERSON', null],
      [4, 'SAME_PERSON', null],
      [5, null, null],
    ]);
    const { id: other } = await submitInterrupted(importing, text);
    expect(await ImportRow.count({ where: { importId: other } })).to.equal(1);
    expect(await runToEnd(importing, other)).to.include({ status: 'completed', createdCount: 2, enrolledCount: 4 });
    const [first, second, third] = await ImportRow.findAll({ where: { importId: other }, order: ['line'] });
    expect([second?.userId, third?.userId]).to.deep.equal([first?.userId, first?.userId]);
  });
});

describe('A long file with a line for each course', () => {
  const importing = useImporting();

  it('is undone even if the lines of a person are far apart, as the preview says', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    for (const title of ['First Aid', 'Fire Safety']) await buildCourse(importing.context, trainer, { title });
    const [head, ...rows] = hashedPeople(520).trimEnd().split('\n');
    const lines = ['First Aid', 'Fire Safety'].flatMap((title) => rows.map((row) => `${row},${title}`));
    const file = importing.write('people.csv', `${[`${head},course`, ...lines].join('\n')}\n`);
    const { id, counts } = await importing.json(file);
    expect(counts).to.include({ created: 520, skipped: 520, rejected: 0, enrolled: 1040 });
    const undo = async (option: string) => {
      const { stdout } = await importing.cli('imports', 'undo', id, option, '--json');
      return (JSON.parse(stdout) as { undo: object }).undo;
    };
    for (const option of ['--dry-run', '--yes'])
      expect(await undo(option), option).to.deep.equal({ removed: 520, restored: 0, kept: [], mailsSent: 0 });
    expect(await importing.context.database.models.Enrollment.count()).to.equal(0);
  });
});
