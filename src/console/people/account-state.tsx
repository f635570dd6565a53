import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { StatusBadge } from '../ui/status-badge.js';

export type Account = ResponseBody<'listUsers'>['users'][number];

type States = Pick<Account, 'isActive' | 'requiresPasswordChange'> & { lockedUntil?: string | null };

/** Whether an account may sign in, and what is in its way. */
export function AccountState({ account }: { account: States }) {
  const { t } = useTranslation();
  return (
    <Group gap={4} wrap="nowrap">
      <StatusBadge tone={account.isActive ? 'good' : 'off'}>
        {t(account.isActive ? 'people.state.active' : 'people.state.inactive')}
      </StatusBadge>
      {account.requiresPasswordChange && <StatusBadge tone="waiting">{t('people.state.initialPassword')}</StatusBadge>}
      {account.lockedUntil && <StatusBadge tone="bad">{t('people.state.locked')}</StatusBadge>}
    </Group>
  );
}
