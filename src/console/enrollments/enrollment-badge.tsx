import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../ui/status-badge.js';
import { type Enrollment, type EnrollmentStatus, statusTones } from './enrollment-changes.js';

export function EnrollmentBadge({ status }: { status: EnrollmentStatus }) {
  const { t } = useTranslation();
  return <StatusBadge tone={statusTones[status]}>{t(`courses.status.${status}`)}</StatusBadge>;
}

/** The status for those who manage the course, with how a cancelled enrollment ended. */
export function EnrollmentState({ enrollment }: { enrollment: Pick<Enrollment, 'status' | 'cancelReason'> }) {
  const { t } = useTranslation();
  const { status, cancelReason } = enrollment;
  return (
    <>
      <EnrollmentBadge status={status} />
      {cancelReason !== null && (
        <Text size="xs" c="dimmed" ps={4}>
          {t(`courses.cancelReason.${cancelReason}`)}
        </Text>
      )}
    </>
  );
}
