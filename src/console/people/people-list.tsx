import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type ResponseBody } from '../api/client.js';
import { useMailSetUp } from '../api/mail.js';
import { useApi } from '../api/queries.js';
import { useSignInWays } from '../api/sign-in-ways.js';
import { lazyPart } from '../ui/lazy.js';
import { BulkBar } from '../ui/lists/bulk-bar.js';
import { DataTable } from '../ui/lists/data-table.js';
import { orderOf, type SearchChange } from '../ui/lists/list-search.js';
import { useSelection } from '../ui/lists/selection.js';
import { nameOf } from '../ui/person-name.js';
import { Empty } from '../ui/states.js';
import type { Account } from './account-state.js';
import { type AccountAction, type BulkAction, bulkActions, isDangerous } from './bulk-actions.js';
import { peopleColumns, sortKeys } from './people-columns.js';
import { filterOf, noFilters, type PeopleFilter, PeopleFilters, type PeopleSearch } from './people-filters.js';

const BulkDialog = lazyPart(async () => (await import('./bulk-dialog.js')).BulkDialog);
const EnrollDialog = lazyPart(async () => (await import('./enroll-dialog.js')).EnrollDialog);
const AddToGroupDialog = lazyPart(async () => (await import('./add-to-group-dialog.js')).AddToGroupDialog);
const RemoveFromGroupDialog = lazyPart(
  async () => (await import('./remove-from-group-dialog.js')).RemoveFromGroupDialog,
);

const defaultSort = '-createdAt';

/** Reads one page of people. @param groupId lists only the members of a group */
export function usePeople(search: PeopleSearch, groupId?: string) {
  const filter: PeopleFilter = { ...filterOf(search), ...(groupId !== undefined && { group: groupId }) };
  const query = useApi(
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
  return { filter, query };
}

interface PeopleListProps {
  people: ReturnType<typeof usePeople>;
  search: PeopleSearch;
  onSearch(change: SearchChange<PeopleSearch>, replace?: boolean): void;
  /** Group that has all listed people as members. */
  group?: ResponseBody<'showGroup'>['group'];
}

/** Whether the operation `changeManyUsers` performs an action. */
const isAccountAction = (action: BulkAction): action is AccountAction =>
  action !== 'enroll' && action !== 'add_to_group' && action !== 'remove_from_group';

/** List of people with its filters and bulk actions: all accounts, or the members of a group. */
export function PeopleList({ people: { filter, query }, search, onSearch, group }: PeopleListProps) {
  const { t } = useTranslation();
  const [acting, setActing] = useState<BulkAction>();
  const filtered = Object.keys(filterOf(search)).length > 0;
  const selection = useSelection<Account>(filter);
  const isMailSetUp = useMailSetUp();
  const { passwordLogin } = useSignInWays();
  const columns = useMemo(() => peopleColumns(t), [t]);
  const pagination = query.data?.pagination;
  const label = group ? group.name : t('people.title');

  function closeAction(changed: boolean): void {
    setActing(undefined);
    if (changed) selection.clear();
  }

  return (
    <>
      <PeopleFilters inGroup={group !== undefined} search={search} onSearch={onSearch} filtered={filtered} />
      <DataTable
        label={label}
        columns={columns}
        query={query}
        rows={query.data?.users}
        pagination={pagination}
        rowKey={({ id }) => id}
        rowName={(account) => nameOf(account)}
        search={search}
        onSearch={onSearch}
        defaultSort={defaultSort}
        selection={selection}
        filtered={filtered}
        onClearFilters={() => onSearch(noFilters)}
        empty={group && <Empty message={t('people.groups.nobody')} />}
      />
      <BulkBar
        count={selection.selected.size}
        pagination={pagination}
        actions={bulkActions
          .filter((action) => isMailSetUp || action !== 'invite')
          .filter((action) => passwordLogin || action !== 'reset_password')
          .filter((action) => action !== 'remove_from_group' || group !== undefined)
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
      {acting === 'enroll' && <EnrollDialog people={selection.selected} onClose={closeAction} />}
      {acting !== undefined && isAccountAction(acting) && (
        <BulkDialog action={acting} selected={selection.selected} onClose={closeAction} />
      )}
      {acting === 'add_to_group' && <AddToGroupDialog selected={selection.selected} onClose={closeAction} />}
      {acting === 'remove_from_group' && group && (
        <RemoveFromGroupDialog group={group} selected={selection.selected} onClose={closeAction} />
      )}
    </>
  );
}
