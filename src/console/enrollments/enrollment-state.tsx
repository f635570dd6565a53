import { Button, type ButtonProps, Group, Progress, Text } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatShare } from '../i18n/format.js';
import { StatusBadge } from '../ui/status-badge.js';
import { type Enrollment, type EnrollmentStatus, statusTones } from './enrollment-changes.js';

export function EnrollmentBadge({ status }: { status: EnrollmentStatus }) {
  const { t } = useTranslation();
  return <StatusBadge tone={statusTones[status]}>{t(`courses.status.${status}`)}</StatusBadge>;
}

type State = Pick<Enrollment, 'status' | 'waitingPlace' | 'cancelReason'>;

/** Status for managers of the course, with the number on the waiting list or the reason of a cancellation. */
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

/** Progress as a bar and in percent. @param label accessible name of the bar */
export function ProgressBar({ percent, label }: { percent: number; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" miw={120} maw={480}>
      <Progress.Root flex={1} size="sm">
        <Progress.Section value={percent} aria-label={label} />
      </Progress.Root>
      <Text size="sm" miw={44} ta="end">
        {formatShare(percent / 100)}
      </Text>
    </Group>
  );
}

/** Link to the public page of a certificate. Opens a new tab, because that page has no navigation. */
export const certificatePage = (code: string) =>
  ({ component: 'a', href: `/certificates/${code}`, target: '_blank' }) as const;

export function CertificateButton({ code, title, ...props }: ButtonProps & { code: string; title: string }) {
  const { t } = useTranslation();
  return (
    <Button
      {...certificatePage(code)}
      {...props}
      variant="default"
      leftSection={<IconCertificate size={16} aria-hidden />}
      aria-label={t('courses.certificate.of', { name: title })}
    >
      {t('courses.certificate.open')}
    </Button>
  );
}
