import { NativeSelect, Paper, SimpleGrid, Text, TextInput, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Input } from '../api/client.js';
import { useMailSetUp } from '../api/mail.js';
import {
  chosenColumns,
  delimiterName,
  effectiveOption,
  type OptionName,
  optionNames,
  valueLabels,
} from './import-options.js';
import type { Import, Plan } from './import-status.js';

/** What is to be planned otherwise. */
export type PlanChanges = NonNullable<Input<'planImport'>['body']>;

/** The sheets of the workbook; none where the file is CSV, or can't be opened. */
const sheetsOf = ({ file, problem }: Plan) => file?.workbook?.sheets ?? problem?.sheets ?? [];

/** The sheet that was planned; undefined where the workbook has none that is called so. */
function plannedSheet({ options }: Pick<Import, 'options'>, plan: Plan): string | undefined {
  return plan.file?.workbook?.sheet ?? sheetsOf(plan).find(({ name }) => name === options.sheet)?.name;
}

/** Whether the file is divided into columns anew: those that were chosen are others then. */
function redividesColumns(
  { options }: Pick<Import, 'options'>,
  plan: Plan,
  { delimiter, sheet }: PlanChanges,
): boolean {
  if (sheet !== undefined) return true;
  if (delimiter === undefined || delimiter === effectiveOption(options, 'delimiter')) return false;
  return delimiter === 'auto' || delimiter !== delimiterName(plan.file?.delimiter);
}

type ColumnChoices = NonNullable<PlanChanges['map']>;

/**
 * What was chosen for columns: the others are left to the service, which may understand more of them in another encoding.
 * It has stored `#3=phone` for each choice that was made here.
 */
function storedChoices({ options }: Import, plan: Plan): ColumnChoices {
  const stored = chosenColumns(options);
  const numbered = stored.map((entry) => /^#(\d+)=(\w*)$/.exec(entry));
  // Another client has named columns by their headings: everything is as the plan has it.
  if (numbered.includes(null)) return plan.columns.map(({ index, field }) => ({ column: index, field }));
  return numbered.map((entry) => ({
    column: Number(entry?.[1]) - 1,
    field: plan.fields.find(({ name }) => name === entry?.[2])?.name ?? null,
  }));
}

/** The changes without those that were set back to what the plan was made with. */
export function differencesFromPlan(current: Pick<Import, 'options'>, plan: Plan, changes: PlanChanges): PlanChanges {
  const { map = [], ...others } = changes;
  // The changes have no other keys.
  const differing = (Object.entries(others) as [OptionName, unknown][]).filter(
    ([name, value]) =>
      value !== (name === 'sheet' ? plannedSheet(current, plan) : effectiveOption(current.options, name)),
  );
  const fields = new Map(plan.columns.map(({ index, field }) => [index, field]));
  const columns = map.filter(({ column, field }) => fields.get(column) !== field);
  return { ...Object.fromEntries(differing), ...(columns.length > 0 && { map: columns }) };
}

/** All options of the next plan: the service takes its defaults for those that are left out. */
export function planRequest(current: Import, plan: Plan, changes: PlanChanges): PlanChanges {
  const { options } = current;
  const kept = optionNames.filter((name) => options[name] !== undefined && options[name] !== null);
  const given = Object.fromEntries(kept.map((name) => [name, delimiterName(options[name])]));
  const request = { ...given, ...changes };
  // The service takes no empty course: without the option, the plan has none.
  if (changes.course?.trim() === '') delete request.course;
  if (redividesColumns(current, plan, changes)) return { ...request, map: [] };
  const chosen = new Map([...storedChoices(current, plan), ...(changes.map ?? [])].map((one) => [one.column, one]));
  // In a wrong encoding the file may have fewer columns: in the right one they are there again.
  const exists = ({ column }: ColumnChoices[number]) =>
    changes.encoding !== undefined || plan.columns.some(({ index }) => index === column);
  return { ...request, map: [...chosen.values()].filter(exists) };
}

/** How new people get in. */
const accessModes = ['passwords', 'invitations', 'both'] as const;

const accessModeOf = ({ invite, withPasswords }: Import['options']): (typeof accessModes)[number] =>
  invite === true ? (withPasswords === true ? 'both' : 'invitations') : 'passwords';

const optionsOfAccessMode = (way: string) => ({ invite: way !== 'passwords', withPasswords: way === 'both' });

interface PlanOptionsProps {
  /** With the options as the plan was made. */
  current: Pick<Import, 'options'>;
  plan: Plan;
  changes: PlanChanges;
  onChange(changes: PlanChanges): void;
}

/** The sheet of a workbook that is imported, where there is a choice. */
export function SheetChoice({ current, plan, changes, onChange }: PlanOptionsProps) {
  const { t } = useTranslation();
  const sheets = sheetsOf(plan);
  const planned = plannedSheet(current, plan);
  if (sheets.length === 0 || (sheets.length === 1 && planned !== undefined)) return null;
  const choices = sheets.map(({ name, isHidden }) => ({
    value: name,
    label: isHidden ? t('imports.sheets.hidden', { sheet: name }) : name,
  }));
  return (
    <Paper withBorder p="md">
      <NativeSelect
        maw={400}
        label={t('imports.sheets.label')}
        description={changes.sheet === undefined ? undefined : t('imports.options.readAnew')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={changes.sheet ?? planned ?? ''}
        onChange={({ currentTarget }) => onChange({ ...changes, sheet: currentTarget.value })}
        data={
          planned === undefined
            ? [{ value: '', label: t('imports.sheets.choose'), disabled: true }, ...choices]
            : choices
        }
      />
    </Paper>
  );
}

/** Whether the file is a workbook, as far as is known. */
const isWorkbook = (plan: Plan): boolean =>
  sheetsOf(plan).length > 0 || plan.problem?.reason?.startsWith('WORKBOOK_') === true;

/** How rows are treated. */
export function PlanOptions({ current, plan, changes, onChange }: PlanOptionsProps) {
  const { t } = useTranslation();
  const { options } = current;
  const isMailSetUp = useMailSetUp();
  const labels = valueLabels(t);
  const chosen = (name: OptionName): string => String(changes[name] ?? effectiveOption(options, name));

  /** The properties of a select. */
  const choice = (name: keyof typeof labels) => ({
    value: chosen(name),
    // The keys of `labels` are the values that the service takes.
    onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
      onChange({ ...changes, [name]: currentTarget.value }),
    data: Object.entries(labels[name]).map(([value, label]) => ({ value, label })),
  });

  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t('imports.options.title')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <NativeSelect label={t('imports.options.onExisting')} {...choice('onExisting')} />
        <NativeSelect label={t('imports.options.match')} {...choice('match')} />
        <NativeSelect label={t('imports.options.missingPhone')} {...choice('missingPhone')} />
        <NativeSelect label={t('imports.options.whenFull')} {...choice('whenFull')} />
        <NativeSelect label={t('imports.options.onError')} {...choice('onError')} />
        <NativeSelect label={t('imports.options.role')} {...choice('role')} />
        <TextInput
          label={t('imports.options.course')}
          description={t('imports.options.courseHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={chosen('course')}
          onChange={({ currentTarget }) => onChange({ ...changes, course: currentTarget.value })}
        />
        {(isMailSetUp || options.invite === true) && (
          <NativeSelect
            label={t('imports.options.access')}
            data={accessModes.map((way) => ({ value: way, label: t(`imports.options.${way}`) }))}
            value={accessModeOf({ ...options, ...changes })}
            onChange={({ currentTarget }) => onChange({ ...changes, ...optionsOfAccessMode(currentTarget.value) })}
          />
        )}
        {!isWorkbook(plan) && (
          <>
            <NativeSelect label={t('imports.options.encoding')} {...choice('encoding')} />
            <NativeSelect
              label={t('imports.options.delimiter')}
              description={redividesColumns(current, plan, changes) ? t('imports.options.readAnew') : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...choice('delimiter')}
            />
          </>
        )}
      </SimpleGrid>
      {!isMailSetUp && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('imports.options.noMail')}
        </Text>
      )}
    </Paper>
  );
}
