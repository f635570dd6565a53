import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { withLease } from '../../../../src/db/lease.js';
import { AppError } from '../../../../src/errors.js';
import { operator } from '../../../../src/services/core.js';
import { undoImport } from '../../../../src/services/imports/commands.js';
import { leaseName } from '../../../../src/services/imports/store/repository.js';
import { undoRows } from '../../../../src/services/imports/undo/undo.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { runCli, useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';
import { hashedPeople, people, recordsOf, useImporting, withoutProgress } from '../support/importing.js';
import { importFile, importFirstBatch } from '../support/running.js';

const header = 'firstName,lastName,email,phone,course,enrollmentStatus,reply';

/** Runs `coursectl imports` in the folder of the imports. */
function useImportsCommand() {
  const importing = useImporting();
  const imports = (...args: string[]) => importing.cli('imports', ...args);
  const json = async (...args: string[]) => {
    const { exitCode, stdout } = await imports(...args, '--json');
    return { exitCode, ...JSON.parse(stdout) };
  };
  return { importing, imports, json, models: importing.models };
}

describe('coursectl imports undo', () => {
  const { importing, imports, json, models } = useImportsCommand();
  const commandLine = useCommandLine(() => importing.env);
  const login = (email: string, password: string | undefined) =>
    importing.api('post', '/api/auth/login').send({ identifier: email, password }).expect(200);

  it('removes created accounts, and keeps only accounts that were used or changed since', async () => {
    // Only the first person gets a password.
    const file = importing.write('people.csv', hashedPeople(600).replace(/( 00001),.*/, '$1,'));
    const run = await importing.json(file);
    const byEmail = (number: string) =>
      models().User.findOne({ where: { email: `p${number}@example.org` }, rejectOnEmpty: true });
    const [loggedIn, edited] = [await byEmail('00001'), await byEmail('00300')];
    const [enrolled, teaching] = [await byEmail('00599'), await byEmail('00600')];
    await login(loggedIn.email, recordsOf(run.credentialsFile)[0]?.password);
    await edited.update({ firstName: 'Edited' });
    const course = await buildCourse(importing.context, teaching);
    await buildEnrollment(importing.context, enrolled, course);
    const before = await importing.contents();
    const preview = await json('undo', run.id, '--dry-run');
    expect(await importing.contents()).to.equal(before);
    const { exitCode, stdout } = await imports('undo', run.id, '--yes');
    expect(exitCode).to.equal(3);
    expect(stdout.split('\n')).to.deep.equal([
      'Undone: 596 accounts removed, 0 restored, 4 kept',
      'Kept: 4 accounts',
      `  line 601  ${teaching.email}  has courses as their trainer`,
      `  line 600  ${enrolled.email}  has other enrollments, or its enrollment was changed since`,
      `  line 301  ${edited.email}  was edited since`,
      `  line 2  ${loggedIn.email}  has signed in`,
      `Once these reasons no longer apply, undo it again: coursectl imports undo ${run.number}`,
      '',
    ]);
    const kept = (
      [
        [601, teaching, 'HAS_COURSES'],
        [600, enrolled, 'ENROLLED'],
        [301, edited, 'EDITED'],
        [2, loggedIn, 'LOGGED_IN'],
      ] as const
    ).map(([line, { id, email }, code]) => ({ line, userId: id, email, code }));
    expect(preview).to.deep.equal({
      exitCode: 0,
      dryRun: true,
      undo: { removed: 596, restored: 0, kept, mailsSent: 0 },
    });
    expect((await models().User.findAll()).map(({ id }) => id).sort()).to.deep.equal(
      kept.map(({ userId }) => userId).sort(),
    );
    const shown = await json('show', run.id);
    expect(shown.import).to.include({ status: 'undone' });
    expect(shown.kept).to.deep.equal([...kept].reverse());
    const again = await imports('undo', run.id, '--yes');
    expect(again.exitCode).to.equal(1);
    expect(again.stdout).to.match(/^Nothing was undone: 0 accounts removed, 0 restored, 4 kept\nKept: 4 accounts\n/);
  });

  it('restores updated accounts with passwords and enrollments, beginning with the later import', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { title: 'Knots' });
    const first = await importing.json(importing.write('people.csv', people(3)));
    // Row versions don't count: each use of the account increments them.
    const all = async () =>
      JSON.stringify(await models().User.findAll({ attributes: { exclude: ['lockVersion'] }, order: ['id'] }));
    const before = await all();
    const changed = people(3).replaceAll('Family', 'Changed').replace('+1 112 00002', '+1 112 77777');
    const second = await importing.json(
      importing.write('changed.csv', changed),
      '--on-existing',
      'update',
      '--reset-passwords',
      '--course',
      'Knots',
    );
    expect(second.counts).to.include({ updated: 3, enrolled: 3 });
    expect(await models().Enrollment.count({ where: { courseId: course.id, status: 'active' } })).to.equal(3);
    const early = await json('undo', first.id, '--dry-run');
    expect((early.undo as { kept: object[] }).kept).to.have.length(3);
    expect(await json('undo', second.id, '--yes')).to.deep.include({
      undo: { removed: 0, restored: 3, kept: [], mailsSent: 0 },
    });
    expect(await all()).to.equal(before);
    expect(await models().Enrollment.count()).to.equal(0);
    const [credential] = recordsOf(first.credentialsFile);
    await login(credential?.email ?? '', credential?.password);
    // All accounts except the one that has signed in.
    expect(await json('undo', first.id, '--yes')).to.deep.include({ exitCode: 3 });
    expect(await models().User.count({ where: { role: 'trainee' } })).to.equal(1);
  });

  it('keeps an account if another account now has its old email or phone, and the dry run says so', async () => {
    const user = await buildUser(importing.context, { email: 'old@example.org', phone: '1' });
    const other = await buildUser(importing.context, { email: 'ben@example.org', phone: '2' });
    const free = await buildUser(importing.context, { email: 'cy@example.org', phone: '3' });
    const header = 'firstName,lastName,email,phone\n';
    const update = ['--on-existing', 'update', '--match', 'phone'];
    const phones = importing.write('phones.csv', `${header}Ben,Low,ben@example.org,22\nCyn,May,cy@example.org,33\n`);
    const emails = importing.write('emails.csv', `${header}Ada,King,new@example.org,1\n`);
    const [first, run] = [await importing.json(phones, ...update), await importing.json(emails, ...update)];
    await buildUser(importing.context, { email: 'old@example.org' });
    await buildUser(importing.context, { phone: '(2)' });
    for (const [id, undo] of [
      [
        run.id,
        { removed: 0, restored: 0, kept: [{ line: 2, userId: user.id, email: 'new@example.org' }], mailsSent: 0 },
      ],
      [
        first.id,
        { removed: 0, restored: 1, kept: [{ line: 2, userId: other.id, email: 'ben@example.org' }], mailsSent: 0 },
      ],
    ] as const) {
      const kept = undo.kept.map((one) => ({ ...one, code: 'KEY_TAKEN' }));
      expect((await json('undo', id, '--dry-run')).undo).to.deep.equal({ ...undo, kept });
      expect((await json('undo', id, '--yes')).undo).to.deep.equal({ ...undo, kept });
    }
    expect((await imports('show', run.id)).stdout).to.include(
      '\n  line 2  new@example.org  another account has its old email or phone now\n',
    );
    expect(await models().User.findByPk(user.id)).to.include({ email: 'new@example.org' });
    expect(await models().User.findByPk(other.id)).to.include({ phone: '22' });
    expect(await models().User.findByPk(free.id)).to.include({ phone: '3', firstName: free.firstName });
  });

  it('can be resumed after an interruption', async () => {
    const { id } = await importFile(importing.context, importing.write('people.csv', hashedPeople(1300)));
    const record = await models().Import.findByPk(id, { rejectOnEmpty: true });
    let steps = 0;
    await undoRows(importing.context, operator, record, async (progress, work) => {
      steps += 1;
      if (steps > 2) throw new Error('power cut');
      await importing.context.database.inTransaction(async (transaction) => {
        await work(transaction);
        await record.update(progress, { transaction });
      });
    }).catch(() => undefined);
    expect(await models().User.count()).to.equal(800);
    expect(await json('show', id)).to.have.nested.property('import.status', 'interrupted');
    const rest = await undoImport(importing.context, operator, id, {
      signal: new AbortController().signal,
    });
    expect(rest).to.deep.equal({ removed: 800, restored: 0, kept: [], mailsSent: 0 });
    expect(await models().User.count()).to.equal(0);
  });

  it('undoes the committed rows of an interrupted import, which can be imported again', async () => {
    const file = importing.write('people.csv', hashedPeople(120));
    const { id } = await importFirstBatch(importing.context, file);
    expect(await json('undo', id, '--yes')).to.deep.include({
      undo: { removed: 50, restored: 0, kept: [], mailsSent: 0 },
    });
    expect((await importing.json(file)).counts).to.include({ created: 120 });
  });

  it('keeps an account whose request for a course was accepted, and says so', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { isPublished: true });
    const file = importing.write('people.csv', people(1));
    const { id } = await importing.json(file, '--course', course.id, '--enrollment-status', 'pending');
    const enrollment = await models().Enrollment.findOne({ rejectOnEmpty: true });
    const updatedAt = new Date(enrollment.updatedAt.getTime() + 1000);
    await models().Enrollment.update({ status: 'active', updatedAt }, { where: { id: enrollment.id }, silent: true });
    expect((await imports('undo', id, '--yes')).stdout).to.include(
      'p00001@example.org  has other enrollments, or its enrollment was changed since\n',
    );
  });

  it("doesn't count accounts that were deleted before as removed", async () => {
    const { id } = await importing.json(importing.write('people.csv', people(3)));
    await models().User.destroy({ where: { email: 'p00001@example.org' } });
    const figures = '2 accounts removed, 0 restored, 0 kept';
    const dryRun = (await imports('undo', id, '--dry-run')).stdout;
    expect(dryRun)
      .to.include(figures)
      .and.to.match(/\nNothing was written\.\nTo do this:\n {2}coursectl imports undo \d+\n$/);
    expect(await imports('undo', id, '--yes')).to.include({ exitCode: 0, stdout: `Undone: ${figures}\n` });
  });

  it('asks at a terminal, and says that nothing was undone if the prompt is cancelled', async () => {
    const { id } = await importing.json(importing.write('people.csv', people(1)));
    const dialogue = [['Undo this import?', keys.ctrlC]] as const;
    const { exitCode, terminal } = await commandLine.atTerminal(['imports', 'undo', id], dialogue);
    expect(exitCode).to.equal(130);
    expect(terminal.screen()).to.match(
      /^Undo would result in: 1 account removed, 0 restored, 0 kept\n.*\nerror: Nothing was undone\.\n$/s,
    );
    const refused = await imports('undo', id);
    expect([refused.exitCode, refused.stderr]).to.deep.equal([
      2,
      'error: Confirmation needs a terminal: add --yes to undo, or --dry-run to look first.\n',
    ]);
  });
});

describe('coursectl imports', () => {
  const { importing, imports, json } = useImportsCommand();

  it('lists, shows and exports imports', async () => {
    expect((await imports('list')).stderr).to.equal('No imports.\n');
    const run = await importing.json(importing.write('people.csv', `${people(2)}A,B,nobody,\n`));
    const { stdout } = await imports('list');
    expect(stdout).to.match(/^NUMBER +FILE +BEGUN +FROM +STATUS +ROWS +CREATED +UPDATED +SKIPPED +REJECTED +ID\n/);
    expect(stdout).to.match(/\n +1 +people\.csv +\S+Z +cli +completed +3 +2 +0 +0 +1 +[\da-f-]{36}\n$/);
    expect((await imports('show', run.id)).stdout).to.include(`\nrejects    ${importing.folder}/people.rejected.csv\n`);
    const exported = await imports('export', run.id);
    expect(exported.stdout.split('\n')[3]).to.match(/^4,rejected,NAME_INVALID,"First name ""A"" must be/);
    expect((await imports('rejects', run.id)).stdout).to.equal(importing.read('people.rejected.csv'));
    rmSync(`${importing.folder}/people.rejected.csv`);
    const gone = await imports('rejects', run.id);
    expect([gone.exitCode, gone.stderr]).to.deep.equal([
      1,
      `error: The file ${importing.folder}/people.rejected.csv with the rejected rows can't be read (ENOENT). What became of each row: coursectl imports export ${run.number}\n`,
    ]);
    const unknown = await imports('show', 'nothing');
    expect([unknown.exitCode, unknown.stderr]).to.deep.equal([
      1,
      'error: Import not found: nothing. To list them: coursectl imports list\n',
    ]);
  });

  it('resume an interrupted import only from the file with which it began', async () => {
    const file = importing.write('people.csv', people(120));
    const { id } = await importFirstBatch(importing.context, file);
    writeFileSync(file, people(120, 'q'));
    const changed = await imports('resume', id, '--yes');
    expect([changed.exitCode, changed.stderr]).to.deep.equal([
      1,
      `error: The file ${file} has changed since the import began. Restore it, or import it again.\n`,
    ]);
    rmSync(file);
    expect((await imports('resume', id, '--yes')).stderr).to.equal(`error: The file ${file} does not exist.\n`);
    writeFileSync(file, people(120));
    // As after a kill: the run looks alive until its lease expires.
    const record = await importing.models().Import.findByPk(id, { rejectOnEmpty: true });
    await record.update({ status: 'running' });
    const lease = leaseName(record);
    const unexpected = () => new AppError('IMPORT_CONFLICT');
    await withLease(importing.context.database, lease, 0, unexpected, async () => {
      const early = await imports('resume', id, '--yes');
      expect([early.exitCode, early.stderr]).to.deep.equal([
        1,
        `error: The import 1 is running, or broke off less than 10 seconds ago: try again after its end, or in 10 seconds.\n`,
      ]);
    });
    const { exitCode, stdout, stderr } = await imports('resume', id, '--yes');
    expect([exitCode, withoutProgress(stderr)]).to.deep.equal([
      0,
      'An import of this file was interrupted and is resumed: 50 rows done, 70 left.\n',
    ]);
    expect(stdout).to.match(/^Done: 120 rows in /);
    const over = await imports('resume', id, '--yes');
    expect(over.stderr).to.equal(`error: The import 1 is completed: there is nothing to resume.\n`);
    expect((await imports('cancel', id)).stderr).to.equal(
      `error: The import 1 is completed: there is nothing to cancel.\n`,
    );
  });

  it('read standard input, and keep the spooled file until it is imported', async () => {
    const argv = ['users', 'import', '-', '--yes', '--json'];
    const run = (input: string) => runCli(argv, { env: importing.env, cwd: importing.folder, stdin: input });
    const { exitCode, stdout } = await run(people(3));
    expect([exitCode, stdout.includes('"created": 3')]).to.deep.equal([0, true]);
    expect(importing.files()).to.include('stdin.credentials.csv');
    const asked = await runCli(argv.slice(0, 3), { env: importing.env, cwd: importing.folder, stdin: people(3) });
    expect(asked.stderr).to.equal(
      'error: Standard input is the file, so nobody can answer a question: add --yes, or --dry-run to look first.\n',
    );
    expect(await json('list')).to.have.nested.property('pagination.totalItems', 1);
  });

  it('provide a template that can be imported unchanged', async () => {
    const { stdout } = await importing.run('--template');
    const run = await importing.json(importing.write('template.csv', stdout));
    expect(run).to.deep.include({ exitCode: 0 });
    expect(run.counts).to.include({ created: 2 });
  });
});

describe('Courses in an import', () => {
  const { importing, models } = useImportsCommand();
  const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
  const codes = async (id: string) => (await importing.ledger(id)).map(({ code }) => code);
  let trainerId = '';
  async function courseOf(given: object) {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    trainerId = trainer.id;
    return buildCourse(importing.context, trainer, given);
  }

  it('are found by id or title in any case, and enroll a single time, with status and reply', async () => {
    const course = await courseOf({ title: 'Knots' });
    const file = write(
      'Ada,King,a@example.org,1,KNOTS,pending,"left\nhanded"',
      `Bob,King,b@example.org,2,${course.id},,`,
      'Cyd,King,c@example.org,3,,,',
      'Dan,King,d@example.org,4,Splices,,',
    );
    const run = await importing.json(file);
    expect(run.counts).to.include({ created: 3, rejected: 1, enrolled: 2 });
    expect(await codes(run.id)).to.deep.equal([null, null, null, 'COURSE_UNKNOWN']);
    const enrollments = await models().Enrollment.findAll({ order: ['status'] });
    expect(enrollments.map(({ status, reply, trainerId: trainer }) => [status, reply, trainer])).to.deep.equal([
      ['active', null, trainerId],
      ['pending', 'left\nhanded', trainerId],
    ]);
    const again = await importing.json(file);
    expect(again.counts).to.include({ created: 0, skipped: 3, enrolled: 0 });
    await courseOf({ title: 'Knots' });
    const twice = await importing.json(write('Eve,King,e@example.org,5,Knots,,'));
    expect(await codes(twice.id)).to.deep.equal(['COURSE_AMBIGUOUS']);
  });

  it('enroll every new or existing trainee with --course, but no trainer', async () => {
    const course = await courseOf({ title: 'Knots' });
    const known = await buildUser(importing.context, { email: 'a@example.org' });
    const file = importing.write(
      'all.csv',
      [
        'firstName,lastName,email,phone,role,course',
        'Ada,King,a@example.org,1,,',
        'Bob,King,b@example.org,2,trainer,',
        'Cyd,King,c@example.org,3,,',
        'Dan,King,d@example.org,4,trainer,Knots',
      ].join('\n'),
    );
    const run = await importing.json(file, '--course', 'Knots', '--enrollment-status', 'pending');
    expect(run.counts).to.include({ created: 2, skipped: 1, rejected: 1, enrolled: 2 });
    expect(await codes(run.id)).to.deep.equal(['ALREADY_EXISTS', null, null, 'NOT_A_TRAINEE']);
    const ids = (await models().Enrollment.findAll({ where: { courseId: course.id, status: 'pending' } })).map(
      ({ userId }) => userId,
    );
    expect(ids).to.include(known.id).and.to.have.length(2);
  });

  it('keep no seats for inactive trainees, whether they are new, existing or just deactivated', async () => {
    const course = await courseOf({ title: 'Knots', maxStudents: 3 });
    const build = (email: string, isActive: boolean) => buildUser(importing.context, { email, isActive });
    const [away, back] = [await build('away@example.org', false), await build('back@example.org', false)];
    const [leaving, enrolled] = [await build('leaving@example.org', true), await build('enrolled@example.org', true)];
    await buildEnrollment(importing.context, enrolled, course);
    const rowOf = ({ email, phone }: { email: string; phone: string }, isActive: string, own = 'Knots') =>
      `Ada,King,${email},${phone},${own},${isActive}`;
    const file = importing.write(
      'people.csv',
      [
        'firstName,lastName,email,phone,course,isActive',
        rowOf({ email: 'new@example.org', phone: '1' }, 'no'),
        rowOf(away, ''),
        rowOf(back, 'yes'),
        rowOf(leaving, 'no'),
        rowOf(enrolled, 'no'),
        rowOf({ email: 'fine@example.org', phone: '2' }, 'yes'),
        rowOf({ email: 'none@example.org', phone: '3' }, 'no', ''),
        '',
      ].join('\n'),
    );
    const run = await importing.json(file, '--on-existing', 'update');
    const refused = 'ACCOUNT_INACTIVE';
    expect(await codes(run.id)).to.deep.equal([refused, refused, null, refused, null, null, null]);
    expect(run.counts).to.include({ rejected: 3, enrolled: 2 });
    expect(await leaving.reload()).to.include({ isActive: true });
  });

  it('have a seat for somebody on the waiting list whom the import activates', async () => {
    const course = await courseOf({ title: 'Knots', maxStudents: 1, isPublished: true });
    const person = { firstName: 'Ada', lastName: 'King', email: 'ada@example.org', phone: '1', isActive: false };
    const user = await buildUser(importing.context, person);
    const place = await buildEnrollment(importing.context, user, course, { status: 'waiting' });
    const row = 'Ada,King,ada@example.org,1,yes';
    const file = importing.write('people.csv', `firstName,lastName,email,phone,isActive\n${row}\n`);
    await importing.json(file, '--on-existing', 'update');
    expect([(await user.reload()).isActive, (await place.reload()).status]).to.deep.equal([true, 'pending']);
  });

  it('are filled by the first rows of a file', async () => {
    await courseOf({ title: 'Knots', maxStudents: 70 });
    const run = await importing.json(importing.write('people.csv', hashedPeople(120)), '--course', 'Knots');
    expect(run.counts).to.include({ rows: 120, created: 70, enrolled: 70, rejected: 50 });
    expect(await codes(run.id)).to.deep.equal([...Array(70).fill(null), ...Array(50).fill('COURSE_FULL')]);
  });

  it('are never overbooked by a plan, by batches or by parallel imports', async () => {
    const course = await courseOf({ title: 'Knots', maxStudents: 70 });
    const file = (tag: string) => importing.write(`${tag}.csv`, people(60, tag));
    expect((await importing.plan(file('a'), { course: 'Knots' })).counts).to.include({ created: 60, enrolled: 60 });
    const runs = await Promise.all(['a', 'b'].map((tag) => importing.json(file(tag), '--course', 'Knots')));
    expect(runs.map(({ counts }) => counts.created + counts.rejected)).to.deep.equal([60, 60]);
    expect(runs.reduce((sum, { counts }) => sum + counts.enrolled, 0)).to.equal(70);
    expect(await models().Enrollment.count({ where: { courseId: course.id } })).to.equal(70);
    for (const { id, counts } of runs)
      expect((await codes(id)).filter((code) => code === 'COURSE_FULL')).to.have.length(counts.rejected);
  });
});
