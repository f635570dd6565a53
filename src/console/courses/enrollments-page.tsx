import { Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { changedSearch, oneOf, type SearchChange } from '../app/list-search.js';
import { useUser } from '../app/session.js';
import { FilterSelect } from '../ui/filter-select.js';
import { Page } from '../ui/page.js';
import { SearchField } from '../ui/search-field.js';
import { Empty } from '../ui/states.js';
import { CourseSelect } from './course-select.js';
import { enrollmentStatuses, nameOf } from './course-values.js';
import { EnrollmentTable } from './enrollment-table.js';

const route = getRouteApi('/enrollments');
type Search = ReturnType<typeof route.useSearch>;

/** All enrollments for the super admin; those of their own courses for a trainer, who can search them. */
function useEnrollments({ status: given, courseId, userId, search, page, limit }: Search) {
  const { id, role } = useUser();
  const isAdmin = role === 'super_admin';
  const status = oneOf(enrollmentStatuses, given);
  const all = useApi(
    'listEnrollments',
    { query: { status: status && [status], courseId, userId, page, limit } },
    { enabled: isAdmin, keepPrevious: true },
  );
  const own = useApi(
    'listTrainerEnrollments',
    { path: { trainerId: id }, query: { status: status && [status], courseId, search, page, limit } },
    { enabled: !isAdmin, keepPrevious: true },
  );
  return isAdmin ? all : own;
}

export function EnrollmentsPage() {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useEnrollments(search);
  const { status, courseId, userId, search: text } = search;

  function onSearch(change: SearchChange<Search>): void {
    void navigate({ search: (previous) => changedSearch(previous, change), replace: 'search' in change });
  }
  return (
    <Page title={isAdmin ? t('nav.enrollments') : t('nav.participants')}>
      <Group gap="sm">
        {!isAdmin && (
          <SearchField
            label={t('courses.enrollments.search')}
            value={text}
            onSearch={(next) => onSearch({ search: next })}
          />
        )}
        <FilterSelect
          label={t('field.status')}
          any={t('courses.any.status')}
          options={enrollmentStatuses.map((value) => ({ value, label: t(`courses.status.${value}`) }))}
          value={oneOf(enrollmentStatuses, status)}
          onChange={(next) => onSearch({ status: next })}
        />
        <CourseSelect value={courseId} onChange={(next) => onSearch({ courseId: next })} />
        {isAdmin && userId !== undefined && <OnlyUser id={userId} onClear={() => onSearch({ userId: undefined })} />}
      </Group>
      <EnrollmentTable
        withCourse
        label={isAdmin ? t('nav.enrollments') : t('nav.participants')}
        query={query}
        rows={query.data?.enrollments}
        pagination={query.data?.pagination}
        search={search}
        onSearch={onSearch}
        filtered={[status, courseId, userId, text].some((value) => value !== undefined)}
        onClearFilters={() =>
          onSearch({ status: undefined, courseId: undefined, userId: undefined, search: undefined })
        }
        empty={<Empty message={t('courses.enrollments.none')} />}
      />
    </Page>
  );
}

/** Says that the list is of one account, as links from there make it. */
function OnlyUser({ id, onClear }: { id: string; onClear(): void }) {
  const { t } = useTranslation();
  const { data } = useApi('showUser', { path: { id } });
  return (
    <Group gap="xs">
      {data && <Text size="sm">{t('courses.enrollments.onlyUser', { name: nameOf(data.user) })}</Text>}
      <Button size="xs" variant="default" onClick={onClear}>
        {t('courses.enrollments.anyUser')}
      </Button>
    </Group>
  );
}
