import { Box, Group, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { urlOf } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatDay, formatNumber, formatTime } from '../i18n/format.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { useUser } from '../session/session.js';
import { DownloadMenu } from '../ui/download-menu.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { countFilters, oneOf, orderOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import { Empty } from '../ui/states.js';
import { CourseActions } from './course-actions.js';
import { CourseImage } from './course-image.js';
import { EndedBadge, NextDate, PublishedBadge, SeatsTaken } from './course-state.js';
import { type Course, endedChoices, levels } from './course-values.js';

const route = getRouteApi('/courses');
type Search = ReturnType<typeof route.useSearch>;

const sortKeys = ['createdAt', 'updatedAt', 'title', 'category', 'startDate'] as const;

/** The order of the service. By default, running courses come after upcoming ones, then those without dates, then ended ones. */
const courseOrderOf = (sort: string | undefined) =>
  sort === undefined ? { sortBy: 'soonest' as const } : orderOf(sortKeys, sort);

const yesOrNo = ['true', 'false'] as const;
const flag = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === 'true');

const datesChoices = ['false', 'soon', 'true', 'all'] as const;

/** Returns the filter of a choice of dates. */
function datesFilter(choice: string | undefined) {
  if (choice === 'soon') return { startsWithin: 7 };
  return { ended: oneOf(endedChoices, choice) ?? ('false' as const) };
}

function useColumns(): readonly Column<Course>[] {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  return [
    {
      id: 'title',
      header: t('courses.field.title'),
      sortKey: 'title',
      render: (course) => (
        <Group gap="sm" wrap="nowrap">
          <Box w={56} className="clipped fixed-size" visibleFrom="sm">
            <CourseImage thumbnail={course.thumbnail} title={course.title} />
          </Box>
          <Stack gap={4} miw={140} align="start">
            <TextLink to="/courses/$id" params={{ id: course.id }} data-opens-row>
              {course.title}
            </TextLink>
            <EndedBadge course={course} />
          </Stack>
        </Group>
      ),
    },
    ...(isAdmin
      ? [{ id: 'trainer', header: t('courses.field.trainer'), render: ({ trainer }: Course) => nameOf(trainer) }]
      : []),
    {
      id: 'published',
      header: t('courses.field.published'),
      render: (course) => <PublishedBadge course={course} />,
    },
    {
      id: 'nextDate',
      header: t('courses.field.nextDate'),
      noWrap: true,
      render: (course) => <NextDate course={course} />,
    },
    {
      id: 'requests',
      header: t('courses.field.requests'),
      align: 'end',
      render: ({ id, pendingCount = 0 }) =>
        pendingCount === 0 ? (
          0
        ) : (
          <TextLink to="/courses/$id" params={{ id }} search={{ tab: 'participants', status: 'pending' }} fw={600}>
            {formatNumber(pendingCount)}
          </TextLink>
        ),
    },
    {
      id: 'seats',
      header: t('courses.field.seats'),
      align: 'end',
      noWrap: true,
      render: (course) => <SeatsTaken course={course} short />,
    },
    {
      id: 'category',
      header: t('courses.field.category'),
      sortKey: 'category',
      optional: true,
      render: ({ category }) => category ?? '–',
    },
    {
      id: 'level',
      header: t('courses.field.level'),
      optional: true,
      render: ({ level }) => (level ? t(`courses.level.${level}`) : '–'),
    },
    {
      id: 'startDate',
      header: t('courses.field.startDate'),
      sortKey: 'startDate',
      optional: true,
      noWrap: true,
      render: ({ startDate }) => formatDay(startDate),
    },
    {
      id: 'endDate',
      header: t('courses.field.endDate'),
      optional: true,
      noWrap: true,
      render: ({ endDate }) => formatDay(endDate),
    },
    {
      id: 'createdAt',
      header: t('field.createdAt'),
      sortKey: 'createdAt',
      optional: true,
      noWrap: true,
      render: ({ createdAt }) => formatTime(createdAt),
    },
    {
      id: 'updatedAt',
      header: t('field.updatedAt'),
      sortKey: 'updatedAt',
      optional: true,
      noWrap: true,
      render: ({ updatedAt }) => formatTime(updatedAt),
    },
    {
      id: 'actions',
      header: t('courses.field.actions'),
      align: 'end',
      pinned: true,
      render: (course) => <CourseActions course={course} />,
    },
  ];
}

/** List of managed courses: a trainer's own courses, or all courses for the super admin. */
export function CoursesPage() {
  const { t } = useTranslation();
  const user = useUser();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const columns = useColumns();
  const { page, limit = 20, sort, search: text, category, level, isPublished, seatsLeft, ended } = search;
  const trainerId = user.role === 'trainer' ? user.id : search.trainerId;
  const filter = {
    search: text,
    category,
    level: oneOf(levels, level),
    isPublished: flag(oneOf(yesOrNo, isPublished)),
    seatsLeft: flag(oneOf(yesOrNo, seatsLeft)),
    ...datesFilter(ended),
    trainerId,
  };
  const query = useApi(
    'listCourses',
    { query: { include: ['seats'], ...filter, page, limit, ...courseOrderOf(sort) } },
    { keepPrevious: true },
  );
  const filters = { search: text, category, level, isPublished, seatsLeft, ended, trainerId: search.trainerId };

  function onSearch(change: SearchChange<Search>, replace?: boolean): void {
    void navigate(searchNavigation<Search>(change, replace));
  }
  const create = (
    <ButtonLink to="/courses/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('courses.new')}
    </ButtonLink>
  );
  return (
    <Page
      title={t('courses.title')}
      actions={
        <>
          <DownloadMenu
            label={t('action.export')}
            formats={{
              csv: urlOf('exportCourses', { query: filter }),
              xlsx: urlOf('exportCourses', { query: { ...filter, format: 'xlsx' } }),
            }}
          />
          {create}
        </>
      }
    >
      <CourseFilters search={search} onSearch={onSearch} />
      <DataTable
        label={t('courses.title')}
        columns={columns}
        query={query}
        rows={query.data?.courses}
        pagination={query.data?.pagination}
        rowKey={({ id }) => id}
        search={search}
        onSearch={onSearch}
        defaultOrder={t('courses.soonest')}
        filtered={Object.values(filters).some((value) => value !== undefined)}
        onClearFilters={() =>
          onSearch(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])) as SearchChange<Search>)
        }
        empty={<Empty message={t('courses.empty')}>{create}</Empty>}
      />
    </Page>
  );
}

function CourseFilters({ search, onSearch }: { search: Search; onSearch(change: SearchChange<Search>): void }) {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  const categories = useApi('listCategories', {});
  const { category, level, isPublished, seatsLeft, ended, trainerId } = search;
  return (
    <Filters
      active={countFilters({ category, level, isPublished, seatsLeft, ended, trainerId })}
      search={
        <SearchField
          label={t('courses.search')}
          value={search.search}
          onSearch={(text) => onSearch({ search: text })}
        />
      }
    >
      <FilterSelect
        label={t('courses.field.category')}
        any={t('courses.any.category')}
        options={(categories.data?.categories ?? []).map((value) => ({ value, label: value }))}
        value={search.category}
        onChange={(category) => onSearch({ category })}
      />
      <FilterSelect
        label={t('courses.field.level')}
        any={t('courses.any.level')}
        options={levels.map((value) => ({ value, label: t(`courses.level.${value}`) }))}
        value={oneOf(levels, search.level)}
        onChange={(level) => onSearch({ level })}
      />
      <FilterSelect
        label={t('courses.field.published')}
        any={t('courses.any.published')}
        options={[
          { value: 'true', label: t('courses.published.yes') },
          { value: 'false', label: t('courses.published.no') },
        ]}
        value={oneOf(yesOrNo, search.isPublished)}
        onChange={(isPublished) => onSearch({ isPublished })}
      />
      <FilterSelect
        label={t('courses.field.seats')}
        any={t('courses.any.seats')}
        options={[
          { value: 'true', label: t('courses.seats.some') },
          { value: 'false', label: t('courses.seats.full') },
        ]}
        value={oneOf(yesOrNo, search.seatsLeft)}
        onChange={(seatsLeft) => onSearch({ seatsLeft })}
      />
      <FilterSelect
        label={t('courses.ended.label')}
        options={datesChoices.map((ended) => ({ value: ended, label: t(`courses.ended.${ended}`) }))}
        value={oneOf(datesChoices, search.ended) ?? 'false'}
        onChange={(ended) => onSearch({ ended: ended === 'false' ? undefined : ended })}
      />
      {isAdmin && (
        <PersonPicker
          onlyTrainers
          label={t('courses.field.trainer')}
          placeholder={t('courses.any.trainer')}
          value={search.trainerId}
          onChange={(trainerId) => onSearch({ trainerId })}
        />
      )}
    </Filters>
  );
}
