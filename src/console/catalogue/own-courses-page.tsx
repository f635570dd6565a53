import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { enrollmentStatuses } from '../api/enrollment-statuses.js';
import { useApi } from '../api/queries.js';
import { StatusFilter } from '../enrollments/status-filter.js';
import { lazyDialog } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { Filters } from '../ui/lists/filters.js';
import { oneOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { Pager, usePages } from '../ui/lists/pager.js';
import { Page } from '../ui/page.js';
import { Empty, Loaded, Loading, NoMatch } from '../ui/states.js';
import { OwnCourse } from './own-course.js';
import type { OwnEnrollment } from './own-status.js';

const ProgressDialog = lazyDialog(
  async () => (await import('../enrollments/progress-dialog.js')).ProgressDialog,
  'enrollment',
);

const route = getRouteApi('/');
type Search = ReturnType<typeof route.useSearch>;

export function OwnCoursesPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [editing, setEditing] = useState<OwnEnrollment>();
  const { page, limit } = search;
  const status = oneOf(enrollmentStatuses, search.status);
  const query = useApi(
    'listOwnEnrollments',
    { query: { status: status && [status], page, limit, sortBy: 'soonest' } },
    { keepPrevious: true },
  );

  function onSearch(change: SearchChange<Search>, replace?: boolean): void {
    void navigate(searchNavigation<Search>(change, replace));
  }
  const { pages, isPastEnd } = usePages({
    query,
    pagination: query.data?.pagination,
    isEmpty: query.data?.enrollments.length === 0,
    search,
    onPastEnd: (last) => onSearch({ page: last }, true),
  });

  function content({ enrollments }: ResponseBody<'listOwnEnrollments'>) {
    if (isPastEnd) return <Loading />;
    if (enrollments.length === 0)
      return status === undefined ? (
        <Empty message={t('catalogue.own.empty')}>
          <ButtonLink to="/catalogue">{t('catalogue.browse')}</ButtonLink>
        </Empty>
      ) : (
        <NoMatch text={undefined} filtered onClear={() => onSearch({ status: undefined })} />
      );
    return (
      <Stack>
        {enrollments.map((enrollment) => (
          <OwnCourse key={enrollment.id} enrollment={enrollment} onSetProgress={() => setEditing(enrollment)} />
        ))}
      </Stack>
    );
  }

  return (
    <Page title={t('nav.learning')}>
      <Filters>
        <StatusFilter choices={enrollmentStatuses} value={status} onChange={(value) => onSearch({ status: value })} />
      </Filters>
      <Loaded query={query}>{content}</Loaded>
      {pages && <Pager pagination={pages} onChange={onSearch} />}
      <ProgressDialog
        enrollment={editing && { id: editing.id, progress: editing.progress, name: editing.course.title }}
        onClose={() => setEditing(undefined)}
      />
    </Page>
  );
}
