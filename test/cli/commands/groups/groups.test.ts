import { expect } from 'chai';
import { buildGroup, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { keys } from '../../../support/terminal.js';

interface Shown {
  group: { id: string; name: string; note: string | null; activeMembers: number };
}

describe('coursectl groups', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const names = async () =>
    (await harness.context.database.models.Group.findAll({ order: ['name'] })).map(({ name }) => name);

  it('create, rename and delete change a group and the audit log', async () => {
    const created = await cli.json<Shown>(['groups', 'create', ' Year 9', '--note', 'Class of Ms Hopper']);
    expect(created.group).to.include({ name: 'Year 9', note: 'Class of Ms Hopper', activeMembers: 0 });
    const { id } = created.group;
    const renamed = await cli.run(['groups', 'rename', 'YEAR  9', 'Year 10']);
    expect(renamed).to.deep.equal({ exitCode: 0, stdout: 'Renamed "Year 9" to "Year 10".\n', stderr: '' });
    const deleted = await cli.run(['groups', 'rm', 'year 10', '--yes']);
    expect(deleted).to.deep.equal({ exitCode: 0, stdout: `Deleted "Year 10" (${id}).\n`, stderr: '' });
    expect(await names()).to.deep.equal([]);
    expect(await audited()).to.deep.equal(['group.create cli', 'group.update cli', 'group.delete cli']);
  });

  it('refuse a name that another group has', async () => {
    for (const name of ['Year 9', 'Year 10']) await buildGroup(harness.context, [], name);
    const message = 'Group with this name already exists.';
    for (const argv of [
      ['create', 'year 9'],
      ['rename', 'Year 10', 'YEAR 9'],
    ])
      expect(await cli.refusal(['groups', ...argv])).to.deep.equal({ exitCode: 1, message });
  });

  it('list shows the groups by name with their active members', async () => {
    const active = await buildUser(harness.context);
    const inactive = await buildUser(harness.context, { isActive: false });
    await buildGroup(harness.context, [active.id, inactive.id], 'Year 9');
    await buildGroup(harness.context, [], 'Staff');
    const { stdout, stderr } = await cli.run(['groups', 'list', '--columns', 'name,activeMembers']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).to.deep.equal([
      ['NAME', 'ACTIVE MEMBERS'],
      ['Staff', '0'],
      ['Year 9', '1'],
      [''],
    ]);
    expect(stderr).to.equal('Page 1 of 1, 2 groups.\n');
    const { groups } = await cli.json<{ groups: Shown['group'][] }>(['groups', 'list', '--search', 'YEAR']);
    expect(groups.map(({ name }) => name)).to.deep.equal(['Year 9']);
  });

  it('show finds a group by name, id and short id, and suggests similar names', async () => {
    const { id } = await buildGroup(harness.context, [], 'Year 9');
    for (const given of ['Year 9', ' year  9', id, id.toUpperCase(), id.slice(-8)])
      expect((await cli.json<Shown>(['groups', 'show', given])).group.id, given).to.equal(id);
    expect((await cli.run(['groups', 'show', id])).stdout).to.match(/^name +Year 9\nactive members +0$/m);
    expect(await cli.refusal(['groups', 'show', 'Yaer 9'])).to.deep.equal({
      exitCode: 1,
      message: "Group not found: Yaer 9. Did you mean 'Year 9'?",
    });
    expect((await cli.refusal(['users', 'list', '--group', 'Sales'])).message).to.equal(
      'Group not found: Sales. To search for them: coursectl groups list --search <text>',
    );
  });

  it('delete asks, and says that the members keep their accounts', async () => {
    const { id } = await buildUser(harness.context);
    await buildGroup(harness.context, [id], 'Year 9');
    expect((await cli.refusal(['groups', 'delete', 'Year 9'])).message).to.equal(
      'Confirmation needs a terminal: add --yes to delete.',
    );
    const { exitCode, terminal } = await cli.atTerminal(
      ['groups', 'delete', 'Year 9'],
      [['Delete this group? (y/N)', keys.enter]],
    );
    expect(exitCode).to.equal(1);
    expect(terminal.screen().replaceAll('\n', ' ')).to.include(
      '"Year 9" will be deleted. Its members (1 active member) keep their accounts',
    );
    expect(await names()).to.deep.equal(['Year 9']);
  });

  it('offers the groups at a terminal if the command line names none', async () => {
    await buildGroup(harness.context, [], 'Year 9');
    const { stdout } = await cli.atTerminal(
      ['groups', 'show'],
      [
        ['Which group?', ''],
        ['Year 9  0 active members', keys.enter],
      ],
    );
    expect(stdout).to.match(/^name +Year 9$/m);
  });
});
