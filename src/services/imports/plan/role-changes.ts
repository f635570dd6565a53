import type { Transaction } from 'sequelize';
import { seatStatuses } from '../../capacity.js';
import type { Core } from '../../core.js';
import type { Decision } from './outcomes.js';

/** What keeps an account from changing its role. */
export type RoleBlock = 'HAS_COURSES' | 'HAS_ENROLLMENTS';

/** The same in a sentence, by the name of the account. */
export const roleBlockReasons: Readonly<Record<RoleBlock, (name: string) => string>> = {
  HAS_COURSES: (name) => `The trainer ${name} still has courses: assign them to another first.`,
  HAS_ENROLLMENTS: (name) => `The trainee ${name} still has enrollments: remove or complete them first.`,
};

/** The accounts whose role decisions would change, by that role. Most batches change none. */
function losingRoles(decisions: readonly Decision[]): { trainers: string[]; trainees: string[] } {
  const found = { trainers: [] as string[], trainees: [] as string[] };
  for (const one of decisions) {
    if (one.outcome !== 'updated' || one.changes.role === undefined) continue;
    if (one.account.role === 'trainer') found.trainers.push(one.account.id);
    if (one.account.role === 'trainee') found.trainees.push(one.account.id);
  }
  return found;
}

/** The accounts whose role decisions would change, though their courses or enrollments forbid it. */
export async function blockedRoleChanges(
  core: Core,
  decisions: readonly Decision[],
  transaction?: Transaction,
): Promise<ReadonlyMap<string, RoleBlock>> {
  const { trainers, trainees } = losingRoles(decisions);
  const blocked = new Map<string, RoleBlock>();
  const { database } = core;
  const { Course, Enrollment } = database.models;
  const within = transaction ? { transaction } : {};
  if (trainers.length > 0) {
    const where = { trainerId: trainers };
    const courses = await database.read(() =>
      Course.findAll({ attributes: ['trainerId'], where, raw: true, ...within }),
    );
    for (const { trainerId } of courses) blocked.set(trainerId, 'HAS_COURSES');
  }
  if (trainees.length > 0) {
    const where = { userId: trainees, status: [...seatStatuses] };
    const enrollments = await database.read(() =>
      Enrollment.findAll({ attributes: ['userId'], where, raw: true, ...within }),
    );
    for (const { userId } of enrollments) blocked.set(userId, 'HAS_ENROLLMENTS');
  }
  return blocked;
}
