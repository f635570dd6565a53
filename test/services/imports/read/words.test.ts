import { expect } from 'chai';
import type { ImportPlan } from '../../../../src/services/imports/plan/plan.js';
import { headerAliases } from '../../../../src/services/imports/read/header-aliases.js';
import { roleOf } from '../../../../src/services/imports/read/role-words.js';
import { buildUser } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { recordsOf, useImporting } from '../support/importing.js';

describe('Words for roles', () => {
  const importing = useImporting();

  it('are understood in all languages of the headings, however they are written', () => {
    const words = {
      trainee: [
        'Trainee',
        'student',
        'LEARNER',
        'Teilnehmer',
        'Teilnehmer/in',
        'schüler',
        'Apprenant',
        'étudiante',
        'alumno',
      ],
      trainer: [
        'teacher',
        'Instructor',
        'Lehrer',
        'Dozent(in)',
        'Formateur',
        'profesor',
        'professora',
        'مدرّب',
        'editingteacher',
      ],
    };
    for (const [role, list] of Object.entries(words))
      for (const word of list) expect(roleOf(word), word).to.equal(role);
    for (const word of ['aluno', 'طالب', 'متدرب']) expect(roleOf(word), word).to.equal('trainee');
    for (const word of ['', 'admin', 'super_admin', 'manager', 'x']) expect(roleOf(word), word).to.equal(undefined);
    expect(headerAliases.role.length).to.be.greaterThan(0);
  });

  it('become roles, which the plan shows', async () => {
    const file = importing.write(
      'people.csv',
      'Vorname;Nachname;E-Mail;Telefon;Rolle\nAda;King;a@x.org;1; Lehrer \nBo;Do;b@x.org;2;Teilnehmer\nCy;Do;c@x.org;3;trainee\nDi;Do;d@x.org;4;Chef\n',
    );
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.include('  Roles: Lehrer = trainer, Teilnehmer = trainee\n');
    const { plan } = JSON.parse((await importing.run(file, '--dry-run', '--json')).stdout) as { plan: ImportPlan };
    expect(plan.roleWords).to.deep.equal({ Lehrer: 'trainer', Teilnehmer: 'trainee' });
    const { counts, rejectsFile } = await importing.json(file);
    expect(counts).to.include({ created: 3, rejected: 1 });
    const users = await importing.context.database.models.User.findAll({ order: ['email'] });
    expect(users.map(({ role }) => role)).to.deep.equal(['trainer', 'trainee', 'trainee']);
    expect(recordsOf(rejectsFile)[0]).to.include({
      Rolle: 'Chef',
      reason: 'Rolle "Chef" must be one of trainee, trainer.',
    });
  });
});

describe('What is wrong with a row', () => {
  const importing = useImporting();

  it("is said with the file's names of its columns", async () => {
    const file = importing.write('leute.csv', 'Vorname;Nachname;E-Mail;Handy\nA;King;nobody;1\nBo;Do;b@x.org;\n');
    const { rejectsFile } = await importing.json(file);
    const reasons = recordsOf(rejectsFile).map(({ reason }) => reason);
    expect(reasons).to.deep.equal([
      'Vorname "A" must be 2 to 50 characters. Email "nobody" must be a valid email address.',
      'Handy is required for a new account.',
    ]);
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.include('1 row NAME_INVALID: Vorname must be 2 to 50 characters (line 2)');
  });
});

describe("Moodle's column of suspended accounts", () => {
  const importing = useImporting();
  const header = 'firstname,lastname,email,phone1,suspended';
  const active = async () =>
    (await importing.context.database.models.User.findAll({ order: ['email'] })).map(({ isActive }) => isActive);

  it('is the opposite of isActive, which the plan shows', async () => {
    const answers = ['1', '0', '', 'Yes', 'no', 'ja', 'Suspended', 'active'];
    const rows = answers.map((answer, index) => `Ada,King,a${index}@x.org,1${index},${answer}`);
    const file = importing.write('moodle.csv', `${[header, ...rows].join('\n')}\n`);
    expect((await importing.run(file, '--dry-run')).stdout).to.include('suspended = not isActive');
    expect((await importing.json(file)).counts).to.include({ created: 8 });
    expect(await active()).to.deep.equal([false, true, true, false, true, false, false, true]);
  });

  it('is ignored beside a column for active accounts, and can have another name', async () => {
    const both = importing.write('both.csv', `${header},isActive\nAda,King,a@x.org,1,1,yes\n`);
    expect((await importing.run(both, '--dry-run')).stdout).to.include('Columns ignored: suspended');
    const other = importing.write('other.csv', 'firstname,lastname,email,phone,Locked out\nBo,Do,b@x.org,2,yes\n');
    await importing.json(both);
    await importing.json(other, '--map', 'Locked out=suspended');
    expect(await active()).to.deep.equal([true, false]);
  });

  it('is refused with words that are neither', async () => {
    const { rejectsFile } = await importing.json(importing.write('odd.csv', `${header}\nAda,King,a@x.org,1,maybe\n`));
    expect(recordsOf(rejectsFile)[0]).to.include({
      reason: 'suspended "maybe" must be yes or no, or active or inactive. To ignore the column: --map "suspended=".',
    });
  });
});

describe('Passwords that a program has masked', () => {
  const importing = useImporting();

  it('are ignored: a Google Workspace download is imported unchanged, with generated passwords', async () => {
    const header =
      'First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Org Unit Path [Required],Work Phone';
    const file = importing.write(
      'users.csv',
      `${header}\nAda,King,a@x.org,****,/,+44 1\nBo,Do,b@x.org,••••••••,/,+44 2\nCy,Do,c@x.org,se*cret*1,/,+44 3\n`,
    );
    const { counts, credentialsFile } = await importing.json(file);
    expect(counts).to.include({ rows: 3, created: 3, rejected: 0 });
    const credentials = recordsOf(credentialsFile);
    expect(credentials.map(({ email }) => email)).to.deep.equal(['a@x.org', 'b@x.org']);
    for (const { email: identifier, password } of [...credentials, { email: 'c@x.org', password: 'se*cret*1' }])
      await importing.api('post', '/api/auth/login').send({ identifier, password }).expect(200);
  });
});

describe('Phones in files', () => {
  const importing = useImporting();

  it('need a digit and no @; the value is shown', async () => {
    const phones = ['none', 'a@x.org', 'Tel. 5 @ home', '---', '٠١٢', 'ext. 12', 'x'.repeat(50)];
    const rows = phones.map((phone, index) => `Ada,King,a${index}@x.org,${phone}`);
    const file = importing.write('people.csv', `${['firstName,lastName,email,phone', ...rows].join('\n')}\n`);
    const { rejectsFile } = await importing.json(file);
    expect(recordsOf(rejectsFile).map(({ code, reason }) => `${code} ${reason}`)).to.deep.equal([
      'PHONE_INVALID Phone "none" has no digit.',
      'PHONE_INVALID Phone "a@x.org" looks like an email address.',
      'PHONE_INVALID Phone "Tel. 5 @ home" looks like an email address.',
      'PHONE_INVALID Phone "---" has no digit.',
      `PHONE_INVALID Phone "${'x'.repeat(50)}" has no digit.`,
    ]);
    expect(await importing.context.database.models.User.count()).to.equal(2);
  });

  it('are reported with all other problems of the row', async () => {
    const file = importing.write('people.csv', 'firstName,lastName,email,phone\nA,King,a,n/a\n');
    const { rejectsFile } = await importing.json(file);
    expect(recordsOf(rejectsFile)[0]?.reason).to.equal(
      'First name "A" must be 2 to 50 characters. Email "a" must be a valid email address. Phone "n/a" has no digit.',
    );
  });

  it("that are rejected don't make a later row with the email a duplicate", async () => {
    const file = importing.write(
      'people.csv',
      'firstName,lastName,email,phone\nAda,King,a@x.org,n/a\nAda,King,a@x.org,5\n',
    );
    expect((await importing.json(file)).counts).to.include({ created: 1, rejected: 1 });
  });
});

describe('An export of phones that an import rejects', () => {
  const importing = useImporting();

  it('imports as unchanged while the phones are unchanged, and can change other columns', async () => {
    const phones = [
      "'0301",
      "'+49 1",
      "''5",
      '123456.0',
      '4.41E+11',
      'none',
      'a@b',
      '---',
      '(030) 1',
      '+49 30',
      "'x",
      '="1"',
    ];
    for (const phone of phones) await buildUser(importing.context, { phone });
    const contents = () => importing.context.database.models.User.findAll({ order: ['id'] });
    const before = JSON.stringify(await contents());
    const { stdout } = await runCli(['users', 'export'], { env: importing.env, cwd: importing.folder });
    const file = importing.write('export.csv', stdout);
    const { counts } = await importing.json(file, '--on-existing', 'update');
    expect(counts).to.include({ rows: phones.length, skipped: phones.length, updated: 0, rejected: 0 });
    expect(JSON.stringify(await contents())).to.equal(before);
    const { ImportRow } = importing.context.database.models;
    expect(new Set((await ImportRow.findAll()).map(({ code }) => code))).to.deep.equal(new Set(['UNCHANGED']));

    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line, index) => (index === 0 ? line : line.replace(/,[^,]*,/, ',Changed,')));
    const changed = await importing.json(
      importing.write('changed.csv', `${lines.join('\n')}\n`),
      '--on-existing',
      'update',
    );
    expect(changed.counts).to.include({ updated: phones.length, rejected: 0 });
    expect((await contents()).map(({ phone }) => phone).sort()).to.deep.equal([...phones].sort());
    // The phone of another account stays one that no file may bring.
    const stolen = importing.write('stolen.csv', 'firstName,lastName,email,phone\nEve,Moe,eve@x.org,none\n');
    expect((await importing.json(stolen, '--on-existing', 'update')).counts).to.include({ rejected: 1 });
  });
});
