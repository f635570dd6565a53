import { QueryTypes, type Transaction } from 'sequelize';
import type { Database } from './connection.js';
import type { Course } from './models/course.js';
import type { Enrollment } from './models/enrollment.js';
import type { User } from './models/user.js';

/** What decides whether an account gets a seat in a course. */
export interface EntryState {
  course: Pick<Course, 'id' | 'trainerId' | 'isPublished' | 'maxStudents'>;
  /** The enrollments that take a seat. */
  seatsTaken: number;
  /** Undefined when the account doesn't exist. */
  account: Pick<User, 'role' | 'isActive'> | undefined;
  /** The account's enrollment in the course. */
  existing: Pick<Enrollment, 'id' | 'status'> | undefined;
}

/** The columns of the statement below. */
interface Row {
  trainer_id: string;
  is_published: number;
  max_students: number | null;
  seats: number | string;
  role: User['role'] | null;
  is_active: number;
  enrollment_id: string | null;
  status: Enrollment['status'];
}

const sql = `SELECT c.trainer_id, c.is_published, c.max_students, u.role, u.is_active, e.id AS enrollment_id, e.status,
    (SELECT COUNT(*) FROM enrollments s WHERE s.course_id = c.id AND s.status IN (:seatStatuses)) AS seats
  FROM courses c LEFT JOIN users u ON u.id = :userId LEFT JOIN enrollments e ON e.course_id = c.id AND e.user_id = u.id
  WHERE c.id = :courseId`;

/**
 * Reads the course, the account and its enrollment in one round trip, while others wait for the course: its seats are counted
 * as they are once the caller has locked it. Locks nothing.
 * @returns nothing when there is no such course
 */
export async function readEntryState(
  { sequelize }: Database,
  wanted: { courseId: string; userId: string; seatStatuses: readonly Enrollment['status'][] },
  transaction: Transaction,
): Promise<EntryState | undefined> {
  const replacements = { ...wanted, seatStatuses: [...wanted.seatStatuses] };
  const [row] = await sequelize.query<Row>(sql, { replacements, type: QueryTypes.SELECT, transaction });
  if (!row) return undefined;
  const { trainer_id: trainerId, is_published: published, max_students: maxStudents, role, is_active: active } = row;
  return {
    course: { id: wanted.courseId, trainerId, isPublished: Boolean(published), maxStudents },
    seatsTaken: Number(row.seats),
    account: role === null ? undefined : { role, isActive: Boolean(active) },
    existing: row.enrollment_id === null ? undefined : { id: row.enrollment_id, status: row.status },
  };
}
