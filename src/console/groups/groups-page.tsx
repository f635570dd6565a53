import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { lazyDialog } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { Filters } from '../ui/lists/filters.js';
import { type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { RowMenu } from '../ui/lists/row-menu.js';
import { SearchField } from '../ui/lists/search-field.js';
import { memberCount } from '../ui/member-count.js';
import { Page } from '../ui/page.js';
import { Empty } from '../ui/states.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Time } from '../ui/time.js';

const GroupFormDialog = lazyDialog(async () => (await import('./group-form-dialog.js')).GroupFormDialog, 'opened');

const DeleteGroupDialog = lazyDialog(
  async () => (await import('./delete-group-dialog.js')).DeleteGroupDialog,
  'opened',
);

const route = getRouteApi('/groups');
type Search = ReturnType<typeof route.useSearch>;
type GroupRow = ResponseBody<'listGroups'>['groups'][number];

export function GroupsPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, { open, close }] = useDisclosure();
  const { search: text, page = 1, limit = 20 } = search;
  const query = useApi('listGroups', { query: { search: text, page, limit } }, { keepPrevious: true });

  function onSearch(change: SearchChange<Search>, replace?: boolean): void {
    void navigate(searchNavigation<Search>(change, replace));
  }
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {t('groups.new')}
    </Button>
  );
  const columns: readonly Column<GroupRow>[] = [
    {
      id: 'name',
      header: t('field.name'),
      fixedOrder: 'ascending',
      render: ({ id, name }) => (
        <TextLink to="/groups/$id" params={{ id }} data-opens-row>
          {name}
        </TextLink>
      ),
    },
    {
      id: 'members',
      header: t('groups.members'),
      align: 'end',
      render: memberCount,
    },
    {
      id: 'syncedAt',
      header: t('groups.lastSync'),
      render: ({ syncedAt, isHeld }) => (
        <>
          <Time at={syncedAt} relative /> {isHeld && <StatusBadge tone="waiting">{t('groups.held')}</StatusBadge>}
        </>
      ),
    },
    {
      id: 'actions',
      header: t('action.more'),
      align: 'end',
      pinned: true,
      render: (row) => <RowActions group={row} />,
    },
  ];
  return (
    <Page title={t('groups.title')} hint={t('groups.hint')} actions={create}>
      <Filters
        search={<SearchField label={t('groups.search')} value={text} onSearch={(next) => onSearch({ search: next })} />}
      >
        {null}
      </Filters>
      <DataTable
        label={t('groups.title')}
        columns={columns}
        query={query}
        rows={query.data?.groups}
        pagination={query.data?.pagination}
        rowKey={({ id }) => id}
        search={search}
        onSearch={onSearch}
        filtered={text !== undefined}
        onClearFilters={() => onSearch({ search: undefined })}
        empty={<Empty message={t('groups.none')} />}
      />
      <GroupFormDialog
        opened={creating}
        onClose={close}
        group={undefined}
        onCreated={(id) => void navigate({ to: '/groups/$id', params: { id }, search: {}, ignoreBlocker: true })}
      />
    </Page>
  );
}

function RowActions({ group }: { group: GroupRow }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  // The listing has no notes.
  const details = useApi('showGroup', { path: { id: group.id } }, { enabled: asked === 'edit' }).data?.group;
  const close = () => setAsked(undefined);
  return (
    <>
      <RowMenu label={t('groups.actionsOf', { name: group.name })}>
        <Menu.Item onClick={() => setAsked('edit')}>{t('groups.edit')}</Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" onClick={() => setAsked('delete')}>
          {t('groups.delete')}
        </Menu.Item>
      </RowMenu>
      <GroupFormDialog opened={asked === 'edit' && details !== undefined} onClose={close} group={details} />
      <DeleteGroupDialog group={group} opened={asked === 'delete'} onClose={close} />
    </>
  );
}
