import { expect } from 'chai';
import type { User } from '../../../../src/db/models/user.js';
import { mailSettings } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

import { keys } from '../../../support/terminal.js';

describe('coursectl users', () => {
  const { harness, cli } = useHarnessAndCli();
  const models = () => harness.context.database.models;
  const refusal = (...argv: string[]) => cli.refusal(['users', ...argv]);
  const lastEntry = () => models().AuditEntry.findOne({ order: [['id', 'DESC']], rejectOnEmpty: true });

  let ben: User;
  beforeEach(async () => {
    ben = await buildUser(harness.context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org' });
  });

  describe('edit', () => {
    it('changes the given fields only', async () => {
      const argv = ['users', 'edit', 'ben@x.org', '--last-name', 'Old', '--phone', ' 555 0101 '];
      const { exitCode, stdout } = await cli.run(argv);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: `Changed trainee ben@x.org (${ben.id}).\n` });
      await ben.reload();
      expect(ben).to.include({ firstName: 'Ben', lastName: 'Old', email: 'ben@x.org', phone: '555 0101' });
      expect((await cli.json<{ user: object }>(['users', 'show', '5550101'])).user).to.include({ id: ben.id });
      expect(await lastEntry()).to.include({ action: 'user.update', origin: 'cli', actorId: null });
    });

    it('asks at a terminal whether a text without a digit is meant as a phone', async () => {
      const argv = ['users', 'edit', 'ben@x.org', '--phone', 'none'];
      const question = 'Phone "none" has no digit. Use it anyway? (y/N)';
      const no = await cli.atTerminal(argv, [[question, keys.enter]]);
      expect(no.exitCode).to.equal(1);
      expect(no.terminal.screen()).to.include('Nothing was changed.');
      expect((await ben.reload()).phone).not.to.equal('none');
      expect((await cli.atTerminal(argv, [[question, `y${keys.enter}`]])).exitCode).to.equal(0);
      expect((await ben.reload()).phone).to.equal('none');
    });

    it('sends a link to the new email with --verify, and keeps the old email until the link is used', async () => {
      const argv = ['users', 'edit', 'ben@x.org', '--email', 'Other@x.org', '--verify'];
      const { stdout } = await cli.run(argv, { env: { ...cli.env, ...mailSettings } });
      const told = 'The email changes when somebody opens the link that is mailed to Other@x.org.';
      expect(stdout).to.equal(`Changed trainee ben@x.org (${ben.id}). ${told}\n`);
      expect((await models().Mail.findAll({ order: ['kind'] })).map(({ address }) => address)).to.deep.equal([
        'other@x.org',
        'ben@x.org',
      ]);
      expect(await lastEntry()).to.include({ action: 'user.verify-email', origin: 'cli', targetId: ben.id });
    });

    it('refuses invalid changes', async () => {
      const admin = await buildUser(harness.context, { email: 'admin@x.org', role: 'super_admin', phone: '1' });
      for (const [argv, exitCode, message] of [
        [['ben@x.org', '--email', admin.email], 1, 'User with this email already exists.'],
        [['ben@x.org', '--phone', ' 1 '], 1, 'User with this phone number already exists.'],
        [['ben@x.org', '--verify'], 2, '--verify needs --email.'],
        [[admin.id, '--role', 'trainee'], 1, "The super admin can't be deactivated, demoted or deleted."],
        [
          ['nobody', '--role', 'trainee'],
          1,
          'User not found: nobody. To search for them: coursectl users list --search <text>',
        ],
      ] as const)
        expect(await refusal('edit', ...argv)).to.deep.equal({ exitCode, message });
    });
  });

  describe('delete', () => {
    it('deletes without a question with --yes, and prints the deleted account', async () => {
      const { exitCode, stdout } = await cli.run(['users', 'delete', 'ben@x.org', '--yes']);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: `Deleted trainee ben@x.org (${ben.id}).\n` });
      expect(await lastEntry()).to.include({ action: 'user.delete', origin: 'cli', targetId: ben.id });
      const { id } = await buildUser(harness.context, { email: 'cleo@x.org' });
      const { user } = await cli.json<{ user: object }>(['users', 'delete', id, '--yes']);
      expect(user).to.include({ id, email: 'cleo@x.org' });
      expect(await models().User.count()).to.equal(0);
    });

    it('shows the account and its enrollments at a terminal, and asks', async () => {
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      await buildEnrollment(harness.context, ben, await buildCourse(harness.context, trainer));
      for (const [answer, code] of [
        [keys.enter, 1],
        [keys.ctrlC, 130],
      ] as const) {
        const { exitCode, stdout, terminal } = await cli.atTerminal(
          ['users', 'delete', 'ben@x.org'],
          [['Delete this account? (y/N)', answer]],
        );
        expect({ exitCode, stdout }).to.deep.equal({ exitCode: code, stdout: '' });
        expect(terminal.screen()).to.include(`trainee ben@x.org (${ben.id}) will be deleted with 1 enrollment.`);
      }
      expect(await models().User.count()).to.equal(2);
      await cli.atTerminal(['users', 'delete', 'ben@x.org'], [['Delete this account?', `y${keys.enter}`]]);
      expect([await models().User.count(), await models().Enrollment.count()]).to.deep.equal([1, 0]);
    });

    it('refuses to delete the super admin, a trainer with courses, and an unknown account', async () => {
      const admin = await buildUser(harness.context, { role: 'super_admin' });
      const trainer = await buildUser(harness.context, { role: 'trainer' });
      await buildCourse(harness.context, trainer);
      const message = {
        [admin.id]: "The super admin can't be deactivated, demoted or deleted.",
        [trainer.id]: 'Trainer still has courses. Assign them to another trainer first.',
        nobody: 'User not found: nobody. To search for them: coursectl users list --search <text>',
      };
      for (const [reference, sentence] of Object.entries(message))
        expect(await refusal('delete', reference, '--yes')).to.deep.equal({ exitCode: 1, message: sentence });
      expect(await models().User.count()).to.equal(3);
    });
  });
});
