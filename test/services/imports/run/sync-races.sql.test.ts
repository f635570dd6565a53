import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

const personAt = (at: number) => `Given${at},Family,p${at}@example.org,+44 20 ${at}`;

describe('Syncs at the same time', () => {
  const importing = useImporting({ IMPORT_BATCH_ROWS: '20', BCRYPT_COST: '4' });

  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'Knots' });
  });

  /** Runs a sync of the people with these numbers. */
  async function sync(name: string, numbers: readonly number[], ...options: string[]) {
    const rows = ['firstName,lastName,email,phone', ...numbers.map(personAt)];
    const file = importing.write(`${name}.csv`, `${rows.join('\n')}\n`);
    const result = await importing.cli(
      ...['users', 'sync', file, '--roster', 'Class', '--yes', '--json', '--max-leaving', '100%'],
      ...['--credentials', `${name}.credentials.csv`, '--course', 'Knots', ...options],
    );
    return { exitCode: result.exitCode, code: JSON.parse(result.stdout).error?.code as string | undefined };
  }

  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

  it('of a new group create a single group, whose members are in one of the files', async () => {
    const results = await Promise.all([0, 1, 2].map((at) => sync(`f${at}`, range(20 * at, 20 * at + 40))));
    expect(results.filter(({ exitCode }) => exitCode === 0).length).to.be.greaterThan(0);
    // A sync is held if members of another one, which came after its plan, would leave, too.
    for (const { exitCode, code } of results)
      expect(`${exitCode} ${code}`).to.be.oneOf(['0 undefined', '1 IMPORT_BUSY', '4 SYNC_HELD']);
    const { Group, GroupMember, Enrollment, GroupEnrollment } = importing.models();
    expect(await Group.count()).to.equal(1);
    const members = await GroupMember.count();
    // A sync that is planned after another one takes out the members without a row.
    expect(await Enrollment.count({ where: { status: 'active' } })).to.equal(members);
    expect(await GroupEnrollment.count()).to.equal(members);
  });

  it('and changes by hand leave each person with one membership and one enrollment', async () => {
    await sync('first', range(0, 60));
    const remove = ['groups', 'remove', 'Class', ...range(30, 40).map((at) => `p${at}@example.org`), '--yes'];
    const [synced] = await Promise.all([
      sync('second', range(15, 75)),
      importing.cli(...remove),
      importing.cli('users', 'deactivate', ...range(0, 5).map((at) => `p${at}@example.org`), '--yes'),
    ]);
    expect(synced.exitCode).to.be.oneOf([0, 3]);
    const { FormerMember, GroupEnrollment, GroupMember, Enrollment } = importing.models();
    const members = new Set((await GroupMember.findAll()).map(({ userId }) => userId));
    const former = (await FormerMember.findAll()).map(({ userId }) => userId);
    expect(former.filter((id) => members.has(id))).to.deep.equal([]);
    expect(former).to.have.length(15);
    const made = new Set((await GroupEnrollment.findAll()).map(({ enrollmentId }) => enrollmentId));
    for (const { id, userId, status } of await Enrollment.findAll()) {
      expect(status, userId).to.equal(former.includes(userId) ? 'cancelled' : 'active');
      // The roster forgets enrollments of people who were removed by hand, also if the file adds them again.
      if (made.has(id)) expect(members.has(userId), userId).to.equal(true);
    }
  });
});
