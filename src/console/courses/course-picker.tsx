import { useState } from 'react';
import { useApi } from '../api/queries.js';
import { SearchSelect } from '../ui/search-select.js';

interface CoursePickerProps {
  label: string;
  /** Id of the course. */
  value: string | undefined;
  onChange(id: string | undefined): void;
  required?: boolean;
}

/** Chooses a course by its title. */
export function CoursePicker({ label, value, onChange, required = false }: CoursePickerProps) {
  const [search, setSearch] = useState('');
  const found = useApi('listCourses', {
    query: { ...(search !== '' && { search }), sortBy: 'title', sortOrder: 'ASC', limit: 20 },
  });
  // The address names the course by its id only.
  const chosen = useApi('showCourse', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const option = ({
    id,
    title,
    trainer,
  }: {
    id: string;
    title: string;
    trainer: { firstName: string; lastName: string };
  }) => ({
    value: id,
    label: title,
    hint: `${trainer.firstName} ${trainer.lastName}`,
  });
  const known = chosen.data?.course.id === value ? chosen.data?.course : undefined;
  return (
    <SearchSelect
      label={label}
      chosen={value === undefined ? undefined : known ? option(known) : { value, label: value }}
      onChoose={(one) => onChange(one?.value)}
      options={found.data?.courses.map(option)}
      onSearch={setSearch}
      required={required}
    />
  );
}
