import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { useUser } from '../app/session.js';

interface CourseSelectProps {
  /** The course's id. */
  value: string | undefined;
  onChange(id: string | undefined): void;
}

/** Filters by one of the courses that one manages, which the service searches for while one types. */
export function CourseSelect({ value, onChange }: CourseSelectProps) {
  const { t } = useTranslation();
  const user = useUser();
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), 300);
  const trainerId = user.role === 'trainer' ? user.id : undefined;
  const { data } = useApi(
    'listCourses',
    { query: { trainerId, search: sought || undefined, sortBy: 'title', sortOrder: 'ASC', limit: 50 } },
    { keepPrevious: true },
  );
  const chosen = useApi('showCourse', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const found = (data?.courses ?? []).map(({ id, title }) => ({ value: id, label: title }));
  const known =
    value !== undefined && chosen.data && !found.some((one) => one.value === value)
      ? [{ value, label: chosen.data.course.title }]
      : [];
  return (
    <Select
      aria-label={t('courses.field.course')}
      placeholder={t('courses.any.course')}
      searchable
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      data={[...known, ...found]}
      filter={({ options }) => options}
      value={value ?? null}
      onSearchChange={(next) => setText([...known, ...found].some(({ label }) => label === next) ? '' : next)}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}
