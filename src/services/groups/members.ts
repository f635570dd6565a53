import { Op, type Transaction } from 'sequelize';
import type { FormerMember, GroupMember } from '../../db/models/group.js';
import type { User } from '../../db/models/user.js';
import { hasAccountState, isMemberByIndex } from '../../db/sql/conditions.js';
import { insertRows } from '../../db/sql/insert.js';
import { type AppError, notFound, validationError } from '../../errors.js';
import { type MemberSource, memberChangeSchema } from '../../schemas/group.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { forceIncrementGroupVersions, forceIncrementUserVersions } from '../locks/row-locks.js';
import { groupAuditRecord } from './commands.js';
import { membershipRefusal, superAdminRefusal } from './limits.js';

/** Membership to add or to remove. */
export interface MembershipChange {
  groupId: string;
  userId: string;
  /** `leave`: the membership is removed, and remembered for the return of the person. */
  change: 'add' | 'remove' | 'leave';
  /** Whether a sync of the group has created the account. */
  createdAccount?: boolean;
  /** With `leave`: whether the roster deactivates the account. */
  deactivated?: boolean;
  /** With `leave`: time of leaving; now by default. */
  leftAt?: Date;
}

export interface MembershipOutcome extends MembershipChange {
  /** The account; undefined if it doesn't exist. */
  user: User | undefined;
  outcome: 'done' | 'unchanged' | 'refused';
  /** `NOT_FOUND` for the group or the account, `SUPER_ADMIN_PROTECTED` or `GROUP_LIMIT`; set if the outcome is `refused`. */
  refusal?: AppError;
  /** The remembered membership of a person who returns. */
  former?: FormerMember;
}

/** Returns groups or accounts with their numbers of memberships. */
export async function countMemberships(
  core: Core,
  key: 'groupId' | 'userId',
  ids: readonly string[],
  transaction: Transaction | null,
): Promise<Map<string, number>> {
  const where = { [key]: [...ids] };
  const counts = await core.database.models.GroupMember.count({ where, group: [key], transaction });
  return new Map(counts.map((row) => [String(row[key]), row.count]));
}

const distinct = (ids: readonly string[]) => [...new Set(ids)].sort();

const keyOf = ({ groupId, userId }: { groupId: string; userId: string }) => `${groupId} ${userId}`;

/** Remembers the members who leave. */
async function rememberLeaving(
  core: Core,
  removed: readonly MembershipChange[],
  members: readonly GroupMember[],
  transaction: Transaction,
): Promise<void> {
  const byKey = new Map(members.map((member) => [keyOf(member), member]));
  const rows = removed.flatMap((one) => {
    const member = one.change === 'leave' ? byKey.get(keyOf(one)) : undefined;
    if (!member) return [];
    const { groupId, userId, addedAt, createdAccount } = member;
    const { deactivated = false, leftAt = core.now() } = one;
    return [{ groupId, userId, addedAt, createdAccount, deactivated, leftAt }];
  });
  await insertRows(core.database.models.FormerMember, rows, transaction);
}

/** Deletes what is remembered of people who return. @returns what was remembered, by group and account */
async function takeFormerMembers(
  { database }: Core,
  added: readonly MembershipChange[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, FormerMember>> {
  if (added.length === 0) return new Map();
  const { FormerMember } = database.models;
  const groupId = distinct(added.map((one) => one.groupId));
  const where = { groupId, userId: distinct(added.map((one) => one.userId)) };
  const isAdded = new Set(added.map(keyOf));
  const former = (await FormerMember.findAll({ where, transaction })).filter((one) => isAdded.has(keyOf(one)));
  for (const id of groupId) {
    const userId = former.filter((one) => one.groupId === id).map((one) => one.userId);
    if (userId.length > 0) await FormerMember.destroy({ where: { groupId: id, userId }, transaction });
  }
  return new Map(former.map((one) => [keyOf(one), one]));
}

/** Forgets which enrollments of these people a roster has made: without the membership, it never ends them. */
async function forgetEnrollments(
  { database }: Core,
  groupId: string,
  userId: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const { Enrollment, GroupEnrollment } = database.models;
  const made = await GroupEnrollment.findAll({
    where: { groupId },
    include: { model: Enrollment, as: 'enrollment', attributes: [], required: true, where: { userId: [...userId] } },
    transaction,
  });
  const enrollmentId = made.map((one) => one.enrollmentId);
  if (enrollmentId.length > 0) await GroupEnrollment.destroy({ where: { groupId, enrollmentId }, transaction });
}

/**
 * Adds and removes memberships. All writers use this function: requests, imports and their undo. Locks the accounts,
 * then the groups, in the order of their ids: concurrent changes can't exceed a limit. A refused change doesn't affect
 * the others. Writes no audit entry.
 * @param changes each membership at most once, up to 1,000; removals come before additions, which they make room for
 * @returns the outcomes in the order of the changes
 */
export async function changeMemberships(
  core: Core,
  changes: readonly MembershipChange[],
  source: MemberSource,
  transaction: Transaction,
): Promise<MembershipOutcome[]> {
  const { GroupMember } = core.database.models;
  const [userIds, groupIds] = [distinct(changes.map((one) => one.userId)), distinct(changes.map((one) => one.groupId))];
  const users = new Map((await forceIncrementUserVersions(core, userIds, transaction)).map((user) => [user.id, user]));
  const groups = await forceIncrementGroupVersions(core, groupIds, transaction);
  const isGroup = new Set(groups.map(({ id }) => id));
  const members = await GroupMember.findAll({ where: { groupId: groupIds, userId: userIds }, transaction });
  const isMember = new Set(members.map(keyOf));
  const groupsOf = await countMemberships(core, 'userId', userIds, transaction);
  const membersOf = await countMemberships(core, 'groupId', groupIds, transaction);

  const refusalOf = ({ groupId, userId, change }: MembershipChange): AppError | undefined => {
    const user = users.get(userId);
    if (!isGroup.has(groupId)) return notFound('Group');
    if (!user) return notFound('User');
    if (change !== 'add') return undefined;
    if (user.role === 'super_admin') return superAdminRefusal();
    return membershipRefusal(groupsOf.get(userId) ?? 0, membersOf.get(groupId) ?? 0);
  };
  const decide = (one: MembershipChange): MembershipOutcome => {
    const decided = { ...one, user: users.get(one.userId) };
    if (isMember.has(keyOf(one)) === (one.change === 'add')) return { ...decided, outcome: 'unchanged' };
    const refusal = refusalOf(one);
    if (refusal) return { ...decided, outcome: 'refused', refusal };
    const difference = one.change === 'add' ? 1 : -1;
    groupsOf.set(one.userId, (groupsOf.get(one.userId) ?? 0) + difference);
    membersOf.set(one.groupId, (membersOf.get(one.groupId) ?? 0) + difference);
    return { ...decided, outcome: 'done' };
  };
  const outcomes = changes.map(decide);

  const done = outcomes.filter(({ outcome }) => outcome === 'done');
  const removed = done.filter(({ change }) => change !== 'add');
  await rememberLeaving(core, removed, members, transaction);
  for (const groupId of groupIds) {
    const userId = removed.filter((one) => one.groupId === groupId).map((one) => one.userId);
    if (userId.length === 0) continue;
    await GroupMember.destroy({ where: { groupId, userId }, transaction });
    await forgetEnrollments(core, groupId, userId, transaction);
  }
  const added = done.filter(({ change }) => change === 'add');
  const former = await takeFormerMembers(core, added, transaction);
  const now = core.now();
  const rows = added.map((one) => {
    const { groupId, userId } = one;
    const before = former.get(keyOf(one));
    const createdAccount = before?.createdAccount ?? one.createdAccount ?? false;
    return { groupId, userId, source, addedAt: before?.addedAt ?? now, createdAccount };
  });
  await insertRows(GroupMember, rows, transaction);
  for (const one of added) {
    const before = former.get(keyOf(one));
    if (before) one.former = before;
  }
  return outcomes;
}

/**
 * Returns the ids of the active trainees in a group, oldest account first.
 * @throws AppError `NOT_FOUND` for the group, `VALIDATION` for more than `most`
 */
export async function activeTraineesOf({ database }: Core, id: string, most: number): Promise<string[]> {
  const { models, sequelize, read } = database;
  if (!(await read(() => models.Group.findByPk(id, { attributes: ['id'] })))) throw notFound('Group');
  const state = { role: 'trainee', isActive: true, requiresPasswordChange: undefined } as const;
  const where = { [Op.and]: [isMemberByIndex(sequelize, '`User`.`id`', id), hasAccountState(state)] };
  const found = await read(() => models.User.findAll({ attributes: ['id'], where, order: ['id'], limit: most + 1 }));
  if (found.length <= most) return found.map((user) => user.id);
  const message = `groupId: the group has more than ${most} active trainees. Enroll them by their ids, part by part.`;
  throw validationError([{ path: 'groupId', code: 'TOO_MANY', params: { max: most }, message }]);
}

/** Maximum number of people in an audit entry, whose names a page of the log shows. */
const peoplePerEntry = 100;

/**
 * Adds people to a group and removes others, together up to 1,000.
 * @returns the outcomes: removals, then additions
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the group, `TOKEN_INVALID`
 */
export async function changeMembers(
  core: Core,
  actor: Actor,
  groupId: string,
  input: unknown,
): Promise<MembershipOutcome[]> {
  const { add = [], remove = [] } = validate(memberChangeSchema, input);
  const changes = [
    ...remove.map((userId) => ({ groupId, userId, change: 'remove' as const })),
    ...add.map((userId) => ({ groupId, userId, change: 'add' as const })),
  ];
  return core.database.inTransaction(async (transaction) => {
    const outcomes = await changeMemberships(core, changes, 'hand', transaction);
    if (outcomes.every(({ refusal }) => refusal?.subject === 'Group')) throw notFound('Group');
    const done = outcomes.filter(({ outcome }) => outcome === 'done');
    const records = [];
    for (let at = 0; at < done.length; at += peoplePerEntry) {
      const some = done.slice(at, at + peoplePerEntry);
      const idsOf = (wanted: MembershipChange['change']) =>
        some.flatMap(({ change, userId }) => (change === wanted ? [userId] : []));
      const [addedMembers, removedMembers] = [idsOf('add'), idsOf('remove')];
      const after = {
        ...(addedMembers.length > 0 && { addedMembers }),
        ...(removedMembers.length > 0 && { removedMembers }),
      };
      records.push(groupAuditRecord('group.members', groupId, { after }));
    }
    await recordAudit(core, actor, records, transaction);
    return outcomes;
  });
}
