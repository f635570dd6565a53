import { QueryTypes, type Transaction } from 'sequelize';
import type { Database } from '../connection.js';
import { isSqlite, sqlLiteral } from '../dialect.js';
import type { Course } from '../models/course.js';
import type { Enrollment } from '../models/enrollment.js';
import type { User } from '../models/user.js';
import { runSelect } from './select.js';
import { waitingRowsSql } from './waiting-list.js';

/** Stored values that decide whether an account gets a seat in a course. */
export interface EnrollmentPreconditions {
  course: Pick<
    Course,
    | ('id' | 'trainerId' | 'isPublished' | 'maxStudents' | 'endDate' | 'enrollUntil')
    | ('autoAccept' | 'waitingMax' | 'waitingCounter')
  >;
  /** Number of enrollments that take a seat. */
  seatsTaken: number;
  /** Whether an active account is on the waiting list. */
  hasWaitingList: boolean;
  /** Length of the waiting list; 0 if the course doesn't limit it. */
  waiting: number;
  /** Undefined if the account doesn't exist. */
  account: Pick<User, 'role' | 'isActive'> | undefined;
  existing: Pick<Enrollment, 'id' | 'status'> | undefined;
}

/** Columns of the statement below. */
type Row = [
  trainerId: string,
  isPublished: number,
  maxStudents: number | null,
  endDate: string | null,
  enrollUntil: string | null,
  autoAccept: number,
  waitingMax: number | null,
  waitingCounter: number,
  role: User['role'] | null,
  isActive: number | null,
  enrollmentId: string | null,
  status: Enrollment['status'] | null,
  seats: number | string,
  isAwaited: number,
  waiting: number | string,
];

/** @param statusCount number of statuses that take a seat */
function preconditionsStatement(statusCount: number): string {
  const statusIn = `IN (${Array(statusCount).fill('?').join(', ')})`;
  // Dates are read as text, because MySQL's driver converts them to `Date`s.
  return `SELECT c.trainer_id, c.is_published, c.max_students,
    CAST(c.end_date AS CHAR), CAST(c.enroll_until AS CHAR),
    c.auto_accept, c.waiting_max, c.waiting_counter, u.role, u.is_active, e.id, e.status,
    (SELECT COUNT(*) FROM enrollments s WHERE s.course_id = c.id AND s.status ${statusIn}) AS seats,
    EXISTS (SELECT 1 ${waitingRowsSql('c.id')}) AS awaited,
    CASE WHEN c.waiting_max IS NULL THEN 0
      ELSE (SELECT COUNT(*) FROM enrollments s WHERE s.course_id = c.id AND s.status = 'waiting') END AS waiting
  FROM courses c LEFT JOIN users u ON u.id = ? LEFT JOIN enrollments e ON e.course_id = c.id AND e.user_id = u.id
  WHERE c.id = ?`;
}

/**
 * Locks a course, then an account, by incrementing their versions: see services/locks/row-locks.ts. Takes a single
 * round trip on servers, because other enrollments in the course wait for it.
 */
export async function lockCourseAndUser(
  { sequelize }: Database,
  { courseId, userId }: { courseId: string; userId: string },
  transaction: Transaction,
): Promise<void> {
  const literal = sqlLiteral(sequelize);
  const [course, account] = [`id = ${literal(courseId)}`, `id = ${literal(userId)}`];
  const increment = 'lock_version = lock_version + 1';
  const statements = isSqlite(sequelize)
    ? [`UPDATE courses SET ${increment} WHERE ${course}`, `UPDATE users SET ${increment} WHERE ${account}`]
    : [
        `UPDATE courses c LEFT JOIN users u ON u.${account}
          SET c.lock_version = c.lock_version + 1, u.lock_version = u.lock_version + 1 WHERE c.${course}`,
      ];
  for (const sql of statements) await sequelize.query(sql, { type: QueryTypes.UPDATE, transaction });
}

/**
 * Reads the course, the account and its enrollment in one round trip. Locks nothing: the caller has locked the course, so
 * the counted seats can't change.
 * @returns undefined if the course doesn't exist
 */
export async function readEnrollmentPreconditions(
  { sequelize }: Database,
  wanted: { courseId: string; userId: string; seatStatuses: readonly Enrollment['status'][] },
  transaction: Transaction,
): Promise<EnrollmentPreconditions | undefined> {
  const { courseId, userId, seatStatuses } = wanted;
  const values = [...seatStatuses, userId, courseId];
  const [row] = await runSelect(sequelize, preconditionsStatement(seatStatuses.length), { values, transaction });
  if (!row) return undefined;
  const [trainerId, published, maxStudents, endDate, enrollUntil, ...others] = row as Row;
  const [autoAccept, waitingMax, waitingCounter, role, active, enrollmentId, status, seats, awaited, waiting] = others;
  const limits = { maxStudents, endDate, enrollUntil, autoAccept: Boolean(autoAccept), waitingMax, waitingCounter };
  return {
    course: { id: courseId, trainerId, isPublished: Boolean(published), ...limits },
    seatsTaken: Number(seats),
    hasWaitingList: Number(awaited) === 1,
    waiting: Number(waiting),
    account: role === null ? undefined : { role, isActive: Boolean(active) },
    existing: enrollmentId === null || status === null ? undefined : { id: enrollmentId, status },
  };
}
