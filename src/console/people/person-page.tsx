import { Group, Tabs, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { lazyPart } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { oneOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import { Empty, Loading, resultOf } from '../ui/states.js';
import { AccountState } from './account-state.js';
import { PersonActions } from './person-actions.js';
import { PersonForm } from './person-form.js';
import { PersonMail } from './person-mail.js';

const PersonGroups = lazyPart(async () => (await import('./person-groups.js')).PersonGroups);
// Loaded when their tabs are opened.
const PersonSessions = lazyPart(async () => (await import('./person-sessions.js')).PersonSessions, <Loading />);
const PersonEnrollments = lazyPart(
  async () => (await import('./person-enrollments.js')).PersonEnrollments,
  <Loading />,
);
const PersonCourses = lazyPart(async () => (await import('./person-courses.js')).PersonCourses, <Loading />);
const PersonHistory = lazyPart(async () => (await import('./person-history.js')).PersonHistory, <Loading />);

const route = getRouteApi('/people/$id');
const tabs = ['details', 'courses', 'sessions', 'enrollments', 'history'] as const;

/** Tabs for one role only. */
const rolesOfTabs: Partial<Record<(typeof tabs)[number], string>> = { courses: 'trainer', enrollments: 'trainee' };

export function PersonPage() {
  const { id } = route.useParams();
  // Resets all state when another person is opened.
  return <Person key={id} id={id} />;
}

function Person({ id }: { id: string }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const person = useApi('showUser', { path: { id } });
  const user = person.data?.user;
  const { failed } = resultOf(person);
  const isMissing = person.error instanceof ApiError && person.error.status === 404;

  if (!user)
    return (
      <Page title={t('people.person')}>
        {isMissing ? (
          <Empty message={t('people.gone')}>
            <ButtonLink to="/people" variant="default">
              {t('people.title')}
            </ButtonLink>
          </Empty>
        ) : (
          (failed ?? <Loading />)
        )}
      </Page>
    );

  const shown = tabs.filter((tab) => (rolesOfTabs[tab] ?? user.role) === user.role);
  const tab = oneOf(shown, search.tab) ?? 'details';
  const list = {
    search,
    onSearch: (change: SearchChange<typeof search>, replace?: boolean) =>
      void navigate(searchNavigation<typeof search>(change, replace)),
  };
  return (
    <Page
      title={nameOf(user)}
      hint={
        <Group gap="xs" mt={4}>
          <Text size="sm">{t(`role.${user.role}`)}</Text>
          <AccountState account={user} />
          {user.role !== 'super_admin' && <PersonGroups user={user} groups={person.data?.groups ?? []} />}
        </Group>
      }
      actions={<PersonActions user={user} />}
    >
      {/* The page stays, even if the account was deleted: it may show a password that can't be shown again. */}
      {failed}
      <PersonMail user={user} />
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: next === null ? {} : { tab: next } })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {shown.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`people.tab.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="details">
          <PersonForm user={user} />
        </Tabs.Panel>
        <Tabs.Panel value="courses">
          <PersonCourses user={user} {...list} />
        </Tabs.Panel>
        <Tabs.Panel value="sessions">
          <PersonSessions user={user} {...list} />
        </Tabs.Panel>
        <Tabs.Panel value="enrollments">
          <PersonEnrollments user={user} {...list} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <PersonHistory user={user} {...list} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
