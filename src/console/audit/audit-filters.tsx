import { Button } from '@mantine/core';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Input } from '../api/client.js';
import { CoursePicker } from '../pickers/course-picker.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { countFilters, type ListSearch, oneOf, type SearchChange } from '../ui/lists/list-search.js';
import { DateFilter } from './date-filter.js';

export type AuditSearch = ListSearch<'actor' | 'action' | 'targetType' | 'target' | 'from' | 'to'>;

type Query = NonNullable<Input<'listAudit'>['query']>;
type Action = NonNullable<Query['action']>;

/** All actions, in the order of their translations, which are grouped by kind of object. */
const actions = (): Action[] =>
  Object.entries(i18next.t('audit.action', { returnObjects: true })).flatMap(([group, labels]) =>
    // The type of the translations requires the actions as keys.
    Object.keys(labels).map((name) => `${group}.${name}` as Action),
  );

const targetTypes = ['user', 'group', 'course', 'enrollment', 'import', 'mail', 'address'] as const;

/** Midnight of a day in the browser's time zone, or some days later; undefined for an invalid day. */
function midnight(day: string | undefined, daysLater = 0): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}

/** Converts the filters of the URL to parameters of the service. */
export function auditQuery({ actor, action, targetType, target, from, to }: AuditSearch): Query {
  const all = {
    actorId: actor,
    action: oneOf(actions(), action),
    targetType: oneOf(targetTypes, targetType),
    targetId: target,
    from: midnight(from),
    // Includes the last day.
    to: midnight(to, 1),
  };
  // Removes undefined values. The cast is safe, because the keys stay.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Query;
}

export const noFilters = {
  actor: undefined,
  action: undefined,
  targetType: undefined,
  target: undefined,
  from: undefined,
  to: undefined,
};

interface AuditFiltersProps {
  search: AuditSearch;
  /** @param replace whether to replace the current entry in the browser's history */
  onSearch(change: SearchChange<AuditSearch>, replace?: boolean): void;
  filtered: boolean;
}

export function AuditFilters({ search, onSearch, filtered }: AuditFiltersProps) {
  const { t } = useTranslation();
  return (
    <Filters align="flex-end" active={countFilters(auditQuery(search))}>
      <PersonPicker
        label={t('audit.filter.actor')}
        placeholder={t('audit.any.actor')}
        value={search.actor}
        onChange={(actor) => onSearch({ actor })}
      />
      <FilterSelect
        label={t('audit.column.action')}
        value={search.action}
        any={t('audit.any.action')}
        options={actions().map((action) => ({ value: action, label: t(`audit.action.${action}`) }))}
        onChange={(action) => onSearch({ action })}
      />
      <FilterSelect
        label={t('audit.filter.targetType')}
        value={search.targetType}
        any={t('audit.any.target')}
        options={targetTypes.map((type) => ({ value: type, label: t(`audit.target.${type}`) }))}
        onChange={(targetType) => onSearch({ targetType, target: undefined })}
      />
      {search.targetType === 'user' && (
        <PersonPicker
          label={t('audit.target.user')}
          placeholder={t('audit.target.user')}
          value={search.target}
          onChange={(target) => onSearch({ target })}
        />
      )}
      {search.targetType === 'course' && (
        <CoursePicker
          label={t('audit.target.course')}
          placeholder={t('audit.target.course')}
          value={search.target}
          onChange={(target) => onSearch({ target })}
        />
      )}
      {/* Typing a date changes the filter several times, so these changes add no entries to the history. */}
      <DateFilter
        label={t('audit.filter.from')}
        value={search.from}
        max={search.to}
        onChange={(from) => onSearch({ from }, true)}
      />
      <DateFilter
        label={t('audit.filter.to')}
        value={search.to}
        min={search.from}
        onChange={(to) => onSearch({ to }, true)}
      />
      {filtered && (
        <Button variant="subtle" onClick={() => onSearch(noFilters)}>
          {t('action.clear')}
        </Button>
      )}
    </Filters>
  );
}
