import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatNumber, formatTime } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { countFilters, oneOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import { Empty } from '../ui/states.js';
import { ImportStatusBadge, isUnderWay } from './import-status.js';
import { UploadArea } from './upload-area.js';

type Row = ResponseBody<'listImports'>['imports'][number];

const route = getRouteApi('/imports');

const statuses = [
  ...(['planned', 'queued', 'running', 'completed', 'stopped', 'failed', 'interrupted', 'cancelled'] as const),
  ...(['undone', 'discarded', 'expired'] as const),
];

/** Shows a count of rows; a dash for a plan, which has imported nothing yet. */
const countOf =
  (count: 'rows' | 'created' | 'updated' | 'rejected') =>
  ({ status, counts }: Row): string =>
    status === 'planned' ? '–' : formatNumber(counts[count]);

export function ImportsPage() {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const status = oneOf(statuses, search.status);
  const rejected = oneOf(['recent'], search.rejected);
  const { page, limit } = search;
  const query = useApi(
    'listImports',
    { query: { status, rejectedWithin: rejected && 7, page, limit } },
    { keepPrevious: true, refetchWhile: ({ imports }) => imports.some(isUnderWay) },
  );
  const change = (next: SearchChange<typeof search>, replace?: boolean) =>
    void navigate(searchNavigation<typeof search>(next, replace));
  const adminColumns: Column<Row>[] = [
    {
      id: 'trainer',
      header: t('role.trainer'),
      render: ({ trainer }) => trainer && nameOf(trainer),
    },
    {
      id: 'origin',
      header: t('imports.origin'),
      optional: true,
      render: ({ origin }) => (origin === 'http' ? t('imports.originHttp') : t('imports.originCli')),
    },
  ];
  const columns: Column<Row>[] = [
    {
      id: 'file',
      header: t('imports.file'),
      render: ({ id, file }) => (
        <TextLink to="/imports/$id" params={{ id }} data-opens-row>
          {file}
        </TextLink>
      ),
    },
    {
      id: 'status',
      header: t('field.status'),
      render: (row) => <ImportStatusBadge {...row} />,
    },
    {
      id: 'createdAt',
      header: t('imports.started'),
      fixedOrder: 'descending',
      render: ({ createdAt }) => formatTime(createdAt),
    },
    { id: 'rows', header: t('imports.rows'), align: 'end', render: countOf('rows') },
    { id: 'created', header: t('imports.created'), align: 'end', render: countOf('created') },
    { id: 'updated', header: t('imports.updated'), align: 'end', render: countOf('updated') },
    {
      id: 'rejected',
      header: t('imports.rejected'),
      align: 'end',
      render: countOf('rejected'),
    },
    ...(isAdmin ? adminColumns : []),
  ];
  return (
    <Page title={t('imports.title')} hint={t(isAdmin ? 'imports.hint' : 'imports.participants.ownHint')}>
      {isAdmin && <UploadArea />}
      <Stack gap="sm">
        <Filters active={countFilters({ status, rejected })}>
          <FilterSelect
            label={t('field.status')}
            any={t('imports.anyStatus')}
            options={statuses.map((value) => ({ value, label: t(`importStatus.${value}`) }))}
            value={status}
            onChange={(next) => change({ status: next })}
          />
          <FilterSelect
            label={t('imports.rejectedRows.label')}
            any={t('imports.rejectedRows.any')}
            options={[{ value: 'recent', label: t('imports.rejectedRows.recent') }]}
            value={rejected}
            onChange={(next) => change({ rejected: next })}
          />
        </Filters>
        <DataTable
          label={t('imports.title')}
          columns={columns}
          query={query}
          rows={query.data?.imports}
          pagination={query.data?.pagination}
          rowKey={({ id }) => id}
          search={search}
          onSearch={change}
          filtered={status !== undefined || rejected !== undefined}
          onClearFilters={() => change({ status: undefined, rejected: undefined })}
          empty={<Empty message={t('imports.none')} />}
        />
      </Stack>
    </Page>
  );
}
