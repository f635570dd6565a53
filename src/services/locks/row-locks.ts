import type { Transaction } from 'sequelize';
import type { Group } from '../../db/models/group.js';
import type { User } from '../../db/models/user.js';
import type { Core } from '../core.js';

/**
 * Locks for rules between tables. A transaction that relies on a row and writes another row locks the first row by incrementing its
 * version. SELECT ... FOR UPDATE locks only on one node of a cluster. If two transactions change the same row on different nodes,
 * one of them fails and is repeated.
 *
 * A row that the transaction changes anyway needs only FOR UPDATE: the change itself conflicts on a cluster.
 */

/**
 * Locks courses. Until the transaction ends, no other transaction can reserve places in these courses, add files to
 * them, change or delete them.
 */
export async function forceIncrementCourseVersions(
  core: Core,
  ids: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const { Course } = core.database.models;
  await Course.increment('lockVersion', { where: { id: [...ids] }, silent: true, transaction });
}

/**
 * Locks accounts. Until the transaction ends, no other transaction can change or delete these accounts.
 * @returns the existing accounts
 */
export async function forceIncrementUserVersions(
  core: Core,
  ids: readonly string[],
  transaction: Transaction,
): Promise<User[]> {
  const { User } = core.database.models;
  await User.increment('lockVersion', { where: { id: [...ids] }, silent: true, transaction });
  return User.findAll({ where: { id: [...ids] }, transaction });
}

/** Locks groups. Until the transaction ends, no other transaction can change their members or delete them. @returns the existing groups */
export async function forceIncrementGroupVersions(
  core: Core,
  ids: readonly string[],
  transaction: Transaction,
): Promise<Group[]> {
  const { Group } = core.database.models;
  await Group.increment('lockVersion', { where: { id: [...ids] }, silent: true, transaction });
  return Group.findAll({ where: { id: [...ids] }, transaction });
}
