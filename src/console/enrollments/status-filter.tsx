import { useTranslation } from 'react-i18next';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { FilterSelect } from '../ui/lists/filter-select.js';
import type { EnrollmentStatus } from './enrollment-changes.js';

interface StatusFilterProps {
  value: EnrollmentStatus | undefined;
  onChange(status: EnrollmentStatus | undefined): void;
}

/** Filters enrollments by their status. */
export function StatusFilter({ value, onChange }: StatusFilterProps) {
  const { t } = useTranslation();
  return (
    <FilterSelect
      label={t('field.status')}
      any={t('courses.any.status')}
      options={enrollmentStatuses.map((status) => ({ value: status, label: t(`courses.status.${status}`) }))}
      value={value}
      onChange={onChange}
    />
  );
}
