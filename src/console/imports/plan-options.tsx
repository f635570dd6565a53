import { NativeSelect, Paper, SimpleGrid, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Input } from '../api/client.js';
import { useMailSetUp } from '../api/mail.js';
import { useSignInWays } from '../api/sign-in-ways.js';
import { CoursePicker } from '../pickers/course-picker.js';
import { chosenCourses } from './course-names.js';
import {
  chosenColumns,
  delimiterName,
  effectiveOption,
  hasOption,
  nonDefaultOptions,
  type OptionName,
  optionNames,
  otherCourses,
  valueLabels,
} from './import-options.js';
import type { Import, Plan } from './import-status.js';

/** Changes of options and columns for the next plan. */
export type PlanChanges = NonNullable<Input<'planImport'>['body']>;

/** Sheets of the workbook; none for CSV files and unreadable files. */
const sheetsOf = ({ file, problem }: Plan) => file?.workbook?.sheets ?? problem?.sheets ?? [];

/** Planned sheet; undefined if the workbook has no sheet of that name. */
function plannedSheet({ options }: Pick<Import, 'options'>, plan: Plan): string | undefined {
  return plan.file?.workbook?.sheet ?? sheetsOf(plan).find(({ name }) => name === options.sheet)?.name;
}

/** Whether the changes divide the file into other columns, so that chosen fields no longer apply. */
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
 * Earlier choices of fields for columns. The service decides about other columns: another encoding may reveal more of them.
 * For each choice made in the console it has stored an entry such as `Mobile=phone`, or `#3=phone` if no heading is unique.
 */
function storedChoices({ options }: Import, plan: Plan): ColumnChoices {
  const choices = chosenColumns(options).map((entry) => {
    const at = entry.lastIndexOf('=');
    const [heading, name] = [entry.slice(0, at), entry.slice(at + 1)];
    const number = /^#(\d+)$/.exec(heading)?.[1];
    const column = number === undefined ? indexOfHeading(plan, heading) : Number(number) - 1;
    return { column, field: plan.fields.find((field) => field.name === name)?.name ?? null };
  });
  // Another client has stored other spellings of headings: keeps all fields of the plan.
  if (choices.some(({ column }) => column === undefined))
    return plan.columns.map(({ index, field }) => ({ column: index, field }));
  return choices.flatMap(({ column, field }) => (column === undefined ? [] : [{ column, field }]));
}

const indexOfHeading = ({ columns }: Plan, wanted: string): number | undefined =>
  columns.find(({ heading }) => heading === wanted)?.index;

/**
 * Options of the plan that stay for the next one. Another roster brings the options of its last syncs, so only options that
 * differ from their defaults stay.
 */
function keptOptions({ options }: Pick<Import, 'options'>, { roster = '' }: PlanChanges): Import['options'] {
  if (roster.trim() === '' || roster === options.roster) return options;
  const { group, onExisting, resetPasswords, ...kept } = Object.fromEntries(nonDefaultOptions(options));
  return { ...kept, ...(onExisting === 'update' && { onExisting }), roster };
}

/** Removes changes that equal the plan again. */
export function differencesFromPlan(current: Pick<Import, 'options'>, plan: Plan, changes: PlanChanges): PlanChanges {
  const { map = [], ...others } = changes;
  const kept = keptOptions(current, changes);
  const planned = (name: OptionName) =>
    name === 'sheet' ? plannedSheet(current, plan) : effectiveOption(name === 'roster' ? current.options : kept, name);
  // `changes` has no other keys.
  const differing = (Object.entries(others) as [OptionName, unknown][]).filter(
    ([name, value]) => value !== planned(name),
  );
  const fields = new Map(plan.columns.map(({ index, field }) => [index, field]));
  const columns = map.filter(({ column, field }) => fields.get(column) !== field);
  return { ...Object.fromEntries(differing), ...(columns.length > 0 && { map: columns }) };
}

/** Request for the next plan, with all options: the service uses defaults for missing options. */
export function planRequest(current: Import, plan: Plan, changes: PlanChanges): PlanChanges {
  const options = keptOptions(current, changes);
  const isNewRoster = options !== current.options;
  const kept = optionNames.filter(
    (name) => options[name] !== undefined && options[name] !== null && hasOption(current, name),
  );
  const given = Object.fromEntries(kept.map((name) => [name, delimiterName(options[name])]));
  const request: PlanChanges = { ...given, ...otherCourses(current.options), ...changes };
  const courses = chosenCourses(current.options);
  if (courses.length > 0 || (!isNewRoster && current.trainer === null)) request.mapCourse ??= courses;
  // The service refuses an empty text, so the option is left out.
  for (const name of ['course', 'group', 'roster', 'maxLeaving'] as const)
    if (changes[name]?.trim() === '') delete request[name];
  if (request.roster === undefined) for (const name of ['onLeave', 'maxLeaving'] as const) delete request[name];
  if (redividesColumns(current, plan, changes)) return { ...request, map: [] };
  const chosen = new Map([...storedChoices(current, plan), ...(changes.map ?? [])].map((one) => [one.column, one]));
  // A wrong encoding may hide columns, which the correct encoding shows again.
  const exists = ({ column }: ColumnChoices[number]) =>
    changes.encoding !== undefined || plan.columns.some(({ index }) => index === column);
  const map = [...chosen.values()].filter(exists);
  // Without a choice, the roster's remembered columns apply.
  return isNewRoster && map.length === 0 ? request : { ...request, map };
}

/** Ways for new people to get access. */
const accessModes = {
  passwords: { invite: false, withPasswords: false, noPassword: false },
  invitations: { invite: true, withPasswords: false, noPassword: false },
  both: { invite: true, withPasswords: true, noPassword: false },
  none: { invite: false, withPasswords: false, noPassword: true },
} as const;
type AccessMode = keyof typeof accessModes;

// The keys of the object are its ways.
const allModes = Object.keys(accessModes) as AccessMode[];

function accessModeOf({ invite, withPasswords, noPassword }: Import['options']): AccessMode {
  if (noPassword === true) return 'none';
  if (invite !== true) return 'passwords';
  return withPasswords === true ? 'both' : 'invitations';
}

export interface PlanOptionsProps {
  /** Import with the options of the plan. */
  current: Pick<Import, 'options' | 'trainer'>;
  plan: Plan;
  changes: PlanChanges;
  onChange(changes: PlanChanges): void;
}

/** Select for the sheet of a workbook; nothing if there is no choice. */
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

/** Whether the file is known to be a workbook. */
export const isWorkbook = (plan: Plan): boolean =>
  sheetsOf(plan).length > 0 || plan.problem?.reason?.startsWith('WORKBOOK_') === true;

/** Options that most imports need: the course for everybody, and how new people get access. */
export function CommonOptions({ current: { options }, changes, onChange }: PlanOptionsProps) {
  const { t } = useTranslation();
  const isMailSetUp = useMailSetUp();
  const { name: organisation, passwordLogin } = useSignInWays();
  const invites = isMailSetUp || options.invite === true;
  const chosenMode = accessModeOf({ ...options, ...changes });
  const isPossible = {
    passwords: passwordLogin,
    invitations: invites,
    both: invites && passwordLogin,
    none: organisation !== null || options.noPassword === true,
  };
  const possible = allModes.filter((way) => isPossible[way]);
  const course = String(changes.course ?? effectiveOption(options, 'course'));
  return (
    <Paper withBorder p="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <CoursePicker
          label={t('imports.options.course')}
          value={course === '' ? undefined : course}
          onChange={(id) => onChange({ ...changes, course: id ?? '' })}
        />
        {possible.length > 1 ? (
          <NativeSelect
            label={t('imports.options.access')}
            data={possible.map((way) => ({ value: way, label: t(`imports.options.${way}`) }))}
            value={chosenMode}
            // The values are keys of the object.
            onChange={({ currentTarget: { value } }) => onChange({ ...changes, ...accessModes[value as AccessMode] })}
          />
        ) : (
          <Text size="sm" c="dimmed" style={{ alignSelf: 'end' }}>
            {t('imports.options.noMail')}
          </Text>
        )}
      </SimpleGrid>
    </Paper>
  );
}

export function PlanOptions({ current, plan, changes, onChange }: PlanOptionsProps) {
  const { t } = useTranslation();
  const options = keptOptions(current, changes);
  const labels = valueLabels(t);
  const chosen = (name: OptionName): string => String(changes[name] ?? effectiveOption(options, name));
  const isSync = (changes.roster ?? options.roster ?? '') !== '';

  /** Properties of the select for an option. */
  const choice = (name: keyof typeof labels) => ({
    value: chosen(name),
    // The keys of `labels` are values of the service.
    onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
      onChange({ ...changes, [name]: currentTarget.value }),
    data: Object.entries(labels[name])
      // A sync meets the same people each time.
      .filter(([value]) => !(isSync && value === 'fail'))
      .map(([value, label]) => ({ value, label })),
  });

  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {(['onExisting', 'match', 'missingPhone', 'whenFull', 'onError', 'role'] as const)
        .filter((name) => hasOption(current, name))
        .map((name) => (
          <NativeSelect key={name} label={t(`imports.options.${name}`)} {...choice(name)} />
        ))}
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
  );
}
