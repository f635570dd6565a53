import { expect } from 'chai';
import { mailSettings } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

const how = 'No service runs that sends mails. Start or restart it, or send them with: coursectl mail send';
const grace = ['--first-name', 'Grace', '--last-name', 'Hopper', '--email', 'grace@x.org', '--phone', '555 0101'];

describe('Invitations at the command line', () => {
  const { harness, cli, audited } = useHarnessAndCli(mailSettings);
  const models = () => harness.context.database.models;
  const mails = async () =>
    (await models().Mail.findAll({ order: ['id'] })).map(({ kind, state, data }) => [kind, state, data]);
  const waiting = (email: string, more: object = {}) =>
    buildUser(harness.context, {
      email,
      requiresPasswordChange: true,
      initialPasswordExpiresAt: new Date(Date.now() + 86_400_000),
      ...more,
    });
  const register = (...more: string[]) => cli.run(['users', 'register', ...grace, '--role', 'trainee', ...more]);

  describe('users register --invite', () => {
    it('creates the account without asking for a password, and says when the mail is sent', async () => {
      const { exitCode, stdout } = await register('--invite', '--message', 'Welcome!');
      const { id } = await models().User.findOne({ where: { email: 'grace@x.org' }, rejectOnEmpty: true });
      const text = `Created trainee grace@x.org (${id}). The invitation is queued. ${how}\n`;
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: text });
      expect(await mails()).to.deep.equal([['invitation', 'queued', '{"message":"Welcome!"}']]);
    });

    it('refuses options for passwords, and --message without --invite', async () => {
      for (const [flags, message] of [
        ['--invite --generate-password', '--invite and --generate-password cannot be used together.'],
        ['--invite --credentials a.csv', '--invite and --credentials cannot be used together.'],
        ['--invite --password-stdin', '--invite and --password-stdin cannot be used together.'],
        ['--invite --inactive', '--invite and --inactive cannot be used together.'],
        ['--message Hello --generate-password', '--message is for invitations: add --invite.'],
      ] as const) {
        const refused = await cli.refusal(['users', 'register', ...grace, '--role', 'trainee', ...flags.split(' ')]);
        expect(refused).to.deep.equal({ exitCode: 2, message });
      }
      expect(await models().User.count()).to.equal(0);
    });
  });

  describe('users invite', () => {
    it('invites one account, and says when an inactive one gets the mail', async () => {
      await waiting('ada@x.org');
      await waiting('cleo@x.org', { isActive: false });
      expect((await cli.run(['users', 'invite', 'ada@x.org'])).stdout).to.equal(
        `The invitation of ada@x.org is queued. ${how}\n`,
      );
      expect((await cli.run(['users', 'invite', 'cleo@x.org'])).stdout).to.equal(
        'cleo@x.org gets an invitation when the account is activated.\n',
      );
      expect(await mails()).to.deep.equal([['invitation', 'queued', '{}']]);
      expect(await audited()).to.deep.equal(['user.invite cli', 'user.invite cli']);
    });

    it('shows a plan for many accounts, lists accounts with passwords, and prints each outcome', async () => {
      await waiting('ada@x.org', { firstName: 'Ada', lastName: 'Zuse' });
      await buildUser(harness.context, { email: 'ben@x.org', firstName: 'Ben', lastName: 'Young' });
      const why = 'The person has a password of their own.';
      const argv = ['users', 'invite', '--role', 'trainee', '--message', 'Welcome!'];
      const dryRun = await cli.run([...argv, '--dry-run']);
      expect(dryRun.stdout)
        .to.include('1 account to invite:\n  Ada Zuse (ada@x.org)\n')
        .and.include(`Ben Young (ben@x.org): ${why}`);
      expect(await mails()).to.deep.equal([]);
      const { exitCode, stdout, stderr } = await cli.run([...argv, '--yes']);
      expect(exitCode).to.equal(3);
      expect(stdout)
        .to.match(/^invited +Ada Zuse \(ada@x\.org\)/m)
        .and.include(why);
      expect(stderr).to.equal(
        `1 account invited, 1 refused.\nThe invitations of those who are active are queued. ${how}\n`,
      );
      expect(await mails()).to.deep.equal([['invitation', 'queued', '{"message":"Welcome!"}']]);
    });
  });

  it('are listed by state, and shown with the reason', async () => {
    const failed = await waiting('ada@x.org');
    await waiting('ben@x.org');
    await cli.run(['users', 'invite', 'ada@x.org']);
    const [mail] = await models().Mail.findAll();
    await mail?.update({ state: 'failed', nextAt: null, lastError: '550 5.1.1 No such user' });
    await failed.update({ inviteState: 'failed' }, { silent: true });
    const emails = async (state: string) =>
      (await cli.json<{ users: { email: string }[] }>(['users', 'list', '--invited', state])).users.map(
        ({ email }) => email,
      );
    expect([await emails('failed'), await emails('no'), await emails('sent')]).to.deep.equal([
      ['ada@x.org'],
      ['ben@x.org'],
      [],
    ]);
    const { user } = await cli.json<{ user: object }>(['users', 'show', 'ada@x.org']);
    expect(user).to.include({ inviteState: 'failed', inviteError: '550 5.1.1 No such user' });
    expect((await cli.run(['users', 'show', 'ada@x.org'])).stdout).to.match(/^inviteError +550 5\.1\.1 No such user$/m);
    const table = await cli.run(['users', 'list', '--columns', 'email,inviteState,inviteError']);
    expect(table.stdout)
      .to.match(/^EMAIL +INVITATION +WHY NOT SENT$/m)
      .and.match(/ada@x\.org +failed +550 5\.1\.1/);
    expect((await cli.refusal(['users', 'list', '--invited', 'maybe'])).message).to.equal(
      '--invited must be one of no, queued, sent, failed, accepted.',
    );
  });
});
