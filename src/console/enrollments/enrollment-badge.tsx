import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../ui/status-badge.js';
import { type EnrollmentStatus, statusTones } from './enrollment-changes.js';

export function EnrollmentBadge({ status }: { status: EnrollmentStatus }) {
  const { t } = useTranslation();
  return <StatusBadge tone={statusTones[status]}>{t(`courses.status.${status}`)}</StatusBadge>;
}
