import { Box, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { statusRules } from '../api/enrollment-statuses.js';
import { useUser } from '../session/session.js';
import { EmailText } from '../ui/email-text.js';
import { lazyDialog } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { BulkBar } from '../ui/lists/bulk-bar.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { RowMenu } from '../ui/lists/row-menu.js';
import { useSelection } from '../ui/lists/selection.js';
import { PersonAvatar } from '../ui/person-avatar.js';
import { nameOf } from '../ui/person-name.js';
import { Time } from '../ui/time.js';
import {
  actionsFor,
  type EnrollmentAction,
  type EnrollmentRow,
  isDangerous,
  maySetProgress,
  rowsFor,
} from './enrollment-changes.js';
import type { EnrollmentChange } from './enrollment-dialog.js';
import { EnrollmentNotes } from './enrollment-notes.js';
import { certificatePage, EnrollmentState, ProgressBar } from './enrollment-state.js';
import { enrollmentReader } from './read-enrollments.js';
import type { EnrollmentFilter, StatusOption } from './status-filter.js';

type EnrollmentTableProps = Pick<
  ComponentProps<typeof DataTable<EnrollmentRow>>,
  | 'label'
  | 'query'
  | 'rows'
  | 'pagination'
  | 'search'
  | 'onSearch'
  | 'defaultSort'
  | 'defaultOrder'
  | 'filtered'
  | 'onClearFilters'
  | 'empty'
> & {
  withCourse?: boolean;
  /** Status that the list is filtered by: requests and the waiting list have different columns. */
  only: StatusOption | undefined;
  sortKeys: readonly string[];
  /** Filter of the list, for "select all". */
  filter: EnrollmentFilter;
};

const EnrollmentDialog = lazyDialog(async () => (await import('./enrollment-dialog.js')).EnrollmentDialog, 'change');
const ReplyDialog = lazyDialog(async () => (await import('./reply-dialog.js')).ReplyDialog, 'row');
const ProgressDialog = lazyDialog(async () => (await import('./progress-dialog.js')).ProgressDialog, 'enrollment');

export function EnrollmentTable({ withCourse = false, only, sortKeys, filter, ...props }: EnrollmentTableProps) {
  const { t } = useTranslation();
  const selection = useSelection<EnrollmentRow>(filter);
  const [change, setChange] = useState<EnrollmentChange>();
  const [progressOf, setProgressOf] = useState<EnrollmentRow>();
  const [repliedTo, setRepliedTo] = useState<EnrollmentRow>();
  // Selected rows of this page are up to date; rows of other pages may be older.
  const currentRows = new Map(props.rows?.map((row) => [row.id, row]));
  const current = [...selection.selected.values()].map((row) => currentRows.get(row.id) ?? row);
  const all = useColumns({
    withCourse,
    only,
    onAction: (action, row) => setChange({ action, rows: [row] }),
    onProgress: setProgressOf,
    onReply: setRepliedTo,
  });
  const columns = all.map(({ sortKey, ...column }) =>
    sortKey !== undefined && sortKeys.includes(sortKey) ? { ...column, sortKey } : column,
  );
  return (
    <Stack gap="xs">
      <DataTable
        {...props}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ user, course }) => (withCourse ? `${nameOf(user)}, ${course.title}` : nameOf(user))}
        selection={selection}
      />
      <BulkBar
        count={current.length}
        pagination={props.pagination}
        actions={actionsFor(current).map((action) => ({
          key: action,
          label: t('enrollments.change.actionOf', {
            action: t(`enrollments.change.action.${action}`),
            count: rowsFor(action, current).length,
          }),
          isDangerous: isDangerous(action),
          onClick: () => setChange({ action, rows: rowsFor(action, current) }),
        }))}
        onSelectAll={() => selection.selectAll(enrollmentReader(filter))}
        onClear={selection.clear}
      />
      <EnrollmentDialog
        change={change}
        onClose={() => setChange(undefined)}
        // Deselects the changed rows: their status is another one now.
        onDone={(ids) => selection.onChange((before) => new Map([...before].filter(([id]) => !ids.includes(id))))}
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
  only: StatusOption | undefined;
  onAction(action: EnrollmentAction, row: EnrollmentRow): void;
  onProgress(row: EnrollmentRow): void;
  onReply(row: EnrollmentRow): void;
}

function useColumns({ withCourse, only, ...handlers }: ColumnOptions): readonly Column<EnrollmentRow>[] {
  const { t } = useTranslation();
  const isWide = useMediaQuery('(min-width: 62em)', false, { getInitialValueInEffect: false });
  // Only wide lists of requests alone have room for a message in one line.
  const noteLines = only === 'pending' && isWide ? 1 : 2;
  const status: Column<EnrollmentRow> = {
    id: 'status',
    header: t('field.status'),
    render: (row) => <EnrollmentState enrollment={row} />,
  };
  const place: Column<EnrollmentRow> = {
    id: 'waitingPlace',
    header: t('courses.field.waitingPlace'),
    sortKey: 'waitingPlace',
    render: ({ waitingPlace }) => waitingPlace,
  };
  const progress: Column<EnrollmentRow> = {
    id: 'progress',
    header: t('courses.field.progress'),
    sortKey: 'progress',
    render: (row) =>
      (row.progress > 0 || statusRules[row.status].takesPart) && (
        <ProgressBar percent={row.progress} label={t('courses.progress.of', { name: nameOf(row.user) })} />
      ),
  };
  return [
    {
      id: 'trainee',
      header: t('role.trainee'),
      sortKey: 'lastName',
      render: (row) => <Trainee row={row} withCourse={withCourse} noteLines={noteLines} />,
    },
    ...(only === 'pending' ? [] : only === 'waiting' ? [place] : [status, progress]),
    {
      id: 'enrolledAt',
      header: t(only === 'pending' ? 'courses.status.pending' : 'courses.field.enrolledAt'),
      sortKey: 'enrolledAt',
      render: ({ enrolledAt }) => <Time at={enrolledAt} relative />,
    },
    {
      id: 'completedAt',
      header: t('courses.field.completedAt'),
      sortKey: 'completedAt',
      optional: true,
      render: ({ completedAt }) => <Time at={completedAt} />,
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
    <TextLink to="/courses/$id" params={{ id: course.id }} search={{ tab: 'participants' }} data-opens-row>
      {course.title}
    </TextLink>
  );
}

/** Name (for the super admin a link), course and email, with the messages below. The row opens the first link. */
function Trainee({ row, withCourse, noteLines }: { row: EnrollmentRow; withCourse: boolean; noteLines: number }) {
  const { t } = useTranslation();
  const { user, formerName } = row;
  const isAdmin = useUser().role === 'super_admin';
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <PersonAvatar person={user} />
      <Box className="person-cell">
        <Group align="baseline">
          {isAdmin ? (
            <TextLink to="/people/$id" params={{ id: user.id }} fw={600} data-opens-row>
              {nameOf(user)}
            </TextLink>
          ) : (
            <Text span size="sm" fw={600}>
              {nameOf(user)}
            </Text>
          )}
          {withCourse && <CourseLink row={row} />}
          <Text span size="xs" c="dimmed" className="running-text">
            <EmailText email={user.email} />
          </Text>
        </Group>
        {formerName !== null && (
          <Text size="xs" className="running-text">
            {t('enrollments.renamed.was', { former: formerName })}
          </Text>
        )}
        <EnrollmentNotes row={row} lines={noteLines} />
      </Box>
    </Group>
  );
}

type RowActionsProps = Omit<ColumnOptions, 'withCourse' | 'only'> & { row: EnrollmentRow };

function RowActions({ row, onAction, onProgress, onReply }: RowActionsProps) {
  const { t } = useTranslation();
  const name = nameOf(row.user);
  const actions = actionsFor([row]);
  const answerActions: readonly EnrollmentAction[] = actions.filter(
    (action) => action === 'accept' || action === 'refuse',
  );
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {answerActions.map((action) => (
        <Button
          key={action}
          size="compact-sm"
          variant={action === 'accept' ? 'filled' : 'default'}
          aria-label={t('enrollments.change.actionFor', { action: t(`enrollments.change.action.${action}`), name })}
          onClick={() => onAction(action, row)}
        >
          {t(`enrollments.change.action.${action}`)}
        </Button>
      ))}
      <RowMenu label={t('courses.actionsOf', { title: name })}>
        {maySetProgress('manager', row.status) && (
          <Menu.Item onClick={() => onProgress(row)}>{t('courses.progress.set')}</Menu.Item>
        )}
        {row.certificate !== null && (
          <Menu.Item {...certificatePage(row.certificate)}>{t('courses.certificate.open')}</Menu.Item>
        )}
        <Menu.Item onClick={() => onReply(row)}>
          {t(row.reply === null ? 'enrollments.messages.reply' : 'enrollments.messages.changeReply')}
        </Menu.Item>
        {actions
          .filter((action) => !answerActions.includes(action))
          .map((action) => (
            <Menu.Item key={action} onClick={() => onAction(action, row)}>
              {t(`enrollments.change.action.${action}`)}
            </Menu.Item>
          ))}
      </RowMenu>
    </Group>
  );
}
