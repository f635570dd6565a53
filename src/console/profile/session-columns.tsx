import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { clientName } from '../ui/client-name.js';
import type { Column } from '../ui/lists/data-table.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Time } from '../ui/time.js';

type Session = ResponseBody<'listSessions'>['sessions'][number] & ResponseBody<'listUserSessions'>['sessions'][number];

/**
 * Columns of a list of sessions, of the user's own account or another account.
 * @param onEnd asks whether to end a session
 * @param mayEnd whether a session has a button to end it
 */
export function useSessionColumns(
  onEnd: (session: Session) => void,
  mayEnd: (session: Session) => boolean = () => true,
): readonly Column<Session>[] {
  const { t } = useTranslation();
  const oidcName = useApi('showOidc', {}).data?.name ?? null;
  const methodColumn: Column<Session> = {
    id: 'method',
    header: t('profile.sessions.method'),
    render: ({ method }) => (method === 'oidc' ? oidcName : t('profile.sessions.password')),
  };
  return [
    {
      id: 'client',
      header: t('profile.sessions.client'),
      render: ({ userAgent, current }) => (
        <Group gap="xs">
          <Text size="sm" {...(userAgent !== null && { title: userAgent })}>
            {clientName(userAgent) ?? t('profile.sessions.unknown')}
          </Text>
          {current && <StatusBadge tone="good">{t('profile.sessions.current')}</StatusBadge>}
        </Group>
      ),
    },
    // Without the organisation's sign-in, everybody signs in with a password.
    ...(oidcName === null ? [] : [methodColumn]),
    { id: 'ip', header: t('profile.sessions.ip'), noWrap: true, render: ({ ip }) => <bdi>{ip ?? '–'}</bdi> },
    {
      id: 'createdAt',
      header: t('profile.sessions.createdAt'),
      fixedOrder: 'descending',
      noWrap: true,
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'lastUsedAt',
      header: t('profile.sessions.lastUsedAt'),
      noWrap: true,
      render: ({ lastUsedAt }) => <Time at={lastUsedAt} relative />,
    },
    {
      id: 'expiresAt',
      header: t('profile.sessions.expiresAt'),
      optional: true,
      noWrap: true,
      render: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    {
      id: 'actions',
      header: t('profile.sessions.actions'),
      align: 'end',
      pinned: true,
      render: (session) =>
        mayEnd(session) && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('profile.sessions.endOne', { time: formatTime(session.createdAt) })}
            onClick={() => onEnd(session)}
          >
            {t('profile.sessions.end')}
          </Button>
        ),
    },
  ];
}
