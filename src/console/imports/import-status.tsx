import { useTranslation } from 'react-i18next';
import type { Answer } from '../api/client.js';
import { StatusBadge, type Tone } from '../ui/status-badge.js';

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

const tones: Partial<Record<ImportStatus, Tone>> = {
  completed: 'good',
  planned: 'waiting',
  queued: 'waiting',
  running: 'waiting',
  failed: 'bad',
  stopped: 'bad',
  interrupted: 'bad',
};

export function ImportStatusBadge({ status }: { status: ImportStatus }) {
  const { t } = useTranslation();
  return <StatusBadge tone={tones[status] ?? 'off'}>{t(`imports.status.${status}`)}</StatusBadge>;
}
