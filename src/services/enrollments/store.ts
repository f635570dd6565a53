import type { Transaction } from 'sequelize';
import { insertRows } from '../../db/bulk-insert.js';
import type { EnrollmentStatus } from '../../schemas/enrollment.js';
import type { Core } from '../core.js';

/** An enrollment that is to be made; its progress is 0. */
export interface NewEnrollment {
  /** Made beforehand: whoever enrolls many has to know which is whose. */
  id: string;
  userId: string;
  courseId: string;
  /** The course's. */
  trainerId: string;
  status: EnrollmentStatus;
  notes: string | null;
}

const columns = [
  ...['id', 'user_id', 'course_id', 'trainer_id', 'status', 'progress', 'notes'],
  ...['enrolled_at', 'created_at', 'updated_at'],
] as const;

/** Inserts many enrollments. Their seats are taken already, and nobody who is named has one in the same course. */
export async function insertEnrollments(
  core: Core,
  enrollments: readonly NewEnrollment[],
  now: Date,
  transaction: Transaction,
): Promise<void> {
  const rows = enrollments.map(({ id, userId, courseId, trainerId, status, notes }) => [
    ...[id, userId, courseId, trainerId, status, 0, notes],
    ...[now, now, now],
  ]);
  await insertRows(core.database.sequelize, 'enrollments', columns, rows, transaction);
}
