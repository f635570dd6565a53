import type { Course } from '../../../db/models/course.js';
import { AppError } from '../../../errors.js';
import type { Core } from '../../core.js';

export const trainerInactive = (): AppError =>
  new AppError(
    'ACCOUNT_INACTIVE',
    'The account of the trainer who imports is inactive: nothing more is written. Activate the account, or import the file as super admin.',
  );

/**
 * Finds the course of a trainer's import.
 * @throws AppError `COURSE_LOST` if it was deleted or assigned to another trainer, `ACCOUNT_INACTIVE`
 */
export async function findCourseOfTrainer(core: Core, trainerId: string, id: string | undefined): Promise<Course> {
  const { Course, User } = core.database.models;
  const course = await core.database.read(() =>
    Course.findOne({
      where: { id: id ?? '', trainerId },
      include: [{ model: User, as: 'trainer', attributes: ['isActive'] }],
    }),
  );
  if (!course) throw new AppError('COURSE_LOST');
  if (!course.trainer?.isActive) throw trainerInactive();
  return course;
}
