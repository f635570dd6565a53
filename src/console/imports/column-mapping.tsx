import { Badge, Button, NativeSelect, Paper, Text, Title } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainTable } from '../ui/lists/plain-table.js';
import { type ImportField, importFieldName } from './field-name.js';
import type { Plan } from './import-status.js';
import type { PlanChanges } from './plan-options.js';

type FileColumn = Plan['columns'][number];

interface ColumnMappingProps {
  plan: Plan;
  changes: PlanChanges;
  onChange(changes: PlanChanges): void;
}

/** Columns of the file with their first values, and a select for the field of each. */
export function ColumnMapping({ plan, changes, onChange }: ColumnMappingProps) {
  const { t } = useTranslation();
  const changed = new Map(changes.map?.map(({ column, field }) => [column, field]));
  const fieldOf = ({ index, field }: FileColumn): ImportField | null =>
    changed.has(index) ? (changed.get(index) ?? null) : field;
  const used = new Set(plan.columns.map(fieldOf));
  const missing = plan.fields
    .filter(({ name, required }) => required && !used.has(name))
    .filter(({ name }) => !(used.has('fullName') && (name === 'firstName' || name === 'lastName')))
    .map(({ name }) => importFieldName(name, t));
  const suggestionFor = ({ index, suggestion }: FileColumn): ImportField | undefined =>
    suggestion === null || changed.has(index) || used.has(suggestion) ? undefined : suggestion;
  const headingOf = ({ heading, index }: FileColumn) =>
    heading === null || heading === '' ? t('imports.columns.noHeading', { number: index + 1 }) : heading;

  function map(index: number, field: ImportField | null): void {
    // Most fields have one column: the previous column of the field is no longer imported.
    const isRepeatable = field === 'phone' || field === 'course' || field === 'isActive';
    const others = plan.columns
      .filter((column) => column.index !== index && field !== null && !isRepeatable && fieldOf(column) === field)
      .map((column) => ({ column: column.index, field: null }));
    const kept = (changes.map ?? []).filter(
      ({ column }) => column !== index && !others.some((one) => one.column === column),
    );
    onChange({ ...changes, map: [...kept, ...others, { column: index, field }] });
  }

  const choices: { value: string; label: string }[] = [
    { value: '', label: t('imports.columns.ignored') },
    ...plan.fields.map(({ name }) => ({ value: name, label: importFieldName(name, t) })),
  ];
  /** Effect of a column in the plan. */
  function effectOf({ field, people, mailed }: FileColumn): string | null {
    if (field === null) return null;
    if (people === 0) return t('imports.columns.noEffect');
    const name = t(`imports.effects.${field}`);
    const effect = mailed > 0 ? t('imports.columns.mailed', { effect: name }) : name;
    return t('imports.columns.effectOn', { effect, count: people });
  }

  const rows = plan.columns.map((column) => ({
    key: String(column.index),
    cells: [
      <Fragment key="heading">
        {headingOf(column)}
        {column.hidden && (
          <Badge ms="xs" color="orange" variant="light">
            {t('imports.columns.hidden')}
          </Badge>
        )}
      </Fragment>,
      <Fragment key="field">
        <NativeSelect
          aria-label={t('imports.columns.fieldOf', { heading: headingOf(column) })}
          value={fieldOf(column) ?? ''}
          miw={180}
          onChange={({ currentTarget }) =>
            map(column.index, plan.fields.find(({ name }) => name === currentTarget.value)?.name ?? null)
          }
          data={choices}
        />
        <Suggestion field={suggestionFor(column)} onUse={(field) => map(column.index, field)} />
      </Fragment>,
      <Text key="effect" size="sm">
        {(plan.counts && !changed.has(column.index) && effectOf(column)) || '–'}
      </Text>,
      <Text key="samples" size="sm" c="dimmed" lineClamp={2}>
        {column.samples.length > 0 ? column.samples.join(' · ') : column.example}
      </Text>,
    ],
  }));
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {t('imports.columns.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('imports.columns.hint')}
      </Text>
      {missing.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb="xs">
          {t('imports.columns.missing', { fields: missing.join(', ') })}
        </Text>
      )}
      <PlainTable
        label={t('imports.columns.title')}
        head={[
          t('imports.columns.heading'),
          t('imports.columns.field'),
          t('imports.columns.effect'),
          t('imports.columns.samples'),
        ]}
        rows={rows}
      />
    </Paper>
  );
}

/** Button to use the suggested field of an unrecognized column. */
function Suggestion({ field, onUse }: { field: ImportField | undefined; onUse(field: ImportField): void }) {
  const { t } = useTranslation();
  if (field === undefined) return null;
  return (
    <Button className="wrapping" size="compact-sm" variant="subtle" onClick={() => onUse(field)}>
      {t('imports.columns.suggestion', { field: importFieldName(field, t) })}
    </Button>
  );
}
