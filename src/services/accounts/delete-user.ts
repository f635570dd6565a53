import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { openStatuses } from '../../schemas/enrollment-statuses.js';
import { auditedUser, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { removeMarkedFiles } from '../files/files.js';
import { applyEffects } from './apply-effects.js';
import { lockUser } from './change-user.js';

export const trainerHasCoursesError = () => new AppError('TRAINER_HAS_COURSES');

/** Returns Sequelize's option for a transaction, whose type doesn't accept `undefined`. */
const transactionOption = (transaction: Transaction | undefined) => (transaction ? { transaction } : {});

/** Checks that an account has no courses, whatever its role. @throws AppError `TRAINER_HAS_COURSES` */
async function assertWithoutCourses(core: Core, { id }: User, transaction?: Transaction): Promise<void> {
  const where = { trainerId: id };
  if ((await core.database.models.Course.count({ where, ...transactionOption(transaction) })) > 0)
    throw trainerHasCoursesError();
}

/**
 * Refuses a change of role for trainers with courses and for trainees with open enrollments.
 * @throws AppError `TRAINER_HAS_COURSES`, `TRAINEE_HAS_ENROLLMENTS`
 */
export async function assertRoleCanChange(core: Core, user: User, transaction?: Transaction): Promise<void> {
  const { id, role } = user;
  const { Enrollment } = core.database.models;
  if (role === 'trainer') await assertWithoutCourses(core, user, transaction);
  const where = { userId: id, status: openStatuses };
  if (role === 'trainee' && (await Enrollment.count({ where, ...transactionOption(transaction) })) > 0)
    throw new AppError('TRAINEE_HAS_ENROLLMENTS');
}

/**
 * Deletes an account with its enrollments and its image.
 * @throws AppError `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`, `TRAINER_HAS_COURSES`
 */
export async function deleteUser(core: Core, actor: Actor, id: string): Promise<User> {
  const { Enrollment } = core.database.models;
  const user = await core.database.inTransaction(async (transaction) => {
    const locked = await lockUser(core, id, transaction);
    if (locked.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
    await assertWithoutCourses(core, locked, transaction);
    const enrollments = await Enrollment.count({ where: { userId: id }, transaction });
    const record = { action: 'user.delete', targetType: 'user', targetId: id } as const;
    await recordAudit(core, actor, { ...record, before: { ...auditedUser(locked), enrollments } }, transaction);
    const cause = { action: record.action, actor };
    await applyEffects(core, [{ before: locked, after: undefined, cause }], transaction);
    await locked.destroy({ transaction });
    return locked;
  });
  await removeMarkedFiles(core, { userId: id });
  return user;
}
