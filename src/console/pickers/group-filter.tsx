import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { lazyPart } from '../ui/lazy.js';
import type { PickerProps } from './search-select.js';

const GroupPicker = lazyPart(async () => (await import('./group-picker.js')).GroupPicker);

type GroupFilterProps = Required<Pick<PickerProps, 'placeholder' | 'onChange'>> & Pick<PickerProps, 'value'>;

/** Filter of a list by a group; hidden while there are no groups. */
export function GroupFilter(props: GroupFilterProps) {
  const { t } = useTranslation();
  const { data } = useApi('listGroups', { query: { limit: 20 } });
  if (props.value === undefined && (data?.groups.length ?? 0) === 0) return null;
  return <GroupPicker label={t('field.group')} {...props} />;
}
