import { Op } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { notFound } from '../../errors.js';
import { bulkRemovalSchema } from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import { auditedEnrollment, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { applyEnrollmentEffects } from './effects.js';
import { enrollmentRecord } from './store.js';

/**
 * Removes enrollments, all or none.
 * @returns the removed enrollments
 * @throws AppError `NOT_FOUND` if an enrollment doesn't exist, or isn't in a course that the actor manages
 */
export async function removeEnrollments(core: Core, actor: Actor, ids: readonly string[]): Promise<Enrollment[]> {
  const { Enrollment } = core.database.models;
  const scope = actor.role === 'super_admin' ? {} : { trainerId: actor.actorId };
  return core.database.inTransaction(async (transaction) => {
    const found = await Enrollment.findAll({
      where: { [Op.and]: [{ id: [...ids] }, scope] },
      order: ['id'],
      lock: transaction.LOCK.UPDATE,
      transaction,
    });
    if (found.length < ids.length) throw notFound('Enrollment');
    const records = found.map((enrollment) =>
      enrollmentRecord('enrollment.remove', enrollment.id, { before: auditedEnrollment(enrollment) }),
    );
    await recordAudit(core, actor, records, transaction);
    const cause = { author: actor, notify: false };
    const changes = found.map((enrollment) => ({ enrollment, from: enrollment.status, to: undefined, cause }));
    await applyEnrollmentEffects(core, changes, transaction); // effect: removal
    await Enrollment.destroy({ where: { id: [...ids] }, transaction });
    return found;
  });
}

/** Removes the enrollments of a list, all or none. @throws AppError `VALIDATION`, `NOT_FOUND` */
export async function removeMany(core: Core, actor: Actor, input: unknown): Promise<Enrollment[]> {
  const { enrollmentIds } = validate(bulkRemovalSchema, input);
  return removeEnrollments(core, actor, enrollmentIds);
}
