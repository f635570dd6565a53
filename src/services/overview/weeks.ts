import { col, fn, Op } from 'sequelize';
import { periodIndex } from '../../db/sql/conditions.js';
import type { Core } from '../core.js';

const dayMs = 86_400_000;
const weeksShown = 12;

/** Returns the starts of the last weeks, including the current week: Mondays, 00:00 UTC. */
export function weekStarts(now: Date): Date[] {
  const today = Math.floor(now.getTime() / dayMs);
  // 1 January 1970 was a Thursday.
  const monday = today - ((today + 3) % 7);
  return Array.from({ length: weeksShown }, (_, index) => new Date((monday - 7 * (weeksShown - 1 - index)) * dayMs));
}

/** Returns the first day of a week as `YYYY-MM-DD`. */
export const dayOf = (start: Date) => start.toISOString().slice(0, 10);

/** Counts enrollments by week of their date; with `trainerId` only in this trainer's courses. */
export async function enrollmentsPerWeek(core: Core, starts: readonly Date[], trainerId?: string): Promise<number[]> {
  const { sequelize, models, read } = core.database;
  const week = periodIndex(sequelize, 'Enrollment.enrolled_at', starts);
  const groups = await read(() =>
    models.Enrollment.findAll({
      attributes: [
        [week, 'week'],
        [fn('COUNT', col('id')), 'count'],
      ],
      where: { enrolledAt: { [Op.gte]: starts[0] }, ...(trainerId !== undefined && { trainerId }) },
      group: ['week'],
    }),
  );
  return countsOf(starts, groups);
}

export async function accountsPerWeek(core: Core, starts: readonly Date[]): Promise<number[]> {
  const { sequelize, models, read } = core.database;
  const week = periodIndex(sequelize, 'User.created_at', starts);
  const groups = await read(() =>
    models.User.findAll({
      attributes: [
        [week, 'week'],
        [fn('COUNT', col('id')), 'count'],
      ],
      where: { createdAt: { [Op.gte]: starts[0] } },
      group: ['week'],
    }),
  );
  return countsOf(starts, groups);
}

/** Returns a count for each week; a week without a group counts 0. */
function countsOf(starts: readonly Date[], groups: readonly { get(key: string): unknown }[]): number[] {
  const counts = new Map(groups.map((group) => [Number(group.get('week')), Number(group.get('count'))]));
  return starts.map((_, index) => counts.get(index) ?? 0);
}
