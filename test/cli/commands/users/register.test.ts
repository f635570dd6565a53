import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import { signInSettings } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const { enter, down, ctrlC } = keys;
const password = 'Ŵ¥ß¶þ§Ðµ';
const names = ['--first-name', 'Grace', '--last-name', 'Hopper'];
const keysOfGrace = ['--email', 'Grace@Example.org', '--phone', '555 (0101)'];
const grace = ['users', 'register', ...names, ...keysOfGrace];
const nobody = { ip: null, userAgent: null };

describe('coursectl users register', () => {
  const { harness, cli } = useHarnessAndCli();
  const models = () => harness.context.database.models;

  it('creates an account from options and standard input, and reports it in one line', async () => {
    const argv = [...grace, '--role', 'trainer', '--password-stdin'];
    const { exitCode, stdout, stderr } = await cli.run(argv, { stdin: `${password}\n` });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const [entry, ...others] = await models().AuditEntry.findAll();
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ origin: 'cli', action: 'user.register', actorId: null });
    expect(entry?.afterJson)
      .to.include('grace@example.org')
      .and.not.to.match(/password(?!Change)/i);
    const { user } = await login(harness.context, { identifier: '5550101', password }, nobody, { role: 'trainer' });
    expect(user).to.include({ firstName: 'Grace', email: 'grace@example.org', phone: '555 (0101)', isActive: true });
    expect(user.requiresPasswordChange).to.equal(false);
    expect(stdout).to.equal(`Created trainer grace@example.org (${user.id}).\n`);
  });

  it('prints the account without password and hash with --json', async () => {
    const flags = ['--inactive', '--requires-password-change', '--password-stdin', '--json'];
    const { stdout, stderr } = await cli.run([...grace, '--role', 'trainee', ...flags], { stdin: password });
    const stored = await models().User.findOne({ rejectOnEmpty: true });
    const { user } = JSON.parse(stdout) as { user: object };
    expect(user).to.include({ id: stored.id, email: 'grace@example.org', role: 'trainee' });
    expect(user).to.include({ isActive: false, requiresPasswordChange: true });
    for (const secret of [password, stored.passwordHash]) expect(stdout + stderr).not.to.include(secret);
  });

  it('refuses an email or phone in use like the API, and exits with 1', async () => {
    await buildUser(harness.context, { email: 'grace@example.org', role: 'super_admin' });
    const other = ['users', 'register', ...names, '--email', 'other@example.org', '--phone', '1'];
    for (const [argv, message] of [
      [[...grace, '--role', 'trainee', '--credentials', 'grace.csv'], 'User with this email already exists.'],
      [
        [...other, '--role', 'super_admin', '--password-stdin'],
        'Super Admin account already exists. Cannot create another one.',
      ],
    ] as const)
      expect(await cli.refusal(argv, { stdin: password })).to.deep.equal({ exitCode: 1, message });
    // No file with passwords remains, either.
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('refuses a common password with the blocklist, piped in and typed', async () => {
    const argv = [...grace, '--role', 'super_admin'];
    const env = { ...cli.env, PASSWORD_BLOCKLIST: 'on' };
    const common = 'Password is one of the most common ones. Choose another.';
    const piped = await cli.refusal([...argv, '--password-stdin'], { env, stdin: 'password1' });
    expect(piped).to.deep.equal({ exitCode: 2, message: common });
    const dialogue: Dialogue = [
      ['Password', `password1${enter}`],
      [common, ctrlC],
    ];
    expect((await cli.atTerminal(argv, dialogue, { env })).exitCode).to.equal(130);
    expect(await models().User.count()).to.equal(0);

    expect(await cli.run([...argv, '--password-stdin'], { env, stdin: password })).to.include({
      exitCode: 0,
      stderr: '',
    });
    expect(await models().User.findOne()).to.include({ role: 'super_admin', isActive: true });
  });

  it('asks at a terminal for missing fields, and twice for the hidden password', async () => {
    const { exitCode, stdout, stderr } = await cli.atTerminal(
      ['users', 'register', ...names, '--inactive'],
      [
        ['Email', `grace@example.org${enter}`],
        ['Phone', `555 0101${enter}`],
        ['Role', `${down}${enter}`],
        ['Password', `${password}${enter}`],
        ['Repeat password', `${password}${enter}`],
      ],
    );
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^Created trainer grace@example\.org \(.+\)\.\n$/);
    for (const sign of password) expect(stdout + stderr).not.to.include(sign);
    expect(await models().User.findOne()).to.include({ firstName: 'Grace', role: 'trainer', isActive: false });
  });

  it('asks at a terminal whether a text without a digit is a phone, and asks again after a no', async () => {
    const { exitCode, terminal } = await cli.atTerminal(
      ['users', 'register', ...names, '--phone', 'none'],
      [
        ['Email', `grace@example.org${enter}`],
        ['Phone "none" has no digit. Use it anyway? (y/N)', enter],
        ['anyway? No\n? Phone', `n/a${enter}`],
        ['Phone "n/a" has no digit. Use it anyway? (y/N)', `y${enter}`],
        ['Role', enter],
        ['Password', `${password}${enter}`],
        ['Repeat password', `${password}${enter}`],
      ],
    );
    expect(exitCode, terminal.screen()).to.equal(0);
    expect(await models().User.findOne()).to.include({ phone: 'n/a' });
    // A script gets only a warning.
    const argv = ['users', 'register', ...names, '--email', 'g@x.org', '--role', 'trainee', '--phone', 'none'];
    const { stderr } = await cli.run([...argv, '--password-stdin'], { stdin: password });
    expect(stderr).to.equal('Phone "none" has no digit.\n');
  });

  it('generates a password, shows it a single time, and requires its change', async () => {
    const { exitCode, stdout, stderr } = await cli.run([...grace, '--role', 'trainee', '--generate-password']);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/);
    expect(stderr).to.match(
      /^Created trainee grace@example\.org \(.+\)\.\nThe initial password of grace@example\.org, shown only this once:\n$/,
    );
    const { user } = await login(harness.context, { identifier: '5550101', password: stdout.trim() }, nobody);
    expect(user.requiresPasswordChange).to.equal(true);
    expect(user.initialPasswordExpiresAt).to.be.an.instanceOf(Date);
  });

  it('writes a generated password to a new file that only the current user can read', async () => {
    const argv = [...grace, '--role', 'trainee', '--credentials', 'grace.csv'];
    const { user, credentialsFile, ...others } = await cli.json<{ user: object; credentialsFile: string }>(argv);
    expect(others).to.deep.equal({});
    expect(user).to.include({ email: 'grace@example.org', requiresPasswordChange: true });
    expect(credentialsFile).to.equal(path.join(cli.folder, 'grace.csv'));
    expect(statSync(credentialsFile).mode & 0o777).to.equal(0o600);
    const [head, line = '', ...rest] = readFileSync(credentialsFile, 'utf8').split('\n');
    expect([head, ...rest]).to.deep.equal(['\ufefffirstName,lastName,email,phone,password', '']);
    const [, , email, , secret = ''] = line.split(',');
    expect(email).to.equal('grace@example.org');
    await login(harness.context, { identifier: '5550101', password: secret }, nobody);

    const other = ['users', 'register', ...names, '--email', 'b@x.org', '--phone', '2'];
    const again = await cli.refusal([...other, '--role', 'trainee', '--credentials', 'grace.csv']);
    expect(again.exitCode).to.equal(2);
    expect(again.message).to.include('grace.csv exists already and is never overwritten. Name another one.');
    expect(await models().User.count()).to.equal(1);
  });

  it('refuses two sources of a password, and a generated password in JSON', async () => {
    for (const option of [['--generate-password'], ['--credentials', 'grace.csv']]) {
      const { exitCode, message } = await cli.refusal([...grace, '--password-stdin', ...option], { stdin: password });
      expect([exitCode, message]).to.deep.equal([2, `--password-stdin and ${option[0]} cannot be used together.`]);
    }
    const { error } = await cli.json<{ error: { code: string; message: string } }>([...grace, '--generate-password']);
    expect(error.code).to.equal('USAGE');
    expect(error.message).to.match(/^A generated password is never part of --json output/);
  });

  it('refuses contradictory options before it asks', async () => {
    for (const [more, says] of [
      ['--password-stdin', 'the password is piped in: printf %s "$PASSWORD" | coursectl'],
      ['--role boss', 'error: Role must be one of super_admin, trainer, trainee.\n'],
      ['--role super_admin --inactive', 'A super admin is always active: leave out --inactive.'],
    ] as const) {
      const { exitCode, terminal } = await cli.atTerminal([...grace, ...more.split(' ')], []);
      expect(exitCode, more).to.equal(2);
      expect(terminal.screen()).to.include(says);
    }
  });
});

describe('coursectl users register --no-password', () => {
  const { harness, cli } = useHarnessAndCli();
  const only = () => harness.context.database.models.User.findOne({ rejectOnEmpty: true });
  const withoutPhone = ['users', 'register', ...names, '--email', 'grace@example.org', '--role', 'trainee'];

  it('creates an account without a password, which is listed as not signed in yet', async () => {
    const { exitCode, stdout, stderr } = await cli.run([...withoutPhone, '--no-password']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const user = await only();
    expect(user).to.include({ hasPassword: false, phone: '', inviteState: null, isActive: true });
    expect(stdout).to.equal(`Created trainee grace@example.org (${user.id}), without a password.\n`);
    expect((await cli.run(['users', 'show', user.email])).stdout).to.match(/^signsIn +not signed in yet$/m);
    const listed = await cli.run(['users', 'list', '--signs-in', 'none']);
    expect(listed.stdout).to.match(/ SIGNS IN\n.*grace@example\.org .* not signed in yet\n$/);
    const others = await cli.run(['users', 'list', '--signs-in', 'password', '--json']);
    expect(JSON.parse(others.stdout).users).to.deep.equal([]);
    const wrong = await cli.refusal(['users', 'list', '--signs-in', 'saml']);
    expect(wrong).to.deep.equal({ exitCode: 2, message: '--signs-in must be one of password, oidc, none.' });
  });

  it('asks for no password at a terminal', async () => {
    const dialogue: Dialogue = [['Phone', `555 0101${enter}`]];
    const { exitCode } = await cli.atTerminal([...withoutPhone, '--no-password'], dialogue);
    expect(exitCode).to.equal(0);
    expect((await only()).hasPassword).to.equal(false);
  });

  it('excludes other ways to get access', async () => {
    for (const [options, message] of [
      [['--invite'], '--invite and --no-password cannot be used together.'],
      [['--generate-password'], '--no-password and --generate-password cannot be used together.'],
      [['--credentials', 'grace.csv'], '--no-password and --credentials cannot be used together.'],
      [['--password-stdin'], '--no-password and --password-stdin cannot be used together.'],
      [['--message', 'Hello'], '--message is for invitations: add --invite.'],
      [['--inactive'], '--no-password and --inactive cannot be used together.'],
    ] as const)
      expect(await cli.refusal([...withoutPhone, '--no-password', ...options])).to.deep.equal({ exitCode: 2, message });
  });

  it('is the default with PASSWORD_LOGIN=off, which refuses generated passwords', async () => {
    const env = { ...cli.env, ...signInSettings, PASSWORD_LOGIN: 'off' };
    for (const options of [['--generate-password'], ['--credentials', 'grace.csv']]) {
      const { exitCode, message } = await cli.refusal([...grace, '--role', 'trainee', ...options], { env });
      expect(exitCode).to.equal(1);
      expect(message).to.include('so the program generates no passwords.');
    }
    expect(readdirSync(cli.folder)).to.deep.equal([]);
    expect(await cli.run(withoutPhone, { env })).to.include({ exitCode: 0, stderr: '' });
    expect((await only()).hasPassword).to.equal(false);
    const inactive = await cli.refusal([...withoutPhone, '--inactive'], { env });
    expect(inactive.message).to.equal('A person without a password is always active: leave out --inactive.');
    const given = ['users', 'register', ...names, '--email', 'admin@example.org', '--phone', '1'];
    const superAdmin = await cli.run([...given, '--role', 'super_admin', '--generate-password'], { env });
    expect(superAdmin).to.include({ exitCode: 0 });
  });
});
