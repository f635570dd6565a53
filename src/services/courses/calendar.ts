import type { Course } from '../../db/models/course.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { findCourse, type Viewer } from './queries.js';

/** The columns of courses that events are made of. */
export const eventAttributes = [
  ...(['id', 'title', 'shortDescription', 'location', 'startDate', 'endDate', 'updatedAt'] as const),
];

/** A course in a calendar. */
export type CalendarCourse = Pick<Course, (typeof eventAttributes)[number]>;

interface CalendarEvent {
  course: CalendarCourse;
  /** Whether it is still open if the person takes part. */
  isTentative?: boolean;
}

/** For no end. There is no day after it that calendar programs understand. */
const noEndDate = '9999-12-31';
const dayMs = 86_400_000;

const compact = (date: string) => date.replaceAll('-', '');

const dayAfter = (date: string) => new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);

/** A value of the type TEXT (RFC 5545, section 3.3.11), which has no control characters but line breaks. */
const escapeText = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

/** A line in pieces of 75 octets at most, none of which cuts a character (section 3.1). */
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

/** The lines of a course as an event of whole days, which keeps nobody's time busy (section 3.6.1); none without dates. */
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
    // The same whatever PUBLIC_URL is: otherwise it would be another event.
    `UID:${id}@coursectl`,
    `DTSTAMP:${changedAt}`,
    `LAST-MODIFIED:${changedAt}`,
    // Programs replace an event only by one with a higher number.
    `SEQUENCE:${Math.floor(updatedAt.getTime() / 1000)}`,
    `DTSTART;VALUE=DATE:${compact(first)}`,
    // Without it, it is one day.
    ...(last < noEndDate ? [`DTEND;VALUE=DATE:${compact(dayAfter(last))}`] : []),
    'TRANSP:TRANSPARENT',
    ...(isTentative ? ['STATUS:TENTATIVE'] : []),
    `SUMMARY:${escapeText(title)}`,
    ...(location ? [`LOCATION:${escapeText(location)}`] : []),
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    'END:VEVENT',
  ];
}

/** A calendar as text (iCalendar, RFC 5545). @param name for programs that subscribe to it */
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

/** The calendar of a course that the viewer may see. @throws AppError `NOT_FOUND`, also for one without dates */
export async function courseCalendar(core: Core, viewer: Viewer, id: string): Promise<string> {
  const course = await findCourse(core, viewer, id);
  if (course.startDate === null && course.endDate === null)
    throw new AppError('NOT_FOUND', 'The course has no dates yet.');
  return calendarText(core, [{ course }]);
}
