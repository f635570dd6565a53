import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { StatusBadge, type Tone } from '../ui/status-badge.js';

export type Import = ResponseBody<'showImport'>['import'];
export type Plan = NonNullable<Import['plan']>;
export type ImportStatus = Import['status'];

type ImportState = Pick<Import, 'status' | 'origin' | 'error'>;

/** Whether the service resumes the import by itself, after a process ended or after a temporary fault. */
export const resumesAutomatically = ({ status, origin, error }: ImportState): boolean =>
  // INTERRUPTED is the code of an interrupted undo, which the service doesn't resume.
  status === 'interrupted' && origin === 'http' && error?.code !== 'INTERRUPTED';

/** Whether the import changes by itself, so that the page fetches it again. */
export const isUnderWay = (current: ImportState): boolean =>
  ['planning', 'queued', 'running', 'undoing'].includes(current.status) || resumesAutomatically(current);

/** Whether the rows were deleted after the retention period, so that the import can't be undone or resumed. */
export const hasDeletedRows = ({ ledgerClosedAt }: Import): boolean => ledgerClosedAt !== null;

/** Whether the user can resume the import with the remaining rows. */
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

/** Whether all rows of a completed import were rejected. */
const isRejected = ({ status, counts: { rows, rejected } }: Pick<Import, 'status' | 'counts'>): boolean =>
  status === 'completed' && rows > 0 && rejected === rows;

/** Status of an import. An import with rejected rows is not shown as good, and a plan that can't be applied doesn't wait. */
export function ImportStatusBadge({ status, counts, error }: Pick<Import, 'status' | 'counts' | 'error'>) {
  const { t } = useTranslation();
  if (status === 'planned' && error !== null)
    return <StatusBadge tone="bad">{t('importStatus.notApplicable')}</StatusBadge>;
  if (isRejected({ status, counts })) return <StatusBadge tone="bad">{t('importStatus.allRejected')}</StatusBadge>;
  const tone = status === 'completed' && counts.rejected > 0 ? 'waiting' : tones[status];
  return <StatusBadge tone={tone ?? 'off'}>{t(`importStatus.${status}`)}</StatusBadge>;
}
