import { col, fn, Op } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { hasProgress } from '../../db/sql/conditions.js';
import { type EnrollmentStatus, enrollmentStatuses, participantStatuses } from '../../schemas/enrollment-statuses.js';
import type { Actor, Core } from '../core.js';
import { cachedCounts } from '../count-cache.js';
import { visibleTo } from './queries.js';

export type EnrollmentStatistics = Record<EnrollmentStatus | 'total', number>;

/**
 * Counts the enrollments that the actor may see. Large counts for the super admin are cached for a short time: see
 * count-cache.ts.
 */
export function enrollmentStatistics(core: Core, actor: Actor): Promise<EnrollmentStatistics> {
  const count = () => countByStatus(core, actor);
  return actor.role === 'super_admin' ? cachedCounts(core, 'enrollments', count, ({ total }) => total) : count();
}

async function countByStatus(core: Core, actor: Actor): Promise<EnrollmentStatistics> {
  const groups = await core.database.read(() =>
    core.database.models.Enrollment.findAll({
      attributes: ['status', [fn('COUNT', col('id')), 'count']],
      where: visibleTo(actor),
      group: ['status'],
    }),
  );
  return statisticsOf(groups);
}

function statisticsOf(groups: readonly Enrollment[]): EnrollmentStatistics {
  const counts = new Map(groups.map((group) => [group.status, Number(group.get('count'))]));
  const byStatus = Object.fromEntries(enrollmentStatuses.map((status) => [status, counts.get(status) ?? 0]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // The type derives from the same list, so every status has a count.
  return { total, ...byStatus } as EnrollmentStatistics;
}

/**
 * Counts the active enrollments in a trainer's courses with a progress of 100 %. The trainer can mark them as
 * completed.
 */
export async function countReadyToComplete(core: Core, trainerId: string): Promise<number> {
  const where = { trainerId, status: participantStatuses, [Op.and]: [hasProgress(100)] };
  return core.database.read(() => core.database.models.Enrollment.count({ where }));
}

export interface TraineeStatistics {
  enrollments: EnrollmentStatistics;
  /** Average of the active enrollments, in percent; null without any. */
  averageProgress: number | null;
}

/** Counts a trainee's enrollments and averages the progress of active ones, with one query for all statuses. */
export async function traineeStatistics(core: Core, userId: string): Promise<TraineeStatistics> {
  const groups = await core.database.read(() =>
    core.database.models.Enrollment.findAll({
      attributes: ['status', [fn('COUNT', col('id')), 'count'], [fn('SUM', col('progress')), 'progress']],
      where: { userId },
      group: ['status'],
    }),
  );
  const active = groups.filter(({ status }) => participantStatuses.some((participant) => participant === status));
  const sum = (key: string) => active.reduce((total, group) => total + Number(group.get(key)), 0);
  return {
    enrollments: statisticsOf(groups),
    averageProgress: active.length === 0 ? null : Math.round(sum('progress') / sum('count')),
  };
}
