import { expect } from 'chai';
import fc from 'fast-check';
import type { Course } from '../../../../src/db/models/course.js';
import type { User } from '../../../../src/db/models/user.js';
import { atDepth } from '../../../support/depth.js';
import { mailSettings } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { emptyDatabase } from '../../../support/harness.js';
import { scaled } from '../../../support/machine.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone';
const people = {
  ada: 'Ada,Lovelace,ada@example.org,+44 20 1',
  alan: 'Alan,Turing,alan@example.org,+44 20 2',
  grace: 'Grace,Hopper,grace@example.org,+44 20 3',
  edsger: 'Edsger,Dijkstra,edsger@example.org,+44 20 4',
};
type Name = keyof typeof people;

describe('A sync of a roster', () => {
  const importing = useImporting();
  const { models } = importing;
  let course: Course;
  let trainer: User;
  let night = 0;

  beforeEach(async () => {
    trainer = await buildUser(importing.context, { role: 'trainer' });
    course = await buildCourse(importing.context, trainer, { title: 'First Aid' });
  });

  const write = (...rows: (Name | `${string},${string}`)[]) =>
    importing.write(
      'people.csv',
      `${[header, ...rows.map((row) => (row in people ? people[row as Name] : row))].join('\n')}\n`,
    );

  /** Runs `users sync` for Year 9. */
  async function sync(file: string, ...options: string[]) {
    night += 1;
    const names = options.includes('--roster') ? [] : ['--roster', 'Year 9'];
    const args = [
      'users',
      'sync',
      file,
      ...names,
      ...options,
      '--yes',
      '--json',
      '--credentials',
      `credentials-${night}.csv`,
    ];
    const result = await importing.cli(...args);
    return { ...result, json: JSON.parse(result.stdout) };
  }

  const emailsOf = async (ids: string[]) =>
    (await models().User.findAll({ where: { id: ids }, order: ['email'] })).map(({ email }) => email.split('@')[0]);

  const find = (name: Name) => models().User.findOne({ where: { email: `${name}@example.org` }, rejectOnEmpty: true });

  async function members(name = 'Year 9'): Promise<(string | undefined)[]> {
    const group = await models().Group.findOne({ where: { name } });
    const found = await models().GroupMember.findAll({ where: { groupId: group?.id ?? '' } });
    return emailsOf(found.map(({ userId }) => userId));
  }

  /** Returns the statuses of the enrollments, by the first part of the email. */
  async function statuses(of = course) {
    const found = await models().Enrollment.findAll({ where: { courseId: of.id }, include: 'user' });
    return Object.fromEntries(
      found.map(({ user, status, cancelReason }) => [
        user?.email.split('@')[0],
        cancelReason ? `${status} ${cancelReason}` : status,
      ]),
    );
  }

  it('creates the group with the first sync, and remembers its options', async () => {
    const { exitCode, json } = await sync(write('ada', 'alan'), '--course', 'First Aid');
    expect(exitCode, JSON.stringify(json)).to.equal(0);
    expect(json.import.counts).to.include({ created: 2, enrolled: 2, left: 0 });
    expect(await members()).to.deep.equal(['ada', 'alan']);
    expect(await statuses()).to.deep.equal({ ada: 'active', alan: 'active' });
    const next = await sync(write('ada', 'alan', 'grace'));
    expect(next.json.import.counts).to.include({ created: 1, enrolled: 1 });
  });

  it('takes out the members whom the file no longer names, and cancels what the roster made', async () => {
    await sync(write('ada', 'alan', 'grace'), '--course', 'First Aid');
    const other = await buildCourse(importing.context, trainer, { title: 'Fire Safety' });
    await buildEnrollment(importing.context, await find('ada'), other, { status: 'active' });
    const { exitCode, json } = await sync(write('alan', 'grace'));
    expect(exitCode, JSON.stringify(json)).to.equal(0);
    expect(json.import.counts).to.include({ created: 0, left: 1 });
    expect(await members()).to.deep.equal(['alan', 'grace']);
    expect(await statuses()).to.deep.equal({ ada: 'cancelled roster', alan: 'active', grace: 'active' });
    expect(await statuses(other)).to.deep.equal({ ada: 'active' });
  });

  it('keeps members whom somebody added by hand', async () => {
    await sync(write('ada', 'alan'));
    const [group] = await models().Group.findAll();
    const other = await buildUser(importing.context, { email: 'hand@example.org' });
    await importing.cli('groups', 'add', group?.id ?? '', other.email, '--yes');
    await sync(write('ada', 'alan', 'grace'));
    expect(await members()).to.deep.equal(['ada', 'alan', 'grace', 'hand']);
  });

  it('brings people back who return: membership, enrollment, and the account that the roster deactivated', async () => {
    const options = ['--course', 'First Aid', '--on-leave', 'deactivate'];
    await sync(write('ada', 'alan', 'grace'), ...options);
    await sync(write('alan', 'grace'));
    expect((await find('ada')).isActive).to.equal(false);
    const { json } = await sync(write('ada', 'alan', 'grace'));
    expect(json.import.counts, JSON.stringify(json)).to.include({ created: 0, updated: 1, enrolled: 1, rejected: 0 });
    expect((await find('ada')).isActive).to.equal(true);
    expect(await members()).to.deep.equal(['ada', 'alan', 'grace']);
    expect(await statuses()).to.deep.equal({ ada: 'active', alan: 'active', grace: 'active' });
    expect(await models().FormerMember.count()).to.equal(0);
  });

  it('leaves accounts inactive that somebody deactivated, and deactivates none that is needed elsewhere', async () => {
    await sync(write('ada', 'alan', 'grace', 'edsger'), '--on-leave', 'deactivate', '--max-leaving', '50%');
    const other = await buildCourse(importing.context, trainer, { title: 'Fire Safety' });
    await buildEnrollment(importing.context, await find('ada'), other, { status: 'active' });
    await sync(write('alan', 'grace'));
    expect((await find('ada')).isActive).to.equal(true);
    expect((await find('edsger')).isActive).to.equal(false);
    await importing.cli('users', 'activate', 'edsger@example.org', '--yes');
    await importing.cli('users', 'deactivate', 'edsger@example.org', '--yes');
    const { exitCode } = await sync(write('alan', 'grace', 'edsger'), '--course', 'First Aid');
    expect(exitCode).to.equal(0);
    expect((await find('edsger')).isActive).to.equal(false);
    expect(await statuses()).to.deep.equal({ alan: 'active', grace: 'active' });
    const rows = await models().ImportRow.findAll({ where: { code: 'KEPT_INACTIVE' } });
    expect(rows).to.have.length(1);
  });

  it('does not renew an enrollment that somebody cancelled', async () => {
    await sync(write('ada', 'alan'), '--course', 'First Aid');
    const { id } = await models().Enrollment.findOne({
      where: { userId: (await find('ada')).id },
      rejectOnEmpty: true,
    });
    await importing.cli('enrollments', 'status', id, 'cancelled', '--yes');
    expect((await statuses()).ada).to.equal('cancelled removed');
    await sync(write('ada', 'alan', 'grace'));
    expect(await statuses()).to.deep.equal({ ada: 'cancelled removed', alan: 'active', grace: 'active' });
  });

  it('changes no row with the same file', async () => {
    const file = write('ada', 'alan', 'Bad,Row,,');
    await sync(file, '--course', 'First Aid');
    const before = await importing.contents();
    const files = importing.files();
    const { exitCode, json } = await sync(file);
    expect(exitCode).to.equal(0);
    expect(json.sync).to.include({ changed: false });
    expect(await importing.contents()).to.equal(before);
    expect(importing.files()).to.deep.equal(files);
    const quiet = await importing.cli('users', 'sync', file, '--roster', 'Year 9', '--yes', '--quiet');
    expect(`${quiet.stdout}${quiet.stderr}`).to.equal('');
  });

  it('changes nothing when the rows are in another order', async () => {
    await sync(write('ada', 'alan', 'grace'), '--course', 'First Aid');
    const before = await importing.contents();
    expect((await sync(write('grace', 'ada', 'alan'))).json.sync).to.include({ changed: false });
    expect(await importing.contents()).to.equal(before);
  });

  it('takes nobody out with an empty, truncated or damaged file', async () => {
    await sync(write('ada', 'alan', 'grace'));
    const truncated = `${header}\n${people.ada}\n${people.alan}\nGrace,Hopper,gra`;
    const contents = {
      empty: '',
      header: `${header}\n`,
      truncated,
      damaged: Buffer.from([0x50, 0x4b, 3, 4, ...Array(200).fill(0xff)]),
      other: 'product,price\nRope,3\n',
    };
    for (const [name, content] of Object.entries(contents)) {
      const { exitCode } = await sync(importing.write('people.csv', content));
      expect(exitCode, name).to.equal(name === 'truncated' ? 3 : 2);
      expect(await members(), name).to.deep.equal(['ada', 'alan', 'grace']);
    }
  });

  it('moves a person from one roster to another, in either order', async () => {
    const choir = (...names: Name[]) => sync(write(...names), '--roster', 'Choir', '--course', 'First Aid');
    await sync(write('ada', 'alan', 'grace'), '--course', 'First Aid');
    await choir('edsger');
    await choir('edsger', 'ada');
    await sync(write('alan', 'grace'));
    expect(await members('Choir')).to.deep.equal(['ada', 'edsger']);
    expect((await statuses()).ada).to.equal('active');
    await choir('edsger');
    expect((await statuses()).ada).to.equal('cancelled roster');
    await sync(write('ada', 'alan', 'grace'));
    expect((await statuses()).ada).to.equal('active');
  });

  it('replaces the file of rejected rows when other rows are bad', async () => {
    await sync(write('ada', 'alan', 'Bad,Row,,'));
    expect(importing.read('people.rejected.csv')).to.include('Bad');
    const { exitCode } = await sync(write('ada', 'alan', 'Worse,Row,,'));
    expect(exitCode).to.equal(3);
    expect(importing.read('people.rejected.csv')).to.include('Worse').and.not.include('Bad');
    expect(importing.files().filter((name) => name.includes('rejected'))).to.have.length(1);
  });

  it('removes the file of rejected rows when they are corrected and nothing else changes', async () => {
    await sync(write('ada', 'alan', 'Bad,Row,,'));
    expect((await sync(write('ada', 'alan'))).json.sync).to.include({ changed: false });
    expect(importing.files()).to.not.include('people.rejected.csv');
    expect((await sync(write('ada', 'alan', 'grace', 'Worse,Row,,'))).exitCode).to.equal(3);
    expect(importing.read('people.rejected.csv')).to.include('Worse');
  });

  it('refuses a group that was never synchronised, with --existing', async () => {
    const { exitCode, json } = await sync(write('ada'), '--existing', '--roster', 'Yaer 9');
    expect(exitCode).to.equal(2);
    expect(json.error.message).to.include('There is no group "Yaer 9"');
    expect(await models().User.count({ where: { role: 'trainee' } })).to.equal(0);
    await sync(write('ada', 'alan'));
    expect((await sync(write('ada', 'alan', 'grace'), '--existing')).exitCode).to.equal(0);
  });

  describe('when it is not sure who left', () => {
    it('says each night that members would leave, and ends with exit code 3', async () => {
      await sync(write('ada', 'alan', 'grace'));
      const file = write('ada', 'Alan,Turing,alan(at)example.org,+44 20 2');
      const first = await importing.cli('users', 'sync', file, '--roster', 'Year 9', '--yes');
      expect(first.exitCode).to.equal(3);
      expect(first.stdout).to.include('2 members would leave, but nobody leaves while').and.include('(line 3)');
      const next = await importing.cli('users', 'sync', file, '--roster', 'Year 9', '--yes', '--quiet');
      expect(next.exitCode).to.equal(3);
      expect(next.stdout).to.include('"Year 9" is not in step with people.csv').and.include('2 members would leave');
      expect(await members()).to.deep.equal(['ada', 'alan', 'grace']);
    });

    it('takes nobody out while a row has names and no readable email', async () => {
      await sync(write('ada', 'alan', 'grace'));
      const { exitCode, json } = await sync(write('ada', 'alan', 'Grace,Hopper,grace(at)example.org,+44 20 3'));
      expect(exitCode).to.equal(3);
      expect(json.import.counts).to.include({ left: 0, rejected: 1 });
      expect(await members()).to.deep.equal(['ada', 'alan', 'grace']);
    });

    it('takes members out despite a line of totals', async () => {
      await sync(write('ada', 'alan', 'grace'));
      const { json } = await sync(write('ada', 'alan', 'Total,,2,'));
      expect(json.import.counts).to.include({ left: 1, rejected: 1 });
      expect(await members()).to.deep.equal(['ada', 'alan']);
    });

    it('keeps the member whose rejected row has the email', async () => {
      await sync(write('ada', 'alan', 'grace'));
      const { json } = await sync(write('ada', 'alan', ',Hopper,grace@example.org,+44 20 3'));
      expect(json.import.counts).to.include({ left: 0, rejected: 1 });
    });

    it('rejects a newcomer with the name or the phone of a leaver, who stays', async () => {
      await sync(write('ada', 'alan', 'grace'));
      const byName = await sync(write('ada', 'alan', 'grace,hopper,g.hopper@example.org,+44 20 9'));
      expect(byName.json.import.counts).to.include({ left: 0, created: 0, rejected: 1 });
      const byPhone = await sync(write('ada', 'alan', 'Grace,Murray,g.murray@example.org,+44 20 3'));
      expect(byPhone.json.import.counts).to.include({ left: 0, created: 0, rejected: 1 });
      const codes = await models().ImportRow.findAll({ where: { outcome: 'rejected' } });
      expect(codes.map(({ code }) => code)).to.deep.equal(['RENAMED_PERHAPS', 'RENAMED_PERHAPS']);
      const matched = await sync(
        write('ada', 'alan', 'Grace,Murray,g.murray@example.org,+44 20 3'),
        ...['--match', 'phone', '--on-existing', 'update'],
      );
      expect(matched.json.import.counts).to.include({ left: 0, updated: 1, rejected: 0 });
    });
  });

  describe('in which too many would leave', () => {
    const many = Array.from(
      { length: 20 },
      (_, at) => `P${at},Person,p${at}@example.org,+44 30 ${at}`,
    ) as `${string},${string}`[];

    it('is held with nothing written, and approved by the number', async () => {
      await sync(write(...many));
      const before = await importing.contents();
      const { exitCode, json } = await sync(write(...many.slice(6)));
      expect(exitCode).to.equal(4);
      expect(json.error).to.include({ code: 'SYNC_HELD' });
      expect(JSON.parse(await importing.contents()).import_rows).to.deep.equal(JSON.parse(before).import_rows);
      expect(await members()).to.have.length(20);
      const [group] = await models().Group.findAll();
      expect(JSON.parse(group?.heldJson ?? '{}')).to.include({ leaving: 6, members: 20, limit: 5, file: 'people.csv' });
      const wrong = await sync(write(...many.slice(6)), '--allow-leaving', '5');
      expect(wrong.exitCode).to.equal(4);
      const approved = await sync(write(...many.slice(6)), '--allow-leaving', '6');
      expect(approved.exitCode, JSON.stringify(approved.json)).to.equal(0);
      expect(await members()).to.have.length(14);
      await group?.reload();
      expect(group?.heldJson).to.equal(null);
    });

    it('is held if more than half of few members would leave', async () => {
      await sync(write('ada', 'alan', 'grace'));
      expect((await sync(write('ada'))).exitCode).to.equal(4);
      expect((await sync(write('ada', 'alan'))).exitCode).to.equal(0);
    });

    it('lets the given number or part leave', async () => {
      await sync(write(...many));
      expect((await sync(write(...many.slice(1)), '--max-leaving', '0')).exitCode).to.equal(4);
      expect((await sync(write(...many.slice(8)), '--max-leaving', '40%')).exitCode).to.equal(0);
    });
  });

  it('gives the seats of leavers to the waiting list, then newcomers wait', async () => {
    await course.update({ maxStudents: 2, waitingMax: null, isPublished: true });
    await sync(write('ada', 'alan'), '--course', 'First Aid');
    const waiting = await buildUser(importing.context, { email: 'first@example.org', role: 'trainee' });
    await importing.cli('enrollments', 'assign', 'First Aid', waiting.email, '--when-full', 'wait', '--yes');
    const { json, exitCode } = await sync(write('alan', 'grace'), '--max-leaving', '50%');
    expect(exitCode, JSON.stringify(json)).to.equal(0);
    expect(json.import.counts).to.include({ left: 1, enrolled: 0, waiting: 1 });
    expect(await statuses()).to.deep.equal({
      ada: 'cancelled roster',
      alan: 'active',
      first: 'pending',
      grace: 'waiting',
    });
  });

  it('keeps an enrollment that two rosters have made until both are left', async () => {
    await sync(write('ada', 'alan'), '--course', 'First Aid');
    await sync(write('ada', 'grace'), '--roster', 'Choir', '--course', 'First Aid');
    await sync(write('alan', 'edsger'));
    expect((await statuses()).ada).to.equal('active');
    await sync(write('grace', 'edsger'), '--roster', 'Choir');
    expect((await statuses()).ada).to.equal('cancelled roster');
  });

  it('cancels no enrollment that somebody made by hand', async () => {
    await sync(write('ada', 'alan'));
    await buildEnrollment(importing.context, await find('ada'), course, { status: 'active' });
    await sync(write('alan', 'grace'), '--course', 'First Aid');
    expect((await statuses()).ada).to.equal('active');
  });

  it('is undone: members, enrollments and accounts are as before', async () => {
    await sync(write('ada', 'alan', 'grace'), '--course', 'First Aid', '--on-leave', 'deactivate');
    const state = async () => ({
      members: await members(),
      statuses: await statuses(),
      claims: await models().GroupEnrollment.count(),
      former: await models().FormerMember.count(),
      active: (await find('ada')).isActive,
    });
    const before = await state();
    const { json } = await sync(write('alan', 'grace', 'edsger'));
    const preview = await importing.cli('imports', 'undo', json.import.id, '--dry-run', '--json');
    expect(JSON.parse(preview.stdout).undo).to.deep.include({ removed: 1, restored: 1, kept: [] });
    const undone = await importing.cli('imports', 'undo', json.import.id, '--yes', '--json');
    expect(undone.exitCode, undone.stdout).to.equal(0);
    expect(await state()).to.deep.equal(before);
    // The same file then has the same effect again.
    const again = await sync(write('alan', 'grace', 'edsger'));
    expect(again.json.import.counts).to.include({ created: 1, left: 1 });
  });

  it('keeps a leaver out whose seat another person has got since', async () => {
    await course.update({ maxStudents: 2 });
    await sync(write('ada', 'alan'), '--course', 'First Aid');
    const { json } = await sync(write('alan'));
    const other = await buildUser(importing.context, { role: 'trainee' });
    await buildEnrollment(importing.context, other, course, { status: 'active' });
    const undone = await importing.cli('imports', 'undo', json.import.id, '--yes', '--json');
    expect(JSON.parse(undone.stdout).undo.kept).to.deep.include({
      line: null,
      userId: (await find('ada')).id,
      email: 'ada@example.org',
      code: 'COURSE_FULL',
    });
    expect(await members()).to.deep.equal(['alan']);
  });

  it('is undone completely for any leavers, newcomers and stayers', async function () {
    this.timeout(scaled(120_000));
    const all = Array.from({ length: 8 }, (_, at) => `P${at},Person,p${at}@example.org,+44 30 ${at}` as const);
    const some = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 });
    const state = async () => {
      const { FormerMember, GroupEnrollment, GroupMember, User } = models();
      const active = await User.findAll({ where: { isActive: true }, order: ['email'], raw: true });
      const emails = new Map((await User.findAll({ raw: true })).map(({ id, email }) => [id, email]));
      const shown = (rows: { userId: string; addedAt: Date }[]) =>
        rows.map(({ userId, addedAt }) => `${emails.get(userId)} ${addedAt.toISOString()}`).sort();
      return {
        active: active.map(({ email }) => email),
        members: shown(await GroupMember.findAll()),
        former: shown(await FormerMember.findAll()),
        claims: await GroupEnrollment.count(),
        statuses: await statuses(),
      };
    };
    const property = fc.asyncProperty(some, some, some, async (first, second, third) => {
      await emptyDatabase(importing.context);
      trainer = await buildUser(importing.context, { role: 'trainer' });
      course = await buildCourse(importing.context, trainer, { title: 'First Aid' });
      const options = ['--course', 'First Aid', '--on-leave', 'deactivate', '--max-leaving', '100%'];
      await sync(write(...first), ...options);
      for (const file of [second, third]) {
        const before = await state();
        const planned = await sync(write(...file), '--dry-run');
        const { leaving } = planned.json.plan?.roster ?? planned.json.sync.roster;
        const approved = leaving.length === 0 ? [] : ['--allow-leaving', String(leaving.length)];
        const synced = await sync(write(...file), ...approved);
        expect(synced.exitCode, JSON.stringify(synced.json)).to.equal(0);
        // Nothing to do leaves no import.
        if (synced.json.import === undefined) continue;
        const undone = await importing.cli('imports', 'undo', synced.json.import.id, '--yes');
        expect(undone.exitCode, undone.stderr).to.equal(0);
        expect(await state()).to.deep.equal(before);
        await sync(write(...file), ...approved);
      }
    });
    await fc.assert(property, { numRuns: atDepth(2, 40), endOnFailure: true });
  });
});

describe('New people of a roster', () => {
  const importing = useImporting();
  const file = () => importing.write('people.csv', `${header}\n${people.ada}\n`);

  it('are refused without mail and without a file for their passwords', async () => {
    const { exitCode, stderr } = await importing.cli('users', 'sync', file(), '--roster', 'Year 9', '--yes');
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('1 new person would have no way to sign in.').and.include('--credentials');
    expect(await importing.models().Group.count()).to.equal(0);
  });
});

describe('New people of a roster, with mail', () => {
  const importing = useImporting(mailSettings);

  it('are invited, also if the roster remembers that there was no mail', async () => {
    const sync = (...rows: string[]) => {
      const file = importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
      return importing.cli('users', 'sync', file, '--roster', 'Year 9', '--yes');
    };
    await sync(people.ada);
    const group = await importing.models().Group.findOne({ rejectOnEmpty: true });
    await group.update({ syncJson: JSON.stringify({ options: { roster: 'Year 9', invite: false }, rejects: null }) });
    const { exitCode, stderr } = await sync(people.ada, people.alan);
    expect(exitCode, stderr).to.equal(0);
    expect(await importing.models().Mail.count({ where: { kind: 'invitation' } })).to.equal(2);
    expect(importing.files().filter((name) => name.includes('credentials'))).to.deep.equal([]);
  });
});
