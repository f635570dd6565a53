import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { buildCourse, buildGroup, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const people = ['Ada,Lovelace', 'Alan,Turing', 'Grace,Hopper'].map((name, at) => `${name},p${at}@x.org,+44 20 ${at}`);

describe('coursectl groups, of a group that a file keeps in step', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const sync = (...rows: string[]) => {
    const file = path.join(folder.path, 'people.csv');
    writeFileSync(file, ['firstName,lastName,email,phone', ...rows, ''].join('\n'));
    return cli.run(['users', 'sync', file, '--roster', 'Year 9', '--credentials', `${file}.${rows.length}`, '--yes']);
  };

  it('list and show say when it was in step, and how to approve a held sync', async () => {
    await sync(...people);
    await sync(...people.slice(1));
    const shown = await cli.run(['groups', 'show', 'Year 9']);
    expect(shown.stdout)
      .to.match(/^last sync +\d{4}-/m)
      .and.match(/^members who left +1$/m)
      .and.not.match(/^held/m);
    expect((await sync(...people.slice(0, 1))).exitCode).to.equal(4);
    const held = (await cli.run(['groups', 'show', 'Year 9'])).stdout;
    expect(held).to.match(/^held +2 members of 2 would leave by people\.csv, and 1 may/m);
    expect(held).to.include("users sync people.csv --roster 'Year 9' --allow-leaving 2");
    expect((await cli.run(['groups', 'list', '--columns', 'name,isHeld'])).stdout).to.match(/^Year 9 +held$/m);
    expect((await cli.run(['overview'])).stdout).to.include(
      'The sync of Year 9 with people.csv is held: 2 of 2 members would leave',
    );
  });

  it('get a command line from a dry run that applies exactly its plan', async () => {
    await sync(...people);
    const file = path.join(folder.path, 'people.csv');
    writeFileSync(file, ['firstName,lastName,email,phone', ...people.slice(1), ''].join('\n'));
    const { stdout } = await cli.run(['users', 'sync', file, '--roster', 'Year 9', '--dry-run']);
    const [, line = ''] = /users (sync .*)/.exec(stdout) ?? [];
    const words = Array.from(line.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word);
    const applied = await cli.run(['users', ...words, '--yes']);
    expect(applied.exitCode, applied.stderr).to.equal(0);
    expect(applied.stdout).to.include('1 member left');
  });

  it('get no command that synchronises only the rejected rows', async () => {
    await sync(...people);
    const { stdout, exitCode } = await sync(...people, 'Edsger,,p4@x.org,+44 20 4');
    expect(exitCode).to.equal(3);
    expect(stdout).to.include('synchronise that file again').and.not.include('users sync');
  });

  it('edit changes the options of the next syncs, with an audit entry', async () => {
    await buildCourse(harness.context, await buildUser(harness.context, { role: 'trainer' }), { title: 'First Aid' });
    await sync(...people);
    interface Edited {
      group: { roster: { options: object } };
    }
    const edit = (...options: string[]) => cli.json<Edited>(['groups', 'edit', 'year 9', ...options]);
    const { group } = await edit('--course', 'First Aid', '--max-leaving', '50');
    expect(group.roster.options).to.include({ course: 'First Aid', maxLeaving: '50' });
    expect((await sync(...people, 'Edsger,Dijkstra,p4@x.org,+44 20 4')).stdout).to.match(/4 enrolled/);
    const unset = await edit('--unset', 'course', '--unset', 'max-leaving');
    expect(unset.group.roster.options).to.not.have.any.keys('course', 'maxLeaving', 'roster');
    expect((await audited()).filter((action) => action.startsWith('group.update'))).to.have.length(2);
    await edit('--unset', 'course');
    expect((await audited()).filter((action) => action.startsWith('group.update'))).to.have.length(2);
  });

  it('edit refuses unknown courses and options, no change, and groups without syncs', async () => {
    await sync(...people);
    await buildGroup(harness.context, [], 'Staff');
    const refusal = (...argv: string[]) => cli.refusal(['groups', 'edit', ...argv]);
    expect((await refusal('Year 9')).message).to.match(/^Nothing to change: add --unset or one of course, /);
    expect((await refusal('Year 9', '--unset', 'colour')).message).to.match(/^--unset colour: /);
    expect((await refusal('Year 9', '--course', 'Knots')).message).to.match(/^Course not found: Knots/);
    expect((await refusal('Year 9', '--max-leaving', 'x')).message).to.match(/must be a percentage/);
    expect((await refusal('Staff', '--unset', 'course')).message).to.match(/^"Staff" was never synchronised/);
  });
});
