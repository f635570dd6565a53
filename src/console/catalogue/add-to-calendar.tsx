import { Button, type ButtonProps } from '@mantine/core';
import { IconCalendarPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { urlOf } from '../api/client.js';
import type { Course } from '../courses/course-values.js';
import { useToday } from '../session/session.js';

interface AddToCalendarProps extends ButtonProps {
  course: Pick<Course, 'id' | 'startDate' | 'endDate'>;
  /** Title of the course, if the page shows several courses. */
  name?: string;
}

/** Button to open the dates of a course in a calendar program. Nothing for courses without dates or ended courses. */
export function AddToCalendar({ course: { id, startDate, endDate }, name, ...button }: AddToCalendarProps) {
  const { t } = useTranslation();
  const today = useToday();
  if (startDate === null && endDate === null) return null;
  if (endDate !== null && endDate < today) return null;
  return (
    <Button
      component="a"
      // A link, not a download: phones then offer to add the event.
      href={urlOf('courseCalendar', { path: { id } })}
      aria-label={name === undefined ? undefined : t('catalogue.addToCalendarOf', { name })}
      variant="default"
      leftSection={<IconCalendarPlus size={16} aria-hidden />}
      {...button}
    >
      {t('catalogue.addToCalendar')}
    </Button>
  );
}
