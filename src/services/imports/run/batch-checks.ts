import type { Transaction } from 'sequelize';
import { countReservedSeats } from '../../capacity.js';
import type { Core } from '../../core.js';
import { forceIncrementCourseVersions, forceIncrementUserVersions } from '../../row-locks.js';
import type { CourseReference, Decision } from '../plan/outcomes.js';
import { blockedRoleChanges } from '../plan/role-changes.js';

/** Others have changed what a decision relied on: the batch must be decided again. */
export class StaleDecision extends Error {
  override readonly name = 'StaleDecision';
}

/**
 * Locks the courses, makes sure that they are as the decisions assumed, and reserves seats.
 * @throws StaleDecision
 */
export async function assertCourses(
  core: Core,
  decisions: readonly Decision[],
  transaction: Transaction,
): Promise<void> {
  const wanted = new Map<string, { course: CourseReference; count: number }>();
  for (const decision of decisions) {
    if (decision.outcome === 'rejected') continue;
    for (const { course } of decision.enrollments)
      wanted.set(course.id, { course, count: (wanted.get(course.id)?.count ?? 0) + 1 });
  }
  if (wanted.size === 0) return;
  await forceIncrementCourseVersions(core, [...wanted.keys()], transaction);
  const limited = [...wanted.values()].filter(({ course }) => course.maxStudents !== null);
  const limitedIds = limited.map(({ course }) => course.id);
  const taken =
    limited.length > 0 ? await countReservedSeats(core, limitedIds, transaction) : new Map<string, number>();
  const courses = await core.database.models.Course.findAll({
    attributes: ['id', 'trainerId', 'maxStudents'],
    where: { id: [...wanted.keys()] },
    transaction,
  });
  if (courses.length < wanted.size) throw new StaleDecision();
  for (const { id, trainerId, maxStudents } of courses) {
    const { course, count } = wanted.get(id) ?? {};
    if (trainerId !== course?.trainerId || (maxStudents === null) !== (course.maxStudents === null))
      throw new StaleDecision();
    const seats = (taken.get(id) ?? 0) + (count ?? 0);
    if (maxStudents !== null && seats > maxStudents) throw new StaleDecision();
  }
}

/**
 * Makes sure that no course or enrollment forbids the role changes. New ones wait for the locked accounts.
 * @throws StaleDecision
 */
export async function assertRoleChangesAllowed(
  core: Core,
  decisions: readonly Decision[],
  transaction: Transaction,
): Promise<void> {
  if ((await blockedRoleChanges(core, decisions, transaction)).size > 0) throw new StaleDecision();
}

/**
 * Locks existing accounts that are enrolled, and makes sure that they are active trainees.
 * @throws StaleDecision
 */
export async function assertTrainees(core: Core, ids: readonly string[], transaction: Transaction): Promise<void> {
  if (ids.length === 0) return;
  const people = await forceIncrementUserVersions(core, ids, transaction);
  if (people.length < ids.length || people.some(({ role, isActive }) => role !== 'trainee' || !isActive))
    throw new StaleDecision();
}
