import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Input } from '../api/client.js';
import { initialStatuses } from '../api/enrollment-statuses.js';
import { formatNumber } from '../i18n/format.js';
import { Facts } from '../ui/facts.js';
import { CourseNames, CourseTitle, chosenCourses } from './course-names.js';
import { importFieldName, isKnownField } from './field-name.js';
import type { Import } from './import-status.js';

type Options = Import['options'];

/** All options except `map`. */
export const optionNames = [
  ...([
    'role',
    'course',
    'group',
    'roster',
    'onLeave',
    'maxLeaving',
    'enrollmentStatus',
    'onExisting',
    'match',
    'missingPhone',
    'whenFull',
    'onError',
  ] as const),
  ...([
    'encoding',
    'delimiter',
    'sheet',
    'resetPasswords',
    'invite',
    'withPasswords',
    'noPassword',
    'maxErrors',
  ] as const),
];
export type OptionName = (typeof optionNames)[number];

/** Options that trainers choose. The others have fixed values. */
const trainerOptions: readonly OptionName[] = ['course', 'encoding', 'delimiter', 'sheet'];

/** Whether the options of an import have an option. */
export const hasOption = ({ trainer }: Pick<Import, 'trainer'>, name: OptionName): boolean =>
  trainer === null || trainerOptions.includes(name);

/** Defaults of options; the other options have none. */
const defaults: Readonly<Partial<Record<OptionName, unknown>>> = {
  role: 'trainee',
  enrollmentStatus: 'active',
  onExisting: 'skip',
  match: 'email',
  missingPhone: 'reject',
  whenFull: 'reject',
  onError: 'continue',
  resetPasswords: false,
  invite: false,
  withPasswords: false,
  noPassword: false,
  course: '',
  group: '',
  roster: '',
  onLeave: 'keep',
  maxLeaving: '10%',
  encoding: 'auto',
  delimiter: 'auto',
};

/** Name of a delimiter in the options. */
export const delimiterName = (delimiter: unknown): unknown => (delimiter === '\t' ? 'tab' : delimiter);

/** Labels of encodings, by the values of the service. */
export const encodingLabels = (t: TFunction) => ({
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': `Windows-1252 (${t('imports.encodings.western')})`,
  'windows-1250': `Windows-1250 (${t('imports.encodings.central')})`,
  'windows-1251': `Windows-1251 (${t('imports.encodings.cyrillic')})`,
  'windows-1253': `Windows-1253 (${t('imports.encodings.greek')})`,
  'windows-1254': `Windows-1254 (${t('imports.encodings.turkish')})`,
  'windows-1255': `Windows-1255 (${t('imports.encodings.hebrew')})`,
  'windows-1256': `Windows-1256 (${t('imports.encodings.arabic')})`,
  'windows-1257': `Windows-1257 (${t('imports.encodings.baltic')})`,
  'windows-874': `Windows-874 (${t('imports.encodings.thai')})`,
  macintosh: `Mac Roman (${t('imports.encodings.western')})`,
  shift_jis: `Shift_JIS (${t('imports.encodings.japanese')})`,
  gb18030: `GB18030 (${t('imports.encodings.simplified')})`,
  big5: `Big5 (${t('imports.encodings.traditional')})`,
  'euc-kr': `EUC-KR (${t('imports.encodings.korean')})`,
});

/** Default of an option. A sync repeats, so it lets people wait for a seat instead of rejecting them each time. */
const defaultOf = ({ roster }: Options, name: OptionName): unknown =>
  name === 'whenFull' && roster !== undefined ? 'wait' : defaults[name];

/** Value of an option, or its default. */
export const effectiveOption = (options: Options, name: OptionName): unknown =>
  delimiterName(options[name]) ?? defaultOf(options, name);

/** Labels of option values, by the values of the service. */
export const valueLabels = (t: TFunction) => ({
  onExisting: {
    skip: t('imports.options.skip'),
    update: t('imports.options.update'),
    fail: t('imports.options.fail'),
  },
  match: {
    email: t('imports.options.matchEmail'),
    phone: t('imports.options.matchPhone'),
  },
  missingPhone: {
    reject: t('imports.options.rejectMissingPhone'),
    allow: t('imports.options.allowMissingPhone'),
  },
  whenFull: {
    reject: t('imports.options.rejectWhenFull'),
    wait: t('imports.options.waitWhenFull'),
    'skip-course': t('imports.options.skipCourse'),
  },
  onError: {
    continue: t('imports.options.continue'),
    stop: t('imports.options.stop'),
    abort: t('imports.options.abort'),
  },
  onLeave: {
    keep: t('imports.options.keepAccounts'),
    deactivate: t('imports.options.deactivateAccounts'),
  },
  role: { trainee: t('role.trainee'), trainer: t('role.trainer') },
  enrollmentStatus: Object.fromEntries(initialStatuses.map((status) => [status, t(`courses.status.${status}`)])),
  encoding: { auto: t('imports.options.automatic'), ...encodingLabels(t) },
  delimiter: {
    auto: t('imports.options.automatic'),
    ',': t('imports.plan.comma'),
    ';': t('imports.plan.semicolon'),
    tab: t('imports.plan.tab'),
    '|': t('imports.plan.pipe'),
  },
});

export function nonDefaultOptions(options: Options): [OptionName, unknown][] {
  return optionNames
    .map((name): [OptionName, unknown] => [name, effectiveOption(options, name)])
    .filter(([name, value]) => value !== undefined && value !== null && value !== defaultOf(options, name));
}

/** Chosen fields of columns, as `heading=field`. */
export const chosenColumns = ({ map }: Options): string[] => (Array.isArray(map) ? map.map(String) : []);

/** Further courses for everybody, which only terminals and other clients choose. */
export const otherCourses = ({ otherCourses: ids }: Options): { otherCourses?: string[] } =>
  Array.isArray(ids) ? { otherCourses: ids.map(String) } : {};

/** Options of an import as form fields for the next import. */
export function formOptions(
  previous: Pick<Import, 'options' | 'trainer'>,
): Omit<Input<'createImport'>['body'], 'file'> {
  const { options } = previous;
  // Omits the sheet, because the workbook of rejected rows has another sheet.
  const given = nonDefaultOptions(options).filter(([name]) => name !== 'sheet' && hasOption(previous, name));
  const lists = { map: chosenColumns(options), mapCourse: chosenCourses(options) };
  return { ...Object.fromEntries(given), ...lists, ...otherCourses(options) };
}

function columnText(entry: string, t: TFunction): string {
  const at = entry.lastIndexOf('=');
  const [heading, field] = [entry.slice(0, at), entry.slice(at + 1)];
  const number = /^#(\d+)$/.exec(heading)?.[1];
  const column = number === undefined ? heading : t('imports.columns.numbered', { number });
  if (field === '') return `${column}: ${t('imports.columns.ignored')}`;
  return `${column}: ${isKnownField(field) ? importFieldName(field, t) : field}`;
}

function valueText(name: OptionName, value: unknown, t: TFunction): string {
  if (typeof value === 'boolean') return t('imports.options.yes');
  const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = valueLabels(t);
  return labels[name]?.[String(value)] ?? (typeof value === 'number' ? formatNumber(value) : String(value));
}

export function NonDefaultOptions({ options }: Pick<Import, 'options'>) {
  const { t } = useTranslation();
  const columns = chosenColumns(options).map((entry) => columnText(entry, t));
  const facts = nonDefaultOptions(options).map(([name, value]): [string, ReactNode] => [
    t(`imports.options.${name}`),
    name === 'course' ? <CourseTitle key={name} course={String(value)} /> : valueText(name, value, t),
  ]);
  if (columns.length > 0) facts.push([t('imports.columns.title'), columns.join(', ')]);
  const others = otherCourses(options).otherCourses ?? [];
  if (others.length > 0)
    facts.push([
      t('imports.options.otherCourses'),
      others.map((course) => (
        <div key={course}>
          <CourseTitle course={course} />
        </div>
      )),
    ]);
  if (chosenCourses(options).length > 0)
    facts.push([t('imports.courses.title'), <CourseNames key="courses" options={options} />]);
  return <Facts facts={facts} />;
}
