import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi, useChange } from '../api/queries.js';
import { useSessionColumns } from '../profile/session-columns.js';
import { clientName } from '../ui/client-name.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { DataTable } from '../ui/lists/data-table.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import { Empty } from '../ui/states.js';
import type { PersonListProps } from './person-enrollments.js';
import { PersonIdentities } from './person-identities.js';

type Session = ResponseBody<'listUserSessions'>['sessions'][number];

export function PersonSessions({ user, search, onSearch }: PersonListProps) {
  const { t } = useTranslation();
  const [ending, setEnding] = useState<Session>();
  const [endingAll, setEndingAll] = useState(false);
  const endOne = useChange('endUserSession', ['listUserSessions', 'listAudit']);
  const endAll = useChange('endUserSessions', ['listUserSessions', 'listAudit']);
  const path = { id: user.id };
  const sessions = useApi(
    'listUserSessions',
    { path, query: { page: search.page ?? 1, limit: search.limit ?? 20 } },
    { keepPrevious: true },
  );
  const columns = useSessionColumns(setEnding);
  const count = sessions.data?.pagination.totalItems ?? 0;
  return (
    <Stack>
      <PersonIdentities user={user} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('people.session.hint')}
        </Text>
        {count > 0 && (
          <Button size="xs" variant="default" onClick={() => setEndingAll(true)}>
            {t('people.session.endAll')}
          </Button>
        )}
      </Group>
      <DataTable
        label={t('people.tab.sessions')}
        columns={columns}
        query={sessions}
        rows={sessions.data?.sessions}
        pagination={sessions.data?.pagination}
        rowKey={({ id }) => id}
        search={search}
        onSearch={onSearch}
        empty={<Empty message={t('people.session.none')} />}
      />
      <ConfirmDialog
        opened={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={t('profile.sessions.endTitle')}
        action={t('profile.sessions.end')}
        destructive
        onConfirm={async () => {
          if (!ending) return;
          await endOne.mutateAsync({ path: { ...path, sessionId: ending.id } });
          notifyDone(t('people.session.ended', { count: 1 }));
        }}
      >
        {t('people.session.endHint', {
          name: nameOf(user),
          device: clientName(ending?.userAgent ?? null) ?? t('profile.sessions.unknown'),
        })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={endingAll}
        onClose={() => setEndingAll(false)}
        title={t('people.session.endAllAsk', { name: nameOf(user) })}
        action={t('people.session.endAll')}
        destructive
        onConfirm={async () => {
          const { endedCount } = await endAll.mutateAsync({ path });
          notifyDone(t('people.session.ended', { count: endedCount }));
        }}
      >
        {t('people.session.endAllHint', { count })}
      </ConfirmDialog>
    </Stack>
  );
}
