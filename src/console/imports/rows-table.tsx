import { Anchor, Badge, Group, NativeSelect, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Answer } from '../api/client.js';
import { useApi } from '../api/queries.js';
import type { ListSearch } from '../app/list-search.js';
import { formatNumber } from '../i18n/format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { SearchField } from '../ui/search-field.js';
import type { Plan } from './import-status.js';

type Row = Answer<'listImportRows'>['rows'][number];

const route = getRouteApi('/imports/$id');
const outcomes = ['created', 'updated', 'skipped', 'rejected'] as const;
const colors = { created: 'teal', updated: 'indigo', skipped: 'gray', rejected: 'red' } as const;

interface RowsTableProps {
  id: string;
  /** Names the cells; absent once the plan is applied. */
  columns: Plan['columns'] | undefined;
}

/** The rows of the plan, or of the ledger, with what becomes or became of them. */
export function RowsTable({ id, columns: fileColumns }: RowsTableProps) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const outcome = outcomes.find((one) => one === search.outcome);
  const { code, page, limit, search: words } = search;
  const query = useApi(
    'listImportRows',
    {
      path: { id },
      query: {
        ...(outcome && { outcome }),
        ...(code !== undefined && { code }),
        ...(words !== undefined && { search: words }),
        ...(page && { page }),
        ...(limit && { limit }),
      },
    },
    { keepPrevious: true },
  );
  const change = (next: ListSearch<'outcome' | 'code'>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), resetScroll: false });
  const clear = { outcome: undefined, code: undefined, search: undefined };
  const columns: Column<Row>[] = [
    { id: 'line', header: t('imports.table.line'), align: 'end', render: ({ line }) => formatNumber(line) },
    {
      id: 'outcome',
      header: t('imports.table.outcome'),
      render: (row) => (
        <Badge variant="outline" color={colors[row.outcome]} className="status-badge">
          {t(`imports.outcomes.${row.outcome}`)}
        </Badge>
      ),
    },
    {
      id: 'account',
      header: t('imports.table.account'),
      render: ({ account }) =>
        account ? (
          <Anchor component={Link} to="/people/$id" params={{ id: account.id }}>
            {account.firstName} {account.lastName}
          </Anchor>
        ) : (
          '–'
        ),
    },
    {
      id: 'reason',
      header: t('imports.table.reason'),
      render: ({ message, changes }) => message ?? (changes ? <Changes changes={changes} /> : '–'),
    },
    {
      id: 'cells',
      header: t('imports.table.cells'),
      optional: fileColumns === undefined,
      render: ({ cells }) => (
        <Text size="sm" c="dimmed">
          {cells?.join(' · ') ?? '–'}
        </Text>
      ),
    },
  ];
  return (
    <section id="rows">
      <Title order={2} size="h4" mb="xs">
        {t('imports.table.title')}
      </Title>
      <Group mb="sm">
        <SearchField label={t('imports.table.search')} value={words} onSearch={(text) => change({ search: text })} />
        <NativeSelect
          aria-label={t('imports.table.outcome')}
          value={outcome ?? ''}
          onChange={({ currentTarget }) => change({ outcome: currentTarget.value || undefined, code: undefined })}
          data={[
            { value: '', label: t('imports.table.all') },
            ...outcomes.map((value) => ({ value, label: t(`imports.outcomes.${value}`) })),
          ]}
        />
        {code !== undefined && (
          <Text size="sm">
            {t('imports.table.code')}: {code}
          </Text>
        )}
      </Group>
      <DataTable
        label={t('imports.table.title')}
        columns={columns}
        query={query}
        rows={query.data?.rows}
        pagination={query.data?.pagination}
        rowKey={({ line }) => String(line)}
        search={search}
        onSearch={change}
        filtered={outcome !== undefined || code !== undefined || words !== undefined}
        onClearFilters={() => change(clear)}
      />
    </section>
  );
}

/** Old and new values of an update. */
function Changes({ changes }: { changes: NonNullable<Row['changes']> }) {
  return changes.map(({ field, before, after }) => (
    <Text size="sm" key={field}>
      {field}: {before ?? '•••'} → {after ?? '•••'}
    </Text>
  ));
}
