import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { formatDay, formatNumber, formatTime } from '../i18n/format.js';
import { oneOf } from '../ui/lists/list-search.js';
import { PlainTable } from '../ui/lists/plain-table.js';
import { ObjectLink } from './audit-objects.js';
import { type AuditEntry, changedFields, fieldName } from './changes.js';

/** Fields with ids, and their kind of object. */
const idFields: Readonly<Record<string, 'user' | 'course' | 'import'>> = {
  userId: 'user',
  trainerId: 'user',
  replyBy: 'user',
  courseId: 'course',
  courses: 'course',
  waitingLists: 'course',
  importId: 'import',
};

export function ChangeTable({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const cell = (values: AuditEntry['before'], field: string): ReactNode =>
    values !== null && field in values ? <Value field={field} value={values[field]} names={entry.names} /> : '–';
  return (
    <PlainTable
      label={t('audit.column.changes')}
      head={[t('audit.column.field'), t('audit.column.before'), t('audit.column.after')]}
      rows={changedFields(entry).map((field) => ({
        key: field,
        cells: [fieldName(field, t), cell(entry.before, field), cell(entry.after, field)],
      }))}
    />
  );
}

interface ValueProps {
  field: string;
  value: unknown;
  names: AuditEntry['names'];
}

function Value({ field, value, names }: ValueProps) {
  const { t } = useTranslation();
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no');
  if (Array.isArray(value))
    return (
      <Stack gap={2}>
        {value.map((one) => (
          <Value key={JSON.stringify(one)} field={field} value={one} names={names} />
        ))}
      </Stack>
    );
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  const kind = idFields[field];
  const name = names[value];
  if (kind !== undefined && typeof name === 'string') return <ObjectLink kind={kind} id={value} name={name} />;
  if (field === 'role' && (value === 'super_admin' || value === 'trainer' || value === 'trainee'))
    return t(`role.${value}`);
  const status = field === 'status' ? oneOf(enrollmentStatuses, value) : undefined;
  if (status) return t(`courses.status.${status}`);
  const reason = field === 'cancelReason' ? oneOf(['left', 'refused', 'removed', 'roster'], value) : undefined;
  if (reason) return t(`courses.cancelReason.${reason}`);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return formatDay(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTime(value);
  return <span className="multiline">{value}</span>;
}
