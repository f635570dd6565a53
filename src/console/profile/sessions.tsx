import { Button, Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, type ResponseBody } from '../api/client.js';
import { useApi, useChange, useRefresh } from '../api/queries.js';
import { clientName } from '../ui/client-name.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { DataTable } from '../ui/lists/data-table.js';
import { searchNavigation } from '../ui/lists/list-search.js';
import { notifyDone } from '../ui/notify.js';
import { useSessionColumns } from './session-columns.js';

const route = getRouteApi('/profile');
type Session = ResponseBody<'listSessions'>['sessions'][number];

/** Ends all sessions except this one. @throws ApiError */
async function endOthers(): Promise<void> {
  for (;;) {
    const { sessions } = await call('listSessions', { query: { limit: 100 } });
    const others = sessions.filter(({ current }) => !current);
    if (others.length === 0) return;
    for (const { id } of others)
      await call('endSession', { path: { id } }).catch((error: unknown) => {
        // Ignores a session that has ended in the meantime.
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      });
  }
}

export function Sessions() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const refresh = useRefresh();
  const end = useChange('endSession', ['listSessions']);
  const [ending, setEnding] = useState<Session>();
  const [endingOthers, setEndingOthers] = useState(false);
  const { page, limit } = search;
  const query = useApi('listSessions', { query: { page, limit } }, { keepPrevious: true });
  const columns = useSessionColumns(setEnding, ({ current }) => !current);
  return (
    <Stack>
      <DataTable
        label={t('profile.sessions.list')}
        columns={columns}
        query={query}
        rows={query.data?.sessions}
        pagination={query.data?.pagination}
        rowKey={({ id }) => id}
        search={search}
        // Keeps the scroll position, because the list is below the forms.
        onSearch={(change, replace) =>
          void navigate({ ...searchNavigation<typeof search>(change, replace), resetScroll: false })
        }
      />
      <Group>
        <Button
          variant="default"
          disabled={(query.data?.pagination.totalItems ?? 0) < 2}
          onClick={() => setEndingOthers(true)}
        >
          {t('profile.sessions.endOthers')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={t('profile.sessions.endTitle')}
        action={t('profile.sessions.end')}
        destructive
        onConfirm={async () => {
          if (!ending) return;
          await end.mutateAsync({ path: { id: ending.id } });
          notifyDone(t('profile.sessions.ended'));
        }}
      >
        {t('profile.sessions.endHint', {
          client: ending ? (clientName(ending.userAgent) ?? t('profile.sessions.unknown')) : '',
        })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={endingOthers}
        onClose={() => setEndingOthers(false)}
        title={t('profile.sessions.endOthersTitle')}
        action={t('profile.sessions.endOthers')}
        destructive
        onConfirm={async () => {
          try {
            await endOthers();
          } finally {
            await refresh();
          }
          notifyDone(t('profile.sessions.othersEnded'));
        }}
      >
        {t('profile.sessions.endOthersHint')}
      </ConfirmDialog>
    </Stack>
  );
}
