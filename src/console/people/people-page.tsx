import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { urlOf } from '../api/client.js';
import { DownloadMenu } from '../ui/download-menu.js';
import { lazyDialog } from '../ui/lazy.js';
import { type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import type { PageInfo } from '../ui/lists/pager.js';
import { Page } from '../ui/page.js';
import type { PeopleSearch } from './people-filters.js';
import { PeopleList, usePeople } from './people-list.js';

const NewPersonDialog = lazyDialog(async () => (await import('./new-person-dialog.js')).NewPersonDialog, 'opened');

const route = getRouteApi('/people');

function totalOf(t: TFunction, { totalItems: count, totalItemsCapped }: PageInfo): string {
  return t(totalItemsCapped ? 'people.totalCapped' : 'people.total', { count });
}

export function PeoplePage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, { open, close }] = useDisclosure();
  const people = usePeople(search);
  const pagination = people.query.data?.pagination;

  function onSearch(change: SearchChange<PeopleSearch>, replace?: boolean): void {
    void navigate(searchNavigation<PeopleSearch>(change, replace));
  }

  // A link can open the form. The URL then loses the parameter, so that Back leaves the page, and asks about unsaved input.
  useEffect(() => {
    if (search.create === undefined) return;
    open();
    void navigate({ search: ({ create: _, ...rest }) => rest, replace: true });
  }, [search.create, open, navigate]);

  return (
    <Page
      title={t('people.title')}
      hint={pagination && totalOf(t, pagination)}
      actions={
        <>
          <DownloadMenu
            label={t('action.export')}
            formats={{
              csv: urlOf('exportUsers', { query: people.filter }),
              xlsx: urlOf('exportUsers', { query: { ...people.filter, format: 'xlsx' } }),
            }}
          />
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
            {t('people.create')}
          </Button>
        </>
      }
    >
      <PeopleList people={people} search={search} onSearch={onSearch} />
      <NewPersonDialog opened={creating} onClose={close} />
    </Page>
  );
}
