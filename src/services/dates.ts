import type { Course } from '../db/models/course.js';
import { AppError } from '../errors.js';
import type { Core } from './core.js';

/** Returns the time zone of the programme: `TIME_ZONE`, otherwise the zone of this machine. */
export const timeZoneOf = ({ config }: Pick<Core, 'config'>): string =>
  config.programme.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the day of a moment in the programme's time zone, as `YYYY-MM-DD`. */
const dayIn = (core: Pick<Core, 'config'>, moment: Date): string =>
  // Swedish dates have the format of ISO 8601.
  new Intl.DateTimeFormat('sv-SE', { timeZone: timeZoneOf(core), dateStyle: 'short' }).format(moment);

/** Returns today in the programme's time zone, as `YYYY-MM-DD`. */
export const today = (core: Pick<Core, 'config' | 'now'>): string => dayIn(core, core.now());

const dayMs = 86_400_000;

/** Returns today and the day after a number of days, as `YYYY-MM-DD`. */
export function daysFromToday(core: Pick<Core, 'config' | 'now'>, days: number): [first: string, last: string] {
  const first = today(core);
  return [first, new Date(Date.parse(first) + days * dayMs).toISOString().slice(0, 10)];
}

/** Current day, by which courses begin and end. */
export interface ProgrammeDay {
  timeZone: string;
  today: string;
  /** Whether a service in production has no `TIME_ZONE`. Containers then use UTC. */
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
 * Returns the error if trainees can't request a seat on a day. On the last day itself they can.
 * @returns `COURSE_ENDED` or `ENROLLMENT_CLOSED`; undefined if requests are possible
 */
export function closedRefusal(course: Pick<Course, 'endDate' | 'enrollUntil'>, day: string): AppError | undefined {
  if (hasEnded(course, day)) return new AppError('COURSE_ENDED');
  return course.enrollUntil !== null && course.enrollUntil < day ? new AppError('ENROLLMENT_CLOSED') : undefined;
}

/**
 * Whether a moment was less than `withinMs` ago. False for a moment in the future: a clock that was ahead has stored it, and it would
 * stay recent for too long.
 */
export function isRecent(moment: Date, now: Date, withinMs: number): boolean {
  const ago = now.getTime() - moment.getTime();
  return ago >= 0 && ago < withinMs;
}
