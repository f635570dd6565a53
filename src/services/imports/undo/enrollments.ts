import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../../db/models/enrollment.js';
import type { Actor, Core } from '../../core.js';
import { applyEnrollmentEffects } from '../../enrollments/effects.js';
import type { Verdict } from './verdicts.js';

/** Removes the enrollments that the rows of restored accounts created, and restores those that they renewed. */
export async function undoEnrollments(
  core: Core,
  actor: Actor,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<void> {
  const { Enrollment } = core.database.models;
  // People get no mail about an undo.
  const cause = { author: actor, notify: false };
  const changes = [];
  const removed: string[] = [];
  for (const { outcome, enrollments, note } of verdicts)
    for (const enrollment of outcome === 'restored' ? enrollments : []) {
      const before = note.revived?.find(({ id }) => id === enrollment.id);
      changes.push({ enrollment, from: enrollment.status, to: before?.status, cause });
      if (before) await restore(enrollment, before, transaction);
      else removed.push(enrollment.id);
    }
  await applyEnrollmentEffects(core, changes, transaction); // effect: undo
  if (removed.length > 0) await Enrollment.destroy({ where: { id: removed }, transaction });
}

/** Restores a renewed enrollment. One statement for each is fast enough, because an import renews few enrollments. */
async function restore(
  enrollment: Enrollment,
  before: NonNullable<Verdict['note']['revived']>[number],
  transaction: Transaction,
): Promise<void> {
  const { id: _, updatedAt: __, enrolledAt, replyAt, ...fields } = before;
  const moments = { enrolledAt: new Date(enrolledAt), replyAt: replyAt === null ? null : new Date(replyAt) };
  await enrollment.update({ ...fields, ...moments }, { transaction });
}
