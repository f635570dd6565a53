import type { Course } from '../../db/models/course.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { findCourse, type Viewer } from './queries.js';

/** Columns of courses that events need. */
export const eventAttributes = [
  ...(['id', 'title', 'shortDescription', 'location', 'startDate', 'endDate', 'updatedAt'] as const),
];

export type CalendarCourse = Pick<Course, (typeof eventAttributes)[number]>;

interface CalendarEvent {
  course: CalendarCourse;
  /** Whether the person's enrollment is still a request. */
  isTentative?: boolean;
}

/** An end date with this value means that the course has no end. Calendar programs understand no later day. */
const noEndDate = '9999-12-31';
const dayMs = 86_400_000;

const compact = (date: string) => date.replaceAll('-', '');

const dayAfter = (date: string) => new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);

/** Escapes a value of the type TEXT (RFC 5545, section 3.3.11). Control characters except line breaks become spaces. */
const escapeText = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

/** Folds a line into lines of at most 75 octets without splitting a character (section 3.1). */
function foldLine(line: string): string {
  let text = '';
  let octets = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > 75) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += length;
  }
  return `${text}\r\n`;
}

/**
 * Returns the lines of a course as an all-day event that doesn't block time (section 3.6.1); empty for a course without
 * dates.
 */
function eventLines({ config }: Core, { course, isTentative }: CalendarEvent): string[] {
  const { id, title, shortDescription, location, updatedAt } = course;
  const first = course.startDate ?? course.endDate;
  const last = course.endDate ?? course.startDate;
  if (first === null || last === null || first === noEndDate) return [];
  const { publicUrl } = config.mail;
  const changedAt = updatedAt.toISOString().replace(/[-:]|\.\d+/g, '');
  const page = publicUrl && `${publicUrl}/courses/${encodeURIComponent(id)}`;
  const description = [shortDescription, page].filter(Boolean).join('\n\n');
  return [
    'BEGIN:VEVENT',
    // Doesn't contain PUBLIC_URL: after a change of the UID, calendar programs would show another event.
    `UID:${id}@coursectl`,
    `DTSTAMP:${changedAt}`,
    `LAST-MODIFIED:${changedAt}`,
    // Calendar programs replace an event only if the number is higher.
    `SEQUENCE:${Math.floor(updatedAt.getTime() / 1000)}`,
    `DTSTART;VALUE=DATE:${compact(first)}`,
    // Without an end, the event lasts one day.
    ...(last < noEndDate ? [`DTEND;VALUE=DATE:${compact(dayAfter(last))}`] : []),
    'TRANSP:TRANSPARENT',
    ...(isTentative ? ['STATUS:TENTATIVE'] : []),
    `SUMMARY:${escapeText(title)}`,
    ...(location ? [`LOCATION:${escapeText(location)}`] : []),
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    'END:VEVENT',
  ];
}

/** Returns a calendar as text (iCalendar, RFC 5545). @param name name that calendar programs show for a subscription */
export function calendarText(core: Core, events: readonly CalendarEvent[], name?: string): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//coursectl//coursectl//EN',
    ...(name === undefined ? [] : [`X-WR-CALNAME:${escapeText(name)}`]),
    ...events.flatMap((event) => eventLines(core, event)),
    'END:VCALENDAR',
  ];
  return lines.map(foldLine).join('');
}

/**
 * Returns the calendar of a course that the viewer may see.
 * @throws AppError `NOT_FOUND`, also for a course without dates
 */
export async function courseCalendar(core: Core, viewer: Viewer, id: string): Promise<string> {
  const course = await findCourse(core, viewer, id);
  if (course.startDate === null && course.endDate === null)
    throw new AppError('NOT_FOUND', 'The course has no dates yet.');
  return calendarText(core, [{ course }]);
}
