import { Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { CoursePicker } from '../pickers/course-picker.js';
import { GroupFilter } from '../pickers/group-filter.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { useUser } from '../session/session.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { countFilters, oneOf, orderOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import { Empty } from '../ui/states.js';
import { EnrollmentDownload } from './enrollment-download.js';
import { EnrollmentTable } from './enrollment-table.js';
import { FinishedNote } from './finished-note.js';
import {
  defaultPageSize,
  type EnrollmentFilter,
  filterOfStatus,
  parseStatusOption,
  StatusFilter,
  statusOptions,
} from './status-filter.js';

const route = getRouteApi('/enrollments');
type Search = ReturnType<typeof route.useSearch>;

const sortKeys = ['enrolledAt'] as const;

export function EnrollmentsPage() {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { status, courseId, userId, trainerId, group, search: text, page, limit = defaultPageSize } = search;
  const option = parseStatusOption(status);
  const starts = oneOf(['soon'], search.starts);
  const isQueue = option === 'pending';
  const { sort = isQueue ? 'enrolledAt' : '-enrolledAt' } = search;
  const isByCourse = isQueue && search.sort === undefined && courseId === undefined;
  const narrowed = {
    ...filterOfStatus(option),
    courseId,
    userId,
    trainerId,
    group,
    startsWithin: starts && 7,
    search: text,
  };
  // Without undefined values. Exports and "select all" use the same filter.
  const filter: EnrollmentFilter = Object.fromEntries(
    Object.entries(narrowed).filter(([, value]) => value !== undefined),
  );
  const query = useApi(
    'listEnrollments',
    { query: { ...filter, page, limit, ...orderOf(sortKeys, sort) } },
    { keepPrevious: true },
  );
  const found = query.data?.enrollments;
  const courseIds = [...new Set(found?.map(({ course }) => course.id))];
  const orderOfCourse = ({ course }: { course: { id: string } }) => courseIds.indexOf(course.id);
  const rows = isByCourse ? found?.toSorted((one, other) => orderOfCourse(one) - orderOfCourse(other)) : found;

  function onSearch(change: SearchChange<Search>, replace?: boolean): void {
    void navigate(searchNavigation<Search>(change, replace));
  }
  return (
    <Page title={t('nav.enrollments')} actions={<EnrollmentDownload filter={filter} />}>
      <Filters
        active={countFilters({ option, courseId, starts, trainerId, group })}
        search={
          <SearchField
            label={t('enrollments.list.search')}
            value={text}
            onSearch={(next) => onSearch({ search: next })}
          />
        }
      >
        <StatusFilter choices={statusOptions} value={option} onChange={(next) => onSearch({ status: next })} />
        <CoursePicker
          label={t('courses.field.course')}
          placeholder={t('courses.any.course')}
          value={courseId}
          onChange={(next) => onSearch({ courseId: next })}
        />
        <GroupFilter
          placeholder={t('courses.any.group')}
          value={group}
          onChange={(next) => onSearch({ group: next })}
        />
        <FilterSelect
          label={t('courses.field.startDate')}
          any={t('courses.any.start')}
          options={[{ value: 'soon', label: t('courses.ended.soon') }]}
          value={starts}
          onChange={(next) => onSearch({ starts: next })}
        />
        {isAdmin && (
          <PersonPicker
            onlyTrainers
            label={t('courses.field.trainer')}
            placeholder={t('courses.any.trainer')}
            value={trainerId}
            onChange={(next) => onSearch({ trainerId: next })}
          />
        )}
      </Filters>
      {isAdmin && userId !== undefined && <OnlyUser id={userId} onClear={() => onSearch({ userId: undefined })} />}
      {option === 'finished' && <FinishedNote within={filter} />}
      <EnrollmentTable
        withCourse={courseId === undefined}
        only={option}
        label={t('nav.enrollments')}
        query={query}
        rows={rows}
        pagination={query.data?.pagination}
        search={search}
        onSearch={onSearch}
        defaultSort={isByCourse ? undefined : sort}
        defaultOrder={isQueue && courseId === undefined ? t('enrollments.list.byCourse') : undefined}
        sortKeys={sortKeys}
        filter={filter}
        filtered={[status, courseId, userId, trainerId, group, starts, text].some((value) => value !== undefined)}
        onClearFilters={() =>
          onSearch({
            status: undefined,
            courseId: undefined,
            userId: undefined,
            trainerId: undefined,
            group: undefined,
            starts: undefined,
            search: undefined,
          })
        }
        empty={<Empty message={t('enrollments.list.none')} />}
      />
    </Page>
  );
}

/** Says that the list is filtered by one person, with a button to show everybody. */
function OnlyUser({ id, onClear }: { id: string; onClear(): void }) {
  const { t } = useTranslation();
  const { data } = useApi('showUser', { path: { id } });
  return (
    <Group gap="xs">
      {data && <Text size="sm">{t('enrollments.list.onlyUser', { name: nameOf(data.user) })}</Text>}
      <Button size="xs" variant="default" onClick={onClear}>
        {t('enrollments.list.anyUser')}
      </Button>
    </Group>
  );
}
