import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../ui/status-badge.js';
import { type Enrollment, type EnrollmentStatus, statusTones } from './enrollment-changes.js';

export function EnrollmentBadge({ status }: { status: EnrollmentStatus }) {
  const { t } = useTranslation();
  return <StatusBadge tone={statusTones[status]}>{t(`courses.status.${status}`)}</StatusBadge>;
}

type State = Pick<Enrollment, 'status' | 'waitingPlace' | 'cancelReason'>;

/** The status for those who manage the course, with the place on the waiting list, or how a cancelled enrollment ended. */
export function EnrollmentState({ enrollment: { status, waitingPlace, cancelReason } }: { enrollment: State }) {
  const { t } = useTranslation();
  return (
    <>
      <EnrollmentBadge status={status} />
      <Text size="xs" c="dimmed" ps={4}>
        {waitingPlace !== null && t('courses.waitingPlace', { place: waitingPlace })}
        {cancelReason !== null && t(`courses.cancelReason.${cancelReason}`)}
      </Text>
    </>
  );
}
