import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { NextDate, PublishedBadge, SeatsTaken } from '../courses/course-state.js';
import type { Course } from '../courses/course-values.js';
import { formatNumber } from '../i18n/format.js';
import { TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { Empty } from '../ui/states.js';
import type { PersonListProps } from './person-enrollments.js';

/** All courses of a trainer, ended ones last. */
export function PersonCourses({ user, search, onSearch }: PersonListProps) {
  const { t } = useTranslation();
  const { page = 1, limit = 20 } = search;
  const query = useApi(
    'listCourses',
    { query: { trainerId: user.id, ended: 'all', sortBy: 'soonest', include: ['seats'], page, limit } },
    { keepPrevious: true },
  );
  const columns = useMemo<Column<Course>[]>(
    () => [
      {
        id: 'title',
        header: t('courses.field.title'),
        render: ({ id, title }) => (
          <TextLink to="/courses/$id" params={{ id }}>
            {title}
          </TextLink>
        ),
      },
      {
        id: 'published',
        header: t('courses.field.published'),
        render: (course) => <PublishedBadge course={course} />,
      },
      {
        id: 'startDate',
        header: t('courses.field.nextDate'),
        noWrap: true,
        render: (course) => <NextDate course={course} />,
      },
      {
        id: 'requests',
        header: t('courses.field.requests'),
        align: 'end',
        render: ({ pendingCount = 0 }) => formatNumber(pendingCount),
      },
      {
        id: 'seats',
        header: t('courses.field.seats'),
        align: 'end',
        noWrap: true,
        render: (course) => <SeatsTaken course={course} short />,
      },
    ],
    [t],
  );
  return (
    <DataTable
      label={t('courses.title')}
      columns={columns}
      query={query}
      rows={query.data?.courses}
      pagination={query.data?.pagination}
      rowKey={({ id }) => id}
      search={search}
      onSearch={onSearch}
      empty={<Empty message={t('people.noCourses')} />}
    />
  );
}
