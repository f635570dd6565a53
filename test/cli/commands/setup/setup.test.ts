import { readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import { createEmptyDatabase, migrate, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { type CliResult, useCommandLine } from '../../../support/run-cli.js';

const password = 'difference engine';
const ada = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'Ada@Example.org', '--phone', '+44 20 1'];
const complete = ['setup', '--yes', ...ada, '--password-stdin'];
const nobody = { ip: null, userAgent: null };

describe('coursectl setup, run by a script', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  afterEach(() => database.drop());

  const pending = async () => (await cli.json<{ pending: string[] }>(['migrate', 'status'])).pending.length;

  it('checks the database, makes the tables and the super admin, and says what it did and what comes next', async () => {
    const { exitCode, stdout, stderr } = await cli.run(complete, { stdin: `${password}\n` });
    expect(exitCode, stderr).to.equal(0);
    expect(stderr.split('\n')).to.have.lengthOf(4);
    const [first, second, third] = stderr.split('\n');
    expect(first).to.match(/^1\. Database: connected to (SQLite|MariaDB|MySQL) \d[\w.-]+\.$/);
    expect(second).to.match(/^2\. Tables: \d+ migrations applied\.$/);
    expect(third).to.equal('3. Super admin: created (ada@example.org).');
    expect(stdout).to.match(/^The system is set up\.\nNext:\n {2}coursectl serve .*\n {2}coursectl users import /);
    expect(stdout + stderr).not.to.include(password);
  });

  it('makes an active super admin who can sign in by email and phone, and leaves a record of who was at the terminal', async () => {
    await cli.run(complete, { stdin: `${password}\n`, osUser: 'müller' });
    const context = await cli.context();
    for (const identifier of ['ADA@example.org', '+44 (20) 1']) {
      const { user } = await login(context, { identifier, password }, nobody, { role: 'super_admin' });
      expect(user).to.include({ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '+44 20 1' });
      expect(user).to.include({ isActive: true, requiresPasswordChange: false });
      const entries = await context.database.models.AuditEntry.findAll();
      expect(
        entries.map(({ action, origin, actorId, osUser, targetId }) => ({ action, origin, actorId, osUser, targetId })),
      ).to.deep.equal([
        { action: 'setup.complete', origin: 'cli', actorId: null, osUser: 'müller', targetId: user.id },
      ]);
    }
  });

  it('gives one object with --json, without the password', async () => {
    const { exitCode, stdout, stderr } = await cli.run([...complete, '--json'], { stdin: password });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const user = await (await cli.context()).database.models.User.findOne({ rejectOnEmpty: true });
    const { executed } = await (await cli.context()).schema.status();
    expect(JSON.parse(stdout)).to.deep.equal({
      migrationsApplied: executed,
      superAdmin: 'created',
      user: {
        id: user.id,
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ada@example.org',
        phone: '+44 20 1',
        role: 'super_admin',
      },
    });
  });

  it('says with --quiet only what came of it', async () => {
    const { stdout, stderr } = await cli.run([...complete, '--quiet'], { stdin: password });
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^The system is set up\./);
  });

  it('says at the second run what is done already, and needs nothing for it', async () => {
    await cli.run(complete, { stdin: password });
    const { exitCode, stdout, stderr } = await cli.run(['setup']);
    expect(exitCode).to.equal(0);
    expect(stderr).to.match(/^1\. .*\n2\. Tables: up to date\.\n3\. Super admin: exists\.\n$/);
    expect(stdout).to.equal('The system is set up. Start it with: coursectl serve\n');
    expect(await cli.json(['setup'])).to.deep.equal({ migrationsApplied: [], superAdmin: 'existing' });
    expect(await (await cli.context()).database.models.User.count()).to.equal(1);
  });

  it('resumes when only the migrations were applied', async () => {
    await cli.run(['migrate', 'up']);
    const { exitCode, stderr } = await cli.run(['setup', ...ada, '--password-stdin'], { stdin: password });
    expect(exitCode, stderr).to.equal(0);
    expect(stderr).to.include('2. Tables: up to date.\n3. Super admin: created');
  });

  it('brings an older schema up to date for a super admin who is there, without asking who that is', async () => {
    await cli.run(complete, { stdin: password });
    await cli.run(['migrate', 'down', '--yes']);
    const { migrationsApplied, superAdmin } = await cli.json<{ migrationsApplied: string[]; superAdmin: string }>([
      'setup',
      '--yes',
    ]);
    expect(migrationsApplied).to.have.lengthOf(1);
    expect(superAdmin).to.equal('existing');
  });

  it('refuses missing options with one sentence a field, before anything is written', async () => {
    const missing = ['First name is required.', 'Last name is required.', 'Email is required.'];
    const without = await cli.run(['setup', '--yes']);
    expect({ exitCode: without.exitCode, stdout: without.stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    for (const sentence of [...missing, 'Phone is required.', 'Pipe it in, with --password-stdin.'])
      expect(without.stderr).to.include(sentence);
    const { error } = await cli.json<{ error: { code: string; details: { path: string }[] } }>(
      ['setup', '--yes', '--phone', '1', '--password-stdin'],
      { stdin: '\n' },
    );
    expect(error.code).to.equal('VALIDATION');
    expect(error.details.map(({ path }) => path)).to.have.members(['firstName', 'lastName', 'email', 'password']);
    expect(await pending()).to.be.greaterThan(0);
  });

  it('refuses options that are not valid, before anything is written', async () => {
    const argv = complete.with(complete.indexOf('Ada@Example.org'), 'ada@').with(complete.indexOf('Ada'), 'A');
    const { exitCode, stderr } = await cli.run(argv, { stdin: 'short' });
    expect(exitCode).to.equal(2);
    expect(stderr).to.include(
      `error: The input is not valid:\n  First name must be 2 to 50 characters.\n  Email must be a valid email address.\n  Password must be at least 6 characters.\n`,
    );
    expect(await pending()).to.be.greaterThan(0);
  });

  it('takes a common password in development, as the API does', async () => {
    expect(await cli.run(complete, { stdin: 'password' })).to.include({ exitCode: 0 });
  });

  it('refuses common passwords before anything is written where the blocklist is on', async () => {
    const env = { ...testEnvironment, DATABASE_URL: database.url, PASSWORD_BLOCKLIST: 'on' };
    const { exitCode, stderr } = await cli.run(complete, { env, stdin: 'password' });
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/error: Password is one of the most common ones\. Choose another\.\n$/);
    expect(await pending()).to.be.greaterThan(0);
  });

  it('leaves no database file behind when it is refused', async () => {
    const env = { ...testEnvironment };
    expect((await cli.run(['setup', ...ada, '--password-stdin'], { env, stdin: password })).exitCode).to.equal(2);
    expect((await cli.run(['setup', '--yes'], { env })).exitCode).to.equal(2);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('keeps the database that it created for another setup, when it is refused itself', async () => {
    const env = { ...testEnvironment };
    const waitingForPassword = (stdin: PassThrough) =>
      new Promise<{ ended: Promise<CliResult> }>((resolve) => {
        const onStderr = (said: string) => {
          if (said.includes('1. Database: connected')) resolve({ ended });
        };
        const ended = cli.run(complete, { env, stdin, onStderr });
      });
    const [short, good] = [new PassThrough(), new PassThrough()];
    const refused = await waitingForPassword(short);
    const valid = await waitingForPassword(good);
    short.end('short');
    expect((await refused.ended).exitCode).to.equal(2);
    good.end(password);
    expect((await valid.ended).exitCode).to.equal(0);
    expect(await cli.json(['setup'], { env })).to.deep.equal({ migrationsApplied: [], superAdmin: 'existing' });
  });

  it('says which options it does not use because the super admin exists', async () => {
    await cli.run(complete, { stdin: password });
    const again = await cli.run(complete, { stdin: password });
    expect(again.exitCode).to.equal(0);
    const all = '--first-name, --last-name, --email, --phone, --password-stdin';
    expect(again.stderr).to.include(
      `\nNot used, because the super admin exists: ${all}. To change an account: coursectl users edit\n`,
    );
    const { optionsNotUsed } = await cli.json<{ optionsNotUsed: string[] }>(['setup', '--email', 'eve@example.org']);
    expect(optionsNotUsed).to.deep.equal(['--email']);
  });

  it('refuses to make tables unasked without --yes', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['setup', ...ada, '--password-stdin'], { stdin: password });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.match(/error: \d+ migrations are pending\. Add --yes to apply them without being asked\.\n$/);
    expect(await pending()).to.be.greaterThan(0);
  });

  it('says when the email address or the phone number is in use', async () => {
    await migrate(database);
    const context = await cli.context();
    await buildUser(context, { email: 'ada@example.org' });
    const taken = await cli.run(complete, { stdin: password });
    expect(taken.exitCode).to.equal(1);
    expect(taken.stderr).to.match(/\nerror: User with this email already exists\.\n$/);
    await context.database.models.User.update(
      { email: 'other@example.org', phone: '44201', phoneKey: '+44201' },
      { where: {} },
    );
    expect((await cli.run(complete, { stdin: password })).stderr).to.include(
      'error: User with this phone number already exists.',
    );
  });

  it('takes the first line of standard input as the password, to the letter', async () => {
    await cli.run(complete, { stdin: ' pässwörd 🔑 \r\nsecond line\r\n' });
    const signedIn = login(await cli.context(), { identifier: '+44201', password: ' pässwörd 🔑 ' }, nobody);
    expect((await signedIn).user.role).to.equal('super_admin');
  });

  it('refuses a password that is not UTF-8, which could not be typed again', async () => {
    const { exitCode, stderr } = await cli.run(complete, { stdin: Buffer.from('pässwörd', 'latin1') });
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('error: The password on standard input is not UTF-8.');
    expect(await pending()).to.be.greaterThan(0);
  });

  it('ends at Ctrl-C while it waits for standard input, with nothing done', async () => {
    const interrupts = new AbortController();
    const running = cli.run(complete, { stdin: new PassThrough(), signal: interrupts.signal });
    setTimeout(() => interrupts.abort(), 200);
    const { exitCode, stderr } = await running;
    expect(exitCode).to.equal(130);
    expect(stderr).to.match(/error: Interrupted\.\n$/);
    expect(await pending()).to.be.greaterThan(0);
  });
});
