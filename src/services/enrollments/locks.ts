import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { notFound } from '../../errors.js';
import type { Core } from '../core.js';
import { forceIncrementUserVersions } from '../row-locks.js';

/**
 * Changes of status lock the course first, then the trainee, then the enrollments, to avoid deadlocks. Changes of progress
 * lock the enrollment alone. Between nodes of a cluster these locks don't hold: there the changed enrollment conflicts,
 * and the course whose seats are reserved.
 */
export async function lockCourse(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course } = core.database.models;
  const course = await Course.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course) throw notFound('Course');
  return course;
}

/** The trainee of an enrollment; null when the account has another role now. */
export function lockTrainee(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const where = { id, role: 'trainee' };
  return core.database.models.User.findOne({ where, transaction, lock: transaction.LOCK.SHARE });
}

/**
 * Locks a trainee who is about to be enrolled, so that the account can't get another role before the commit.
 * @returns null when the id isn't a trainee's
 */
export async function lockTraineeToEnroll(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const [user] = await forceIncrementUserVersions(core, [id], transaction);
  return user?.role === 'trainee' ? user : null;
}

/** The enrollment with this id, or of this trainee in this course; null when there is none. */
export function lockEnrollment(
  core: Core,
  where: { id: string } | { userId: string; courseId: string },
  transaction: Transaction,
): Promise<Enrollment | null> {
  return core.database.models.Enrollment.findOne({ where, transaction, lock: transaction.LOCK.UPDATE });
}
