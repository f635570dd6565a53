import { Box, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { lazyDialog } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { RowMenu } from '../ui/lists/row-menu.js';
import { nameOf } from '../ui/person-name.js';
import { BulkBar } from './bulk-bar.js';
import { actionsFor, type EnrollmentAction, type EnrollmentRow, rowsFor, setsProgress } from './enrollment-changes.js';
import type { EnrollmentChange } from './enrollment-dialog.js';
import { EnrollmentNotes } from './enrollment-notes.js';
import { certificatePage, EnrollmentState, ProgressBar } from './enrollment-state.js';
import type { EnrollmentFilter } from './status-filter.js';

type EnrollmentTableProps = Pick<
  ComponentProps<typeof DataTable<EnrollmentRow>>,
  'label' | 'query' | 'rows' | 'pagination' | 'search' | 'onSearch' | 'filtered' | 'onClearFilters' | 'empty'
> & {
  /** Names the course of each row. */
  withCourse?: boolean;
  /** Of a waiting list: shows the places instead of the status, and begins with the first. */
  waiting?: boolean;
  /** What the listing can be sorted by. */
  sortKeys: readonly string[];
  /** What the listing is narrowed down to. */
  filter: EnrollmentFilter;
};
const EnrollmentDialog = lazyDialog(async () => (await import('./enrollment-dialog.js')).EnrollmentDialog, 'change');
const ReplyDialog = lazyDialog(async () => (await import('./reply-dialog.js')).ReplyDialog, 'row');
const ProgressDialog = lazyDialog(async () => (await import('./progress-dialog.js')).ProgressDialog, 'enrollment');

/** Enrollments with what can be done with them, one by one or with all that are selected. */
export function EnrollmentTable({
  withCourse = false,
  waiting = false,
  sortKeys,
  filter,
  ...props
}: EnrollmentTableProps) {
  const [selected, setSelected] = useState<ReadonlyMap<string, EnrollmentRow>>(new Map());
  const [change, setChange] = useState<EnrollmentChange>();
  const [progressOf, setProgressOf] = useState<EnrollmentRow>();
  const [repliedTo, setRepliedTo] = useState<EnrollmentRow>();
  // Of those on this page it is known what they are now.
  const now = new Map(props.rows?.map((row) => [row.id, row]));
  const current = [...selected.values()].map((row) => now.get(row.id) ?? row);
  const all = useColumns({
    withCourse,
    waiting,
    onAction: (action, row) => setChange({ action, rows: [row] }),
    onProgress: setProgressOf,
    onReply: setRepliedTo,
  });
  const columns = all.map(({ sortKey, ...column }) =>
    sortKey !== undefined && sortKeys.includes(sortKey) ? { ...column, sortKey } : column,
  );
  return (
    <Stack gap="xs">
      <BulkBar
        rows={current}
        onAction={(action) => setChange({ action, rows: rowsFor(action, current) })}
        filter={filter}
        pagination={props.pagination}
        onSelect={(rows) => setSelected(new Map(rows.map((row) => [row.id, row])))}
      />
      <DataTable
        {...props}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ user, course }) => (withCourse ? `${nameOf(user)}, ${course.title}` : nameOf(user))}
        selection={{ selected, onChange: setSelected }}
        defaultSort={waiting ? 'waitingPlace' : '-enrolledAt'}
      />
      <EnrollmentDialog
        change={change}
        onClose={() => setChange(undefined)}
        // What was changed isn't what was selected any more.
        onDone={(ids) => setSelected((before) => new Map([...before].filter(([id]) => !ids.includes(id))))}
      />
      <ReplyDialog row={repliedTo} onClose={() => setRepliedTo(undefined)} />
      <ProgressDialog
        enrollment={progressOf && { id: progressOf.id, progress: progressOf.progress, name: nameOf(progressOf.user) }}
        onClose={() => setProgressOf(undefined)}
      />
    </Stack>
  );
}

interface ColumnOptions {
  withCourse: boolean;
  waiting: boolean;
  onAction(action: EnrollmentAction, row: EnrollmentRow): void;
  onProgress(row: EnrollmentRow): void;
  onReply(row: EnrollmentRow): void;
}

function useColumns({ withCourse, waiting, ...handlers }: ColumnOptions): readonly Column<EnrollmentRow>[] {
  const { t } = useTranslation();
  const course: Column<EnrollmentRow> = {
    id: 'course',
    header: t('courses.field.course'),
    wideOnly: true,
    render: (row) => <CourseLink row={row} />,
  };
  const status: Column<EnrollmentRow> = {
    id: 'status',
    header: t('field.status'),
    wideOnly: true,
    render: (row) => <EnrollmentState enrollment={row} />,
  };
  const place: Column<EnrollmentRow> = {
    id: 'waitingPlace',
    header: t('courses.field.waitingPlace'),
    sortKey: 'waitingPlace',
    wideOnly: true,
    render: ({ waitingPlace }) => waitingPlace,
  };
  return [
    {
      id: 'trainee',
      header: t('role.trainee'),
      sortKey: 'lastName',
      render: (row) => <Trainee row={row} withCourse={withCourse} />,
    },
    ...(withCourse ? [course] : []),
    waiting ? place : status,
    {
      id: 'progress',
      header: t('courses.field.progress'),
      sortKey: 'progress',
      render: ({ progress, user }) => (
        <ProgressBar percent={progress} label={t('courses.progress.of', { name: nameOf(user) })} />
      ),
    },
    {
      id: 'enrolledAt',
      header: t('courses.field.enrolledAt'),
      sortKey: 'enrolledAt',
      noWrap: true,
      render: ({ enrolledAt }) => formatTime(enrolledAt),
    },
    {
      id: 'completedAt',
      header: t('courses.field.completedAt'),
      sortKey: 'completedAt',
      optional: true,
      noWrap: true,
      render: ({ completedAt }) => formatTime(completedAt),
    },
    {
      id: 'actions',
      header: t('courses.field.actions'),
      align: 'end',
      pinned: true,
      render: (row) => <RowActions row={row} {...handlers} />,
    },
  ];
}

function CourseLink({ row: { course } }: { row: EnrollmentRow }) {
  return (
    <TextLink to="/courses/$id" params={{ id: course.id }} search={{ tab: 'participants' }}>
      {course.title}
    </TextLink>
  );
}

/**
 * A name and an address, for the super admin a link to the account; and what was written. In a narrow window also what the
 * columns beside it say in a wide one.
 */
function Trainee({ row, withCourse }: { row: EnrollmentRow; withCourse: boolean }) {
  const { t } = useTranslation();
  const { user, formerName } = row;
  const isAdmin = useUser().role === 'super_admin';
  return (
    <Box className="person-cell">
      {isAdmin ? (
        <TextLink to="/people/$id" params={{ id: user.id }}>
          {nameOf(user)}
        </TextLink>
      ) : (
        nameOf(user)
      )}
      <Text size="xs" c="dimmed" className="running-text">
        {user.email}
      </Text>
      {formerName !== null && (
        <Text size="xs" className="running-text">
          {t('enrollments.renamed.was', { former: formerName })}
        </Text>
      )}
      <Box hiddenFrom="md">
        {withCourse && <CourseLink row={row} />}
        <EnrollmentState enrollment={row} />
      </Box>
      <EnrollmentNotes row={row} />
    </Box>
  );
}

type RowActionsProps = Omit<ColumnOptions, 'withCourse' | 'waiting'> & { row: EnrollmentRow };

function RowActions({ row, onAction, onProgress, onReply }: RowActionsProps) {
  const { t } = useTranslation();
  const name = nameOf(row.user);
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {row.status === 'pending' &&
        (['accept', 'refuse'] as const).map((action) => (
          <Button
            key={action}
            size="compact-sm"
            variant={action === 'accept' ? 'filled' : 'default'}
            // In a narrow window they would cover the rest of the row; the menu has them, too.
            visibleFrom="lg"
            aria-label={t('enrollments.change.actionFor', { action: t(`enrollments.change.action.${action}`), name })}
            onClick={() => onAction(action, row)}
          >
            {t(`enrollments.change.action.${action}`)}
          </Button>
        ))}
      <RowMenu label={t('courses.actionsOf', { title: name })}>
        {setsProgress('manager', row.status) && (
          <Menu.Item onClick={() => onProgress(row)}>{t('courses.progress.set')}</Menu.Item>
        )}
        {row.certificate !== null && (
          <Menu.Item {...certificatePage(row.certificate)}>{t('courses.certificate.open')}</Menu.Item>
        )}
        <Menu.Item onClick={() => onReply(row)}>
          {t(row.reply === null ? 'enrollments.messages.reply' : 'enrollments.messages.changeReply')}
        </Menu.Item>
        {actionsFor([row]).map((action) => (
          <Menu.Item key={action} onClick={() => onAction(action, row)}>
            {t(`enrollments.change.action.${action}`)}
          </Menu.Item>
        ))}
      </RowMenu>
    </Group>
  );
}
