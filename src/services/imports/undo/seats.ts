import type { Transaction } from 'sequelize';
import { rulesOf } from '../../../schemas/enrollment-statuses.js';
import type { Core } from '../../core.js';
import { readOccupancy } from '../../courses/capacity.js';
import { forceIncrementCourseVersions } from '../../locks/row-locks.js';
import type { Verdict } from './verdicts.js';

/** Returns the courses in which a member who left a roster gets a seat back. */
function seatsOf({ outcome, row, note, enrollments }: Verdict): string[] {
  if (outcome !== 'restored' || row.outcome !== 'left') return [];
  const before = new Map((note.revived ?? []).map(({ id, status }) => [id, status]));
  return enrollments.flatMap(({ id, courseId }) => {
    const status = before.get(id);
    return status !== undefined && rulesOf(status).takesSeat ? [courseId] : [];
  });
}

/**
 * Changes verdicts from `restored` to `kept` for members who left a roster, and whose seats others have.
 * @param freed seats that earlier steps of a preview would free, by course
 */
export async function keepTakenSeats(
  core: Core,
  verdicts: readonly Verdict[],
  freed: ReadonlyMap<string, number>,
  transaction?: Transaction,
): Promise<Verdict[]> {
  const courseIds = [...new Set(verdicts.flatMap(seatsOf))].sort();
  if (courseIds.length === 0) return [...verdicts];
  if (transaction) await forceIncrementCourseVersions(core, courseIds, transaction);
  const occupancy = await readOccupancy(core, courseIds, transaction);
  const courses = await core.database.models.Course.findAll({
    attributes: ['id', 'maxStudents'],
    where: { id: courseIds },
    ...(transaction && { transaction }),
  });
  const free = new Map(
    courses.map(({ id, maxStudents }) => [
      id,
      (maxStudents ?? Number.POSITIVE_INFINITY) - occupancy(id).taken + (freed.get(id) ?? 0),
    ]),
  );
  return verdicts.map((verdict) => {
    const wanted = seatsOf(verdict);
    if (wanted.some((id) => (free.get(id) ?? 0) < 1)) return { ...verdict, outcome: 'kept', code: 'COURSE_FULL' };
    for (const id of wanted) free.set(id, (free.get(id) ?? 0) - 1);
    return verdict;
  });
}

/** Adds the seats that the undo of these rows frees. */
export function countFreedSeats(verdicts: readonly Verdict[], freed: Map<string, number>): void {
  for (const { outcome, row, enrollments } of verdicts)
    for (const { courseId, status } of outcome === 'kept' || row.outcome === 'left' ? [] : enrollments)
      if (rulesOf(status).takesSeat) freed.set(courseId, (freed.get(courseId) ?? 0) + 1);
}
