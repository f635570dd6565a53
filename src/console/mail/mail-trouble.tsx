import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { TextLink } from '../ui/links.js';

type SuperAdminOverview = Extract<ResponseBody<'showOverview'>['overview'], { role: 'super_admin' }>;

/** Says why mail isn't sent or delivered, with links to the failed mails. */
export function MailTroubleNotice({ trouble }: { trouble: NonNullable<SuperAdminOverview['mailTrouble']> }) {
  const { t } = useTranslation();
  const { pausedBy, refused, refusedBy, addressUnknown, since } = trouble;
  return (
    <Alert color="red" variant="light" role="status" p="sm">
      {pausedBy !== null && <Text size="sm">{t('mail.trouble.paused', { reason: pausedBy })}</Text>}
      {refused > 0 && (
        <Text size="sm">
          {t('mail.trouble.refused', { count: refused, reason: refusedBy })}{' '}
          <TextLink to="/mail" search={{ state: 'failed', address: 'known', since }} underline="always">
            {t('mail.trouble.showRefused')}
          </TextLink>
        </Text>
      )}
      {addressUnknown > 0 && (
        <Text size="sm">
          {t('mail.trouble.addressUnknown', { count: addressUnknown })}{' '}
          <TextLink to="/mail" search={{ state: 'failed', address: 'unknown', since }} underline="always">
            {t('mail.trouble.showUnknown')}
          </TextLink>
        </Text>
      )}
    </Alert>
  );
}
