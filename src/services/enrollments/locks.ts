import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { notFound } from '../../errors.js';
import type { Core } from '../core.js';
import { holdUsers } from '../row-locks.js';

/**
 * Whoever changes the status of enrollments locks the course first, then the trainee, then the rows: so all wait in one
 * order. Whoever sets progress locks the enrollment alone. On a cluster that is one node's order; there the enrollment
 * that is changed conflicts, and the course where a seat is taken.
 */
export async function lockCourse(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course } = core.database.models;
  const course = await Course.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course) throw notFound('Course');
  return course;
}

/** The trainee of an enrollment. @returns nothing where they aren't a trainee any more */
export function lockTrainee(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const where = { id, role: 'trainee' };
  return core.database.models.User.findOne({ where, transaction, lock: transaction.LOCK.SHARE });
}

/**
 * Somebody who gets a place stays a trainee until the transaction ends: an account can get another role, which an enrolled
 * one can't.
 * @returns nothing where the id isn't a trainee's
 */
export async function holdTrainee(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const [user] = await holdUsers(core, [id], transaction);
  return user?.role === 'trainee' ? user : null;
}

/** The trainee's enrollment in a course, if there is one. */
export function lockEnrollment(
  core: Core,
  where: { id: string } | { userId: string; courseId: string },
  transaction: Transaction,
): Promise<Enrollment | null> {
  return core.database.models.Enrollment.findOne({ where, transaction, lock: transaction.LOCK.UPDATE });
}
