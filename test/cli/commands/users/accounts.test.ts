import { expect } from 'chai';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser, tokenFor } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { accountKeys } from '../../../support/shown.js';

interface Listing {
  users: Record<string, unknown>[];
  pagination: Record<'currentPage' | 'totalPages' | 'totalItems' | 'itemsPerPage', number>;
}

describe('coursectl users', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });
  const audited = async () => {
    const entries = await harness.context.database.models.AuditEntry.findAll({ order: [['id', 'ASC']] });
    return entries.map(({ action, origin, actorId, targetId }) => ({ action, origin, actorId, targetId }));
  };

  describe('list', () => {
    const emails = async (...options: string[]) =>
      (await cli.json<Listing>(['users', 'list', ...options])).users.map(({ email }) => email);

    beforeEach(async () => {
      const { context } = harness;
      await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'a@x.org', role: 'super_admin' });
      await buildUser(context, { firstName: 'Béla', lastName: 'Young', email: 'b@x.org', role: 'trainer' });
      await buildUser(context, { firstName: 'Cleo', lastName: 'Xu', email: 'c@x.org', isActive: false });
      await buildUser(context, { firstName: 'Dora', lastName: 'Wu', email: 'd@x.org', requiresPasswordChange: true });
    });

    it('shows a table for people, a line an account, with the page below', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['users', 'list', '--sort', 'email']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: 'Page 1 of 1, 4 accounts.\n' });
      const [heading, first, , third, ...others] = stdout.split('\n');
      expect(heading).to.match(/^NAME +EMAIL +ROLE +ACTIVE +PHONE +LAST LOGIN +CREATED$/);
      expect(first).to.match(/^Ada Zuse +a@x\.org +super_admin +yes +\+1 555 \d+ +\d{4}-\S+Z$/);
      expect(third).to.match(/^Cleo Xu +c@x\.org +trainee +no +/);
      expect(others).to.have.lengthOf(2);
    });

    it('gives accounts and pagination with --json, without password or hash', async () => {
      const { users, pagination } = await cli.json<Listing>(['users', 'list', '--page', '2', '--limit', '3']);
      expect(pagination).to.deep.equal({ currentPage: 2, totalPages: 2, totalItems: 4, itemsPerPage: 3 });
      expect(users.map((user) => Object.keys(user))).to.deep.equal([[...accountKeys, 'lockedUntil']]);
    });

    it('is newest first by default', async () => {
      expect(await emails()).to.deep.equal(['d@x.org', 'c@x.org', 'b@x.org', 'a@x.org']);
    });

    it('filters by role, state, initial password and text', async () => {
      expect(await emails('--role', 'trainer')).to.deep.equal(['b@x.org']);
      expect(await emails('--inactive')).to.deep.equal(['c@x.org']);
      expect(await emails('--active', '--role', 'trainee')).to.deep.equal(['d@x.org']);
      expect(await emails('--requires-password-change')).to.deep.equal(['d@x.org']);
      expect(await emails('--search', 'BELA')).to.deep.equal(['b@x.org']);
      expect(await emails('--search', 'nobody')).to.deep.equal([]);
    });

    it('sorts and pages', async () => {
      const byName = ['--sort', 'lastName', '--limit', '2'];
      expect(await emails(...byName)).to.deep.equal(['d@x.org', 'c@x.org']);
      expect(await emails(...byName, '--page', '2')).to.deep.equal(['b@x.org', 'a@x.org']);
      expect(await emails(...byName, '--page', '3')).to.deep.equal([]);
    });

    it('counts one account as one', async () => {
      const { stderr } = await cli.run(['users', 'list', '--search', 'BELA']);
      expect(stderr).to.equal('Page 1 of 1, 1 account.\n');
    });

    it('aligns columns by what names take of a terminal', async () => {
      for (const [firstName, email] of [
        ['花子', 'a.tabular@x.org'],
        ['Zoe\u0308', 'z@x.org'],
      ] as const)
        await buildUser(harness.context, { firstName, lastName: 'Tabular', email });
      const { stdout } = await cli.run(['users', 'list', '--search', 'tabular', '--sort', 'email']);
      const [heading, wide, accented] = stdout.split('\n');
      expect(heading).to.match(/^NAME {10}EMAIL {12}ROLE/);
      expect(wide).to.match(/^花子 Tabular {2}a\.tabular@x\.org {2}\S/);
      // The service composes accents as it normalises names, or leaves them: either takes a column.
      expect(accented?.normalize('NFC')).to.match(/^Zo\u00eb Tabular {3}z@x\.org {10}\S/);
    });

    it('says so when there is nobody', async () => {
      const result = await cli.run(['users', 'list', '--search', 'nobody']);
      expect(result).to.deep.equal({ exitCode: 0, stdout: '', stderr: 'No accounts.\n' });
    });

    const refused: [options: string[], says: string][] = [
      [['--sort', 'password'], '--sort must be one of createdAt, lastName, firstName, email, lastLogin.'],
      [['--role', 'boss'], 'Role must be one of super_admin, trainer, trainee.'],
      [['--page', '0'], '--page must be a whole number from 1 to 1000000.'],
      [['--limit', '101'], '--limit must be a whole number from 1 to 100.'],
    ];
    for (const [options, says] of refused) {
      it(`refuses ${options.join(' ')} as unusable input`, async () => {
        const { exitCode, stdout, stderr } = await cli.run(['users', 'list', ...options]);
        expect({ exitCode, stdout, stderr }).to.deep.equal({ exitCode: 2, stdout: '', stderr: `error: ${says}\n` });
      });
    }
  });

  describe('show', () => {
    it('finds an account by id, email or phone, however they are written', async () => {
      const user = await buildUser(harness.context, { email: 'ada@x.org', phone: '+44 (20) 7946-0001' });
      for (const reference of [user.id, 'ada@x.org', ' ADA@X.org ', '+442079460001', '+44 20 79 46 00 01']) {
        const shown = await cli.json<{ user: object }>(['users', 'show', reference]);
        expect(shown.user, reference).to.include({ id: user.id, email: 'ada@x.org' }).and.have.all.keys(accountKeys);
      }
    });

    it('shows a line a field for people, and no hash', async () => {
      const user = await buildUser(harness.context, { email: 'ada@x.org' });
      const { stdout } = await cli.run(['users', 'show', 'ada@x.org']);
      expect(stdout.split('\n').map((line) => line.split(' ')[0])).to.deep.equal(['FIELD', ...accountKeys, '']);
      expect(stdout).to.include(user.createdAt.toISOString()).and.not.include(user.passwordHash);
    });

    it('says in one line when there is no such account, and exits with 1', async () => {
      for (const reference of ['nobody@x.org', '', 'é', '🔑', '01234567-0000', "' OR 1=1"]) {
        for (const command of ['show', 'activate', 'deactivate', 'reset-password']) {
          const { exitCode, stdout, stderr } = await cli.run(['users', command, reference]);
          expect({ exitCode, stdout, stderr }, `${command} ${reference}`).to.deep.equal({
            exitCode: 1,
            stdout: '',
            stderr: `error: User not found${reference && `: ${reference}`}. To list them: coursectl users list\n`,
          });
        }
      }
    });
  });

  describe('deactivate and activate', () => {
    it('end the sessions of an account immediately, and let it sign in again', async () => {
      const user = await buildUser(harness.context, { email: 'ada@x.org' });
      const token = await tokenFor(harness.context, user);
      const off = await cli.run(['users', 'deactivate', 'ada@x.org']);
      expect(off).to.deep.equal({ exitCode: 0, stdout: 'ada@x.org may no longer sign in.\n', stderr: '' });
      await harness.api('get', '/api/auth/me', token).expect(401);
      await login('ada@x.org', 'factory-password').expect(401);

      const on = await cli.run(['users', 'activate', 'ada@x.org']);
      expect(on).to.deep.equal({ exitCode: 0, stdout: 'ada@x.org may sign in.\n', stderr: '' });
      await harness.api('get', '/api/auth/me', token).expect(401);
      await login('ada@x.org', 'factory-password').expect(200);
      const record = { origin: 'cli', actorId: null, targetId: user.id };
      expect(await audited()).to.deep.equal([
        { action: 'user.deactivate', ...record },
        { action: 'user.activate', ...record },
      ]);
    });

    it('give the account with --json', async () => {
      await buildUser(harness.context, { email: 'ada@x.org' });
      const { user } = await cli.json<{ user: object }>(['users', 'deactivate', 'ada@x.org']);
      expect(user).to.include({ email: 'ada@x.org', isActive: false }).and.have.all.keys(accountKeys);
    });

    it('refuse to deactivate the super admin', async () => {
      const admin = await buildUser(harness.context, { role: 'super_admin' });
      const token = await tokenFor(harness.context, admin);
      const { exitCode, stderr } = await cli.run(['users', 'deactivate', admin.email]);
      const said = "error: The super admin can't be deactivated, demoted or deleted.\n";
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 1, stderr: said });
      await harness.api('get', '/api/auth/me', token).expect(200);
      expect(await audited()).to.deep.equal([]);
    });
  });

  describe('reset-password', () => {
    it('shows a generated password once, on standard output alone, and ends all sessions', async () => {
      const user = await buildUser(harness.context, { email: 'ada@x.org' });
      const token = await tokenFor(harness.context, user);
      const { exitCode, stdout, stderr } = await cli.run(['users', 'reset-password', 'ada@x.org', '--verbose']);
      expect(exitCode).to.equal(0);
      expect(stdout).to.match(/^([\da-z]{5}-){3}[\da-z]{5}\n$/);
      expect(stderr).to.equal('The temporary password of ada@x.org, shown only this once:\n');
      await harness.api('get', '/api/auth/me', token).expect(401);
      await login('ada@x.org', 'factory-password').expect(401);
      const { body } = await login('ada@x.org', stdout.trim()).expect(200);
      expect(body.user.requiresPasswordChange).to.equal(true);
      expect(await audited()).to.deep.equal([
        { action: 'user.reset-password', origin: 'cli', actorId: null, targetId: user.id },
      ]);
      const [entry] = await harness.context.database.models.AuditEntry.findAll();
      expect(JSON.stringify(entry)).not.to.include(stdout.trim());
    });

    it('takes a password from standard input, and shows it nowhere', async () => {
      await buildUser(harness.context, { email: 'ada@x.org' });
      const argv = ['users', 'reset-password', 'ada@x.org', '--password-stdin'];
      const said = await cli.run(argv, { stdin: 'temporary secret' });
      expect(said).to.deep.equal({ exitCode: 0, stdout: 'The password of ada@x.org was reset.\n', stderr: '' });
      const { user } = await cli.json<{ user: object }>(argv, { stdin: 'temporary secret 2' });
      expect(user)
        .to.have.all.keys('id', 'email', 'requiresPasswordChange')
        .and.include({ requiresPasswordChange: true });
      await login('ada@x.org', 'temporary secret 2').expect(200);
    });

    it('sets a given password that does not expire', async () => {
      const user = await buildUser(harness.context, { initialPasswordExpiresAt: new Date() });
      const argv = ['users', 'reset-password', user.email, '--password-stdin'];
      expect(await cli.run(argv, { stdin: 'chosen by hand' })).to.include({ exitCode: 0 });
      expect(await user.reload()).to.include({ initialPasswordExpiresAt: null });
    });

    it('holds the given password to the same rules', async () => {
      const { passwordHash } = await buildUser(harness.context, { email: 'ada@x.org' });
      const short = await cli.run(['users', 'reset-password', 'ada@x.org', '--password-stdin'], { stdin: '12345' });
      expect(short).to.deep.equal({
        exitCode: 2,
        stdout: '',
        stderr: 'error: Password must be at least 6 characters.\n',
      });
      const after = await harness.context.database.models.User.findOne({ rejectOnEmpty: true });
      expect(after.passwordHash).to.equal(passwordHash);
    });

    it('needs a password from standard input with --json, so that none is generated into a log', async () => {
      await buildUser(harness.context, { email: 'ada@x.org' });
      const { exitCode, stdout } = await cli.run(['users', 'reset-password', 'ada@x.org', '--json']);
      expect(exitCode).to.equal(2);
      expect(JSON.parse(stdout).error).to.include({ code: 'USAGE' });
      await login('ada@x.org', 'factory-password').expect(200);
    });
  });
});
