import type { Transaction } from 'sequelize';
import { openStatuses } from '../../../schemas/enrollment-statuses.js';
import type { Role } from '../../../schemas/fields.js';
import type { Core } from '../../core.js';
import type { Decision } from './outcomes.js';

export type RoleBlock = 'HAS_COURSES' | 'HAS_ENROLLMENTS';

export const roleBlockReasons: Readonly<Record<RoleBlock, (name: string) => string>> = {
  HAS_COURSES: (name) => `The trainer ${name} still has courses: assign them to another first.`,
  HAS_ENROLLMENTS: (name) => `The trainee ${name} still has enrollments: remove or complete them first.`,
};

/** Returns the accounts whose role the decisions would change although courses or enrollments forbid it. */
export async function blockedRoleChanges(
  { database }: Core,
  decisions: readonly Decision[],
  transaction?: Transaction,
): Promise<ReadonlyMap<string, RoleBlock>> {
  const accountsLosingRole = (role: Role) =>
    decisions.flatMap((one) =>
      one.outcome === 'updated' && one.changes.role !== undefined && one.account.role === role ? [one.account.id] : [],
    );
  const [trainers, trainees] = [accountsLosingRole('trainer'), accountsLosingRole('trainee')];
  const blocked = new Map<string, RoleBlock>();
  const { Course, Enrollment } = database.models;
  const query = { raw: true, ...(transaction && { transaction }) };
  // Most batches change no role.
  if (trainers.length > 0) {
    const courses = await database.read(() =>
      Course.findAll({ attributes: ['trainerId'], where: { trainerId: trainers }, ...query }),
    );
    for (const { trainerId } of courses) blocked.set(trainerId, 'HAS_COURSES');
  }
  if (trainees.length > 0) {
    const where = { userId: trainees, status: openStatuses };
    const enrollments = await database.read(() => Enrollment.findAll({ attributes: ['userId'], where, ...query }));
    for (const { userId } of enrollments) blocked.set(userId, 'HAS_ENROLLMENTS');
  }
  return blocked;
}
