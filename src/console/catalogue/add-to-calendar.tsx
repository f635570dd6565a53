import { Button, type ButtonProps } from '@mantine/core';
import { IconCalendarPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { urlOf } from '../api/client.js';
import type { Course } from '../courses/course-values.js';
import { useToday } from '../session/session.js';

interface AddToCalendarProps extends ButtonProps {
  course: Pick<Course, 'id' | 'startDate' | 'endDate'>;
  /** Of the course, where there are several. */
  name?: string;
}

/** Opens the dates of a course in the calendar program; nothing for a course without dates, or one that has ended. */
export function AddToCalendar({ course: { id, startDate, endDate }, name, ...button }: AddToCalendarProps) {
  const { t } = useTranslation();
  const today = useToday();
  if (startDate === null && endDate === null) return null;
  if (endDate !== null && endDate < today) return null;
  return (
    <Button
      component="a"
      // Phones offer to add it, where a download would only be kept.
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
