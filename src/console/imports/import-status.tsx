import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Answer } from '../api/client.js';

export type Import = Answer<'showImport'>['import'];
export type Plan = NonNullable<Import['plan']>;
export type ImportStatus = Import['status'];

/** It changes by itself: worth asking again. */
export const isUnderWay = (status: ImportStatus): boolean =>
  ['planning', 'queued', 'running', 'undoing'].includes(status);

/** Resuming does the rows that are left. */
export const canResume = (status: ImportStatus): boolean => ['interrupted', 'failed', 'cancelled'].includes(status);

/** There may be rows to take back. */
export const canUndo = (status: ImportStatus): boolean =>
  ['completed', 'stopped', 'failed', 'cancelled', 'interrupted'].includes(status);

const colors: Partial<Record<ImportStatus, string>> = {
  completed: 'teal',
  planned: 'indigo',
  failed: 'red',
  stopped: 'red',
  interrupted: 'red',
};

export function ImportStatusBadge({ status }: { status: ImportStatus }) {
  const { t } = useTranslation();
  return (
    <Badge variant="outline" color={colors[status] ?? 'gray'} className="status-badge">
      {t(`imports.status.${status}`)}
    </Badge>
  );
}
