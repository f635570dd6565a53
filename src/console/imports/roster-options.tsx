import { Autocomplete, NativeSelect, Paper, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { effectiveOption, valueLabels } from './import-options.js';
import type { PlanOptionsProps } from './plan-options.js';

/** Group of an import: everybody is added to it, or it is kept in step with the file. */
export function GroupOptions({ current: { options }, changes, onChange }: PlanOptionsProps) {
  const { t } = useTranslation();
  const planned = String(effectiveOption(options, 'roster'));
  const [isSync, setSync] = useState(planned !== '');
  const group = String(changes.group ?? effectiveOption(options, 'group'));
  const roster = String(changes.roster ?? planned);

  function choose(sync: boolean): void {
    setSync(sync);
    const { group: _, onLeave, maxLeaving, onExisting, ...others } = changes;
    if (sync)
      onChange({ ...others, ...(onExisting !== 'fail' && onExisting && { onExisting }), roster: group || planned });
    else onChange({ ...others, ...(onExisting && { onExisting }), group: roster, roster: '' });
  }

  return (
    <Paper withBorder p="md">
      <Switch
        label={t('imports.roster.choose')}
        description={t('imports.roster.chooseHint')}
        checked={isSync}
        onChange={({ currentTarget }) => choose(currentTarget.checked)}
      />
      <SimpleGrid mt="sm" cols={{ base: 1, sm: 2, lg: isSync ? 3 : 2 }} style={{ alignItems: 'end' }}>
        <GroupName
          label={t(isSync ? 'imports.options.roster' : 'imports.options.group')}
          required={isSync}
          value={isSync ? roster : group}
          onChange={(name) => onChange({ ...changes, [isSync ? 'roster' : 'group']: name })}
        />
        {isSync && (
          <>
            <NativeSelect
              label={t('imports.options.onLeave')}
              value={changes.onLeave ?? String(effectiveOption(options, 'onLeave'))}
              onChange={({ currentTarget: { value } }) =>
                onChange({ ...changes, onLeave: value === 'deactivate' ? value : 'keep' })
              }
              data={Object.entries(valueLabels(t).onLeave).map(([value, label]) => ({ value, label }))}
            />
            <TextInput
              label={t('imports.options.maxLeaving')}
              value={changes.maxLeaving ?? String(effectiveOption(options, 'maxLeaving'))}
              onChange={({ currentTarget }) =>
                onChange({ ...changes, maxLeaving: currentTarget.value.replaceAll(/\s/g, '') })
              }
            />
          </>
        )}
      </SimpleGrid>
      {isSync && roster !== planned && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('imports.roster.remembered')}
        </Text>
      )}
    </Paper>
  );
}

interface GroupNameProps {
  label: string;
  required: boolean;
  value: string;
  onChange(name: string): void;
}

/** Name of a new or existing group; existing names are suggested. */
function GroupName({ value, ...props }: GroupNameProps) {
  const [asked] = useDebouncedValue(value.trim(), 300);
  const found = useApi('listGroups', { query: { search: asked || undefined, limit: 20 } }, { keepPrevious: true });
  return <Autocomplete {...props} value={value} data={found.data?.groups.map(({ name }) => name) ?? []} />;
}
