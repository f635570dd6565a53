import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Course } from './course-values.js';

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
