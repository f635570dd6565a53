import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Course, isFull } from './course-values.js';

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

/** For those who manage the course: how many seats are taken, and how many trainees wait for one. @param short in a table */
export function SeatsTaken({ course, short = false }: { course: Course; short?: boolean }) {
  const { t } = useTranslation();
  const { seatsTaken = 0, maxStudents, waitingCount = 0 } = course;
  const seats =
    maxStudents === null
      ? t('courses.seats.takenOfAny', { taken: seatsTaken })
      : t(short ? 'courses.seats.taken' : 'courses.seats.allTaken', { taken: seatsTaken, max: maxStudents });
  return (
    <Text span inherit fw={isFull(course) ? 600 : undefined}>
      {waitingCount > 0 ? t('courses.seats.waiting', { seats, count: waitingCount }) : seats}
    </Text>
  );
}
