import type { Transaction } from 'sequelize';
import { countReservedSeats } from '../../capacity.js';
import type { Core } from '../../core.js';
import { forceIncrementCourseVersions, forceIncrementUserVersions } from '../../row-locks.js';
import type { CourseReference, Decision } from '../plan/outcomes.js';
import { boundAccounts } from '../plan/role-changes.js';

/** What was decided no longer holds: somebody else was faster. Deciding again will tell. */
export class StaleDecision extends Error {
  override readonly name = 'StaleDecision';
}

/**
 * Makes sure that courses are as they were known, and their seats still free, and keeps them so until the transaction ends.
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
    if (maxStudents !== null && (taken.get(id) ?? 0) + (count ?? 0) > maxStudents) throw new StaleDecision();
  }
}

/**
 * Those who lose a role aren't bound by it, meanwhile either: whoever binds them now waits for the locked account.
 * @throws StaleDecision
 */
export async function assertUnbound(
  core: Core,
  decisions: readonly Decision[],
  transaction: Transaction,
): Promise<void> {
  if ((await boundAccounts(core, decisions, transaction)).size > 0) throw new StaleDecision();
}

/**
 * Those who had an account and get a place must be active trainees by now, and stay so until the transaction ends.
 * @throws StaleDecision
 */
export async function assertTrainees(
  core: Core,
  decisions: readonly Decision[],
  transaction: Transaction,
): Promise<void> {
  const ids = decisions.flatMap((one) => ('account' in one && one.enrollments.length > 0 ? [one.account.id] : []));
  if (ids.length === 0) return;
  const people = await forceIncrementUserVersions(core, ids, transaction);
  if (people.length < ids.length || people.some(({ role, isActive }) => role !== 'trainee' || !isActive))
    throw new StaleDecision();
}
