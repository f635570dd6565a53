import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import type { Overview } from './overview-page.js';

interface MailTroubleNoticeProps {
  trouble: NonNullable<Overview<'super_admin'>['mailTrouble']>;
  /** Whether the notice is on the page of mails. */
  isOnMailPage?: boolean;
}

/** Says why mail isn't sent or delivered, with a link to the mails. */
export function MailTroubleNotice({ trouble, isOnMailPage = false }: MailTroubleNoticeProps) {
  const { t } = useTranslation();
  const { pausedBy, failed, failedBy } = trouble;
  return (
    <Alert color="red" variant="light" role="status" p="sm">
      {pausedBy !== null && <Text size="sm">{t('overview.mail.paused', { reason: pausedBy })}</Text>}
      {failed > 0 && <Text size="sm">{t('overview.mail.failed', { count: failed, reason: failedBy })}</Text>}
      {(failed > 0 || !isOnMailPage) && (
        <TextLink to="/mail" search={failed > 0 ? { state: 'failed' } : {}} underline="always" fz="sm">
          {t('overview.mail.open')}
        </TextLink>
      )}
    </Alert>
  );
}
