import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const { enter, down, ctrlC } = keys;
const password = 'Ŵ¥ß¶þ§Ðµ';
const names = ['--first-name', 'Grace', '--last-name', 'Hopper'];
const keysOfGrace = ['--email', 'Grace@Example.org', '--phone', '555 (0101)'];
const grace = ['users', 'register', ...names, ...keysOfGrace];
const nobody = { ip: null, userAgent: null };

describe('coursectl users register', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const models = () => harness.context.database.models;

  it('creates an account from options and standard input, and says so in one line', async () => {
    const argv = [...grace, '--role', 'trainer', '--password-stdin'];
    const { exitCode, stdout, stderr } = await cli.run(argv, { stdin: `${password}\n` });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const { user } = await login(harness.context, { identifier: '5550101', password }, nobody, { role: 'trainer' });
    expect(user).to.include({ firstName: 'Grace', email: 'grace@example.org', phone: '555 (0101)', isActive: true });
    expect(user.requiresPasswordChange).to.equal(false);
    expect(stdout).to.equal(`Created trainer grace@example.org (${user.id}).\n`);
  });

  it('makes the password one to be changed with --requires-password-change', async () => {
    const argv = [...grace, '--role', 'trainee', '--password-stdin', '--requires-password-change'];
    expect(await cli.run(argv, { stdin: password })).to.include({ exitCode: 0, stderr: '' });
    expect(await models().User.findOne()).to.include({ requiresPasswordChange: true });
  });

  it('gives the account with --json, and neither password nor hash', async () => {
    const argv = [...grace, '--role', 'trainee', '--inactive', '--password-stdin', '--json'];
    const { stdout, stderr } = await cli.run(argv, { stdin: password });
    const stored = await models().User.findOne({ rejectOnEmpty: true });
    expect(JSON.parse(stdout)).to.deep.equal({
      user: {
        id: stored.id,
        firstName: 'Grace',
        lastName: 'Hopper',
        email: 'grace@example.org',
        phone: '555 (0101)',
        role: 'trainee',
        isActive: false,
        requiresPasswordChange: false,
        avatar: null,
        lastLogin: null,
        createdAt: stored.createdAt.toISOString(),
        updatedAt: stored.updatedAt.toISOString(),
      },
    });
    for (const secret of [password, stored.passwordHash]) expect(stdout + stderr).not.to.include(secret);
  });

  it('leaves a record of what was made, without secrets, as the work of the command line', async () => {
    await cli.run([...grace, '--role', 'trainee', '--password-stdin'], { stdin: password });
    const [entry, ...others] = await models().AuditEntry.findAll();
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ origin: 'cli', action: 'user.register', actorId: null, ip: null, beforeJson: null });
    const after = JSON.parse(entry?.afterJson ?? '');
    expect(after).to.include({ email: 'grace@example.org', role: 'trainee' });
    expect(Object.keys(after).join()).not.to.match(/password(?!Change)/i);
  });

  it('refuses what is in use already, as the API does, and exits with 1', async () => {
    await buildUser(harness.context, { email: 'grace@example.org', role: 'super_admin' });
    await buildUser(harness.context, { phone: '555-0101' });
    const register = async (...argv: string[]) => {
      const { exitCode, stdout, stderr } = await cli.run([...argv, '--password-stdin'], { stdin: password });
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 1, stdout: '' });
      return stderr;
    };
    expect(await register(...grace, '--role', 'trainee')).to.equal('error: User with this email already exists.\n');
    const other = ['users', 'register', ...names, '--email', 'other@example.org'];
    expect(await register(...other, '--phone', '555 0101', '--role', 'trainer')).to.equal(
      'error: User with this phone number already exists.\n',
    );
    expect(await register(...other, '--phone', '1', '--role', 'super_admin')).to.equal(
      'error: Super Admin account already exists. Cannot create another one.\n',
    );
  });

  it('refuses a common password where the blocklist is on, piped in and typed', async () => {
    const argv = [...grace, '--role', 'super_admin'];
    const env = { ...cli.env, PASSWORD_BLOCKLIST: 'on' };
    const common = 'Password is one of the most common ones. Choose another.';
    const piped = await cli.refusal([...argv, '--password-stdin'], { env, stdin: 'password1' });
    expect(piped).to.deep.equal({ exitCode: 2, said: common });
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

  it('refuses a super admin who is to be inactive, and creates nothing', async () => {
    const argv = [...grace, '--role', 'super_admin', '--inactive'];
    for (const option of ['--password-stdin', '--generate-password']) {
      const { exitCode, said } = await cli.refusal([...argv, option], { stdin: password });
      expect([exitCode, said]).to.deep.equal([2, 'A super admin is always active: leave out --inactive.']);
    }
    expect((await cli.atTerminal(argv, [])).exitCode).to.equal(2);
    expect(await models().User.count()).to.equal(0);
  });

  it('refuses missing fields, with one sentence per field', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['users', 'register', '--first-name', 'Grace']);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr.split('\n')).to.have.members([
      'error: The input is not valid:',
      '  Last name is required.',
      '  Email is required.',
      '  Phone is required.',
      '  Role is required.',
      '  Password is required. Pipe it in, with --password-stdin.',
      '',
    ]);
  });

  it('asks at a terminal for what is missing, the password twice and unseen', async () => {
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

  it('asks at a terminal whether a text without a digit is meant as a phone, and again for one when it is not', async () => {
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
  });

  it('warns a script of such a phone, and accepts it', async () => {
    const argv = ['users', 'register', ...names, '--email', 'g@x.org', '--role', 'trainee', '--phone', 'none'];
    const { exitCode, stderr } = await cli.run([...argv, '--password-stdin'], { stdin: password });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: 'Phone "none" has no digit.\n' });
  });

  it('ends at Ctrl-C at any of its questions, with nothing done', async () => {
    const answers: Dialogue = [
      ['First name', `Grace${enter}`],
      ['Last name', `Hopper${enter}`],
      ['Email', `grace@example.org${enter}`],
      ['Phone', `1${enter}`],
      ['Role', enter],
      ['Password', `${password}${enter}`],
      ['Repeat password', `${password}${enter}`],
    ];
    for (const [index, [question]] of answers.entries()) {
      const dialogue: Dialogue = [...answers.slice(0, index), [question, ctrlC]];
      expect((await cli.atTerminal(['users', 'register'], dialogue)).exitCode, question).to.equal(130);
    }
    expect(await models().User.count()).to.equal(0);
  });

  it('never asks with --json, not even at a terminal', async () => {
    const { exitCode, stdout, stderr } = await cli.atTerminal([...grace, '--json'], []);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 2, stderr: '' });
    expect(JSON.parse(stdout).error.code).to.equal('VALIDATION');
  });

  it('generates a password that is shown once, and must be changed', async () => {
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

  it('writes a generated password to a new file that only this user can read', async () => {
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

    const again = await cli.refusal([
      'users',
      'register',
      ...names,
      '--email',
      'b@x.org',
      '--phone',
      '2',
      ...argv.slice(-4),
    ]);
    expect(again.exitCode).to.equal(2);
    expect(again.said).to.include('grace.csv exists already and is never overwritten. Name another one.');
    expect(await models().User.count()).to.equal(1);
  });

  it('leaves no file where the account is refused', async () => {
    await buildUser(harness.context, { email: 'grace@example.org' });
    const refused = await cli.refusal([...grace, '--role', 'trainee', '--credentials', 'grace.csv']);
    expect(refused).to.deep.equal({ exitCode: 1, said: 'User with this email already exists.' });
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('does not ask for a password that is generated', async () => {
    const { exitCode, stdout } = await cli.atTerminal(
      ['users', 'register', ...names, '--generate-password'],
      [
        ['Email', `grace@example.org${enter}`],
        ['Phone', `555 0101${enter}`],
        ['Role', enter],
      ],
    );
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/);
  });

  it('refuses two sources of a password, and a generated one in JSON', async () => {
    for (const option of [['--generate-password'], ['--credentials', 'grace.csv']]) {
      const { exitCode, said } = await cli.refusal([...grace, '--password-stdin', ...option], { stdin: password });
      expect([exitCode, said]).to.deep.equal([2, `--password-stdin and ${option[0]} cannot be used together.`]);
    }
    const { error } = await cli.json<{ error: { code: string; message: string } }>([...grace, '--generate-password']);
    expect(error.code).to.equal('USAGE');
    expect(error.message).to.match(/^A generated password is never part of --json output/);
  });

  it('refuses a password option and wrong options before it asks', async () => {
    const typed = await cli.atTerminal([...grace, '--password-stdin'], []);
    expect(typed.exitCode).to.equal(2);
    expect(typed.terminal.screen()).to.include('the password is piped in: printf %s "$PASSWORD" | coursectl');
    const wrong = await cli.atTerminal([...grace, '--role', 'boss'], []);
    expect(wrong.exitCode).to.equal(2);
    expect(wrong.terminal.screen()).to.equal('error: Role must be one of super_admin, trainer, trainee.\n');
  });
});
