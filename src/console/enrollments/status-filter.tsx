import { useTranslation } from 'react-i18next';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { FilterSelect } from '../ui/lists/filter-select.js';
import type { EnrollmentStatus } from './enrollment-changes.js';

/** What a list is filtered by: a status, or `finished` for those who take part, are at 100 %, and can be completed. */
export const statusChoices = [...enrollmentStatuses, 'finished'] as const;
type StatusChoice = (typeof statusChoices)[number];

/** The conditions of a choice, as the service takes them. */
export const conditionsOf = (choice: StatusChoice | undefined): { status?: EnrollmentStatus[]; progress?: number } =>
  choice === 'finished' ? { status: ['active'], progress: 100 } : { ...(choice && { status: [choice] }) };

interface StatusFilterProps<Choice extends StatusChoice> {
  choices: readonly Choice[];
  value: Choice | undefined;
  onChange(choice: Choice | undefined): void;
}

/** Filters enrollments by their status. */
export function StatusFilter<Choice extends StatusChoice>({ choices, value, onChange }: StatusFilterProps<Choice>) {
  const { t } = useTranslation();
  return (
    <FilterSelect<Choice>
      label={t('field.status')}
      any={t('courses.any.status')}
      options={choices.map((choice) => ({
        value: choice,
        label: t(`courses.status.${choice}`),
      }))}
      value={value}
      onChange={onChange}
    />
  );
}
