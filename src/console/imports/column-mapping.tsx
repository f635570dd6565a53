import { Badge, NativeSelect, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainTable } from '../ui/lists/plain-table.js';
import { fieldOf, mapColumn } from './column-choices.js';
import { columnName } from './column-name.js';
import { importFieldName } from './field-name.js';
import type { Plan } from './import-status.js';
import type { PlanChanges } from './plan-options.js';

interface ColumnMappingProps {
  plan: Plan;
  changes: PlanChanges;
  onChange(changes: PlanChanges): void;
}

/** Columns of the file with their first values, and a select for the field of each. */
export function ColumnMapping({ plan, changes, onChange }: ColumnMappingProps) {
  const { t } = useTranslation();
  const choices: { value: string; label: string }[] = [
    { value: '', label: t('imports.columns.ignored') },
    ...plan.fields.map(({ name }) => ({ value: name, label: importFieldName(name, t) })),
  ];
  const rows = plan.columns.map((column) => ({
    key: String(column.index),
    cells: [
      <Fragment key="heading">
        {columnName(column, t)}
        {column.hidden && (
          <Badge ms="xs" color="orange" variant="light">
            {t('imports.columns.hidden')}
          </Badge>
        )}
      </Fragment>,
      <NativeSelect
        key="field"
        aria-label={t('imports.columns.fieldOf', { heading: columnName(column, t) })}
        value={fieldOf(column, changes) ?? ''}
        // In a narrow window, each row is a card, which is narrower.
        miw={{ base: 0, md: 180 }}
        onChange={({ currentTarget }) => {
          const field = plan.fields.find(({ name }) => name === currentTarget.value)?.name ?? null;
          onChange(mapColumn(plan, changes, column.index, field));
        }}
        data={choices}
      />,
      <Text key="samples" size="sm" c="dimmed" lineClamp={2}>
        {column.samples.length > 0 ? column.samples.join(' · ') : column.example}
      </Text>,
    ],
  }));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('imports.columns.hint')}
      </Text>
      <PlainTable
        label={t('imports.columns.title')}
        head={[t('imports.columns.heading'), t('imports.columns.field'), t('imports.columns.samples')]}
        rows={rows}
      />
    </Stack>
  );
}
