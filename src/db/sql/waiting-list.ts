import type { Transaction } from 'sequelize';
import type { Database } from '../connection.js';
import type { Enrollment } from '../models/enrollment.js';
import { runSelect } from './select.js';

/** SQL: those who wait in a course and can get a seat, as `w`: the role can't change while somebody waits. */
export const whoWaits = (course: string) =>
  `FROM enrollments w JOIN users a ON a.id = w.user_id AND a.is_active = 1 WHERE w.course_id = ${course} AND w.status = 'waiting'`;

const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ');

type Waiting = Pick<Enrollment, 'id' | 'courseId' | 'waitingNumber'>;

/** Numbers whole lists. */
function numberedStatement(waiting: readonly Waiting[], courses: readonly string[]) {
  const before = 'SUM(a.is_active) OVER (PARTITION BY w.course_id ORDER BY w.waiting_number) - a.is_active';
  const numbered = `SELECT w.id AS id, ${before} + 1 AS place FROM enrollments w JOIN users a ON a.id = w.user_id
    WHERE w.course_id IN (${marks(courses)}) AND w.waiting_number IS NOT NULL`;
  const sql = `SELECT id, place FROM (${numbered}) numbered WHERE id IN (${marks(waiting)})`;
  return { sql, values: [...courses, ...waiting.map(({ id }) => id)] };
}

/** Counts who stands before one, for each. */
function countedStatement(waiting: readonly Waiting[]) {
  const counted = `SELECT ? AS id, COUNT(*) + 1 AS place ${whoWaits('?')} AND w.waiting_number < ?`;
  const values = waiting.flatMap(({ id, courseId, waitingNumber }) => [id, courseId, String(waitingNumber)]);
  return { sql: waiting.map(() => counted).join(' UNION ALL '), values };
}

/**
 * The places on waiting lists, by the ids of enrollments: how many who can get a seat stand before each, and one. Lists are long:
 * to number a whole one is worth it for several of its places.
 */
export async function readWaitingPlaces(
  { sequelize }: Database,
  waiting: readonly Waiting[],
): Promise<ReadonlyMap<string, number>> {
  const courses = [...new Set(waiting.map(({ courseId }) => courseId))];
  const { sql, values } =
    courses.length === waiting.length ? countedStatement(waiting) : numberedStatement(waiting, courses);
  const rows = await runSelect(sequelize, sql, { values });
  return new Map(rows.map(([id, place]) => [String(id), Number(place)]));
}

/**
 * Counts the waiting lists of courses, by course: all people, and the eligible ones. Courses without a list are left out.
 * @param wanted `day`: a course that has ended by then gives its seats to nobody on the list
 */
export async function countWaiting(
  { sequelize }: Database,
  { courseIds, day }: { courseIds: readonly string[]; day: string },
  transaction?: Transaction,
): Promise<ReadonlyMap<string, { waiting: number; eligible: number }>> {
  const isEligible = 'a.is_active = 1 AND (c.end_date IS NULL OR c.end_date >= ?)';
  const sql = `SELECT w.course_id, COUNT(*), SUM(CASE WHEN ${isEligible} THEN 1 ELSE 0 END) FROM enrollments w
    JOIN users a ON a.id = w.user_id JOIN courses c ON c.id = w.course_id
    WHERE w.status = 'waiting' AND w.course_id IN (${marks(courseIds)}) GROUP BY w.course_id`;
  const rows = await runSelect(sequelize, sql, { values: [day, ...courseIds], ...(transaction && { transaction }) });
  return new Map(
    rows.map(([id, waiting, eligible]) => [String(id), { waiting: Number(waiting), eligible: Number(eligible) }]),
  );
}

/**
 * The courses that have a free seat for somebody who waits.
 * @param wanted `day`: courses that have ended by then give none; `among`: these courses; all by default
 */
export async function coursesToPromoteIn(
  { sequelize, read }: Database,
  {
    day,
    seatStatuses,
    among,
  }: { day: string; seatStatuses: readonly Enrollment['status'][]; among?: readonly string[] },
): Promise<string[]> {
  const seats = `SELECT COUNT(*) FROM enrollments s WHERE s.course_id = c.id AND s.status IN (${marks(seatStatuses)})`;
  const sql = `SELECT c.id FROM courses c WHERE c.waiting_counter > 0 AND c.is_published = 1
    AND (c.end_date IS NULL OR c.end_date >= ?) ${among ? `AND c.id IN (${marks(among)})` : ''}
    AND EXISTS (SELECT 1 ${whoWaits('c.id')}) AND (c.max_students IS NULL OR c.max_students > (${seats}))`;
  const values = [day, ...(among ?? []), ...seatStatuses];
  return (await read(() => runSelect(sequelize, sql, { values }))).map(([id]) => String(id));
}
