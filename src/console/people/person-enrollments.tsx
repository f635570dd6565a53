import { Button, Group, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { EnrollmentNotes } from '../enrollments/enrollment-notes.js';
import { EnrollmentState } from '../enrollments/enrollment-state.js';
import { formatShare } from '../i18n/format.js';
import { lazyPart } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import type { ListSearch } from '../ui/lists/list-search.js';
import { Empty } from '../ui/states.js';
import { Time } from '../ui/time.js';
import type { PersonDetails } from './person-form.js';

const EnrollDialog = lazyPart(async () => (await import('./enroll-dialog.js')).EnrollDialog);

type Row = ResponseBody<'listEnrollments'>['enrollments'][number];

/** Properties of each list on the page of a person. */
export interface PersonListProps {
  user: PersonDetails;
  search: ListSearch;
  onSearch(change: ListSearch, replace?: boolean): void;
}

export function PersonEnrollments({ user, search, onSearch }: PersonListProps) {
  const { t } = useTranslation();
  const [enrolling, setEnrolling] = useState(false);
  const enrollments = useApi(
    'listEnrollments',
    { query: { userId: user.id, page: search.page ?? 1, limit: search.limit ?? 20 } },
    { keepPrevious: true },
  );
  const columns = useMemo<Column<Row>[]>(
    () => [
      {
        id: 'course',
        header: t('field.course'),
        render: (row) => (
          <>
            <TextLink to="/courses/$id" params={{ id: row.course.id }} data-opens-row>
              {row.course.title}
            </TextLink>
            <EnrollmentNotes row={row} />
          </>
        ),
      },
      { id: 'status', header: t('field.status'), render: (row) => <EnrollmentState enrollment={row} /> },
      {
        id: 'progress',
        header: t('field.progress'),
        align: 'end',
        render: ({ progress }) => formatShare(progress / 100),
      },
      {
        id: 'enrolledAt',
        header: t('field.enrolledAt'),
        fixedOrder: 'descending',
        render: ({ enrolledAt }) => <Time at={enrolledAt} />,
      },
      {
        id: 'completedAt',
        header: t('field.completedAt'),
        optional: true,
        render: ({ completedAt }) => <Time at={completedAt} />,
      },
    ],
    [t],
  );
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => setEnrolling(true)}>{t('people.bulk.action.enroll')}</Button>
      </Group>
      <DataTable
        label={t('people.tab.enrollments')}
        columns={columns}
        query={enrollments}
        rows={enrollments.data?.enrollments}
        pagination={enrollments.data?.pagination}
        rowKey={({ id }) => id}
        search={search}
        onSearch={onSearch}
        empty={<Empty message={t('people.noEnrollments')} />}
      />
      {enrolling && <EnrollDialog people={new Map([[user.id, user]])} onClose={() => setEnrolling(false)} />}
    </Stack>
  );
}
