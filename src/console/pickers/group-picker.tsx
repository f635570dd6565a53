import { useState } from 'react';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { chosenOption, type PickerProps, type SearchOption, SearchSelect } from './search-select.js';

type Group = ResponseBody<'listGroups'>['groups'][number];

const option = ({ id, name }: Group): SearchOption => ({ value: id, label: name });

/** Picker for a group by its name. */
export function GroupPicker({ value, onChange, ...props }: PickerProps) {
  const [search, setSearch] = useState('');
  const found = useApi('listGroups', { query: { search: search || undefined, limit: 20 } });
  // The listing finds an id, too. Trainers can't read a single group.
  const chosen = useApi('listGroups', { query: { search: value, limit: 1 } }, { enabled: value !== undefined });
  const options = found.data?.groups.map(option);
  return (
    <SearchSelect
      {...props}
      chosen={chosenOption(value, options, chosen.data?.groups.map(option)[0])}
      onChoose={(one) => onChange(one?.value)}
      options={options}
      onSearch={setSearch}
    />
  );
}
