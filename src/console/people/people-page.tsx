import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, urlOf } from '../api/client.js';
import { useMailSetUp } from '../api/mail.js';
import { useApi } from '../api/queries.js';
import { DownloadMenu } from '../ui/download-menu.js';
import { lazyDialog, lazyPart } from '../ui/lazy.js';
import { BulkBar } from '../ui/lists/bulk-bar.js';
import { DataTable } from '../ui/lists/data-table.js';
import { orderOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import type { PageInfo } from '../ui/lists/pager.js';
import { useSelection } from '../ui/lists/selection.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import type { Account } from './account-state.js';
import { type BulkAction, bulkActions, isDangerous } from './bulk-actions.js';
import { peopleColumns, sortKeys } from './people-columns.js';
import { filterOf, noFilters, PeopleFilters, type PeopleSearch } from './people-filters.js';

const BulkDialog = lazyPart(async () => (await import('./bulk-dialog.js')).BulkDialog);
const EnrollDialog = lazyPart(async () => (await import('./enroll-dialog.js')).EnrollDialog);
const NewPersonDialog = lazyDialog(async () => (await import('./new-person-dialog.js')).NewPersonDialog, 'opened');

const route = getRouteApi('/people');
const defaultSort = '-createdAt';

function totalOf(t: TFunction, { totalItems: count, totalItemsCapped }: PageInfo): string {
  return t(totalItemsCapped ? 'people.totalCapped' : 'people.total', { count });
}

export function PeoplePage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, { open, close }] = useDisclosure();
  const [acting, setActing] = useState<BulkAction>();
  const filter = filterOf(search);
  const filtered = Object.keys(filter).length > 0;
  const selection = useSelection<Account>(filter);
  const isMailSetUp = useMailSetUp();
  const people = useApi(
    'listUsers',
    {
      query: {
        ...filter,
        ...orderOf(sortKeys, search.sort ?? defaultSort),
        page: search.page ?? 1,
        limit: search.limit ?? 20,
      },
    },
    { keepPrevious: true },
  );
  const columns = useMemo(() => peopleColumns(t), [t]);
  const pagination = people.data?.pagination;

  function onSearch(change: SearchChange<PeopleSearch>, replace?: boolean): void {
    void navigate(searchNavigation<PeopleSearch>(change, replace));
  }

  // A link can open the form. The URL then loses the parameter, so that Back leaves the page, and asks about unsaved input.
  useEffect(() => {
    if (search.create === undefined) return;
    open();
    void navigate({ search: ({ create: _, ...rest }) => rest, replace: true });
  }, [search.create, open, navigate]);

  function closeAction(changed: boolean): void {
    setActing(undefined);
    if (changed) selection.clear();
  }

  return (
    <Page
      title={t('people.title')}
      hint={pagination && totalOf(t, pagination)}
      actions={
        <>
          <DownloadMenu
            label={t('action.export')}
            formats={{
              csv: urlOf('exportUsers', { query: filter }),
              xlsx: urlOf('exportUsers', { query: { ...filter, format: 'xlsx' } }),
            }}
          />
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
            {t('people.create')}
          </Button>
        </>
      }
    >
      <PeopleFilters search={search} onSearch={onSearch} filtered={filtered} />
      <DataTable
        label={t('people.title')}
        columns={columns}
        query={people}
        rows={people.data?.users}
        pagination={pagination}
        rowKey={({ id }) => id}
        rowName={(account) => nameOf(account)}
        search={search}
        onSearch={onSearch}
        defaultSort={defaultSort}
        selection={selection}
        filtered={filtered}
        onClearFilters={() => onSearch(noFilters)}
      />
      <BulkBar
        count={selection.selected.size}
        pagination={pagination}
        actions={bulkActions
          .filter((action) => isMailSetUp || action !== 'invite')
          .map((action) => ({
            key: action,
            label: t(`people.bulk.action.${action}`),
            isDangerous: isDangerous(action),
            onClick: () => setActing(action),
          }))}
        onSelectAll={() =>
          selection.selectAll(
            async (following) => (await call('listUsers', { query: { ...filter, ...following } })).users,
          )
        }
        onClear={selection.clear}
      />
      {acting === 'enroll' && <EnrollDialog selected={selection.selected} onClose={closeAction} />}
      {acting !== undefined && acting !== 'enroll' && (
        <BulkDialog action={acting} selected={selection.selected} onClose={closeAction} />
      )}
      <NewPersonDialog opened={creating} onClose={close} />
    </Page>
  );
}
