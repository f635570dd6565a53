import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { StatusBadge } from '../ui/status-badge.js';
import { type Course, hasEnded, isFull, isRunning } from './course-values.js';

export function SeatsLeft({ course }: { course: Pick<Course, 'seatsLeft' | 'maxStudents'> }) {
  const { t } = useTranslation();
  const { seatsLeft, maxStudents } = course;
  if (seatsLeft === undefined) return null;
  if (seatsLeft === null || maxStudents === null) return <span>{t('courses.seats.unlimited')}</span>;
  if (seatsLeft === 0)
    return (
      <Text span inherit c="var(--mantine-color-error)" fw={600}>
        {t('courses.seats.full')}
      </Text>
    );
  return <span>{t('courses.seats.left', { count: maxStudents, left: seatsLeft })}</span>;
}

/** Taken seats and length of the waiting list, for managers. @param short whether to use the short form, for tables */
export function SeatsTaken({ course, short = false }: { course: Course; short?: boolean }) {
  const { t } = useTranslation();
  const { seatsTaken = 0, maxStudents, waitingCount = 0 } = course;
  const seats =
    maxStudents === null
      ? t('courses.seats.takenOfAny', { taken: seatsTaken })
      : t(short ? 'courses.seats.taken' : 'courses.seats.allTaken', { taken: seatsTaken, max: maxStudents });
  return (
    <Text span inherit fw={isFull(course) ? 600 : undefined}>
      {seats}
      {waitingCount > 0 && (
        <>
          {', '}
          {short && <br />}
          {t('courses.seats.waiting', { count: waitingCount })}
        </>
      )}
    </Text>
  );
}

export function PublishedBadge({ course: { isPublished } }: { course: Pick<Course, 'isPublished'> }) {
  const { t } = useTranslation();
  return (
    <StatusBadge tone={isPublished ? 'good' : 'off'}>
      {isPublished ? t('courses.published.yes') : t('courses.published.no')}
    </StatusBadge>
  );
}

/** Says that a course has ended; nothing before. */
export function EndedBadge({ course }: { course: Course }) {
  const { t } = useTranslation();
  return hasEnded(useToday(), course) && <StatusBadge tone="done">{t('courses.dates.ended')}</StatusBadge>;
}

/** Says that a course has begun and not ended; nothing otherwise. */
export function RunningBadge({ course }: { course: Course }) {
  const { t } = useTranslation();
  return isRunning(useToday(), course) && <StatusBadge tone="good">{t('courses.dates.running')}</StatusBadge>;
}

/** First and last day, as far as known. */
export function CourseDates({ course: { startDate, endDate } }: { course: Pick<Course, 'startDate' | 'endDate'> }) {
  const { t } = useTranslation();
  if (startDate && startDate === endDate) return <span>{formatDay(startDate)}</span>;
  if (startDate && endDate)
    return <span>{t('courses.dates.both', { from: formatDay(startDate), to: formatDay(endDate) })}</span>;
  if (startDate) return <span>{t('courses.dates.from', { from: formatDay(startDate) })}</span>;
  if (endDate) return <span>{t('courses.dates.until', { to: formatDay(endDate) })}</span>;
  return null;
}

/** The first day of a course; the last one of a running course. */
export function NextDate({ course }: { course: Course }) {
  const { t } = useTranslation();
  const today = useToday();
  const { startDate, endDate } = course;
  const isRunning = (startDate === null || startDate < today) && !hasEnded(today, course);
  return isRunning && endDate ? t('courses.dates.until', { to: formatDay(endDate) }) : formatDay(startDate);
}
