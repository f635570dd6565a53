import { expect } from 'chai';
import { parseRole } from '../../../src/services/imports/read/fields/role-words.js';
import { recordsOf, useImporting } from '../../services/imports/support/importing.js';
import { buildUser } from '../../support/factories.js';

describe('Words of a file', () => {
  const importing = useImporting();
  const { models } = importing;

  it('mean roles in all languages of the headings, however they are written', () => {
    for (const [role, words] of [
      ['trainee', 'Trainee,student,LEARNER,Teilnehmer/in,schüler,Apprenant,étudiante,alumno,aluno,طالب,متدرب'],
      ['trainer', 'teacher,Instructor,Lehrer,Dozent(in),Formateur,profesor,professora,مدرّب,editingteacher'],
      [undefined, ',admin,super_admin,manager,x'],
    ] as const)
      for (const word of words.split(',')) expect(parseRole(word), word).to.equal(role);
  });

  it('become roles, which the plan shows; an unknown word is named in the reason', async () => {
    const rows = [
      'Ada;King;a@x.org;1; Lehrer ',
      'Bo;Do;b@x.org;2;Teilnehmer',
      'Cy;Do;c@x.org;;trainee',
      'D;Do;d@x.org;4;Chef',
    ];
    const file = importing.write('people.csv', ['Vorname;Nachname;E-Mail;Handy;Rolle', ...rows, ''].join('\n'));
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.include('  Roles: Lehrer = trainer, Teilnehmer = trainee\n');
    expect(stdout).to.include(
      '1 row NAME_INVALID, ROLE_UNKNOWN: Vorname must be 2 to 50 characters. Rolle "Chef" must be trainee or trainer, or a usual word for them. To ignore the column: --map "Rolle=" (line 5)',
    );
    expect((await importing.plan(file)).roleWords).to.deep.equal({ Lehrer: 'trainer', Teilnehmer: 'trainee' });
    const { counts, rejectsFile } = await importing.json(file);
    expect(counts).to.include({ created: 2, rejected: 2 });
    const users = await models().User.findAll({ order: ['email'] });
    expect(users.map(({ role }) => role)).to.deep.equal(['trainer', 'trainee']);
    expect(recordsOf(rejectsFile).map(({ reason }) => reason)).to.deep.equal([
      'Handy is required for a new account.',
      'Vorname "D" must be 2 to 50 characters. Rolle "Chef" must be trainee or trainer, or a usual word for them. To ignore the column: --map "Rolle=".',
    ]);
  });

  it('about suspended accounts are ignored if a column says who is active, and can be under another heading', async () => {
    const both = importing.write(
      'both.csv',
      'firstname,lastname,email,phone1,suspended,isActive\nAda,King,a@x.org,1,1,yes\n',
    );
    expect((await importing.run(both, '--dry-run')).stdout).to.include('Columns ignored: suspended');
    const other = importing.write('other.csv', 'firstname,lastname,email,phone,Locked out\nBo,Do,b@x.org,2,yes\n');
    const map = ['--map', 'Locked out=suspended'];
    expect((await importing.run(other, ...map, '--dry-run')).stdout).to.match(
      / Locked out = suspended +inactive or active; 1 person: yes\n/,
    );
    await importing.json(both);
    await importing.json(other, ...map);
    const users = await models().User.findAll({ order: ['email'] });
    expect(users.map(({ isActive }) => isActive)).to.deep.equal([true, false]);
  });

  it('that mask passwords are ignored: people of a Google Workspace download get generated passwords', async () => {
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

describe('An export of phones that an import rejects', () => {
  const importing = useImporting();

  it('imports as unchanged while the phones are unchanged, and can change other columns', async () => {
    const odd = ["'0301", "'+49 1", "''5", '123456.0', '4.41E+11', 'none', 'a@b', '---'];
    const phones = [...odd, '(030) 1', '+49 30', "'x", '="1"'];
    for (const phone of phones) await buildUser(importing.context, { phone });
    const { User, ImportRow } = importing.models();
    const contents = () => User.findAll({ order: ['id'] });
    const before = JSON.stringify(await contents());
    const { stdout } = await importing.cli('users', 'export');
    const update = (content: string) =>
      importing.json(importing.write('people.csv', content), '--on-existing', 'update', '--rejects', 'bad.csv');
    const { counts } = await update(stdout);
    expect(counts).to.include({ rows: phones.length, skipped: phones.length, updated: 0, rejected: 0 });
    expect(JSON.stringify(await contents())).to.equal(before);
    expect(await ImportRow.count({ where: { code: 'UNCHANGED' } })).to.equal(phones.length);

    const [header, ...rows] = stdout.trimEnd().split('\n');
    const changed = rows.map((line) => line.replace(/,[^,]*,/, ',Changed,'));
    expect((await update(`${[header, ...changed].join('\n')}\n`)).counts).to.include({ updated: phones.length });
    expect((await contents()).map(({ phone }) => phone).sort()).to.deep.equal([...phones].sort());
    // The phone of another account stays one that no file may bring.
    const { counts: stolen } = await update('firstName,lastName,email,phone\nEve,Moe,eve@x.org,none\n');
    expect(stolen).to.include({ rejected: 1 });
  });
});
