import { useTranslation } from 'react-i18next';
import type { Operations } from '../../../examples/api-types.js';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { FilterSelect } from '../ui/lists/filters.js';
import { oneOf } from '../ui/lists/list-search.js';

/** Which enrollments are listed, exported or changed. */
export type EnrollmentFilter = Omit<
  NonNullable<Operations['exportEnrollments']['parameters']['query']>,
  'format' | 'fields'
>;

/** Those who have done all of the course and are still to be completed. */
export const finishedFilter = { status: ['active'], progress: 100 } satisfies EnrollmentFilter;

/** The rows of a page of enrollments: the requests of most courses. */
export const defaultPageSize = 50;

/** What a list is filtered by: a status, or `finished`. */
export const statusOptions = [...enrollmentStatuses, 'finished'] as const;
export type StatusOption = (typeof statusOptions)[number];

/** What is chosen in an address. */
export const parseStatusOption = (text: string | undefined): StatusOption | undefined => oneOf(statusOptions, text);

/** The filter of what is chosen. */
export function filterOfStatus(option: StatusOption | undefined): Pick<EnrollmentFilter, 'status' | 'progress'> {
  if (option === 'finished') return finishedFilter;
  return option === undefined ? {} : { status: [option] };
}

interface StatusFilterProps<Option extends StatusOption> {
  choices: readonly Option[];
  value: Option | undefined;
  onChange(status: Option | undefined): void;
}

/** Filters enrollments by their status. */
export function StatusFilter<Option extends StatusOption>({ choices, value, onChange }: StatusFilterProps<Option>) {
  const { t } = useTranslation();
  return (
    <FilterSelect<Option>
      label={t('field.status')}
      any={t('courses.any.status')}
      options={choices.map((option) => ({
        value: option,
        label: t(`courses.status.${option}`),
      }))}
      value={value}
      onChange={onChange}
    />
  );
}
