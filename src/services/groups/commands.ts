import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { confirmedById } from '../../db/connection.js';
import type { Group } from '../../db/models/group.js';
import { notFound } from '../../errors.js';
import { groupCreationSchema, groupUpdateSchema, type NewGroup } from '../../schemas/group.js';
import { searchKey } from '../../schemas/keys.js';
import { groupNameMaximum, sortKey } from '../../schemas/sort-key.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedGroup, changesBetween, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { comparableTitle } from '../courses/find-course.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { groupLimitError, groupLimits } from './limits.js';
import { addDetails } from './queries.js';

const groupKeys = (name: string) => ({
  nameKey: comparableTitle(name),
  sortKey: sortKey(name, groupNameMaximum),
  searchKey: searchKey(name),
});

export const groupAuditRecord = (
  action: AuditRecord<'group'>['action'],
  targetId: string,
  changes: Pick<AuditRecord, 'before' | 'after'>,
) => ({ action, targetType: 'group', targetId, ...changes }) as const;

/**
 * Locks the creation of groups, so that concurrent creations can't exceed the limit: locks the super admin's account,
 * which always exists.
 */
async function lockCreation(core: Core, transaction: Transaction): Promise<void> {
  const { User } = core.database.models;
  const admins = await User.findAll({ attributes: ['id'], where: { role: 'super_admin' }, transaction });
  await forceIncrementUserVersions(
    core,
    admins.map(({ id }) => id),
    transaction,
  );
}

/**
 * Inserts a group with valid fields, and records it.
 * @param importId import that creates the group
 * @throws AppError `GROUP_EXISTS`, `GROUP_LIMIT`
 */
export async function insertGroup(
  core: Core,
  actor: Actor,
  { name, note = null, importId }: NewGroup & { importId?: string },
  transaction: Transaction,
): Promise<Group> {
  const { Group } = core.database.models;
  await lockCreation(core, transaction);
  if ((await Group.count({ transaction })) >= groupLimits.groups) throw groupLimitError('groups');
  const group = Group.build({
    id: uuidv7(),
    name,
    note,
    ...groupKeys(name),
    syncJson: null,
    syncedAt: null,
    heldJson: null,
  });
  await group.save({ transaction });
  group.activeMembers = 0;
  group.roster = null;
  const after = { ...auditedGroup(group), ...(importId !== undefined && { importId }) };
  await recordAudit(core, actor, groupAuditRecord('group.create', group.id, { after }), transaction);
  return group;
}

/** Creates a group without members. @throws AppError `VALIDATION`, `GROUP_EXISTS`, `GROUP_LIMIT`, `TOKEN_INVALID` */
export async function createGroup(core: Core, actor: Actor, input: unknown): Promise<Group> {
  const fields = validate(groupCreationSchema, input);
  return core.database.inTransaction(
    (transaction) => insertGroup(core, actor, fields, transaction),
    confirmedById(core.database.models.Group),
  );
}

export async function lockGroup(core: Core, id: string, transaction: Transaction): Promise<Group> {
  const group = await core.database.models.Group.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!group) throw notFound('Group');
  return group;
}

/** Changes the given fields of a group. @throws AppError `VALIDATION`, `NOT_FOUND`, `GROUP_EXISTS`, `TOKEN_INVALID` */
export async function updateGroup(core: Core, actor: Actor, id: string, input: unknown): Promise<Group> {
  const fields = validate(groupUpdateSchema, input);
  const updated = await core.database.inTransaction(async (transaction) => {
    const group = await lockGroup(core, id, transaction);
    const before = auditedGroup(group);
    group.set({ ...fields, ...(fields.name !== undefined && groupKeys(fields.name)) });
    await group.save({ transaction });
    const changes = changesBetween(before, auditedGroup(group));
    if (Object.keys(changes.after).length > 0)
      await recordAudit(core, actor, groupAuditRecord('group.update', id, changes), transaction);
    return group;
  });
  await addDetails(core, updated);
  return updated;
}

const countMembers = (core: Core, groupId: string, transaction: Transaction): Promise<number> =>
  core.database.models.GroupMember.count({ where: { groupId }, transaction });

async function destroyGroup(core: Core, actor: Actor, group: Group, transaction: Transaction): Promise<void> {
  const members = await countMembers(core, group.id, transaction);
  await group.destroy({ transaction });
  const record = groupAuditRecord('group.delete', group.id, { before: { ...auditedGroup(group), members } });
  await recordAudit(core, actor, record, transaction);
}

/** Deletes a group. Its members stay. @throws AppError `NOT_FOUND`, `TOKEN_INVALID` */
export async function deleteGroup(core: Core, actor: Actor, id: string): Promise<Group> {
  return core.database.inTransaction(async (transaction) => {
    const group = await lockGroup(core, id, transaction);
    await destroyGroup(core, actor, group, transaction);
    return group;
  });
}

/** Deletes those of these groups that have no members. */
export async function deleteEmptyGroups(
  core: Core,
  actor: Actor,
  ids: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const { Group } = core.database.models;
  const groups = await Group.findAll({
    where: { id: [...ids] },
    order: ['id'],
    transaction,
    lock: transaction.LOCK.UPDATE,
  });
  for (const group of groups)
    if ((await countMembers(core, group.id, transaction)) === 0) await destroyGroup(core, actor, group, transaction);
}
