import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { type ImportJson, recordsOf, useImporting } from '../support/importing.js';

const trainees = readFileSync(fileURLToPath(new URL('../../../../examples/trainees.csv', import.meta.url)));
const rows = parse(trainees, { columns: true }) as Record<string, string>[];
const trainers = ['linnea.sjostrom@example.org', 'genevieve.lecuyer@example.org'];
const documentedPassword = /^[2-9a-hjkmnp-tv-z]{5}(-[2-9a-hjkmnp-tv-z]{5}){3}$/;

describe('coursectl users import people.csv', () => {
  const importing = useImporting();
  const { models } = importing;
  const login = (identifier: string | undefined, password: string | undefined) =>
    importing.api('post', '/api/auth/login').send({ identifier, password });
  const importTrainees = () => importing.json(importing.write('people.csv', trainees));

  it('creates an account for each row', async () => {
    const file = importing.write('people.csv', trainees);
    const { exitCode, stdout, stderr } = await importing.run(file, '--yes');
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(0);
    const [done, ...others] = stdout.trimEnd().split('\n');
    expect(done).to.match(/^Done: 40 rows in \d+\.\d s\. Import 1$/);
    expect(others).to.deep.equal([
      '  40 accounts created, 0 rows skipped, 0 rejected',
      `  Passwords: ${importing.folder}/people.credentials.csv (hand them out, then delete the file)`,
    ]);
    const users = await models().User.findAll();
    expect(users.map(({ email }) => email)).to.have.members(rows.map(({ email }) => email));
    for (const user of users) {
      const row = rows.find(({ email }) => email === user.email);
      expect(user).to.deep.include({ firstName: row?.firstName, lastName: row?.lastName, phone: row?.phone });
      expect(user).to.deep.include({ isActive: true, requiresPasswordChange: true, lastLogin: null });
      expect(user.role).to.equal(trainers.includes(user.email) ? 'trainer' : 'trainee');
    }
  });

  it('prints one object with --json', async () => {
    const file = importing.write('people.csv', trainees);
    const { exitCode, stdout, stderr } = await importing.run(file, '--yes', '--json');
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const printed = JSON.parse(stdout) as ImportJson;
    const [record] = await models().Import.findAll();
    expect(printed).to.deep.equal({
      import: {
        id: record?.id,
        number: 1,
        status: 'completed',
        file: 'people.csv',
        counts: {
          rows: 40,
          created: 40,
          updated: 0,
          skipped: 0,
          rejected: 0,
          enrolled: 0,
          waiting: 0,
          leftOut: 0,
          left: 0,
        },
        columns: printed.import.columns,
        reasons: [],
        warnings: [],
        invitations: 0,
        news: 0,
        credentialsFile: `${importing.folder}/people.credentials.csv`,
        rejectsFile: null,
        seconds: printed.import.seconds,
      },
    });
    const used = printed.import.columns.map(({ field, people }) => [field, people]);
    const inAllRows = ['firstName', 'lastName', 'email', 'phone'].map((field) => [field, 40]);
    expect(used).to.deep.equal([...inAllRows, ['role', 36]]);
    expect(printed.import.seconds).to.be.within(0, 20);
  });

  it('writes a generated password for each account into a file that only its owner can read', async () => {
    const { credentialsFile } = await importTrainees();
    expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.csv']);
    expect(statSync(credentialsFile ?? '').mode & 0o777).to.equal(0o600);
    expect(importing.read('people.credentials.csv').split('\n')[0]).to.equal(
      '\ufeffline,firstName,lastName,email,phone,password',
    );
    const credentials = recordsOf(credentialsFile);
    expect(credentials.map(({ password: _, ...person }) => person)).to.deep.equal(
      rows.map(({ role: _, ...person }, index) => ({ line: String(index + 2), ...person })),
    );
    for (const { password } of credentials) expect(password).to.match(documentedPassword);
    expect(new Set(credentials.map(({ password }) => password)).size).to.equal(40);
  });

  it('gives passwords that sign in by email and phone, and allow nothing until they are changed', async () => {
    const { credentialsFile } = await importTrainees();
    for (const { email, phone, password } of recordsOf(credentialsFile).slice(0, 3)) {
      const { body } = await login(email, password).expect(200);
      expect(body.user).to.include({ email, requiresPasswordChange: true });
      expect((await login(phone, password).expect(200)).body.user.email).to.equal(email);
    }
    const trainer = recordsOf(credentialsFile).find(({ email }) => email === trainers[0]);
    const { body } = await login(trainer?.email, trainer?.password);
    const courses = () => importing.api('get', `/api/courses/trainer/${body.user.id}`, body.token);
    const refused = await courses().expect(403);
    expect(refused.body).to.include({ code: 'PASSWORD_CHANGE_REQUIRED' });
    const change = (newPassword: unknown) =>
      importing.api('put', '/api/auth/first-password-change', body.token).send({ newPassword });
    expect((await change(trainer?.password).expect(400)).body.errors[0].msg).to.match(
      /differ from the initial password/,
    );
    await change('a password of my own').expect(200);
    await courses().expect(200);
    await login(trainer?.email, trainer?.password).expect(401);
    const again = await login(trainer?.phone, 'a password of my own').expect(200);
    expect(again.body.user.requiresPasswordChange).to.equal(false);
  });

  it('gives passwords that expire after 30 days', async () => {
    const { credentialsFile } = await importTrainees();
    const [{ email, password } = {}] = recordsOf(credentialsFile);
    importing.advance(29.9 * 86_400_000);
    await login(email, password).expect(200);
    importing.advance(0.2 * 86_400_000);
    await login(email, password).expect(401);
  });

  it('changes nothing if the same file is imported again', async () => {
    await importTrainees();
    const before = JSON.stringify(await models().User.findAll({ order: ['id'] }));
    const files = importing.files().map((name) => importing.read(name));
    const { exitCode, counts, credentialsFile, rejectsFile } = await importTrainees();
    expect({ exitCode, credentialsFile, rejectsFile }).to.deep.equal({
      exitCode: 0,
      credentialsFile: null,
      rejectsFile: null,
    });
    expect(counts).to.deep.equal({
      rows: 40,
      created: 0,
      updated: 0,
      skipped: 40,
      rejected: 0,
      enrolled: 0,
      waiting: 0,
      leftOut: 0,
      left: 0,
    });
    expect(JSON.stringify(await models().User.findAll({ order: ['id'] }))).to.equal(before);
    expect(importing.files().map((name) => importing.read(name))).to.deep.equal(files);
    expect(await models().ImportRow.count({ where: { outcome: 'skipped', code: 'ALREADY_EXISTS' } })).to.equal(40);
  });

  it("uses --role for rows without a role, and creates inactive accounts that can't sign in", async () => {
    const file = importing.write(
      'people.csv',
      'email,phone,role,isActive,firstName,lastName\na@b.org,1,,no,Ada,King\nc@d.org,2,trainee,,Bob,King\n',
    );
    const { credentialsFile } = await importing.json(file, '--role', 'trainer');
    const users = await models().User.findAll({ order: ['email'] });
    expect(users.map(({ role }) => role)).to.deep.equal(['trainer', 'trainee']);
    await login('a@b.org', recordsOf(credentialsFile)[0]?.password).expect(401);
  });

  it('names its files after the imported file, and numbers them if the names exist', async () => {
    for (const name of ['people.credentials.csv', 'people.credentials-2.csv', 'people.rejected.csv'])
      importing.write(name, 'mine');
    const { credentialsFile, rejectsFile } = await importing.json(
      importing.write('people.csv', 'email,phone,firstName,lastName\na@b.org,1,Ada,King\nnobody,2,Bob,King\n'),
    );
    expect(credentialsFile).to.equal(`${importing.folder}/people.credentials-3.csv`);
    expect(rejectsFile).to.equal(`${importing.folder}/people.rejected-2.csv`);
    for (const name of ['people.credentials.csv', 'people.credentials-2.csv', 'people.rejected.csv'])
      expect(importing.read(name)).to.equal('mine');
  });
});
