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
 * Locks a course. A change that takes a seat locks the course first, then the trainee, then the enrollments, to avoid
 * deadlocks. Other changes of an enrollment, including most changes of status, lock only the enrollment: they don't
 * wait for new enrollments. Row locks don't work between nodes of a cluster. There, concurrent writes to the same
 * enrollment or course conflict instead.
 * @throws AppError `NOT_FOUND`
 */
export async function lockCourse(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course } = core.database.models;
  const course = await Course.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course) throw notFound('Course');
  return course;
}

/**
 * Locks a trainee before the enrollment, so that the account can't get another role before the commit.
 * @returns null if the id isn't a trainee's
 */
export async function lockTraineeToEnroll(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const [user] = await forceIncrementUserVersions(core, [id], transaction);
  return user?.role === 'trainee' ? user : null;
}

/**
 * Locks a course and a trainee who requests a seat, and reads the preconditions. Others who enroll in the course wait
 * from here to the commit, so the transaction must be short. The version increments that a cluster needs also lock both
 * rows, and one query reads everything.
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

/** Locks the enrollment with this id, or of this trainee in this course. @returns null if there is none */
export function lockEnrollment(
  core: Core,
  where: { id: string } | { userId: string; courseId: string },
  transaction: Transaction,
): Promise<Enrollment | null> {
  return core.database.models.Enrollment.findOne({ where, transaction, lock: transaction.LOCK.UPDATE });
}
