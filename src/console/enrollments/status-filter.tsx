import { useTranslation } from 'react-i18next';
import type { Operations } from '../../../examples/api-types.js';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { FilterSelect } from '../ui/lists/filters.js';
import { oneOf } from '../ui/lists/list-search.js';

/** Filter of listed, exported or changed enrollments. */
export type EnrollmentFilter = Omit<
  NonNullable<Operations['exportEnrollments']['parameters']['query']>,
  'format' | 'fields'
>;

/** Active enrollments at 100 %, which are ready to complete. */
export const finishedFilter = { status: ['active'], progress: 100 } satisfies EnrollmentFilter;

/** Default page size of enrollments: enough for the requests of most courses. */
export const defaultPageSize = 50;

/** Options of the filter: each status, and `finished`. */
export const statusOptions = [...enrollmentStatuses, 'finished'] as const;
export type StatusOption = (typeof statusOptions)[number];

/** Parses the option in a URL. */
export const parseStatusOption = (text: string | undefined): StatusOption | undefined => oneOf(statusOptions, text);

/** Converts an option to parameters of the service. */
export function filterOfStatus(option: StatusOption | undefined): Pick<EnrollmentFilter, 'status' | 'progress'> {
  if (option === 'finished') return finishedFilter;
  return option === undefined ? {} : { status: [option] };
}

interface StatusFilterProps<Option extends StatusOption> {
  choices: readonly Option[];
  value: Option | undefined;
  onChange(status: Option | undefined): void;
}

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
