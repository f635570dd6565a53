import { useState } from 'react';
import { useApi } from '../api/queries.js';
import { useUser } from '../session/session.js';
import { nameOf } from '../ui/person-name.js';
import { chosenOption, type PickerProps, type SearchOption, SearchSelect } from './search-select.js';

interface CourseChoice {
  id: string;
  title: string;
  trainer: { firstName: string; lastName: string };
}

const option = ({ id, title, trainer }: CourseChoice): SearchOption => ({
  value: id,
  label: title,
  hint: nameOf(trainer),
});

/** Picker for a course by its title. A trainer sees only their own courses. */
export function CoursePicker({ value, onChange, ...props }: PickerProps) {
  const user = useUser();
  const [search, setSearch] = useState('');
  const trainerId = user.role === 'trainer' ? user.id : undefined;
  const found = useApi('listCourses', {
    query: { trainerId, search: search || undefined, sortBy: 'title', sortOrder: 'ASC', limit: 20 },
  });
  const chosen = useApi('showCourse', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const options = found.data?.courses.map(option);
  return (
    <SearchSelect
      {...props}
      chosen={chosenOption(value, options, chosen.data && option(chosen.data.course))}
      onChoose={(one) => onChange(one?.value)}
      options={options}
      onSearch={setSearch}
    />
  );
}
