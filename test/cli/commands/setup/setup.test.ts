import { readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { type CliResult, useCommandLine } from '../../../support/run-cli.js';

const password = 'difference engine';
const ada = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'Ada@Example.org', '--phone', '+44 20 1'];
const complete = ['setup', '--yes', ...ada, '--password-stdin'];
const nobody = { ip: null, userAgent: null };

describe('coursectl setup in a script', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  afterEach(() => database.drop());

  const pending = async () => (await cli.json<{ pending: string[] }>(['migrate', 'status'])).pending.length;

  it('checks the database, creates tables and super admin, and reports each step and the next one', async () => {
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

  it('creates an active super admin with the exact password, and records the system user', async () => {
    // Only the first line is the password.
    await cli.run(complete, { stdin: ' pässwörd 🔑 \r\nsecond line\r\n', osUser: 'müller' });
    const context = await cli.context();
    const credentials = { identifier: '+44 (20) 1', password: ' pässwörd 🔑 ' };
    const { user } = await login(context, credentials, nobody, { role: 'super_admin' });
    expect(user).to.include({ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '+44 20 1' });
    expect(user).to.include({ isActive: true, requiresPasswordChange: false });
    const [entry, ...others] = await context.database.models.AuditEntry.findAll();
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ action: 'setup.complete', origin: 'cli', actorId: null, osUser: 'müller' });
    expect(entry?.targetId).to.equal(user.id);
  });

  it('prints one object without the password with --json', async () => {
    const { exitCode, stdout, stderr } = await cli.run([...complete, '--json'], { stdin: password });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const user = await (await cli.context()).database.models.User.findOne({ rejectOnEmpty: true });
    const { executed } = await (await cli.context()).schema.status();
    const { id, firstName, lastName, email, phone, role } = user;
    expect(JSON.parse(stdout)).to.deep.equal({
      migrationsApplied: executed,
      superAdmin: 'created',
      user: { id, firstName, lastName, email, phone, role },
    });
  });

  it('reports completed steps at the second run, and needs no options', async () => {
    await cli.run(complete, { stdin: password });
    const { exitCode, stdout, stderr } = await cli.run(['setup']);
    expect(exitCode).to.equal(0);
    expect(stderr).to.match(/^1\. .*\n2\. Tables: up to date\.\n3\. Super admin: exists\.\n$/);
    expect(stdout).to.equal('The system is set up. Start it with: coursectl serve\n');
    expect(await cli.run(['setup', '--quiet'])).to.deep.equal({ exitCode, stdout, stderr: '' });
    expect(await cli.json(['setup'])).to.deep.equal({ migrationsApplied: [], superAdmin: 'existing' });
    expect(await (await cli.context()).database.models.User.count()).to.equal(1);
  });

  it('migrates an older schema without asking for the existing super admin', async () => {
    await cli.run(complete, { stdin: password });
    await cli.run(['migrate', 'down', '--yes']);
    const { migrationsApplied, superAdmin } = await cli.json<{ migrationsApplied: string[]; superAdmin: string }>([
      'setup',
      '--yes',
    ]);
    expect(migrationsApplied).to.have.lengthOf(1);
    expect(superAdmin).to.equal('existing');
  });

  it('refuses missing options with one sentence for each field, before it writes anything', async () => {
    const without = await cli.run(['setup', '--yes']);
    expect(without).to.include({ exitCode: 2, stdout: '' });
    for (const sentence of ['First name is required.', 'Phone is required.', 'Pipe it in, with --password-stdin.'])
      expect(without.stderr).to.include(sentence);
    const { error } = await cli.json<{ error: { code: string; details: { path: string }[] } }>(
      ['setup', '--yes', '--phone', '1', '--password-stdin'],
      { stdin: '\n' },
    );
    expect(error.code).to.equal('VALIDATION');
    expect(error.details.map(({ path }) => path)).to.have.members(['firstName', 'lastName', 'email', 'password']);
    expect(await pending()).to.be.greaterThan(0);
  });

  it('refuses invalid options before it writes anything', async () => {
    const argv = complete.with(complete.indexOf('Ada@Example.org'), 'ada@');
    for (const [stdin, says] of [
      ['short', 'not valid:\n  Email must be a valid email address.\n  Password must be at least 6 characters.\n'],
      // A wrongly decoded password could never be typed again.
      [Buffer.from('pässwörd', 'latin1'), 'error: The password on standard input is not UTF-8.'],
    ] as const) {
      const { exitCode, stderr } = await cli.run(argv, { stdin });
      expect(exitCode).to.equal(2);
      expect(stderr).to.include(says);
    }
    expect(await pending()).to.be.greaterThan(0);
  });

  it('leaves no database file after a refusal', async () => {
    const env = { ...testEnvironment };
    expect((await cli.run(['setup', ...ada, '--password-stdin'], { env, stdin: password })).exitCode).to.equal(2);
    expect((await cli.run(['setup', '--yes'], { env })).exitCode).to.equal(2);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('keeps its new database after a refusal if another setup uses it', async () => {
    const env = { ...testEnvironment };
    const waitingForPassword = (stdin: PassThrough) =>
      new Promise<{ ended: Promise<CliResult> }>((resolve) => {
        const onStderr = (message: string) => {
          if (message.includes('1. Database: connected')) resolve({ ended });
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

  it('lists the options that it ignores because the super admin exists', async () => {
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

  it('refuses to create tables without --yes', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['setup', ...ada, '--password-stdin'], { stdin: password });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.match(/error: \d+ migrations are pending\. Add --yes to apply them without being asked\.\n$/);
    expect(await pending()).to.be.greaterThan(0);
  });

  it('stops at Ctrl-C while it waits for standard input, and changes nothing', async () => {
    const interrupts = new AbortController();
    const running = cli.run(complete, { stdin: new PassThrough(), signal: interrupts.signal });
    setTimeout(() => interrupts.abort(), 200);
    const { exitCode, stderr } = await running;
    expect(exitCode).to.equal(130);
    expect(stderr).to.match(/error: Interrupted\.\n$/);
    expect(await pending()).to.be.greaterThan(0);
  });
});
