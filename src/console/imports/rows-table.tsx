import { Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { useUser } from '../session/session.js';
import { TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { FilterSelect } from '../ui/lists/filters.js';
import { oneOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';
import { StatusBadge } from '../ui/status-badge.js';
import { importFieldName, isKnownField } from './field-name.js';
import type { Plan } from './import-status.js';
import { LeavingEffects } from './leaving-effects.js';
import { ReasonText, reasonOf } from './reason-text.js';

type Row = ResponseBody<'listImportRows'>['rows'][number];

const route = getRouteApi('/imports/$id');
const outcomes = ['left', 'created', 'updated', 'skipped', 'rejected'] as const;
const tones = { created: 'good', updated: 'done', skipped: 'off', rejected: 'bad', left: 'waiting' } as const;
const undoTones = { removed: 'off', restored: 'off', kept: 'waiting' } as const;

interface RowsTableProps {
  id: string;
  /** Columns of the plan; undefined once the plan is applied. */
  columns: Plan['columns'] | undefined;
  /** Whether the rows are of a plan. */
  planned: boolean;
  /** Whether some rows are rejected. At first, the table then shows only these. */
  hasRejected: boolean;
}

export function RowsTable({ id, columns: fileColumns, planned, hasRejected }: RowsTableProps) {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  const outcomeGroup = planned ? 'planned' : 'outcomes';
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { code, page, limit, search: searched } = search;
  const isFirst = search.outcome === undefined && code === undefined && searched === undefined;
  const outcome = isFirst && hasRejected ? 'rejected' : oneOf(outcomes, search.outcome);
  const query = useApi(
    'listImportRows',
    {
      path: { id },
      query: { outcome, code, search: searched, page, limit },
    },
    { keepPrevious: true },
  );
  // Keeps the scroll position, because the table is below the plan or result.
  const change = (next: SearchChange<typeof search>, replace?: boolean) =>
    void navigate({ ...searchNavigation<typeof search>(next, replace), resetScroll: false });
  const clear = { outcome: undefined, code: undefined, search: undefined };
  const columns: Column<Row>[] = [
    {
      id: 'line',
      header: t('imports.table.line'),
      align: 'end',
      fixedOrder: 'ascending',
      render: ({ line }) => line ?? '–',
    },
    {
      id: 'outcome',
      header: t('imports.table.outcome'),
      render: ({ outcome: made, undo }) => (
        <Stack gap={4} align="flex-start">
          <StatusBadge tone={tones[made]}>{t(`imports.${outcomeGroup}.${made}`)}</StatusBadge>
          {undo && <StatusBadge tone={undoTones[undo.outcome]}>{t(`imports.undo.${undo.outcome}`)}</StatusBadge>}
        </Stack>
      ),
    },
    {
      id: 'account',
      header: t('imports.table.account'),
      render: ({ account }) =>
        account === null ? (
          '–'
        ) : isAdmin ? (
          <TextLink to="/people/$id" params={{ id: account.id }} data-opens-row>
            {account.firstName} {account.lastName}
          </TextLink>
        ) : (
          `${account.firstName} ${account.lastName}`
        ),
    },
    {
      id: 'reason',
      header: t('imports.table.reason'),
      render: ({ outcome: made, code: why, message, changes, undo }) => {
        if (undo?.code) return t(`imports.result.kept.${undo.code}`);
        const hasChanges = changes !== null && changes.length > 0;
        if (why === null && !hasChanges) return '–';
        return (
          <>
            {why !== null && <ReasonText code={why} message={message} />}
            {hasChanges && (made === 'left' ? <LeavingEffects changes={changes} /> : <Changes changes={changes} />)}
          </>
        );
      },
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
        <SearchField label={t('imports.table.search')} value={searched} onSearch={(text) => change({ search: text })} />
        <FilterSelect
          label={t('imports.table.outcome')}
          any={t('imports.table.all')}
          options={outcomes.map((value) => ({ value, label: t(`imports.${outcomeGroup}.${value}`) }))}
          value={outcome}
          onChange={(next) => change({ outcome: next ?? 'all', code: undefined })}
        />
        {code !== undefined && (
          <Text size="sm">
            {t('imports.table.reason')}: {reasonOf(code, t) ?? code}
          </Text>
        )}
      </Group>
      <DataTable
        label={t('imports.table.title')}
        columns={columns}
        query={query}
        rows={query.data?.rows}
        pagination={query.data?.pagination}
        rowKey={({ line, account }) => String(line ?? account?.id)}
        search={search}
        onSearch={change}
        filtered={outcome !== undefined || !isFirst}
        onClearFilters={() => change(clear)}
      />
    </section>
  );
}

function Changes({ changes }: { changes: NonNullable<Row['changes']> }) {
  const { t } = useTranslation();
  return changes.map(({ field, before, after }) => (
    <Text size="sm" key={field}>
      {isKnownField(field) ? importFieldName(field, t) : field}: {before ?? '•••'} → {after ?? '•••'}
    </Text>
  ));
}
