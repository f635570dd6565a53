import type { Course } from '../courses/course-values.js';

/** Maximum of days whose columns fit on landscape A4. */
export const maxDays = 10;

const dayMs = 86_400_000;

const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);

/** First and last day, both included. Empty texts come from empty inputs. */
export interface DayRange {
  first: string;
  last: string;
}

type Dates = Pick<Course, 'startDate' | 'endDate'>;

/** The days of a range; none if it isn't valid or has too many days to print. */
export function daysOf({ first, last }: DayRange): string[] {
  const count = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  return count >= 1 && count <= maxDays ? Array.from({ length: count }, (_, index) => addDays(first, index)) : [];
}

/** Whether all days of a course fit on a page. */
export const fitsOnPage = ({ startDate, endDate }: Dates): boolean =>
  startDate !== null && endDate !== null && daysOf({ first: startDate, last: endDate }).length > 0;

/** The range of days that begins with a given day, within the course. */
export function rangeFrom(first: string, { endDate }: Dates): DayRange {
  const last = Number.isNaN(Date.parse(first)) ? '' : addDays(first, maxDays - 1);
  return { first, last: endDate !== null && endDate >= first && endDate < last ? endDate : last };
}

/** The days of a short course. Else days from today, or from the first day of a course that is not running. */
export function defaultRange(course: Dates, today: string): DayRange {
  const { startDate, endDate } = course;
  const isRunning = (startDate === null || startDate <= today) && (endDate === null || endDate >= today);
  const first = fitsOnPage(course) || !isRunning ? startDate : today;
  return rangeFrom(first ?? today, course);
}
