import { useState } from 'react';
import { useApi } from '../api/queries.js';
import { optionOf, type PickerProps, type SearchOption, SearchSelect } from '../ui/search-select.js';
import { nameOf } from './course-values.js';

interface TrainerChoice {
  id: string;
  firstName: string;
  lastName: string;
  email: string;
}

const option = (trainer: TrainerChoice): SearchOption => ({
  value: trainer.id,
  label: nameOf(trainer),
  hint: trainer.email,
});

/** Chooses a trainer by name, email or phone: for the super admin, who may see accounts. */
export function TrainerPicker({ value, onChange, ...props }: PickerProps) {
  const [search, setSearch] = useState('');
  const found = useApi('listAvailableTrainers', { query: { search: search || undefined, limit: 20 } });
  const chosen = useApi('showUser', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const options = found.data?.trainers.map(option);
  return (
    <SearchSelect
      {...props}
      chosen={optionOf(value, options, chosen.data && option(chosen.data.user))}
      onChoose={(one) => onChange(one?.value)}
      options={options}
      onSearch={setSearch}
    />
  );
}
