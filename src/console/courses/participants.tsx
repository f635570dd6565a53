import { Button, Group, Stack, Text } from '@mantine/core';
import { IconFileImport, IconUserPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { EnrollmentDownload } from '../enrollments/enrollment-download.js';
import { EnrollmentTable } from '../enrollments/enrollment-table.js';
import { FinishedNote } from '../enrollments/finished-note.js';
import {
  defaultPageSize,
  filterOfStatus,
  parseStatusOption,
  StatusFilter,
  statusOptions,
} from '../enrollments/status-filter.js';
import { useUser } from '../session/session.js';
import { lazyDialog } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { Filters } from '../ui/lists/filters.js';
import { orderOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import { SearchField } from '../ui/lists/search-field.js';
import { Empty } from '../ui/states.js';
import { SeatsTaken } from './course-state.js';
import type { Course } from './course-values.js';
import { PrintMenu } from './print-menu.js';

const AssignDialog = lazyDialog(async () => (await import('./assign-dialog.js')).AssignDialog, 'opened');

const route = getRouteApi('/courses/$id');
type Search = ReturnType<typeof route.useSearch>;

const sortKeys = ['lastName', 'progress', 'enrolledAt', 'completedAt', 'waitingPlace'] as const;

/** Participants, requests and waiting list of a course. */
export function Participants({ course }: { course: Course }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isTrainer = useUser().role === 'trainer';
  const [assigning, setAssigning] = useState(false);
  const option = parseStatusOption(search.status);
  const waiting = option === 'waiting';
  const defaultSort = waiting ? 'waitingPlace' : option === 'pending' ? 'enrolledAt' : '-enrolledAt';
  const { page, limit = defaultPageSize, search: text, sort = defaultSort } = search;
  const query = useApi(
    'listCourseTrainees',
    {
      path: { courseId: course.id },
      query: { ...filterOfStatus(option), search: text, page, limit, ...orderOf(sortKeys, sort) },
    },
    { keepPrevious: true },
  );
  const filter = { courseId: course.id, ...filterOfStatus(option), ...(text !== undefined && { search: text }) };
  const rows = query.data?.trainees.map(({ enrollment, formerName, ...user }) => ({
    ...enrollment,
    formerName,
    user,
    course,
  }));

  function onSearch(change: SearchChange<Search>, replace?: boolean): void {
    void navigate(searchNavigation<Search>(change, replace));
  }
  const add = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAssigning(true)}>
      {t('enrollments.assign.action')}
    </Button>
  );
  return (
    <Stack>
      <Group justify="space-between">
        <Filters
          search={
            <SearchField
              label={t('enrollments.participants.search')}
              value={text}
              onSearch={(next) => onSearch({ search: next })}
            />
          }
        >
          <StatusFilter
            choices={statusOptions}
            value={option}
            onChange={(next) => onSearch({ status: next, ...(waiting && { sort: undefined }) })}
          />
          <Text size="sm" c="dimmed">
            <SeatsTaken course={course} />
          </Text>
        </Filters>
        <Group>
          <PrintMenu courseId={course.id} />
          <EnrollmentDownload filter={filter} />
          {isTrainer && (
            <ButtonLink
              to="/courses/$id/import"
              params={{ id: course.id }}
              variant="default"
              leftSection={<IconFileImport size={16} aria-hidden />}
            >
              {t('enrollments.participants.import')}
            </ButtonLink>
          )}
          {add}
        </Group>
      </Group>
      <FinishedNote within={{ courseId: course.id }} />
      <EnrollmentTable
        label={t('courses.tab.participants')}
        query={query}
        rows={rows}
        pagination={query.data?.pagination}
        search={search}
        onSearch={onSearch}
        sortKeys={sortKeys}
        only={option}
        defaultSort={defaultSort}
        filter={filter}
        filtered={option !== undefined || text !== undefined}
        onClearFilters={() => onSearch({ status: undefined, search: undefined })}
        empty={<Empty message={t('enrollments.participants.none')} />}
      />
      <AssignDialog course={course} opened={assigning} onClose={() => setAssigning(false)} />
    </Stack>
  );
}
