import type { Transaction } from 'sequelize';
import { seatStatuses } from '../../capacity.js';
import type { Core } from '../../core.js';
import type { Decision } from './outcomes.js';

/** Why an account keeps its role. */
export type Bond = 'HAS_COURSES' | 'HAS_ENROLLMENTS';

/** Why, in a sentence, by the id of the account. */
export const bondReasons: Readonly<Record<Bond, (id: string) => string>> = {
  HAS_COURSES: (id) => `The trainer ${id} still has courses: assign them to another first.`,
  HAS_ENROLLMENTS: (id) => `The trainee ${id} still has enrollments: remove or complete them first.`,
};

/** The accounts with a role that decisions would take away. */
const leaving = (decisions: readonly Decision[], role: 'trainer' | 'trainee') =>
  decisions.flatMap((one) =>
    one.outcome === 'updated' && one.account.role === role && one.changes.role !== undefined ? [one.account.id] : [],
  );

/** Accounts that decisions would give another role, though their own still binds them, as it does elsewhere. */
export async function boundAccounts(
  core: Core,
  decisions: readonly Decision[],
  transaction?: Transaction,
): Promise<ReadonlyMap<string, Bond>> {
  const [trainers, trainees] = [leaving(decisions, 'trainer'), leaving(decisions, 'trainee')];
  const bound = new Map<string, Bond>();
  const { database } = core;
  const { Course, Enrollment } = database.models;
  const within = transaction ? { transaction } : {};
  if (trainers.length > 0) {
    const where = { trainerId: trainers };
    const courses = await database.read(() =>
      Course.findAll({ attributes: ['trainerId'], where, raw: true, ...within }),
    );
    for (const { trainerId } of courses) bound.set(trainerId, 'HAS_COURSES');
  }
  if (trainees.length > 0) {
    const where = { userId: trainees, status: [...seatStatuses] };
    const places = await database.read(() =>
      Enrollment.findAll({ attributes: ['userId'], where, raw: true, ...within }),
    );
    for (const { userId } of places) bound.set(userId, 'HAS_ENROLLMENTS');
  }
  return bound;
}
