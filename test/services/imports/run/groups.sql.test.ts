import { expect } from 'chai';
import { buildGroup, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone';
const ada = 'Ada,Lovelace,ada@example.org,+44 20 1';
const alan = 'Alan,Turing,alan@example.org,+44 20 2';
const grace = 'Grace,Hopper,grace@example.org,+44 20 3';

describe('An import with groups', () => {
  const importing = useImporting();
  const { models } = importing;

  /** Returns the emails of the members of each group, by its name. */
  async function membersByGroup(): Promise<Record<string, string[]>> {
    const groups = await models().Group.findAll({ order: ['name'] });
    const entries = groups.map(async ({ id, name }) => {
      const members = await models().GroupMember.findAll({ where: { groupId: id } });
      const users = await models().User.findAll({
        where: { id: members.map(({ userId }) => userId) },
        order: ['email'],
      });
      return [name, users.map(({ email }) => email)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  const write = (heading: string, ...rows: string[]) =>
    importing.write('people.csv', `${[`${header},${heading}`, ...rows].join('\n')}\n`);
  const undo = (id: string) => importing.cli('imports', 'undo', id, '--yes');

  it('creates groups with their members, and shows new groups first', async () => {
    const file = write('Klasse', `${ada},Year 9`, `${alan},year  9; Choir`, `${grace},`);
    expect((await importing.plan(file)).newGroups).to.deep.equal(['Year 9', 'Choir']);
    const { stderr } = await importing.runWhole(file, '--dry-run');
    const { stdout } = await importing.runWhole(file, '--dry-run', '--json');
    expect(`${stderr}${stdout}`).to.include('Year 9');
    const { exitCode } = await importing.json(file);
    expect(exitCode).to.equal(0);
    expect(await membersByGroup()).to.deep.equal({
      Choir: ['alan@example.org'],
      'Year 9': ['ada@example.org', 'alan@example.org'],
    });
  });

  it('reads several columns, and adds everybody to the group of the option', async () => {
    const file = write('group1,cohort2', `${ada},Year 9,Choir`, `${alan},,Choir`);
    await importing.json(file, '--group', 'School');
    expect(await membersByGroup()).to.deep.equal({
      Choir: ['ada@example.org', 'alan@example.org'],
      School: ['ada@example.org', 'alan@example.org'],
      'Year 9': ['ada@example.org'],
    });
  });

  it('reads groups from a mapped column', async () => {
    const file = write('Department', `${ada},Sales`);
    await importing.json(file, '--map', 'Department=group');
    expect(await membersByGroup()).to.deep.equal({ Sales: ['ada@example.org'] });
  });

  it('adds existing people, and a person of several rows to the groups of each', async () => {
    await buildUser(importing.context, { email: 'ada@example.org', phone: '+44 20 1' });
    const file = write('group', `${ada},Year 9`, `${alan},Year 9`, `${alan},Choir`, `${alan},Band`);
    const { counts } = await importing.json(file);
    expect(counts).to.include({ created: 1, skipped: 3, rejected: 0 });
    expect(await membersByGroup()).to.deep.equal({
      Band: ['alan@example.org'],
      Choir: ['alan@example.org'],
      'Year 9': ['ada@example.org', 'alan@example.org'],
    });
  });

  it('changes nothing when the same file is imported again', async () => {
    const file = write('group', `${ada},Year 9`, `${alan},Choir`);
    await importing.json(file);
    const before = await membersByGroup();
    const { id } = await importing.json(file);
    expect(await membersByGroup()).to.deep.equal(before);
    expect((await importing.ledger(id)).map(({ undoJson }) => undoJson)).to.deep.equal([null, null]);
  });

  it('is undone with its memberships, and with groups that nobody else is in', async () => {
    const user = await buildUser(importing.context, { email: 'ada@example.org', phone: '+44 20 1' });
    const first = await importing.json(write('group', `${alan},Year 9`));
    const { id } = await importing.json(write('group', `${ada},Year 9; Choir`, `${grace},Band`));
    await undo(id);
    expect(await membersByGroup()).to.deep.equal({ 'Year 9': ['alan@example.org'] });
    expect(await models().User.count({ where: { id: user.id } })).to.equal(1);
    await undo(first.id);
    expect(await membersByGroup()).to.deep.equal({});
  });

  it('keeps a new group to which somebody was added since', async () => {
    const { id } = await importing.json(write('group', `${ada},Year 9`));
    const [group] = await models().Group.findAll();
    const other = await buildUser(importing.context);
    await models().GroupMember.create({
      groupId: group?.id ?? '',
      userId: other.id,
      source: 'hand',
      addedAt: new Date(0),
    });
    await undo(id);
    expect(await membersByGroup()).to.deep.equal({ 'Year 9': [other.email] });
  });

  it('reads its own export unchanged', async () => {
    await importing.json(write('group', `${ada},Year 9; Choir`, `${alan},Year 9`, `${grace},`));
    const [before, exported] = [await membersByGroup(), await importing.cli('users', 'export')];
    expect(exported.stdout).to.include('Choir; Year 9');
    await models().Group.destroy({ where: {} });
    await importing.json(importing.write('exported.csv', exported.stdout), '--on-existing', 'update');
    expect(await membersByGroup()).to.deep.equal(before);
  });

  it('creates a group a single time when imports name it at the same time', async () => {
    const files = [ada, alan, grace].map((row, at) =>
      importing.write(`p${at}.csv`, `${header},group\n${row},Year 9\n`),
    );
    const results = await Promise.all(files.map((file) => importing.json(file)));
    expect(results.map(({ exitCode }) => exitCode)).to.deep.equal([0, 0, 0]);
    const members = ['ada@example.org', 'alan@example.org', 'grace@example.org'];
    expect(await membersByGroup()).to.deep.equal({ 'Year 9': members });
  });

  it('rejects wrong names, and the super admin', async () => {
    await buildUser(importing.context, { email: 'ada@example.org', phone: '+44 20 1', role: 'super_admin' });
    const file = write('group', `${ada},Year 9`, `${alan},${'x'.repeat(101)}`, `${grace},#REF!`);
    const { id, counts } = await importing.json(file);
    expect(counts).to.include({ created: 0, rejected: 3 });
    const codes = (await importing.ledger(id)).map(({ code }) => code);
    expect(codes).to.deep.equal(['PROTECTED_ACCOUNT', 'GROUP_INVALID', 'GROUP_INVALID']);
    expect(await membersByGroup()).to.deep.equal({});
  });

  it('refuses a file with more than 50 new groups, because its column names something else', async () => {
    const rows = Array.from(
      { length: 51 },
      (_, at) => `Given,Family,p${at}@example.org,+1 555 ${1000 + at},Group ${at}`,
    );
    const { exitCode, stderr } = await importing.run(write('group', ...rows), '--yes');
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('more than 50 new groups, such as "Group 0" and "Group 1"');
    expect(await membersByGroup()).to.deep.equal({});
  });

  it('rejects a person with more than 50 groups', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `Group ${at}`).join('; ');
    await importing.json(write('group', `${ada},${names}`));
    const { id } = await importing.json(write('group', `${ada},One more`, `${alan},One more`));
    expect((await importing.ledger(id)).map(({ code }) => code)).to.deep.equal(['GROUP_LIMIT', null]);
  });

  it('rejects people beyond the last place of a group, as planned', async () => {
    // Imported as the program imports it: see test/support/run-cli.ts.
    const { groupLimits } = await import('../../../../src/services/groups/limits.js');
    const { members } = groupLimits;
    try {
      groupLimits.members = 2;
      const { id: userId } = await buildUser(importing.context, { email: 'eve@example.org' });
      await buildGroup(importing.context, [userId], 'Year 9');
      const again = 'Eve,King,eve@example.org,';
      const file = write('group', again, `${ada},Year 9`, `${alan},year 9; Choir`, `${grace},Choir`);
      const { stdout } = await importing.runWhole(file, '--dry-run', '--json');
      expect(stdout).to.include('"rejected": 1');
      const { id } = await importing.json(file);
      const rows = await importing.ledger(id);
      expect(rows.map(({ code }) => code)).to.deep.equal(['ALREADY_EXISTS', null, 'GROUP_LIMIT', null]);
      expect(rows[2]?.reason).to.match(/^Group "year 9" has [\d,]+ members, and can't have more/);
      expect(await membersByGroup()).to.deep.equal({
        Choir: ['grace@example.org'],
        'Year 9': ['ada@example.org', 'eve@example.org'],
      });
    } finally {
      groupLimits.members = members;
    }
  });
});
