import { hash as bcryptjsHash } from 'bcryptjs';
import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { createPasswordHasher } from '../../../../src/services/credentials/passwords.js';
import { resumeImport } from '../../../../src/services/imports/commands.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { failureOf } from '../../../db/support/failure.js';
import {
  buildCourse,
  buildEnrollment,
  buildUser,
  factoryPassword,
  signIn,
  tokenFor,
} from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { runCli } from '../../../support/run-cli.js';
import { breakAt } from '../support/fault.js';
import { hashedPeople, people, recordsOf, useImporting } from '../support/importing.js';
import { applyOptions, batchRows, importFile, importFirstBatch } from '../support/running.js';

const header = 'firstName,lastName,email,phone,role,isActive';
const update = ['--on-existing', 'update'];

const nameOf = ({ firstName, lastName, email }: { firstName: string; lastName: string; email: string }) =>
  `${firstName} ${lastName} <${email}>`;

describe('Rows that match an account', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  const ada = { firstName: 'Ada', lastName: 'King', email: 'ada@example.org', phone: '1' };
  const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
  const stored = async (id: string) => models().User.findByPk(id, { rejectOnEmpty: true });
  const reasons = async (id: string) =>
    (await models().ImportRow.findAll({ where: { importId: id }, order: ['line'] })).map(
      ({ line, outcome, code, reason }) => [line, outcome, code, reason].filter((part) => part !== null).join(' '),
    );

  it('are skipped by default', async () => {
    const { id, updatedAt } = await buildUser(importing.context, ada);
    const run = await importing.json(write('Other,Name,ada@example.org,9,trainer,false'));
    expect(run).to.deep.include({ exitCode: 0 });
    expect(await reasons(run.id)).to.deep.equal(['2 skipped ALREADY_EXISTS']);
    expect(await stored(id)).to.deep.include({ firstName: 'Ada', phone: '1', role: 'trainee', updatedAt });
  });

  it('are rejected with --on-existing fail, and the reason names the account', async () => {
    const user = await buildUser(importing.context, ada);
    const run = await importing.json(
      write('Ada,King,ada@example.org,1,,', 'Bob,King,bob@example.org,2,,'),
      '--on-existing',
      'fail',
    );
    expect(run.exitCode).to.equal(3);
    expect(await reasons(run.id)).to.deep.equal([
      `2 rejected ALREADY_EXISTS ${nameOf(user)} has this email or phone already.`,
      '3 created',
    ]);
  });

  it('update only the fields in the row with --on-existing update, never the password', async () => {
    const { user, token } = await signIn(importing.context, { ...ada, role: 'trainer', isActive: true });
    const run = await importing.json(write('Augusta,Byron,ada@example.org,+44 7,,'), ...update);
    expect(run.counts).to.include({ updated: 1, created: 0 });
    expect(run.credentialsFile).to.equal(null);
    const changed = await stored(user.id);
    expect(changed).to.include({ firstName: 'Augusta', lastName: 'Byron', phone: '+44 7', phoneKey: '+447' });
    expect(changed).to.include({ role: 'trainer', isActive: true, passwordHash: user.passwordHash });
    await importing.api('get', '/api/auth/me', token).expect(200);
    await importing.api('post', '/api/auth/login').send({ identifier: '+447', password: factoryPassword }).expect(200);
    const again = await importing.json(write('Augusta,Byron,ada@example.org,+44 7,,'), ...update);
    expect(await reasons(again.id)).to.deep.equal(['2 skipped UNCHANGED']);
    // macOS writes accents like this.
    await user.update({ firstName: 'Zo\u00eb' });
    const decomposed = await importing.json(write('Zoe\u0308,Byron,ada@example.org,+44 7,,'), ...update);
    expect(await reasons(decomposed.id)).to.deep.equal(['2 skipped UNCHANGED']);
  });

  it('end the sessions of the account if they change its role, deactivate it or reset its password', async () => {
    for (const [row, flags] of [
      ['Ada,King,ada@example.org,1,trainer,', []],
      ['Ada,King,ada@example.org,1,trainer,no', []],
      ['Ada,King,ada@example.org,1,trainer,yes', ['--reset-passwords']],
    ] as const) {
      const user =
        (await models().User.findOne({ where: { email: ada.email } })) ?? (await buildUser(importing.context, ada));
      await models().User.update({ isActive: true }, { where: { id: user.id } });
      const token = await tokenFor(importing.context, user);
      await importing.api('get', '/api/auth/me', token).expect(200);
      expect((await importing.json(write(row), ...update, ...flags)).counts).to.include({ updated: 1 });
      // A session of an inactive account is refused, too.
      expect(await models().Session.count()).to.equal(0);
    }
    const [credential] = recordsOf(`${importing.folder}/people.credentials.csv`);
    const { body } = await importing
      .api('post', '/api/auth/login')
      .send({ identifier: ada.email, password: credential?.password })
      .expect(200);
    expect(body.user.requiresPasswordChange).to.equal(true);
  });

  it('never change the super admin, or a role that courses or enrollments require', async () => {
    await buildUser(importing.context, { ...ada, role: 'super_admin' });
    const trainer = await buildUser(importing.context, { email: 'bob@example.org', phone: '2', role: 'trainer' });
    const course = await buildCourse(importing.context, trainer);
    const trainee = await buildUser(importing.context, { email: 'cid@example.org', phone: '3' });
    const past = await buildUser(importing.context, { email: 'dan@example.org', phone: '4' });
    await buildEnrollment(importing.context, trainee, course);
    await buildEnrollment(importing.context, past, course, { status: 'completed' });
    const run = await importing.json(
      write(
        'Ada,Queen,ada@example.org,1,,',
        'Bob,King,bob@example.org,2,trainee,',
        'Cid,King,cid@example.org,3,trainer,',
        'Dan,King,dan@example.org,4,trainer,',
      ),
      ...update,
    );
    expect(await reasons(run.id)).to.deep.equal([
      "2 rejected PROTECTED_ACCOUNT The super admin's account is never changed by an import.",
      `3 rejected HAS_COURSES The trainer ${nameOf(trainer)} still has courses: assign them to another first.`,
      `4 rejected HAS_ENROLLMENTS The trainee ${nameOf(trainee)} still has enrollments: remove or complete them first.`,
      '5 updated',
    ]);
  });

  it('are rejected if an earlier row matches the same account by its old or new email or phone', async () => {
    const { id } = await buildUser(importing.context, ada);
    const rows = Array.from({ length: 60 }, (_, index) => `New,Person,n${index}@example.org,9${index},,`);
    const run = await importing.json(
      write('Ada,King,new@example.org,1,,', ...rows, 'Eve,King,ada@example.org,5,,', 'Eva,King,x@example.org,1.,,'),
      ...update,
      '--match',
      'phone',
    );
    expect((await reasons(run.id)).filter((line) => !line.endsWith('created'))).to.deep.equal([
      '2 updated',
      `63 rejected DUPLICATE_IN_FILE Line 2 is about account ${id}, too.`,
      '64 rejected DUPLICATE_IN_FILE Phone is already on line 2.',
    ]);
    expect(await stored(id)).to.include({ email: 'new@example.org' });
  });

  it('get the same update if the import is interrupted and resumed', async () => {
    // One batch more than the interrupted run imports. Fewer rows save hashes.
    const rows = batchRows + 100;
    await importFile(importing.context, importing.write('people.csv', hashedPeople(rows)));
    const file = importing.write('changed.csv', people(rows).replaceAll('Family', 'Changed'));
    const options = { onExisting: 'update', resetPasswords: true };
    const broken = await importFirstBatch(importing.context, file, {}, options);
    expect(broken.counts).to.include({ updated: batchRows });
    const whole = await importFile(importing.context, file, {}, options);
    expect(whole).to.include({ id: broken.id, status: 'completed' });
    expect(whole.counts).to.include({ rows, updated: rows, skipped: 0 });
    expect(await models().User.count({ where: { lastName: 'Changed' } })).to.equal(rows);
    expect(recordsOf(whole.credentialsFile)).to.have.length(rows);
  }).timeout(scaled(60_000));

  it('invalidate a plan if their account changes before the plan is applied', async () => {
    const user = await buildUser(importing.context, ada);
    const file = write('Augusta,King,ada@example.org,1,,');
    const { stdout } = await importing.run(file, '--dry-run', '--json', ...update);
    const { id } = (JSON.parse(stdout) as { plan: { id: string } }).plan;
    await user.update({ lastName: 'Byron' });
    const { exitCode, stderr } = await importing.run(file, '--plan', id, ...update);
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^error: The plan [0-9a-f]{16} is out of date: /);
  });
});

describe('Bad rows', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;
  const csv = `${people(3)}A,B,nobody,\n${people(2, 'q').split('\n').slice(1).join('\n')}`;

  it('stop an import with --on-error stop', async () => {
    const file = importing.write('people.csv', csv);
    const run = await importing.json(file, '--on-error', 'stop');
    expect(run).to.deep.include({ exitCode: 3, status: 'stopped' });
    expect(run.counts).to.include({ rows: 4, created: 3, rejected: 1 });
    const { stdout } = await importing.run(file, '--dry-run', '--on-error', 'stop');
    expect(stdout).to.include('\n  Stops at the bad row on line 5; the rows after it are not imported.\n');
  });

  it('stop an import with --on-error stop even if it was interrupted while recording the stop', async () => {
    const file = importing.write(
      'people.csv',
      `${people(1)}A,B,nobody,\n${people(2, 'q').split('\n').slice(1).join('\n')}`,
    );
    const repair = await breakAt(importing.context, {
      event: 'UPDATE',
      table: 'imports',
      when: "NEW.status = 'stopped'",
    });
    try {
      expect(await importing.run(file, '--yes', '--on-error', 'stop')).to.include({ exitCode: 70 });
    } finally {
      await repair();
    }
    const run = await importing.json(file, '--on-error', 'stop');
    expect(run).to.deep.include({ exitCode: 3, status: 'stopped' });
    expect(run.counts).to.include({ rows: 2, created: 1, rejected: 1 });
    expect(await models().User.count()).to.equal(1);
    expect(recordsOf(run.credentialsFile)).to.have.length(1);
    expect(recordsOf(run.rejectsFile)).to.have.length(1);
  });

  for (const flags of [
    ['--on-error', 'abort'],
    ['--max-errors', '0'],
  ])
    it(`refuse the import with ${flags.join(' ')}, and the message names the first`, async () => {
      const file = importing.write('people.csv', csv);
      const before = await importing.contents();
      const { exitCode, stderr } = await importing.run(file, '--yes', ...flags);
      expect(exitCode).to.equal(2);
      expect(stderr).to.match(/nothing was written\. The first is line 5: First name "A" must be/);
      expect(await importing.contents()).to.equal(before);
      expect(importing.files()).to.deep.equal(['people.csv']);
      expect((await importing.json(importing.write('good.csv', people(3)), ...flags)).counts.created).to.equal(3);
    });

  describe('of an import with --on-error abort whose undo was interrupted', () => {
    const options = { onError: 'abort' };
    const why =
      '1 row is bad, and none may be: the 50 rows that were imported before the interruption must be undone. ';

    /** Interrupts an import, makes one of the remaining rows bad, and makes the undo of the other rows fail. */
    async function breakUndoOff() {
      const file = importing.write('people.csv', people(60));
      const { id } = await importFirstBatch(importing.context, file, {}, options);
      const other = await buildUser(importing.context, { email: 'eve@example.org', phone: '+1 112 00055' });
      const repair = await breakAt(importing.context, {
        event: 'DELETE',
        table: 'users',
        when: "OLD.email = 'p00001@example.org'",
      });
      try {
        const { exitCode } = await importing.run(file, '--yes', '--on-error', 'abort');
        expect(exitCode).to.equal(70);
      } finally {
        await repair();
      }
      expect(await models().Import.findByPk(id)).to.include({ status: 'undoing' });
      // All rows are good again, but the import stays refused.
      await other.destroy();
      expect(await models().User.count()).to.equal(50);
      return { file, id };
    }

    async function expectUndone(id: string, stderr: string) {
      expect(stderr).to.match(/^error: 1 row is bad, .* The first is line 56: .* Nothing was imported\.\n$/);
      expect(await models().User.count()).to.equal(0);
      expect(await models().Import.findAll()).to.have.length(1);
      const record = await models().Import.findByPk(id);
      expect(record).to.include({ status: 'undone', errorCode: 'IMPORT_REFUSED', rowsDone: 50 });
    }

    it('are undone by the same command, which then refuses the file', async () => {
      const { file, id } = await breakUndoOff();
      const shown = await importing.run(file, '--dry-run', '--on-error', 'abort');
      expect(shown.stdout).to.include(
        '  An earlier import of this file was refused; the undo of its rows was interrupted and will be resumed\n',
      );
      expect(shown.stdout)
        .to.include(why)
        .and.to.match(/Nothing was written\.\n$/);
      expect(await models().User.count()).to.equal(50);
      const { exitCode, stderr } = await importing.run(file, '--yes', '--on-error', 'abort');
      expect(exitCode).to.equal(2);
      await expectUndone(id, stderr);
      const next = await importing.json(file, '--on-error', 'abort', '--credentials', 'next.csv');
      expect(next.counts).to.include({ rows: 60, created: 60 });
    });

    it('are undone by imports undo, which imports resume suggests', async () => {
      const { id } = await breakUndoOff();
      const imports = (...args: string[]) =>
        runCli(['imports', ...args], { env: importing.env, cwd: importing.folder });
      const shown = await imports('show', id);
      expect(shown.stdout)
        .to.match(/status +interrupted\n/)
        .and.to.include('run the same command again, or undo the import');
      const { exitCode, stderr } = await imports('resume', id, '--yes');
      expect([exitCode, stderr]).to.deep.equal([
        1,
        'error: The import 1 is being undone. Finish its undo: coursectl imports undo 1\n',
      ]);
      expect(await imports('undo', id, '--yes')).to.include({ exitCode: 0 });
      expect(await models().User.count()).to.equal(0);
    });
  });

  it('are allowed up to --max-errors', async () => {
    const run = await importing.json(importing.write('people.csv', csv), '--max-errors', '1');
    expect(run.counts).to.include({ created: 5, rejected: 1 });
  });

  it('that become bad after planning undo everything with --on-error abort', async () => {
    const file = importing.write('people.csv', people(120));
    const options = { onError: 'abort', onExisting: 'fail' };
    const plan = await planImport(importing.context, { file, options, signal: new AbortController().signal });
    await buildUser(importing.context, { email: 'p00110@example.org' });
    const { code, message } = await failureOf(() => applyImport(importing.context, operator, plan, applyOptions()));
    expect(code).to.equal('IMPORT_REFUSED');
    expect(message).to.match(/^Line 111 has become bad since the plan was made: .* Nothing was imported\.$/);
    expect(await models().User.count()).to.equal(1);
    expect(await models().Import.findOne()).to.include({ status: 'undone', errorCode: 'IMPORT_REFUSED' });
    await models().User.destroy({ where: {} });
    const next = await importFile(
      importing.context,
      file,
      { credentialsFile: `${importing.folder}/next.csv` },
      options,
    );
    expect(next.counts).to.include({ rows: 120, created: 120 });
  });

  it('that become bad during an interruption undo everything with --on-error abort', async () => {
    const file = importing.write('people.csv', people(120));
    const options = { onError: 'abort' };
    const taken = { email: 'eve@example.org', phone: '+1 112 00110' };
    const reason =
      /^1 row is bad, and none may be: the 50 rows that were imported before the interruption must be undone\. The/;

    await importFirstBatch(importing.context, file, {}, options);
    await buildUser(importing.context, taken);
    const shown = await importing.run(file, '--dry-run', '--on-error', 'abort');
    expect(shown.stdout).to.match(/imported before the interruption must be undone\..*\nNothing was written\.\n$/);
    expect(await models().User.count()).to.equal(51);
    const { exitCode, stderr } = await importing.run(file, '--yes', '--on-error', 'abort');
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/must be undone\. The first is line 111: Phone belongs to .* Nothing was imported\.\n$/);
    expect((await models().User.findAll()).map(({ email }) => email)).to.deep.equal(['eve@example.org']);
    expect(await models().Import.findOne()).to.include({ status: 'undone', errorCode: 'IMPORT_REFUSED', rowsDone: 50 });

    await models().User.destroy({ where: {} });
    const { id } = await importFirstBatch(importing.context, file, {}, options);
    await buildUser(importing.context, taken);
    const edited = await models().User.findOne({ where: { email: 'p00007@example.org' }, rejectOnEmpty: true });
    await edited.update({ firstName: 'Edited' });
    const refusal = await failureOf(() => resumeImport(importing.context, operator, id, applyOptions()));
    expect(refusal.code).to.equal('IMPORT_REFUSED');
    expect(refusal.message).to.match(reason);
    expect(refusal.message).to.match(
      /What was imported was undone, except for 1 account that had been used or changed since: coursectl imports show /,
    );
    expect((await models().User.findAll()).map(({ email }) => email).sort()).to.deep.equal([
      'eve@example.org',
      'p00007@example.org',
    ]);
    expect(await models().Import.findByPk(id)).to.include({ status: 'undone', errorMessage: refusal.message });
  });

  it('that become bad during an interruption keep the finished rows with --max-errors, and the message says so', async () => {
    const file = importing.write('people.csv', people(120));
    const { id } = await importFirstBatch(importing.context, file, {}, { maxErrors: 0 });
    await buildUser(importing.context, { phone: '+1 112 00110' });
    const { exitCode, stderr } = await importing.run(file, '--yes', '--max-errors', '0');
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(
      /^error: 1 row is bad, and no more than 0 may be: nothing more was written\. The effects of the 50 rows before stay, unless the import is undone\. The first is line 111: /,
    );
    expect(await models().User.count()).to.equal(51);
    expect(await models().Import.findByPk(id)).to.include({ status: 'interrupted', rowsDone: 50 });
  });

  it('have options that may not contradict each other', async () => {
    const file = importing.write('people.csv', people(1));
    for (const [flags, message] of [
      [['--on-existing', 'merge'], '--on-existing must be one of skip, update, fail.'],
      [['--on-error', 'ignore'], '--on-error must be one of continue, stop, abort.'],
      [['--max-errors', '-1'], '--max-errors must be 0 or more.'],
      [['--reset-passwords'], '--reset-passwords needs --on-existing update.'],
      [['--course', 'nowhere'], 'Course: there is none with this id or title.'],
    ] as const) {
      const { exitCode, stderr } = await importing.run(file, '--yes', ...flags);
      expect([exitCode, stderr]).to.deep.equal([2, `error: ${message}\n`]);
    }
  });
});

describe('Passwords in a file', () => {
  const importing = useImporting();

  it('may be bcrypt hashes of any version', async () => {
    const hash = await bcryptjsHash('correct horse', 4);
    const kinds = ['$2a$', '$2b$', '$2y$'];
    const rows = kinds.map((kind, index) => `Ada,King,a${index}@example.org,${index},${kind}${hash.slice(4)}`);
    const run = await importing.json(
      importing.write('people.csv', `firstName,lastName,email,phone,passwordHash\n${rows.join('\n')}\n`),
    );
    expect(run).to.deep.include({ exitCode: 0, credentialsFile: null });
    for (const index of kinds.keys()) {
      const login = { identifier: `a${index}@example.org`, password: 'correct horse' };
      const { body } = await importing.api('post', '/api/auth/login').send(login).expect(200);
      expect(body.user.requiresPasswordChange).to.equal(true);
    }
    const users = await importing.context.database.models.User.findAll();
    const bcryptjs = await createPasswordHasher('bcryptjs');
    for (const { passwordHash } of users) expect(await bcryptjs.compare('correct horse', passwordHash)).to.equal(true);
    await bcryptjs.close();
  });

  it("don't let an inactive account sign in", async () => {
    const file = importing.write(
      'people.csv',
      'firstName,lastName,email,phone,isActive,password\nAda,King,a@example.org,1,no,correct horse\n',
    );
    await importing.json(file);
    const login = { identifier: 'a@example.org', password: 'correct horse' };
    await importing.api('post', '/api/auth/login').send(login).expect(401);
  });
});
