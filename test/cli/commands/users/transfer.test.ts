import { expect } from 'chai';
import type { User } from '../../../../src/db/models/user.js';
import { transferSuperAdmin } from '../../../../src/services/accounts/transfer.js';
import { operator } from '../../../../src/services/core.js';
import { failureOf } from '../../../db/support/failure.js';
import { buildCourse, buildEnrollment, buildUser, tokenFor } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

describe('coursectl users transfer-super-admin', () => {
  const { harness, cli } = useHarnessAndCli();
  const models = () => harness.context.database.models;
  const argv = ['users', 'transfer-super-admin', 'ben@x.org'];
  const typed: Dialogue = [
    ['Change the super admin?', `y${keys.enter}`],
    ['type the email address of the new super admin', `Ben@x.org${keys.enter}`],
  ];
  const rolesNow = async () => {
    const users = await models().User.findAll({ order: [['email', 'ASC']] });
    return Object.fromEntries(users.map(({ email, role }) => [email, role]));
  };
  const entries = () => models().AuditEntry.findAll({ where: { action: 'user.transfer-super-admin' } });

  let ada: User;
  let ben: User;
  beforeEach(async () => {
    ada = await buildUser(harness.context, { email: 'ada@x.org', role: 'super_admin' });
    ben = await buildUser(harness.context, { email: 'ben@x.org', firstName: 'Ben', lastName: 'Young' });
  });

  it('asks twice, transfers the role and ends the sessions of both', async () => {
    const tokens = [await tokenFor(harness.context, ada), await tokenFor(harness.context, ben)];
    const { exitCode, stdout, terminal } = await cli.atTerminal(argv, typed, { columns: 80 });
    expect(exitCode, terminal.screen()).to.equal(0);
    expect(terminal.screen()).to.include('ben@x.org (Ben Young, trainee) will be the super admin.\n');
    expect(terminal.screen()).to.include('ada@x.org will be a trainer. The sessions of both end.\n');
    expect(stdout).to.equal('ben@x.org is the super admin now; ada@x.org is a trainer. Both must sign in again.\n');
    expect(await rolesNow()).to.deep.equal({ 'ada@x.org': 'trainer', 'ben@x.org': 'super_admin' });
    for (const token of tokens) await harness.api('get', '/api/auth/me', token).expect(401);
    expect(await models().Session.count()).to.equal(0);
    const recorded = (await entries()).map(({ targetId, origin, actorId, beforeJson, afterJson }) => {
      const [before, after] = [JSON.parse(beforeJson ?? ''), JSON.parse(afterJson ?? '')] as unknown[];
      return { targetId, origin, actorId, before, after };
    });
    const by = { origin: 'cli', actorId: null };
    expect(recorded).to.have.deep.members([
      { ...by, targetId: ada.id, before: { role: 'super_admin' }, after: { role: 'trainer' } },
      { ...by, targetId: ben.id, before: { role: 'trainee' }, after: { role: 'super_admin' } },
    ]);
  });

  it('changes nothing after a wrong address and an interruption', async () => {
    const { exitCode, terminal } = await cli.atTerminal(argv, [
      ['Change the super admin?', `y${keys.enter}`],
      ['type the email address', `ada@x.org${keys.enter}`],
      ['That is not ben@x.org. Press Ctrl-C to change nothing.', keys.ctrlC],
    ]);
    expect(exitCode).to.equal(130);
    expect(terminal.screen()).to.match(/Nothing was changed\.\n$/);
    expect(await rolesNow()).to.deep.equal({ 'ada@x.org': 'super_admin', 'ben@x.org': 'trainee' });
    expect(await entries()).to.deep.equal([]);
  });

  it('works at a terminal only, and finds the account first', async () => {
    const message = 'The super admin can be changed only at a terminal, because the command asks twice.';
    expect(await cli.refusal(argv)).to.deep.equal({ exitCode: 2, message });
    const nobody = await cli.refusal(['users', 'transfer-super-admin', 'eve@x.org']);
    expect(nobody).to.deep.equal({
      exitCode: 1,
      message: 'User not found: eve@x.org. To search for them: coursectl users list --search <text>',
    });
    expect(await rolesNow()).to.deep.equal({ 'ada@x.org': 'super_admin', 'ben@x.org': 'trainee' });
  });

  it('refuses accounts that are inactive, still in use, or the super admin already', async () => {
    const refused = async (reference: string) =>
      (await cli.refusal(['users', 'transfer-super-admin', reference])).message;
    expect(await refused('ada@x.org')).to.equal('ada@x.org is the super admin already.');
    await buildUser(harness.context, { email: 'eve@x.org', isActive: false });
    expect(await refused('eve@x.org')).to.equal(
      'eve@x.org is inactive. Activate it first: coursectl users activate eve@x.org',
    );
    const kim = await buildUser(harness.context, { email: 'kim@x.org', role: 'trainer' });
    await buildCourse(harness.context, kim, { title: 'Bees' });
    expect(await refused('kim@x.org')).to.equal('Trainer still has courses. Assign them to another trainer first.');
  });

  it('refuses accounts that were deactivated, given a course or enrolled after the questions', async () => {
    const inactive = await buildUser(harness.context, { isActive: false });
    const kim = await buildUser(harness.context, { role: 'trainer' });
    await buildEnrollment(harness.context, ben, await buildCourse(harness.context, kim));
    const refusal = async ({ id }: User) =>
      (await failureOf(() => transferSuperAdmin(harness.context, operator, { from: ada.id, to: id }))).code;
    expect(await refusal(inactive)).to.equal('ACCOUNT_INACTIVE');
    expect(await refusal(kim)).to.equal('TRAINER_HAS_COURSES');
    expect(await refusal(ben)).to.equal('TRAINEE_HAS_ENROLLMENTS');
    expect(await ada.reload()).to.include({ role: 'super_admin' });
  });

  it('explains the next step without a super admin', async () => {
    await ada.update({ role: 'trainer' });
    const { message } = await cli.refusal(argv);
    expect(message).to.equal('There is no super admin yet. To create one, run: coursectl setup');
  });

  it('succeeds for only one of several concurrent calls, with exactly one super admin at any time', async () => {
    const others = await Promise.all([ben, ...[1, 2, 3].map(() => buildUser(harness.context))]);
    const outcomes = await Promise.allSettled(
      others.map(({ id }) => transferSuperAdmin(harness.context, operator, { from: ada.id, to: id })),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(refusals).to.have.lengthOf(others.length - 1);
    for (const refusal of refusals) expect(refusal).to.include('There is another super admin in the meantime.');
    expect(await models().User.count({ where: { role: 'super_admin' } })).to.equal(1);
    expect((await ada.reload()).role).to.equal('trainer');
    expect(await entries()).to.have.lengthOf(2);
  });
});
