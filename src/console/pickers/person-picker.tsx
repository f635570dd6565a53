import { useState } from 'react';
import { useApi } from '../api/queries.js';
import { nameOf } from '../ui/person-name.js';
import { chosenOption, type PickerProps, type SearchOption, SearchSelect } from './search-select.js';

interface PersonPickerProps extends PickerProps {
  /** Whether to list only trainers who can get a course. */
  onlyTrainers?: boolean;
}

const option = (person: Parameters<typeof nameOf>[0] & { id: string; email: string }): SearchOption => ({
  value: person.id,
  label: nameOf(person),
  hint: person.email,
});

/** Picker for an account by name, email or phone. Only for the super admin, who may list accounts. */
export function PersonPicker({ value, onChange, onlyTrainers = false, ...props }: PersonPickerProps) {
  const [text, setText] = useState('');
  const search = text || undefined;
  const trainers = useApi('listAvailableTrainers', { query: { search, limit: 20 } }, { enabled: onlyTrainers });
  const everybody = useApi(
    'listUsers',
    { query: { search, sortBy: 'lastName', sortOrder: 'ASC', limit: 20 } },
    { enabled: !onlyTrainers },
  );
  const chosen = useApi('showUser', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const options = (onlyTrainers ? trainers.data?.trainers : everybody.data?.users)?.map(option);
  return (
    <SearchSelect
      {...props}
      chosen={chosenOption(value, options, chosen.data && option(chosen.data.user))}
      onChoose={(one) => onChange(one?.value)}
      options={options}
      onSearch={setText}
    />
  );
}
