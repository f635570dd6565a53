import { Checkbox, SimpleGrid } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { endedChoices, levels } from '../courses/course-values.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { hasFilters, oneOf, orderOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { Pager, usePages } from '../ui/lists/pager.js';
import { SearchField } from '../ui/lists/search-field.js';
import { Page } from '../ui/page.js';
import { Empty, Loaded, Loading, NoMatch } from '../ui/states.js';
import { CourseCard } from './course-card.js';
import { useOwnStatuses } from './own-status.js';

const route = getRouteApi('/catalogue');
type Search = ReturnType<typeof route.useSearch>;

const sortKeys = ['soonest', 'createdAt', 'title'] as const;
const orders = ['soonest', '-createdAt', 'title'] as const;

function useCatalogue(search: Search) {
  const { page, limit = 12, sort = 'soonest', search: text, category, level, seatsLeft, ended } = search;
  return useApi(
    'listCourses',
    {
      query: {
        isPublished: true,
        include: ['seats'],
        search: text,
        category,
        level: oneOf(levels, level),
        seatsLeft: seatsLeft === 'true' ? true : undefined,
        ended: oneOf(endedChoices, ended) ?? 'false',
        page,
        limit,
        ...orderOf(sortKeys, sort),
      },
    },
    { keepPrevious: true },
  );
}

export function CataloguePage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useCatalogue(search);
  const statuses = useOwnStatuses();
  const { search: text, category, level, seatsLeft, ended } = search;
  const filtered = [text, category, level, seatsLeft, ended].some((value) => value !== undefined);

  function onSearch(change: SearchChange<Search>, replace?: boolean): void {
    void navigate(searchNavigation<Search>(change, replace));
  }
  const { pages, isPastEnd } = usePages({
    query,
    pagination: query.data?.pagination,
    isEmpty: query.data?.courses.length === 0,
    search,
    onPastEnd: (page) => onSearch({ page }, true),
  });
  const clear = () =>
    onSearch({ search: undefined, category: undefined, level: undefined, seatsLeft: undefined, ended: undefined });

  function content({ courses }: ResponseBody<'listCourses'>) {
    if (isPastEnd) return <Loading lines={8} />;
    if (courses.length === 0)
      return filtered ? (
        <NoMatch text={text} filtered={hasFilters(search)} onClear={clear} />
      ) : (
        <Empty message={t('catalogue.empty')} />
      );
    return (
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} aria-busy={query.isPlaceholderData}>
        {courses.map((course) => (
          <CourseCard key={course.id} course={course} status={statuses.get(course.id)} />
        ))}
      </SimpleGrid>
    );
  }

  return (
    <Page title={t('catalogue.title')}>
      <CatalogueFilters search={search} onSearch={onSearch} />
      <Loaded query={query} lines={8}>
        {content}
      </Loaded>
      {pages && <Pager pagination={pages} sizes={[12, 24, 48]} onChange={onSearch} />}
    </Page>
  );
}

function CatalogueFilters({ search, onSearch }: { search: Search; onSearch(change: SearchChange<Search>): void }) {
  const { t } = useTranslation();
  const categories = useApi('listCategories', {});
  const active = [search.category, search.level, search.seatsLeft, search.ended].filter(Boolean).length;
  const options = (categories.data?.categories ?? []).map((category) => ({ value: category, label: category }));
  return (
    <Filters
      active={active}
      search={
        <SearchField
          label={t('catalogue.search')}
          value={search.search}
          onSearch={(text) => onSearch({ search: text })}
        />
      }
    >
      <FilterSelect
        label={t('courses.field.category')}
        any={t('courses.any.category')}
        options={options}
        value={search.category}
        onChange={(category) => onSearch({ category })}
      />
      <FilterSelect
        label={t('courses.field.level')}
        any={t('courses.any.level')}
        options={levels.map((level) => ({ value: level, label: t(`courses.level.${level}`) }))}
        value={oneOf(levels, search.level)}
        onChange={(level) => onSearch({ level })}
      />
      <FilterSelect
        label={t('catalogue.order')}
        options={orders.map((order) => ({ value: order, label: t(`catalogue.sort.${order}`) }))}
        value={oneOf(orders, search.sort) ?? 'soonest'}
        onChange={(sort) => onSearch({ sort })}
      />
      <FilterSelect
        label={t('courses.ended.label')}
        options={endedChoices.map((ended) => ({ value: ended, label: t(`courses.ended.${ended}`) }))}
        value={oneOf(endedChoices, search.ended) ?? 'false'}
        onChange={(ended) => onSearch({ ended: ended === 'false' ? undefined : ended })}
      />
      <Checkbox
        label={t('catalogue.onlyFree')}
        checked={search.seatsLeft === 'true'}
        onChange={({ currentTarget }) => onSearch({ seatsLeft: currentTarget.checked ? 'true' : undefined })}
      />
    </Filters>
  );
}
