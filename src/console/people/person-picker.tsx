import { useState } from 'react';
import { useApi } from '../api/queries.js';
import { SearchSelect } from '../ui/search-select.js';
import { nameOf } from './account-state.js';

interface PersonPickerProps {
  label: string;
  /** Id of the account. */
  value: string | undefined;
  onChange(id: string | undefined): void;
}

/** Chooses an account by name, email or phone. */
export function PersonPicker({ label, value, onChange }: PersonPickerProps) {
  const [search, setSearch] = useState('');
  const found = useApi('listUsers', {
    query: { ...(search !== '' && { search }), sortBy: 'lastName', sortOrder: 'ASC', limit: 20 },
  });
  // The address names the account by its id only.
  const chosen = useApi('showUser', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  const option = (user: Parameters<typeof nameOf>[0] & { id: string; email: string }) => ({
    value: user.id,
    label: nameOf(user),
    hint: user.email,
  });
  const known = chosen.data?.user.id === value ? chosen.data?.user : undefined;
  return (
    <SearchSelect
      label={label}
      chosen={value === undefined ? undefined : known ? option(known) : { value, label: value }}
      onChoose={(one) => onChange(one?.value)}
      options={found.data?.users.map(option)}
      onSearch={setSearch}
    />
  );
}
