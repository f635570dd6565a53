import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import type { Core } from '../core.js';

/**
 * Locks for rules between tables: a transaction that relies on a row and writes another row locks the first one by
 * incrementing its version. SELECT ... FOR UPDATE locks on one node of a cluster only; of two transactions that change the
 * same row on different nodes one fails and is repeated.
 *
 * A row that the transaction changes anyway needs no more than FOR UPDATE: the change itself conflicts on a cluster.
 */

/** Until the transaction ends, no other reserves places in these courses, adds files to them, changes or deletes them. */
export async function forceIncrementCourseVersions(
  core: Core,
  ids: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const { Course } = core.database.models;
  await Course.increment('lockVersion', { where: { id: [...ids] }, silent: true, transaction });
}

/** Until the transaction ends, no other changes or deletes these accounts. @returns the accounts that exist */
export async function forceIncrementUserVersions(
  core: Core,
  ids: readonly string[],
  transaction: Transaction,
): Promise<User[]> {
  const { User } = core.database.models;
  await User.increment('lockVersion', { where: { id: [...ids] }, silent: true, transaction });
  return User.findAll({ where: { id: [...ids] }, transaction });
}
