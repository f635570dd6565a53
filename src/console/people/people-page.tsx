import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { DownloadMenu } from '../ui/download-menu.js';
import { lazyDialog, lazyPart } from '../ui/lazy.js';
import { DataTable } from '../ui/lists/data-table.js';
import { listChange, orderOf, type SearchChange } from '../ui/lists/list-search.js';
import type { PageInfo } from '../ui/lists/pager.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import type { Account } from './account-state.js';
import type { BulkAction, Selected } from './bulk-actions.js';
import { peopleColumns, sortKeys } from './people-columns.js';
import { filterOf, noFilters, PeopleFilters, type PeopleSearch } from './people-filters.js';
import { SelectionBar } from './selection-bar.js';

const BulkDialog = lazyPart(async () => (await import('./bulk-dialog.js')).BulkDialog);
const EnrollDialog = lazyPart(async () => (await import('./enroll-dialog.js')).EnrollDialog);
const NewPersonDialog = lazyDialog(async () => (await import('./new-person-dialog.js')).NewPersonDialog, 'opened');

const route = getRouteApi('/people');
const defaultSort = '-createdAt';

function totalOf(t: TFunction, { totalItems: count, totalItemsCapped }: PageInfo): string {
  return t(totalItemsCapped ? 'people.totalCapped' : 'people.total', { count });
}

/** The accounts: found, narrowed down, exported, created, and changed many at once. */
export function PeoplePage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, { open, close }] = useDisclosure();
  const [accounts, setAccounts] = useState<ReadonlyMap<string, Account>>(new Map());
  /** The filter whose matches are all meant, instead of those that were ticked; and those that were unticked since. */
  const [matched, setMatched] = useState<{ filterKey: string; except: ReadonlySet<string> }>();
  const [acting, setActing] = useState<BulkAction>();
  const filter = filterOf(search);
  const filtered = Object.keys(filter).length > 0;
  const filterKey = JSON.stringify(filter);
  const allMatching = matched?.filterKey === filterKey ? matched : undefined;
  // With another filter it would be other accounts. Back and links change the address, too: it is looked at here.
  if (matched !== undefined && !allMatching) select(new Map());
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

  const users = people.data?.users;
  const countWithout = (except: ReadonlySet<string>) => Math.max((pagination?.totalItems ?? 0) - except.size, 0);
  const selected: Selected = allMatching
    ? { kind: 'matching', filter, except: allMatching.except, count: countWithout(allMatching.except) }
    : { kind: 'accounts', accounts };
  const matchingHere = users?.filter(({ id }) => !allMatching?.except.has(id)) ?? [];

  function onSearch(change: SearchChange<PeopleSearch>, replace?: boolean): void {
    void navigate(listChange<PeopleSearch>(change, replace));
  }

  function select(next: ReadonlyMap<string, Account>): void {
    setMatched(undefined);
    setAccounts(next);
  }

  /** Leaves out of all that match those of this page that aren't ticked any more. */
  function selectOfMatching(next: ReadonlyMap<string, Account>): void {
    const elsewhere = [...(allMatching?.except ?? [])].filter((id) => !users?.some((account) => account.id === id));
    const unticked = users?.filter(({ id }) => !next.has(id)).map(({ id }) => id) ?? [];
    const except = new Set([...elsewhere, ...unticked]);
    if (countWithout(except) === 0) select(new Map());
    else setMatched({ filterKey, except });
  }

  function closeAction(changed: boolean): void {
    setActing(undefined);
    if (changed) select(new Map());
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
              csv: addressOf('exportUsers', { query: filter }),
              xlsx: addressOf('exportUsers', { query: { ...filter, format: 'xlsx' } }),
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
        rows={users}
        pagination={pagination}
        rowKey={({ id }) => id}
        rowName={(account) => nameOf(account)}
        search={search}
        onSearch={onSearch}
        defaultSort={defaultSort}
        selection={{
          selected: allMatching ? new Map(matchingHere.map((account) => [account.id, account])) : accounts,
          onChange: allMatching ? selectOfMatching : select,
        }}
        filtered={filtered}
        onClearFilters={() => onSearch(noFilters)}
      />
      <SelectionBar
        selected={selected}
        matching={pagination?.totalItems ?? 0}
        onSelectMatching={() => setMatched({ filterKey, except: new Set() })}
        onClear={() => select(new Map())}
        onAct={setActing}
      />
      {acting === 'enroll' && <EnrollDialog selected={selected} onClose={closeAction} />}
      {acting !== undefined && acting !== 'enroll' && (
        <BulkDialog action={acting} selected={selected} onClose={closeAction} />
      )}
      <NewPersonDialog opened={creating} onClose={close} />
    </Page>
  );
}
