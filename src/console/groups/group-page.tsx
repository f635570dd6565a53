import { Alert, Button, Menu, Text } from '@mantine/core';
import { IconBook2, IconChevronDown, IconUserPlus } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { PeopleList, usePeople } from '../people/people-list.js';
import { lazyDialog, lazyPart } from '../ui/lazy.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { memberCount } from '../ui/member-count.js';
import { Page } from '../ui/page.js';
import { Empty, Loading, resultOf } from '../ui/states.js';
import { Time } from '../ui/time.js';
import type { GroupDetails } from './group-form-dialog.js';

const GroupFormDialog = lazyDialog(async () => (await import('./group-form-dialog.js')).GroupFormDialog, 'opened');
const DeleteGroupDialog = lazyDialog(
  async () => (await import('./delete-group-dialog.js')).DeleteGroupDialog,
  'opened',
);
const AddPeopleDialog = lazyDialog(async () => (await import('./add-people-dialog.js')).AddPeopleDialog, 'opened');
const EnrollDialog = lazyPart(async () => (await import('../people/enroll-dialog.js')).EnrollDialog);

const route = getRouteApi('/groups/$id');

export function GroupPage() {
  const { id } = route.useParams();
  // Resets the selection when another group is opened.
  return <GroupById key={id} id={id} />;
}

function GroupById({ id }: { id: string }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useApi('showGroup', { path: { id } });
  const people = usePeople(search, id);
  const { data, failed } = resultOf(query);
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  if (!data)
    return (
      <Page title={t('field.group')}>
        {isMissing ? (
          <Empty message={t('groups.gone')}>
            <ButtonLink to="/groups" variant="default">
              {t('groups.title')}
            </ButtonLink>
          </Empty>
        ) : (
          (failed ?? <Loading />)
        )}
      </Page>
    );

  const { group } = data;
  function onSearch(change: SearchChange<typeof search>, replace?: boolean): void {
    void navigate(searchNavigation<typeof search>(change, replace));
  }
  return (
    <Page
      title={group.name}
      hint={
        <>
          {t('groups.count', { count: group.activeMembers, members: memberCount(group) })}
          {group.note !== null && <div className="running-text">{group.note}</div>}
          {group.roster && (
            <div>
              {t('groups.lastSync')}: <Time at={group.roster.syncedAt} relative />
              {group.roster.formerMembers > 0 && ` · ${t('groups.former', { count: group.roster.formerMembers })}`}
            </div>
          )}
        </>
      }
      actions={<GroupActions group={group} />}
    >
      {failed}
      {group.roster?.held && <HeldSync held={group.roster.held} />}
      <PeopleList people={people} search={search} onSearch={onSearch} group={group} />
    </Page>
  );
}

function HeldSync({ held }: { held: NonNullable<NonNullable<GroupDetails['roster']>['held']> }) {
  const { t } = useTranslation();
  const { leaving, members, limit, file, at } = held;
  return (
    <Alert color="orange" title={t('groups.held')} mb="md">
      <Text size="sm">{t('groups.heldText', { count: leaving, members, limit, file, time: formatTime(at) })}</Text>
      <TextLink to="/imports">{t('groups.heldNext')}</TextLink>
    </Alert>
  );
}

function GroupActions({ group }: { group: GroupDetails }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'add' | 'enroll' | 'edit' | 'delete'>();
  const close = () => setAsked(undefined);
  return (
    <>
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAsked('add')}>
        {t('groups.add.action')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconBook2 size={16} aria-hidden />}
        disabled={group.activeMembers === 0}
        onClick={() => setAsked('enroll')}
      >
        {t('people.bulk.action.enroll')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
            {t('action.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked('edit')}>{t('groups.edit')}</Menu.Item>
          <Menu.Item onClick={() => setAsked('delete')}>{t('groups.delete')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <AddPeopleDialog group={group} opened={asked === 'add'} onClose={close} />
      {asked === 'enroll' && <EnrollDialog people={group} onClose={close} />}
      <GroupFormDialog opened={asked === 'edit'} onClose={close} group={group} />
      <DeleteGroupDialog
        group={group}
        opened={asked === 'delete'}
        onClose={close}
        onDeleted={() => void navigate({ to: '/groups', ignoreBlocker: true })}
      />
    </>
  );
}
