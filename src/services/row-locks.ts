import type { Transaction } from 'sequelize';
import type { User } from '../db/models/user.js';
import type { Core } from './core.js';

/**
 * Rows that keep still until a transaction ends, for rules between tables: whoever relies on a row and writes another
 * holds the first. Rows that are held are changed, not only locked, because a lock holds on one node of a cluster only,
 * while of two changes of a row one fails, and is done again.
 *
 * Where a row is changed anyway by what it was read for, a lock (FOR UPDATE) is enough: it saves the conflict on a
 * single server, and on a cluster the change itself conflicts.
 */

/** Nobody else takes a seat, adds a file, sets a limit or another trainer, or deletes one of these courses meanwhile. */
export async function holdCourses(core: Core, ids: readonly string[], transaction: Transaction): Promise<void> {
  const { Course } = core.database.models;
  await Course.increment('seatVersion', { where: { id: [...ids] }, silent: true, transaction });
}

/** Nobody else changes or deletes these accounts meanwhile. @returns those that there are */
export async function holdUsers(core: Core, ids: readonly string[], transaction: Transaction): Promise<User[]> {
  const { User } = core.database.models;
  await User.increment('holdVersion', { where: { id: [...ids] }, silent: true, transaction });
  return User.findAll({ where: { id: [...ids] }, transaction });
}
