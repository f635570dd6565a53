import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { StatusBadge, type Tone } from '../ui/status-badge.js';

export type Import = ResponseBody<'showImport'>['import'];
export type Plan = NonNullable<Import['plan']>;
export type ImportStatus = Import['status'];

type ImportState = Pick<Import, 'status' | 'origin' | 'error'>;

/** The service resumes it when it can: it was interrupted by the end of a process, or by a fault that passes. */
export const resumesAutomatically = ({ status, origin, error }: ImportState): boolean =>
  // That code is of an undo that was interrupted, which nothing resumes.
  status === 'interrupted' && origin === 'http' && error?.code !== 'INTERRUPTED';

/** It changes by itself: worth asking again. */
export const isUnderWay = (current: ImportState): boolean =>
  ['planning', 'queued', 'running', 'undoing'].includes(current.status) || resumesAutomatically(current);

/** What was done with each row was deleted after the retention: it can't be undone or resumed any more. */
export const hasDeletedRows = ({ ledgerClosedAt }: Import): boolean => ledgerClosedAt !== null;

/** Resuming does the rows that are left. */
export const canResume = (current: Import): boolean =>
  !hasDeletedRows(current) && ['interrupted', 'failed', 'cancelled'].includes(current.status);

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
