import { Button, Group, Text } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DataTable } from '../ui/lists/data-table.js';
import { messageOf } from '../ui/messages.js';
import { useUnmountSignal } from '../ui/unmount-signal.js';
import { actionsFor, type EnrollmentAction, type EnrollmentRow, rowsFor } from './enrollment-changes.js';
import { readEnrollments } from './read-enrollments.js';
import type { EnrollmentFilter } from './status-filter.js';

interface BulkBarProps {
  /** The selected ones. */
  rows: readonly EnrollmentRow[];
  filter: EnrollmentFilter;
  pagination: ComponentProps<typeof DataTable<EnrollmentRow>>['pagination'];
  onAction(action: EnrollmentAction): void;
  onSelect(rows: readonly EnrollmentRow[]): void;
}

/** What can be done with the selected rows, and with how many of them; selects all that match. */
export function BulkBar({ rows, filter, pagination, onAction, onSelect }: BulkBarProps) {
  const { t } = useTranslation();
  const [reading, setReading] = useState(false);
  const [failure, setFailure] = useState<string>();
  const left = useUnmountSignal();
  const { totalItems = 0, totalItemsCapped = false } = pagination ?? {};

  async function selectAll(): Promise<void> {
    setReading(true);
    setFailure(undefined);
    try {
      onSelect(await readEnrollments(filter, left));
    } catch (error) {
      if (!left.aborted) setFailure(messageOf(error, t));
    } finally {
      setReading(false);
    }
  }
  if (rows.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={t('enrollments.change.bulk')}>
      <Text size="sm" fw={600} role="status">
        {t('table.selected', { count: rows.length })}
      </Text>
      {actionsFor(rows).map((action) => (
        <Button key={action} size="xs" variant="default" onClick={() => onAction(action)}>
          {t('enrollments.change.actionOf', {
            action: t(`enrollments.change.action.${action}`),
            count: rowsFor(action, rows).length,
          })}
        </Button>
      ))}
      {totalItems > rows.length && !totalItemsCapped && (
        <Button size="xs" variant="subtle" loading={reading} onClick={() => void selectAll()}>
          {t('enrollments.change.selectAll', { count: totalItems })}
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={() => onSelect([])}>
        {t('table.clearSelection')}
      </Button>
      {failure !== undefined && (
        <Text size="sm" role="alert">
          {failure}
        </Text>
      )}
    </Group>
  );
}
