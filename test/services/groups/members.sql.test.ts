import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import { isAppError } from '../../../src/errors.js';
import { deleteUser } from '../../../src/services/accounts/delete-user.js';
import { transferSuperAdmin } from '../../../src/services/accounts/transfer.js';
import { operator } from '../../../src/services/core.js';
import { createGroup, deleteGroup, updateGroup } from '../../../src/services/groups/commands.js';
import { groupLimits } from '../../../src/services/groups/limits.js';
import { changeMembers, changeMemberships, type MembershipOutcome } from '../../../src/services/groups/members.js';
import { previewMembers } from '../../../src/services/groups/preview.js';
import { failureOf } from '../../db/support/failure.js';
import { buildGroup, buildTrainees, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('Groups and their members', () => {
  const harness = useHarness();
  const limits = { ...groupLimits };
  afterEach(() => Object.assign(groupLimits, limits));
  const models = () => harness.context.database.models;
  const inTransaction = <T>(work: (transaction: Transaction) => Promise<T>) =>
    harness.context.database.inTransaction(work);
  const members = async () => (await models().GroupMember.findAll()).map(({ userId }) => userId).sort();
  const add = (groupId: string, ...userIds: string[]) =>
    changeMembers(harness.context, operator, groupId, { add: userIds });
  const create = (name: string) => createGroup(harness.context, operator, { name });
  /** Returns the codes of the results of concurrent work: `done`, or the code of an error. */
  const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.map((result) =>
      result.status === 'fulfilled' ? 'done' : isAppError(result.reason) ? result.reason.code : String(result.reason),
    );

  it('accept one of several concurrent creations with the same name in other capitals and spaces', async () => {
    const names = ['Straße 9', 'STRASSE  9', 'straße 9', 'Strasse 9'];
    const results = codesOf(await Promise.allSettled(names.map(create)));
    expect(results.sort()).to.deep.equal(['GROUP_EXISTS', 'GROUP_EXISTS', 'GROUP_EXISTS', 'done']);
    const [{ id } = { id: '' }] = await models().Group.findAll();
    const other = await create('Other');
    expect(await failureOf(() => updateGroup(harness.context, operator, other.id, { name: 'strasse 9' }))).to.include({
      code: 'GROUP_EXISTS',
    });
    await updateGroup(harness.context, operator, id, { name: 'STRASSE 9' });
  });

  it('never exceed the number of groups, even with concurrent creations', async () => {
    await buildUser(harness.context, { role: 'super_admin' });
    groupLimits.groups = 3;
    const results = codesOf(await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map(create)));
    expect(results.sort()).to.deep.equal([...Array(3).fill('GROUP_LIMIT'), ...Array(3).fill('done')]);
    expect(await models().Group.count()).to.equal(3);
  });

  it('never exceed the number of members of a group, even with concurrent additions', async () => {
    groupLimits.members = 3;
    const { id } = await buildGroup(harness.context);
    const people = await buildTrainees(harness.context, 6);
    const outcomes = (await Promise.all(people.map((userId) => add(id, userId)))).flat();
    expect(outcomes.map(({ outcome, refusal }) => refusal?.code ?? outcome).sort()).to.deep.equal([
      ...Array(3).fill('GROUP_LIMIT'),
      ...Array(3).fill('done'),
    ]);
    expect(await members()).to.have.lengthOf(3);
  });

  it('never exceed the number of groups of a person, even with concurrent additions', async () => {
    groupLimits.ofPerson = 2;
    const [userId = ''] = await buildTrainees(harness.context, 1);
    const groups = await Promise.all([1, 2, 3, 4].map(() => buildGroup(harness.context)));
    const outcomes = (await Promise.all(groups.map(({ id }) => add(id, userId)))).flat();
    expect(outcomes.map(({ outcome, refusal }) => refusal?.code ?? outcome).sort()).to.deep.equal([
      ...Array(2).fill('GROUP_LIMIT'),
      ...Array(2).fill('done'),
    ]);
  });

  it('are previewed with the limits of the group and of each person', async () => {
    Object.assign(groupLimits, { members: 2, ofPerson: 1 });
    const [first = '', busy = '', last = '', late = ''] = await buildTrainees(harness.context, 4);
    await buildGroup(harness.context, [busy]);
    const { id } = await buildGroup(harness.context, [first]);
    const codesOf = (outcomes: readonly Pick<MembershipOutcome, 'outcome' | 'refusal'>[]) =>
      outcomes.map(({ outcome, refusal }) => refusal?.code ?? outcome);
    const previewed = codesOf(await previewMembers(harness.context, id, 'add', [first, busy, last, late]));
    expect(previewed).to.deep.equal(['unchanged', 'GROUP_LIMIT', 'done', 'GROUP_LIMIT']);
    expect(codesOf(await add(id, first, busy, last, late))).to.deep.equal(previewed);
  });

  it('make room by removals for additions of the same change', async () => {
    groupLimits.members = 1;
    const [one = '', two = ''] = await buildTrainees(harness.context, 2);
    const { id } = await buildGroup(harness.context, [one]);
    const outcomes = await changeMembers(harness.context, operator, id, { add: [two], remove: [one] });
    expect(outcomes.map(({ change, outcome }) => [change, outcome])).to.deep.equal([
      ['remove', 'done'],
      ['add', 'done'],
    ]);
    expect(await members()).to.deep.equal([two]);
  });

  it('change in several groups at once, with an outcome for each membership', async () => {
    const admin = await buildUser(harness.context, { role: 'super_admin' });
    const [one = '', two = ''] = await buildTrainees(harness.context, 2);
    const [first, second] = [await buildGroup(harness.context, [one]), await buildGroup(harness.context, [two])];
    const changes = [
      { groupId: first.id, userId: one, change: 'add' },
      { groupId: first.id, userId: two, change: 'add' },
      { groupId: second.id, userId: one, change: 'remove' },
      { groupId: second.id, userId: two, change: 'remove' },
      { groupId: second.id, userId: admin.id, change: 'add' },
      { groupId: second.id, userId: 'nobody', change: 'add' },
      { groupId: 'none', userId: one, change: 'add' },
    ] as const;
    const outcomes = await inTransaction((transaction) =>
      changeMemberships(harness.context, changes, 'file', transaction),
    );
    expect(outcomes.map(({ outcome, refusal }) => refusal?.message ?? outcome)).to.deep.equal([
      'unchanged',
      'done',
      'unchanged',
      'done',
      "The super admin can't be a member of a group.",
      'User not found.',
      'Group not found.',
    ]);
    const rows = await models().GroupMember.findAll({ where: { groupId: first.id } });
    expect(rows.map(({ userId, source }) => [userId, source])).to.have.deep.members([
      [one, 'hand'],
      [two, 'file'],
    ]);
    expect(await models().GroupMember.count()).to.equal(2);
  });

  it('lose deleted people, and people who become the super admin; a deleted group loses its members only', async () => {
    const admin = await buildUser(harness.context, { role: 'super_admin' });
    const [one = '', two = '', three = ''] = await buildTrainees(harness.context, 3);
    const { id } = await buildGroup(harness.context, [one, two, three]);
    await deleteUser(harness.context, operator, one);
    await transferSuperAdmin(harness.context, operator, { from: admin.id, to: two });
    expect(await members()).to.deep.equal([three]);
    await deleteGroup(harness.context, operator, id);
    expect(await members()).to.deep.equal([]);
    expect(await models().User.count()).to.equal(3);
  });

  it('get no member while a transfer makes the person the super admin', async () => {
    const admin = await buildUser(harness.context, { role: 'super_admin' });
    const [userId = ''] = await buildTrainees(harness.context, 1);
    const { id } = await buildGroup(harness.context);
    await Promise.all([transferSuperAdmin(harness.context, operator, { from: admin.id, to: userId }), add(id, userId)]);
    expect(await members()).to.deep.equal([]);
  });
});
