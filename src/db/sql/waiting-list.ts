import type { Transaction } from 'sequelize';
import type { Database } from '../connection.js';
import { isSqlite } from '../dialect.js';
import type { Enrollment } from '../models/enrollment.js';
import { runSelect } from './select.js';

/**
 * Returns SQL for the waiting enrollments of active accounts in a course, as `w`. Roles need no check: the role of an
 * account can't change while the account is on a waiting list.
 */
export const waitingRowsSql = (course: string) =>
  `FROM enrollments w JOIN users a ON a.id = w.user_id AND a.is_active = 1 WHERE w.course_id = ${course} AND w.status = 'waiting'`;

const placeholders = (values: readonly unknown[]) => values.map(() => '?').join(', ');

type WaitingEnrollment = Pick<Enrollment, 'id' | 'courseId' | 'waitingNumber'>;

/** Part of a waiting list, from one of the read enrollments to the next. */
interface Range {
  id: string;
  courseId: string;
  from: number;
  to: number;
}

/** Maximum counts in a statement. SQLite allows 500. */
const countsPerStatement = 100;

/**
 * Returns a range for each enrollment: from the one before it in `waiting`, or from the start of its list, to the
 * enrollment.
 */
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

/**
 * Returns the statement that counts the active people in ranges. Needs no condition on the status, because only waiting
 * enrollments have a number. With one, SQLite would read the whole list.
 */
export function countStatement(ranges: readonly Range[]): { sql: string; values: string[] } {
  const counted = `SELECT ? AS id, COUNT(*) AS before_it FROM enrollments w JOIN users a ON a.id = w.user_id AND a.is_active = 1
    WHERE w.course_id = ? AND w.waiting_number >= ? AND w.waiting_number < ?`;
  const values = ranges.flatMap(({ id, courseId, from, to }) => [id, courseId, String(from), String(to)]);
  return { sql: ranges.map(() => counted).join(' UNION ALL '), values };
}

/**
 * Returns the positions on waiting lists, from 1, by the ids of enrollments. Counts the active people before each
 * enrollment. Reads no row twice, and no row behind the last of these enrollments.
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
 * Counts all people and the eligible people on the waiting lists of courses. Courses with an empty list are missing in
 * the result.
 * @param wanted `day`: people on the list of a course that ended before this day are not eligible
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
 * Returns the courses with a free seat and an active person on the waiting list.
 * @param wanted `day`: excludes courses that ended before this day; `among`: these courses only; all by default
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
 * @returns whether the course is locked; always true on SQLite, which has no row locks
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
