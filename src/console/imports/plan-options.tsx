import { NativeSelect, Paper, SimpleGrid, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Input } from '../api/client.js';
import type { Import, Plan } from './import-status.js';

/** What is to be planned otherwise. */
export type PlanChanges = NonNullable<Input<'planImport'>['body']>;

const optionNames = [
  ...(['role', 'course', 'enrollmentStatus', 'onExisting', 'match', 'onError', 'encoding', 'delimiter'] as const),
  ...(['resetPasswords', 'maxErrors'] as const),
];

/** All options of the next plan: the service takes its defaults for those that are left out. */
export function planRequest({ options }: Import, plan: Plan, changes: PlanChanges): PlanChanges {
  const kept = optionNames.filter((name) => options[name] !== undefined && options[name] !== null);
  const given = Object.fromEntries(kept.map((name) => [name, options[name] === '\t' ? 'tab' : options[name]]));
  const request = { ...given, ...changes };
  // The service takes no empty course: without the option, the plan has none.
  if (changes.course?.trim() === '') delete request.course;
  // Read otherwise, the file has other columns.
  if (changes.encoding !== undefined || changes.delimiter !== undefined) return { ...request, map: [] };
  const changed = new Map(changes.map?.map(({ column, field }) => [column, field]));
  const map = plan.columns.map(({ index, field }) => ({
    column: index,
    field: changed.has(index) ? (changed.get(index) ?? null) : field,
  }));
  return { ...request, map };
}

interface PlanOptionsProps {
  /** As the plan was made. */
  options: Record<string, unknown>;
  changes: PlanChanges;
  onChange(changes: PlanChanges): void;
}

/** How rows are treated. */
export function PlanOptions({ options, changes, onChange }: PlanOptionsProps) {
  const { t } = useTranslation();
  const chosen = (name: keyof PlanChanges, otherwise: string): string =>
    String(changes[name] ?? (options[name] === '\t' ? 'tab' : options[name]) ?? otherwise);

  /** The planned course is no change: the plan can be applied. */
  function chooseCourse(course: string): void {
    const { course: _before, ...others } = changes;
    onChange(course === String(options.course ?? '') ? others : { ...others, course });
  }

  /** The properties of a select. */
  const choice = <Name extends keyof PlanChanges>(name: Name, otherwise: string, labels: Record<string, string>) => ({
    value: chosen(name, otherwise),
    // The keys of `labels` are the values that the service takes.
    onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
      onChange({ ...changes, [name]: currentTarget.value as PlanChanges[Name] }),
    data: Object.entries(labels).map(([value, label]) => ({ value, label })),
  });

  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t('imports.options.title')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <NativeSelect
          label={t('imports.options.onExisting')}
          {...choice('onExisting', 'skip', {
            skip: t('imports.options.skip'),
            update: t('imports.options.update'),
            fail: t('imports.options.fail'),
          })}
        />
        <NativeSelect
          label={t('imports.options.match')}
          {...choice('match', 'email', {
            email: t('imports.options.matchEmail'),
            phone: t('imports.options.matchPhone'),
          })}
        />
        <NativeSelect
          label={t('imports.options.onError')}
          {...choice('onError', 'continue', {
            continue: t('imports.options.continue'),
            stop: t('imports.options.stop'),
            abort: t('imports.options.abort'),
          })}
        />
        <NativeSelect
          label={t('imports.options.role')}
          {...choice('role', 'trainee', { trainee: t('role.trainee'), trainer: t('role.trainer') })}
        />
        <TextInput
          label={t('imports.options.course')}
          description={t('imports.options.courseHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={chosen('course', '')}
          onChange={({ currentTarget }) => chooseCourse(currentTarget.value)}
        />
        <NativeSelect
          label={t('imports.options.encoding')}
          {...choice('encoding', 'auto', {
            auto: t('imports.options.automatic'),
            'utf-8': 'UTF-8',
            'windows-1252': 'Windows-1252',
            'utf-16le': 'UTF-16 LE',
            'utf-16be': 'UTF-16 BE',
          })}
        />
        <NativeSelect
          label={t('imports.options.delimiter')}
          {...choice('delimiter', 'auto', {
            auto: t('imports.options.automatic'),
            ',': t('imports.plan.comma'),
            ';': t('imports.plan.semicolon'),
            tab: t('imports.plan.tab'),
            '|': t('imports.plan.pipe'),
          })}
        />
      </SimpleGrid>
    </Paper>
  );
}
