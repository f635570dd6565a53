import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { AuditTable } from '../audit/audit-table.js';
import { TextLink } from '../ui/links.js';
import type { PersonListProps } from './person-enrollments.js';

export function PersonHistory({ user, search, onSearch }: PersonListProps) {
  const { t } = useTranslation();
  const history = useApi(
    'listAudit',
    { query: { targetType: 'user', targetId: user.id, page: search.page ?? 1, limit: search.limit ?? 20 } },
    { keepPrevious: true },
  );
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('people.historyHint')}
        </Text>
        <TextLink to="/audit" search={{ actor: user.id }} fz="sm">
          {t('people.changesBy')}
        </TextLink>
      </Group>
      <AuditTable
        label={t('people.tab.history')}
        query={history}
        entries={history.data?.entries}
        pagination={history.data?.pagination}
        search={search}
        onSearch={onSearch}
        without="target"
      />
    </Stack>
  );
}
