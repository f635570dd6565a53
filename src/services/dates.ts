import type { Course } from '../db/models/course.js';
import { AppError } from '../errors.js';
import type { Core } from './core.js';

/** The time zone of the programme: of `TIME_ZONE`, else of this machine. */
export const timeZoneOf = ({ config }: Pick<Core, 'config'>): string =>
  config.programme.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The day of a moment in the programme's time zone, as `YYYY-MM-DD`. */
const dayIn = (core: Pick<Core, 'config'>, moment: Date): string =>
  // Swedish dates are those of ISO 8601.
  new Intl.DateTimeFormat('sv-SE', { timeZone: timeZoneOf(core), dateStyle: 'short' }).format(moment);

/** Today in the programme's time zone, as `YYYY-MM-DD`. */
export const today = (core: Pick<Core, 'config' | 'now'>): string => dayIn(core, core.now());

/** The day by which courses begin and end. */
export interface ProgrammeDay {
  timeZone: string;
  today: string;
  /** Whether nobody has chosen the zone of a programme in production: containers have UTC. */
  timeZoneMissing: boolean;
}

export const programmeDay = (core: Pick<Core, 'config' | 'now'>): ProgrammeDay => ({
  timeZone: timeZoneOf(core),
  today: today(core),
  timeZoneMissing: core.config.environment === 'production' && core.config.programme.timeZone === undefined,
});

/** Whether the last day of a course is over. */
export const hasEnded = ({ endDate }: Pick<Course, 'endDate'>, day: string): boolean =>
  endDate !== null && endDate < day;

/**
 * Why trainees can't ask for a place in a course on a day: the last days count.
 * @returns `COURSE_ENDED` or `ENROLLMENT_CLOSED`
 */
export function closedRefusal(course: Pick<Course, 'endDate' | 'enrollUntil'>, day: string): AppError | undefined {
  if (hasEnded(course, day)) return new AppError('COURSE_ENDED');
  return course.enrollUntil !== null && course.enrollUntil < day ? new AppError('ENROLLMENT_CLOSED') : undefined;
}
