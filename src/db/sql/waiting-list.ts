import type { Transaction } from 'sequelize';
import type { Database } from '../connection.js';
import { isSqlite } from '../dialect.js';
import type { Enrollment } from '../models/enrollment.js';
import { runSelect } from './select.js';

/** SQL: those who wait in a course and can get a seat, as `w`: the role can't change while somebody waits. */
export const waitingRowsSql = (course: string) =>
  `FROM enrollments w JOIN users a ON a.id = w.user_id AND a.is_active = 1 WHERE w.course_id = ${course} AND w.status = 'waiting'`;

const placeholders = (values: readonly unknown[]) => values.map(() => '?').join(', ');

/** An enrollment on a waiting list. */
type WaitingEnrollment = Pick<Enrollment, 'id' | 'courseId' | 'waitingNumber'>;

/** Part of a waiting list: from one shown enrollment to the next, in the order of the list. */
interface Range {
  id: string;
  courseId: string;
  from: number;
  to: number;
}

/** Counts of a statement: SQLite takes 500 at most. */
const countsPerStatement = 100;

/** Returns the ranges between enrollments, and from the beginnings of their lists, in the order of the lists. */
function rangesOf(waiting: readonly WaitingEnrollment[]): Range[] {
  const ends = new Map<string, number>();
  return waiting
    .map(({ id, courseId, waitingNumber }) => ({ id, courseId, to: waitingNumber ?? 0 }))
    .sort((one, other) => one.to - other.to)
    .map((one) => {
      const from = ends.get(one.courseId) ?? 0;
      ends.set(one.courseId, one.to);
      return { ...one, from };
    });
}

/** Counts the active people in ranges. The number alone tells who waits; with the status, SQLite would read the whole list. */
export function countStatement(ranges: readonly Range[]): { sql: string; values: string[] } {
  const counted = `SELECT ? AS id, COUNT(*) AS before_it FROM enrollments w JOIN users a ON a.id = w.user_id AND a.is_active = 1
    WHERE w.course_id = ? AND w.waiting_number >= ? AND w.waiting_number < ?`;
  const values = ranges.flatMap(({ id, courseId, from, to }) => [id, courseId, String(from), String(to)]);
  return { sql: ranges.map(() => counted).join(' UNION ALL '), values };
}

/**
 * Returns the places on waiting lists by the ids of enrollments: the number of active people before each, and one. Of each list, it
 * reads nothing behind the last of these enrollments, and nothing twice.
 */
export async function readWaitingPlaces(
  { sequelize }: Database,
  waiting: readonly WaitingEnrollment[],
): Promise<ReadonlyMap<string, number>> {
  const ranges = rangesOf(waiting);
  const counts = new Map<string, number>();
  for (let at = 0; at < ranges.length; at += countsPerStatement) {
    const { sql, values } = countStatement(ranges.slice(at, at + countsPerStatement));
    for (const [id, count] of await runSelect(sequelize, sql, { values })) counts.set(String(id), Number(count));
  }
  const before = new Map<string, number>();
  return new Map(
    ranges.map(({ id, courseId }) => {
      const sum = (before.get(courseId) ?? 0) + (counts.get(id) ?? 0);
      before.set(courseId, sum);
      return [id, sum + 1];
    }),
  );
}

/**
 * Counts the waiting lists of courses, by course: all people, and the eligible ones. Courses without a list are left out.
 * @param wanted `day`: a course that has ended by then gives its seats to nobody on the list
 */
export async function countWaitingLists(
  { sequelize }: Database,
  { courseIds, day }: { courseIds: readonly string[]; day: string },
  transaction?: Transaction,
): Promise<ReadonlyMap<string, { waiting: number; eligible: number }>> {
  const isEligible = 'a.is_active = 1 AND (c.end_date IS NULL OR c.end_date >= ?)';
  const sql = `SELECT w.course_id, COUNT(*), SUM(CASE WHEN ${isEligible} THEN 1 ELSE 0 END) FROM enrollments w
    JOIN users a ON a.id = w.user_id JOIN courses c ON c.id = w.course_id
    WHERE w.status = 'waiting' AND w.course_id IN (${placeholders(courseIds)}) GROUP BY w.course_id`;
  const rows = await runSelect(sequelize, sql, { values: [day, ...courseIds], ...(transaction && { transaction }) });
  return new Map(
    rows.map(([id, waiting, eligible]) => [String(id), { waiting: Number(waiting), eligible: Number(eligible) }]),
  );
}

/**
 * The courses that have a free seat for somebody who waits.
 * @param wanted `day`: courses that have ended by then give none; `among`: these courses; all by default
 */
export async function findCoursesToPromoteIn(
  { sequelize, read }: Database,
  {
    day,
    seatStatuses,
    among,
  }: { day: string; seatStatuses: readonly Enrollment['status'][]; among?: readonly string[] },
): Promise<string[]> {
  const seats = `SELECT COUNT(*) FROM enrollments s WHERE s.course_id = c.id AND s.status IN (${placeholders(seatStatuses)})`;
  const sql = `SELECT c.id FROM courses c WHERE c.waiting_counter > 0 AND c.is_published = 1
    AND (c.end_date IS NULL OR c.end_date >= ?) ${among ? `AND c.id IN (${placeholders(among)})` : ''}
    AND EXISTS (SELECT 1 ${waitingRowsSql('c.id')}) AND (c.max_students IS NULL OR c.max_students > (${seats}))`;
  const values = [day, ...(among ?? []), ...seatStatuses];
  return (await read(() => runSelect(sequelize, sql, { values }))).map(([id]) => String(id));
}

/**
 * Locks a course unless another transaction has locked it.
 * @returns whether it is locked now; always on SQLite, which has no locks of rows
 */
export async function tryLockCourse(
  { sequelize }: Database,
  courseId: string,
  transaction: Transaction,
): Promise<boolean> {
  if (isSqlite(sequelize)) return true;
  const sql = 'SELECT id FROM courses WHERE id = ? FOR UPDATE SKIP LOCKED';
  return (await runSelect(sequelize, sql, { values: [courseId], transaction })).length > 0;
}
