import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { nameOf } from './course-values.js';

type TrainerSelectProps = Pick<
  SelectProps,
  'label' | 'placeholder' | 'error' | 'required' | 'clearable' | 'aria-label'
> & {
  /** The trainer's id. */
  value: string | null;
  onChange(id: string | null): void;
  /** The trainer who is chosen already: the list may not have them. */
  known?: { id: string; firstName: string; lastName: string };
};

/** Chooses a trainer, whom the service searches for while one types. */
export function TrainerSelect({ known, onChange, ...props }: TrainerSelectProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), 300);
  const { data } = useApi(
    'listAvailableTrainers',
    { query: { search: sought || undefined, limit: 50 } },
    { keepPrevious: true },
  );
  const found = (data?.trainers ?? []).map((trainer) => ({
    value: trainer.id,
    label: `${nameOf(trainer)} (${trainer.email})`,
  }));
  const chosen =
    known && !found.some(({ value }) => value === known.id) ? [{ value: known.id, label: nameOf(known) }] : [];
  return (
    <Select
      {...props}
      searchable
      openOnFocus={false}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      data={[...chosen, ...found]}
      // The service has searched, also by what isn't shown.
      filter={({ options }) => options}
      onSearchChange={(next) => setText(found.some(({ label }) => label === next) ? '' : next)}
      onChange={(id) => onChange(id)}
    />
  );
}

/** Filters a list by a trainer. */
export function TrainerFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange(id: string | undefined): void;
}) {
  const { t } = useTranslation();
  const chosen = useApi('showUser', { path: { id: value ?? '' } }, { enabled: value !== undefined });
  return (
    <TrainerSelect
      aria-label={t('courses.field.trainer')}
      placeholder={t('courses.any.trainer')}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      clearable
      {...(value !== undefined && chosen.data && { known: chosen.data.user })}
    />
  );
}
