import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { StatusBadge } from '../ui/status-badge.js';

export type Account = ResponseBody<'listUsers'>['users'][number];

/** Badges of an account: active or not, and problems that prevent a sign-in. */
export function AccountState({ account }: { account: Account }) {
  const { t } = useTranslation();
  const { isActive, requiresPasswordChange, lockedUntil, lastLogin, inviteState, mailFailedAt, signsIn } = account;
  const isWaiting = (inviteState === 'queued' || inviteState === 'sent') && !signsIn.includes('oidc');
  return (
    <Group gap={4}>
      <StatusBadge tone={isActive ? 'good' : 'off'}>
        {t(isActive ? 'people.state.active' : 'people.state.inactive')}
      </StatusBadge>
      {isWaiting && <StatusBadge tone="waiting">{t('people.state.invited')}</StatusBadge>}
      {inviteState === 'failed' && <StatusBadge tone="bad">{t('people.state.inviteFailed')}</StatusBadge>}
      {signsIn.length === 0 && lastLogin === null && inviteState === null && (
        <StatusBadge tone="waiting">{t('people.state.notSignedIn')}</StatusBadge>
      )}
      {requiresPasswordChange &&
        signsIn.includes('password') &&
        (inviteState === null || inviteState === 'accepted') && (
          <StatusBadge tone="waiting">{t('people.state.initialPassword')}</StatusBadge>
        )}
      {mailFailedAt && inviteState !== 'failed' && <StatusBadge tone="bad">{t('people.state.noMail')}</StatusBadge>}
      {lockedUntil && <StatusBadge tone="bad">{t('people.state.locked')}</StatusBadge>}
    </Group>
  );
}
