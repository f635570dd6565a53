import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { changedSearch, oneOf, type SearchChange } from '../app/list-search.js';
import { enrollmentStatuses } from '../courses/course-values.js';
import { StatusFilter } from '../courses/status-filter.js';
import { Filters } from '../ui/filters.js';
import { lazyDialog } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { Pager } from '../ui/pager.js';
import { Empty, Failed, Loading } from '../ui/states.js';
import { OwnCourse } from './own-course.js';
import type { OwnEnrollment } from './own-place.js';

const ProgressDialog = lazyDialog(
  async () => (await import('../courses/progress-dialog.js')).ProgressDialog,
  'enrollment',
);

const route = getRouteApi('/');
type Search = ReturnType<typeof route.useSearch>;

/** A trainee's own courses, with their states and progress. */
export function OwnCoursesPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [editing, setEditing] = useState<OwnEnrollment>();
  const { page, limit } = search;
  const status = oneOf(enrollmentStatuses, search.status);
  const query = useApi(
    'listOwnEnrollments',
    { query: { status: status && [status], page, limit } },
    { keepPrevious: true },
  );

  function onSearch(change: SearchChange<Search>): void {
    void navigate({ search: (previous) => changedSearch(previous, change) });
  }
  const toCatalogue = <ButtonLink to="/catalogue">{t('catalogue.browse')}</ButtonLink>;

  function content() {
    if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
    if (query.isPending) return <Loading lines={6} />;
    const { enrollments, pagination } = query.data;
    if (enrollments.length === 0)
      return (
        <Empty message={status === undefined ? t('catalogue.own.empty') : t('state.noMatch')}>{toCatalogue}</Empty>
      );
    return (
      <Stack>
        {enrollments.map((enrollment) => (
          <OwnCourse key={enrollment.id} enrollment={enrollment} onSetProgress={() => setEditing(enrollment)} />
        ))}
        <Pager pagination={pagination} onChange={onSearch} />
      </Stack>
    );
  }

  return (
    <Page title={t('nav.learning')}>
      <Filters>
        <StatusFilter value={status} onChange={(value) => onSearch({ status: value })} />
      </Filters>
      {content()}
      <ProgressDialog
        enrollment={editing && { id: editing.id, progress: editing.progress, name: editing.course.title }}
        onClose={() => setEditing(undefined)}
      />
    </Page>
  );
}
