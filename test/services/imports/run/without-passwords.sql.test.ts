import { expect } from 'chai';
import { unmatchableHash } from '../../../../src/services/credentials/passwords.js';
import { mailSettings, signInSettings } from '../../../support/environment.js';
import { buildCourse, buildUser, signIn } from '../../../support/factories.js';
import { emailsOf, people, useImporting } from '../support/importing.js';
import { importFile, importFirstBatch } from '../support/running.js';
import { runToEnd, runToPlan, submit } from '../support/submitting.js';

/** One person without a password, and one with a password. */
const two =
  'firstName,lastName,email,phone,password\nAda,King,ada@x.org,+1 1,\nBen,Low,ben@x.org,+1 2,own-password-2\n';

type Importing = ReturnType<typeof useImporting>;

const statesOf = async ({ models }: Importing) =>
  (await models().User.findAll({ where: { role: 'trainee' }, order: ['email'] })).map(
    ({ email, hasPassword, inviteState }) => [email, hasPassword, inviteState],
  );

const withoutFile = [
  ['ada@x.org', false, null],
  ['ben@x.org', true, null],
];

/** Runs `users sync` for Year 9. */
const sync = ({ cli }: Importing, file: string, ...options: string[]) =>
  cli('users', 'sync', file, '--roster', 'Year 9', '--yes', ...options);

describe('An import without passwords', () => {
  const importing = useImporting(mailSettings);
  const { models } = importing;

  it('creates accounts without a password, a file and a mail; passwords in the file are kept', async () => {
    const file = importing.write('people.csv', two);
    const { stdout } = await importing.run(file, '--no-password', '--dry-run');
    expect(stdout)
      .to.include('\n  2 accounts to create (2 trainees), with no password unless the file has one\n')
      .and.not.include('generated');
    const { counts, credentialsFile } = await importing.json(file, '--no-password');
    expect(counts).to.include({ created: 2 });
    expect(credentialsFile).to.equal(null);
    expect(importing.files()).to.deep.equal(['people.csv']);
    expect(await statesOf(importing)).to.deep.equal(withoutFile);
    expect(await models().Mail.count()).to.equal(0);
    const ada = await models().User.findOne({ where: { email: 'ada@x.org' }, rejectOnEmpty: true });
    expect(ada).to.include({
      passwordHash: unmatchableHash(importing.context.config.auth.bcryptCost),
      requiresPasswordChange: true,
      initialPasswordExpiresAt: null,
    });
    const login = importing.api('post', '/api/auth/login');
    await login.send({ identifier: 'ben@x.org', password: 'own-password-2' }).expect(200);
  });

  it('gets a command line from a dry run that applies exactly its plan', async () => {
    const file = importing.write('people.csv', two);
    const { stdout } = await importing.run(file, '--no-password', '--dry-run');
    const [, line = ''] = /users import (.*)/.exec(stdout) ?? [];
    expect(line).to.match(/--no-password --plan \w+$/);
    await importing.json(...line.split(' '));
    expect(await statesOf(importing)).to.deep.equal(withoutFile);
  });

  it('repeats the option for the corrected rows', async () => {
    const file = importing.write('people.csv', `${two}Cyn,,cyn@x.org,+1 3,\n`);
    const { stdout } = await importing.run(file, '--no-password', '--yes');
    expect(stdout).to.match(/users import \S*people\.rejected\.csv --no-password\n$/);
  });

  it('excludes invitations and other passwords', async () => {
    const file = importing.write('people.csv', two);
    const refusals = [
      [['--invite'], "--no-password can't be given together with --invite"],
      [
        ['--on-existing', 'update', '--reset-passwords'],
        "--no-password can't be given together with --reset-passwords",
      ],
      [['--credentials', 'people.credentials.csv'], '--no-password and --credentials cannot be used together.'],
    ] as const;
    for (const [options, message] of refusals) {
      const { exitCode, stderr } = await importing.run(file, '--no-password', '--yes', ...options);
      expect(exitCode, message).to.equal(2);
      expect(stderr).to.include(message);
    }
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    for (const [name, more] of [
      ['invite', {}],
      ['resetPasswords', { onExisting: 'update' }],
    ] as const) {
      const post = importing.api('post', '/api/imports', token).field({ ...more, [name]: 'true', noPassword: 'true' });
      const { body } = await post.attach('file', Buffer.from(two), 'people.csv').expect(400);
      expect(body.errors).to.have.length(1);
      expect(body.errors[0]).to.include({ path: 'noPassword', code: 'EXCLUSIVE' });
      expect(body.errors[0].params).to.deep.equal({ fields: [name] });
    }
  });

  it('shows no generated passwords in the plan over HTTP, and keeps the option with the import', async () => {
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    const { id } = await submit(importing, two, { noPassword: true, plan: true });
    await runToPlan(importing, id);
    const planned = (await importing.api('get', `/api/imports/${id}`, token)).body.import;
    expect(planned.plan).to.include({ invitations: 0, generatedPasswords: 0 });
    expect(planned.options).to.include({ noPassword: true, invite: false });
    const body = { onExisting: 'update', noPassword: true };
    await importing.api('post', `/api/imports/${id}/plan`, token).send(body).expect(202);
    await runToPlan(importing, id);
    await importing.api('post', `/api/imports/${id}/apply`, token).send({}).expect(202);
    await runToEnd(importing, id);
    const ended = (await importing.api('get', `/api/imports/${id}`, token)).body.import;
    expect(ended).to.include({ status: 'completed', hasCredentials: false });
    expect(ended.options).to.include({ noPassword: true, onExisting: 'update' });
    expect(await statesOf(importing)).to.deep.equal(withoutFile);
  });

  it('is resumed after an interruption, and undone', async () => {
    const file = importing.write('people.csv', people(120));
    await importFirstBatch(importing.context, file, {}, { noPassword: true });
    const begun = await models().User.count();
    expect(begun).to.be.within(1, 119);
    await importFile(importing.context, file, {}, { noPassword: true });
    expect(await statesOf(importing)).to.deep.equal([...emailsOf(120)].sort().map((email) => [email, false, null]));
    const { number } = await models().Import.findOne({ rejectOnEmpty: true });
    expect(await models().Import.count()).to.equal(1);
    expect(await importing.cli('imports', 'undo', String(number), '--yes')).to.include({ exitCode: 0 });
    expect(await models().User.count()).to.equal(0);
  });

  it('is remembered by a roster, whose later syncs invite nobody unless they are asked to', async () => {
    const header = 'firstName,lastName,email,phone\n';
    const rows = [
      'Ada,King,ada@x.org,+1 1\n',
      'Bo,Li,bo@x.org,+1 2\n',
      'Cy,May,cy@x.org,+1 3\n',
      'Di,Ng,di@x.org,+1 4\n',
    ];
    const write = (count: number) => importing.write('people.csv', header + rows.slice(0, count).join(''));
    expect(await sync(importing, write(1), '--no-password')).to.include({ exitCode: 0 });
    expect(await sync(importing, write(2))).to.include({ exitCode: 0 });
    expect(await models().Mail.count()).to.equal(0);
    expect(await sync(importing, write(3), '--invite')).to.include({ exitCode: 0 });
    const credentials = `${importing.folder}/passwords.csv`;
    expect(await sync(importing, write(4), '--credentials', credentials)).to.include({ exitCode: 0 });
    expect(importing.read('passwords.csv')).to.include('di@x.org');
    expect(await statesOf(importing)).to.deep.equal([
      ['ada@x.org', false, null],
      ['bo@x.org', false, null],
      ['cy@x.org', false, 'queued'],
      ['di@x.org', true, null],
    ]);
  });
});

describe('A sync without mail', () => {
  const importing = useImporting();

  it('needs no other way to sign in with --no-password', async () => {
    const file = importing.write('people.csv', two);
    const { stdout } = await sync(importing, file, '--no-password', '--dry-run');
    expect(stdout).to.match(/users sync \S+ --roster 'Year 9' --no-password --plan \w+\n$/);
    const refused = await sync(importing, file);
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include('1 new person would have no way to sign in.').and.include('--no-password');
    expect(await sync(importing, file, '--no-password')).to.include({ exitCode: 0 });
    expect(await statesOf(importing)).to.deep.equal(withoutFile);
  });
});

describe('An import with PASSWORD_LOGIN=off', () => {
  const importing = useImporting({ ...mailSettings, ...signInSettings, PASSWORD_LOGIN: 'off' });
  const { models } = importing;

  it('gives no passwords by default, also in a sync', async () => {
    await importing.json(importing.write('people.csv', two));
    expect(await statesOf(importing)).to.deep.equal(withoutFile);
    const more = importing.write('more.csv', `${two}Cyn,May,cyn@x.org,+1 3,\n`);
    expect(await sync(importing, more)).to.include({ exitCode: 0 });
    expect(await statesOf(importing)).to.deep.equal([...withoutFile, ['cyn@x.org', false, null]]);
    const { id } = await submit(importing, `${two}Di,Ng,di@x.org,+1 4,\n`, {});
    const { optionsJson } = await runToEnd(importing, id);
    expect(JSON.parse(optionsJson)).to.include({ noPassword: true, invite: false });
    expect(await models().Mail.count()).to.equal(0);
    expect(importing.files()).to.have.members(['people.csv', 'more.csv']);
  });

  it('invites if it is asked to', async () => {
    await importing.json(importing.write('people.csv', two), '--invite');
    expect(await statesOf(importing)).to.deep.equal([
      ['ada@x.org', false, 'queued'],
      ['ben@x.org', true, null],
    ]);
  });

  it('refuses generated passwords', async () => {
    const file = importing.write('people.csv', two);
    const message = 'so the program generates no passwords.';
    for (const options of [
      ['--credentials', 'people.credentials.csv'],
      ['--invite', '--credentials', 'people.credentials.csv'],
      ['--on-existing', 'update', '--reset-passwords'],
    ]) {
      const { exitCode, stderr } = await importing.run(file, '--yes', ...options);
      expect(exitCode, stderr).to.equal(1);
      expect(stderr).to.include(message);
    }
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    for (const fields of [
      { invite: 'true', withPasswords: 'true' },
      { onExisting: 'update', resetPasswords: 'true' },
    ]) {
      const post = importing.api('post', '/api/imports', token).field(fields);
      const { body, headers } = await post.attach('file', Buffer.from(two), 'people.csv').expect(400);
      expect(body.error).to.include(message);
      expect(headers['error-code']).to.equal('PASSWORD_LOGIN_OFF');
    }
    expect(await models().User.count()).to.equal(1);
  });

  it('invites the new people of a trainer', async () => {
    const { user, token } = await signIn(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, user);
    await buildUser(importing.context);
    const post = importing.api('post', '/api/imports', token).field('course', course.id);
    const csv = Buffer.from('firstName,lastName,email\nAda,King,ada@x.org\n');
    const { body } = await post.attach('file', csv, 'people.csv').expect(202);
    await runToEnd(importing, body.import.id);
    const ada = await models().User.findOne({ where: { email: 'ada@x.org' }, rejectOnEmpty: true });
    expect(ada).to.include({ hasPassword: false, inviteState: 'queued' });
  });
});
