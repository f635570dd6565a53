import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import {
  type EnrollmentPreconditions,
  lockCourseAndUser,
  readEnrollmentPreconditions,
} from '../../db/sql/enroll-statements.js';
import { notFound } from '../../errors.js';
import { seatStatuses } from '../../schemas/enrollment-statuses.js';
import type { Core } from '../core.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';

/**
 * What takes a seat locks the course first, then the trainee, then the enrollments, to avoid deadlocks. Other changes of an
 * enrollment, of its status too, lock the enrollment alone: they don't wait for those who enroll in the course. Between nodes of
 * a cluster these locks don't hold: there the changed enrollment conflicts, and the course whose seats are reserved.
 */
export async function lockCourse(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course } = core.database.models;
  const course = await Course.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course) throw notFound('Course');
  return course;
}

/**
 * Locks a trainee who is about to be enrolled, so that the account can't get another role before the commit.
 * @returns null when the id isn't a trainee's
 */
export async function lockTraineeToEnroll(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const [user] = await forceIncrementUserVersions(core, [id], transaction);
  return user?.role === 'trainee' ? user : null;
}

/**
 * Locks a course and a trainee who asks for a seat in it, and reads what decides about it. Others who enroll in the course wait
 * from here to the commit, so what they wait for is as short as can be: both rows are locked by the increments that a cluster
 * needs, and all is read at once.
 * @throws AppError `NOT_FOUND` for the course
 */
export async function lockForEnrollment(
  core: Core,
  wanted: { courseId: string; userId: string },
  transaction: Transaction,
): Promise<EnrollmentPreconditions> {
  await lockCourseAndUser(core.database, wanted, transaction);
  const state = await readEnrollmentPreconditions(core.database, { ...wanted, seatStatuses }, transaction);
  if (!state) throw notFound('Course');
  return state;
}

/** The enrollment with this id, or of this trainee in this course; null when there is none. */
export function lockEnrollment(
  core: Core,
  where: { id: string } | { userId: string; courseId: string },
  transaction: Transaction,
): Promise<Enrollment | null> {
  return core.database.models.Enrollment.findOne({ where, transaction, lock: transaction.LOCK.UPDATE });
}
