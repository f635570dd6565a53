import { useTranslation } from 'react-i18next';
import type { Answer } from '../api/client.js';
import { StatusBadge, type Tone } from '../ui/status-badge.js';

type EnrollmentStatus = Answer<'listEnrollments'>['enrollments'][number]['status'];

const statusTones: Record<EnrollmentStatus, Tone> = {
  pending: 'waiting',
  active: 'good',
  completed: 'done',
  cancelled: 'off',
};

export function EnrollmentBadge({ status }: { status: EnrollmentStatus }) {
  const { t } = useTranslation();
  return <StatusBadge tone={statusTones[status]}>{t(`courses.status.${status}`)}</StatusBadge>;
}
