import { Alert, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatAgo, formatTime } from '../i18n/format.js';
import type { Account } from './account-state.js';

/** State of an invitation, in a sentence. */
function invitationText({ invitedAt, inviteState, inviteError, isActive }: Account, t: TFunction): string {
  const when = formatAgo(invitedAt);
  if (inviteState !== 'queued') return t(`people.invitation.is.${inviteState ?? 'no'}`, { when });
  if (!isActive) return t('people.invitation.is.inactive', { when });
  return t(inviteError === null ? 'people.invitation.is.queued' : 'people.invitation.is.delayed', { when });
}

/** State of the invitation of a person, and problems with their email. Renders nothing without an invitation or a problem. */
export function PersonMail({ user }: { user: Account }) {
  const { t } = useTranslation();
  const { invitedAt, inviteState, inviteError, mailFailedAt, email } = user;
  if (invitedAt === null && mailFailedAt === null) return null;
  const sentence = invitedAt !== null && invitationText(user, t);
  const isFault = inviteState === 'failed' || mailFailedAt !== null;
  if (!isFault && inviteError === null)
    return (
      <Text size="sm" c="dimmed">
        {sentence}
      </Text>
    );
  return (
    <Alert
      color={isFault ? 'red' : 'yellow'}
      variant="light"
      title={t(mailFailedAt === null ? 'people.invitation.notSent' : 'people.state.noMail')}
    >
      {sentence && <Text size="sm">{sentence}</Text>}
      {inviteError !== null && (
        <Text size="sm">
          {t('people.invitation.reason')} <bdi className="monospace">{inviteError}</bdi>
        </Text>
      )}
      {mailFailedAt !== null && (
        <Text size="sm">{t('people.invitation.unknown', { email, time: formatTime(mailFailedAt) })}</Text>
      )}
    </Alert>
  );
}
