import { expect } from 'chai';
import { accountFields } from '../../../../src/schemas/account-fields.js';
import { fieldNames } from '../../../../src/schemas/fields-table.js';
import { buildUser, tokenFor } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

interface Listing {
  users: Record<string, unknown>[];
  pagination: Record<'currentPage' | 'totalPages' | 'totalItems' | 'itemsPerPage', number>;
}

describe('coursectl users', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });

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

    it('shows a table with a line for each account, with the page below', async () => {
      const { exitCode, stdout, stderr } = await cli.run(['users', 'list', '--sort', 'email']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: 'Page 1 of 1, 4 accounts.\n' });
      const [heading, first, , third, ...others] = stdout.split('\n');
      expect(heading).to.match(/^NAME +EMAIL +ROLE +ACTIVE +PHONE +LAST LOGIN +CREATED$/);
      expect(first).to.match(/^Ada Zuse +a@x\.org +super_admin +yes +\+1 555 \d+ +\d{4}-\S+Z$/);
      expect(third).to.match(/^Cleo Xu +c@x\.org +trainee +no +/);
      expect(others).to.have.lengthOf(2);
    });

    it('prints accounts and pagination without passwords or hashes with --json', async () => {
      const { users, pagination } = await cli.json<Listing>(['users', 'list', '--page', '2', '--limit', '3']);
      expect(pagination).to.deep.equal({ currentPage: 2, totalPages: 2, totalItems: 4, itemsPerPage: 3 });
      expect(users).to.have.lengthOf(1);
      expect(users[0]).to.include.keys('id', 'lockedUntil', 'inviteState').and.not.include.keys('passwordHash');
    });

    it('filters by role, state, initial password and text, sorts and pages; newest first by default', async () => {
      expect(await emails()).to.deep.equal(['d@x.org', 'c@x.org', 'b@x.org', 'a@x.org']);
      for (const [line, found] of [
        ['--role trainer', ['b@x.org']],
        ['--inactive', ['c@x.org']],
        ['--active --role trainee', ['d@x.org']],
        ['--requires-password-change', ['d@x.org']],
        ['--search BELA', ['b@x.org']],
        ['--sort lastName --limit 2', ['d@x.org', 'c@x.org']],
        ['--sort lastName --limit 2 --page 2', ['b@x.org', 'a@x.org']],
      ] as const)
        expect(await emails(...line.split(' ')), line).to.deep.equal(found);
      const none = await cli.run(['users', 'list', '--search', 'nobody']);
      expect(none).to.deep.equal({ exitCode: 0, stdout: '', stderr: 'No accounts.\n' });
    });
  });

  describe('show', () => {
    it('finds an account by id, email or phone in any spelling', async () => {
      const user = await buildUser(harness.context, { email: 'ada@x.org', phone: '+44 (20) 7946-0001' });
      for (const reference of [user.id, 'ada@x.org', ' ADA@X.org ', '+442079460001', '+44 20 79 46 00 01']) {
        const shown = await cli.json<{ user: object }>(['users', 'show', reference]);
        expect(shown.user, reference).to.include({ id: user.id, email: 'ada@x.org' });
      }
    });

    it('shows a line for each field, and no hash', async () => {
      const user = await buildUser(harness.context, { email: 'ada@x.org' });
      const { stdout } = await cli.run(['users', 'show', 'ada@x.org']);
      expect(stdout.split('\n').map((line) => line.split(' ')[0])).to.include.members([
        'FIELD',
        ...fieldNames(accountFields),
      ]);
      expect(stdout).to.include(user.createdAt.toISOString()).and.not.include(user.passwordHash);
    });

    it('reports a missing account in one line, and exits with 1', async () => {
      for (const reference of ['nobody@x.org', '', '🔑', "' OR 1=1"]) {
        const message = `User not found${reference && `: ${reference}`}. To search for them: coursectl users list --search <text>`;
        for (const command of ['show', 'activate', 'reset-password'])
          expect(await cli.refusal(['users', command, reference])).to.deep.equal({ exitCode: 1, message });
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
      expect(await audited()).to.deep.equal(['user.deactivate cli', 'user.activate cli']);
      const json = await cli.json<{ user: object }>(['users', 'deactivate', 'ada@x.org']);
      expect(json.user).to.include({ email: 'ada@x.org', isActive: false });
      const { email } = await buildUser(harness.context, { role: 'super_admin' });
      const message = "The super admin can't be deactivated, demoted or deleted.";
      expect(await cli.refusal(['users', 'deactivate', email])).to.deep.equal({ exitCode: 1, message });
    });
  });

  describe('reset-password', () => {
    it('shows a generated password only on standard output, and ends all sessions', async () => {
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
      const [entry, ...others] = await harness.context.database.models.AuditEntry.findAll();
      expect(others).to.deep.equal([]);
      expect(entry).to.include({ action: 'user.reset-password', origin: 'cli', actorId: null, targetId: user.id });
      expect(JSON.stringify(entry)).not.to.include(stdout.trim());
    });

    it('reads a password from standard input, and never shows it', async () => {
      const ada = await buildUser(harness.context, { email: 'ada@x.org', initialPasswordExpiresAt: new Date() });
      const argv = ['users', 'reset-password', 'ada@x.org', '--password-stdin'];
      const short = { exitCode: 2, message: 'Password must be at least 6 characters.' };
      expect(await cli.refusal(argv, { stdin: '12345' })).to.deep.equal(short);
      const message = await cli.run(argv, { stdin: 'temporary secret' });
      expect(message).to.deep.equal({ exitCode: 0, stdout: 'The password of ada@x.org was reset.\n', stderr: '' });
      const { user } = await cli.json<{ user: object }>(argv, { stdin: 'temporary secret 2' });
      expect(user)
        .to.have.all.keys('id', 'email', 'requiresPasswordChange')
        .and.include({ requiresPasswordChange: true });
      await login('ada@x.org', 'temporary secret 2').expect(200);
      // The password doesn't expire.
      expect(await ada.reload()).to.include({ initialPasswordExpiresAt: null });
    });
  });
});
