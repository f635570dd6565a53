import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Group } from '../../../../src/db/models/group.js';
import type { User } from '../../../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildGroup, buildTrainees, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { scaled } from '../../../support/machine.js';

interface Outcomes {
  counts: Record<'done' | 'unchanged' | 'refused', number>;
  outcomes: { given: string | null; outcome: string; code: string | null }[];
}

describe('The members of a group at the command line', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const run = (line: string, ...more: string[]) => cli.run([...line.split(' '), ...more]);
  const membersOf = async (group: string) => {
    const { users } = await cli.json<{ users: { email: string }[] }>(['users', 'list', '--group', group]);
    return users.map(({ email }) => email.replace('@x.org', '')).sort();
  };

  let ben: User;
  let cleo: User;
  let ina: User;
  let staff: Group;
  beforeEach(async () => {
    ben = await buildUser(harness.context, { email: 'ben@x.org' });
    cleo = await buildUser(harness.context, { email: 'cleo@x.org' });
    ina = await buildUser(harness.context, { email: 'ina@x.org', isActive: false });
    await buildUser(harness.context, { email: 'ada@x.org', role: 'trainer' });
    await buildUser(harness.context, { email: 'root@x.org', role: 'super_admin' });
    staff = await buildGroup(harness.context, [], 'Staff');
  });

  it('are added and removed one by one without a question', async () => {
    for (const [words, text] of [
      ['groups add staff ben@x.org', 'ben@x.org is in "Staff".'],
      ['groups add staff ben@x.org', 'ben@x.org is already in "Staff".'],
      ['groups remove staff ben@x.org', 'ben@x.org is no longer in "Staff".'],
      ['groups remove staff ben@x.org', 'ben@x.org is not in "Staff".'],
    ] as const)
      expect(await run(words), words).to.deep.equal({ exitCode: 0, stdout: `${text}\n`, stderr: '' });
    expect((await audited()).slice(-2)).to.deep.equal(['group.members cli', 'group.members cli']);
    const { group, user } = await cli.json<Record<string, object>>(['groups', 'add', 'Staff', 'cleo@x.org']);
    expect(group).to.deep.equal({ id: staff.id, name: 'Staff' });
    expect(user).to.include({ email: 'cleo@x.org' });
    const message = "The super admin can't be a member of a group.";
    expect(await cli.refusal(['groups', 'add', 'Staff', 'root@x.org'])).to.deep.equal({ exitCode: 1, message });
    expect((await cli.refusal(['groups', 'add', 'Staff', 'nobody@x.org'])).message).to.match(/^User not found: nobody/);
  });

  it('are added and removed together, after a preview with the same outcomes', async () => {
    await run('groups add Staff cleo@x.org');
    const names = ['ben@x.org', 'cleo@x.org', 'root@x.org', 'nobody@x.org'];
    for (const more of ['--dry-run', '--yes']) {
      const { exitCode, stdout } = await run('groups add Staff', ...names, more, '--json');
      expect(exitCode).to.equal(3);
      const { counts, outcomes } = JSON.parse(stdout) as Outcomes;
      expect(counts).to.deep.equal({ done: 1, unchanged: 1, refused: 2 });
      expect(outcomes.map(({ given, outcome, code }) => [given, outcome, code])).to.deep.equal([
        ['ben@x.org', 'done', null],
        ['cleo@x.org', 'unchanged', null],
        ['root@x.org', 'refused', 'SUPER_ADMIN_PROTECTED'],
        ['nobody@x.org', 'refused', 'NOT_FOUND'],
      ]);
      expect(await membersOf('Staff')).to.deep.equal(more === '--yes' ? ['ben', 'cleo'] : ['cleo']);
    }
    const again = await run('groups add Staff', 'ben@x.org', 'cleo@x.org');
    expect(again.stderr).to.equal('0 accounts added to "Staff", 2 in the group already.\n');
    const { message } = await cli.refusal(['groups', 'remove', 'Staff', 'ben@x.org', 'cleo@x.org']);
    expect(message).to.equal('Confirmation needs a terminal: add --yes to remove, or --dry-run to look first.');
    const removed = await run('groups remove Staff', ...names.slice(0, 2), '--yes');
    expect(removed.stderr).to.equal('2 accounts removed from "Staff".\n');
  });

  it('are chosen by a file, or by filters: removed by filters only from the group', async () => {
    writeFileSync(path.join(cli.folder, 'class.csv'), 'email\nben@x.org\nina@x.org\n');
    await run('groups add Staff --from class.csv --yes');
    expect(await membersOf('Staff')).to.deep.equal(['ben', 'ina']);
    await run('groups add Staff --role trainer --yes');
    await buildUser(harness.context, { isActive: false });
    const { stderr } = await run('groups remove Staff --inactive --yes');
    expect(stderr).to.equal('1 account removed from "Staff".\n');
    expect(await membersOf('Staff')).to.deep.equal(['ada', 'ben']);
    expect((await cli.refusal(['groups', 'add', 'Staff', '--search', '', '--yes'])).exitCode).to.equal(2);
  });

  it('are added in calls of 1,000', async () => {
    await buildTrainees(harness.context, 1001);
    const { stderr, exitCode } = await run('groups add Staff --search example.com --yes');
    expect(exitCode).to.equal(0);
    expect(stderr).to.match(/1,?001 accounts added to "Staff"\.\n$/);
  }).timeout(scaled(60_000));

  it('are found by --group in the lists and exports of accounts, and by bulk changes', async () => {
    await run('groups add Staff ben@x.org ina@x.org --yes');
    expect((await run('users list --group Staff --active --output csv')).stdout).to.match(/ben@x\.org/);
    const { stdout } = await run('users export --group', staff.id.slice(-8), '--fields', 'email');
    expect(stdout.split(/\r?\n/).slice(1, -1).sort()).to.deep.equal(['ben@x.org', 'ina@x.org']);
    expect((await run('users deactivate --group Staff --yes')).stderr).to.equal(
      '1 account deactivated, 1 inactive already.\n',
    );
    const { message } = await cli.refusal(['users', 'deactivate', 'ben@x.org', '--group', 'Staff']);
    expect(message).to.equal('Name each account, or give a list with --from, or filters: only one of these.');
  });

  it('are found by --group in the lists, exports and bulk changes of enrollments', async () => {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    const bees = await buildCourse(harness.context, trainer, { title: 'Bees' });
    for (const trainee of [ben, cleo]) await buildEnrollment(harness.context, trainee, bees);
    await run('groups add Staff ben@x.org');
    const { enrollments } = await cli.json<{ enrollments: { userId: string }[] }>([
      'enrollments',
      'list',
      '--group',
      'Staff',
    ]);
    expect(enrollments.map(({ userId }) => userId)).to.deep.equal([ben.id]);
    const { stdout } = await run('enrollments export --group Staff --fields email');
    expect(stdout).to.include('ben@x.org').and.not.to.include('cleo@x.org');
    const removed = await run('enrollments remove --group Staff --course Bees --yes');
    expect(removed.stderr).to.equal('1 enrollment removed.\n');
    expect((await cli.refusal(['enrollments', 'list', '--group', 'Staf'])).message).to.equal(
      'Group not found: Staf. Did you mean Staff?',
    );
  });

  it('are enrolled with --group: the active trainees, once', async () => {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    await buildCourse(harness.context, trainer, { title: 'First Aid' });
    await run('groups add Staff ada@x.org ben@x.org cleo@x.org ina@x.org --yes');
    const assign = ['enrollments', 'assign', 'First Aid', '--group', 'staff'];
    const planned = await cli.run([...assign, '--dry-run']);
    expect(planned.stdout).to.match(/^2 trainees to enroll in "First Aid":\n/);
    const enrolled = await cli.run([...assign, '--yes']);
    expect([enrolled.exitCode, enrolled.stderr]).to.deep.equal([0, '2 trainees enrolled in "First Aid".\n']);
    const again = await cli.run(assign);
    expect(again.stderr).to.equal('0 trainees enrolled in "First Aid", 2 enrolled already.\n');
    const inactive = await cli.run([...assign, '--inactive', '--yes']);
    expect(inactive.exitCode).to.equal(1);
    expect(inactive.stdout).to.include('ina@x.org');
  });

  it('show their groups', async () => {
    await buildGroup(harness.context, [ina.id], 'Year 9');
    await run('groups add Staff ina@x.org');
    const { groups } = await cli.json<{ groups: { name: string }[] }>(['users', 'show', 'ina@x.org']);
    expect(groups.map(({ name }) => name)).to.deep.equal(['Staff', 'Year 9']);
    expect((await run('users show ina@x.org')).stdout).to.match(/^groups +Staff, Year 9$/m);
  });
});
