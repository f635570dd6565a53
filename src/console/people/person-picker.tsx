import { useState } from 'react';
import { useApi } from '../api/queries.js';
import { optionOf, type PickerProps, type SearchOption, SearchSelect } from '../ui/search-select.js';
import { nameOf } from './account-state.js';

const option = (user: Parameters<typeof nameOf>[0] & { id: string; email: string }): SearchOption => ({
  value: user.id,
  label: nameOf(user),
  hint: user.email,
});

/** Chooses an account by name, email or phone. */
export function PersonPicker({ value, onChange, ...props }: PickerProps) {
  const [search, setSearch] = useState('');
  const found = useApi('listUsers', {
    query: { search: search || undefined, sortBy: 'lastName', sortOrder: 'ASC', limit: 20 },
  });
  const chosen = useApi('showUser', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const options = found.data?.users.map(option);
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
