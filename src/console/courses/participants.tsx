import { Button, Group, Stack, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { changedSearch, oneOf, type SearchChange } from '../app/list-search.js';
import { FilterSelect } from '../ui/filter-select.js';
import { SearchField } from '../ui/search-field.js';
import { Empty } from '../ui/states.js';
import { AssignDialog } from './assign-dialog.js';
import { type Course, enrollmentStatuses } from './course-values.js';
import { EnrollmentTable } from './enrollment-table.js';
import { SeatsLeft } from './seats.js';

const route = getRouteApi('/courses/$id');
type Search = ReturnType<typeof route.useSearch>;

/** Who takes part in a course, or has asked to. */
export function Participants({ course }: { course: Course }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [assigning, setAssigning] = useState(false);
  const { page, limit, search: text } = search;
  const status = oneOf(enrollmentStatuses, search.status);
  const query = useApi(
    'listCourseTrainees',
    { path: { courseId: course.id }, query: { status: status && [status], search: text, page, limit } },
    { keepPrevious: true },
  );
  const rows = query.data?.trainees.map(({ enrollment, ...user }) => ({ ...enrollment, user, course }));

  function onSearch(change: SearchChange<Search>): void {
    void navigate({ search: (previous) => changedSearch(previous, change), replace: 'search' in change });
  }
  const add = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAssigning(true)}>
      {t('courses.assign.action')}
    </Button>
  );
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <SearchField
            label={t('courses.participants.search')}
            value={text}
            onSearch={(next) => onSearch({ search: next })}
          />
          <FilterSelect
            label={t('field.status')}
            any={t('courses.any.status')}
            options={enrollmentStatuses.map((value) => ({ value, label: t(`courses.status.${value}`) }))}
            value={status}
            onChange={(next) => onSearch({ status: next })}
          />
          <Text size="sm" c="dimmed">
            <SeatsLeft course={course} />
          </Text>
        </Group>
        {add}
      </Group>
      <EnrollmentTable
        label={t('courses.tab.participants')}
        query={query}
        rows={rows}
        pagination={query.data?.pagination}
        search={search}
        onSearch={onSearch}
        filtered={status !== undefined || text !== undefined}
        onClearFilters={() => onSearch({ status: undefined, search: undefined })}
        empty={<Empty message={t('courses.participants.none')} />}
      />
      <AssignDialog course={course} opened={assigning} onClose={() => setAssigning(false)} />
    </Stack>
  );
}
