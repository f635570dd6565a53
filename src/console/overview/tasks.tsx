import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDay, formatNumber } from '../i18n/format.js';
import { ButtonLink } from '../ui/links.js';
import type { ListSearch } from '../ui/lists/list-search.js';
import { Section } from './figures.js';
import type { Overview } from './overview-page.js';

/** Days before its first day in which a course starts soon; the service counts with the same number. */
const soonDays = 7;
const dayMs = 86_400_000;

/** A list with its filter. */
interface Link {
  to: '/enrollments' | '/courses' | '/imports' | '/mail' | '/people' | '/groups';
  search: ListSearch<
    'search' | 'status' | 'courseId' | 'starts' | 'ended' | 'rejected' | 'state' | 'address' | 'since' | 'locked'
  >;
}

interface Task {
  key: string;
  count: number;
  text: string;
  hint?: string | undefined;
  /** Whether the task is a part of the one before it. */
  isPart?: boolean;
  action: string;
  link: Link;
}

/** Tasks for the viewer, each with a link to the list of its items. Tasks without items are not shown. */
export function Tasks({ tasks }: { tasks: readonly Task[] }) {
  const { t } = useTranslation();
  const open = tasks.filter(({ count }) => count > 0);
  return (
    <Section title={t('overview.tasks.title')}>
      {open.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('overview.tasks.none')}
        </Text>
      ) : (
        <Stack component="ul" gap={0} className="plain-list tasks">
          {open.map(({ key, count, text, hint, isPart = false, action, link }) => (
            <Group key={key} component="li" gap="xs" wrap="nowrap" py={6} pl={isPart ? 'sm' : 0}>
              <Text span fz={isPart ? 'md' : 'xl'} fw={650} miw={36} ta="end" className="figure">
                {formatNumber(count)}
              </Text>
              <Stack gap={0} flex={1} miw={0}>
                <Text span size="sm" fw={isPart ? 400 : 500}>
                  {text}
                </Text>
                {hint !== undefined && (
                  <Text span size="xs" c="dimmed" lineClamp={3}>
                    {hint}
                  </Text>
                )}
              </Stack>
              <ButtonLink {...link} size="xs" variant="default" flex="none" aria-label={`${action}: ${text}`}>
                {action}
              </ButtonLink>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}

/** Returns the tasks about requests and courses, which the super admin and trainers have. */
export function useCourseTasks(overview: Overview<'super_admin' | 'trainer'>, today: string): Task[] {
  const { t } = useTranslation();
  const { requestsWaiting, requestsByCourse, startingSoon } = overview;
  const lastDay = new Date(Date.parse(today) + soonDays * dayMs).toISOString().slice(0, 10);
  const answer = t('overview.tasks.answer');
  const byCourse = requestsByCourse.map(({ course: { id, title, startDate }, waiting }): Task => {
    const isSoon = startDate !== null && startDate >= today && startDate <= lastDay;
    return {
      key: id,
      count: waiting,
      text: title,
      hint: isSoon ? t('overview.tasks.starts', { day: formatDay(startDate) }) : undefined,
      isPart: true,
      action: answer,
      link: { to: '/enrollments', search: { status: 'pending', courseId: id } },
    };
  });
  return [
    {
      key: 'requests',
      count: requestsWaiting,
      text: t('overview.tasks.requests', { count: requestsWaiting }),
      action: answer,
      link: { to: '/enrollments', search: { status: 'pending' } },
    },
    ...byCourse,
    {
      key: 'soon',
      count: startingSoon.courses,
      text: t('overview.tasks.soon', { count: startingSoon.courses }),
      action: t('overview.tasks.show'),
      link: { to: '/courses', search: { ended: 'soon', sort: 'startDate' } },
    },
    {
      key: 'soonRequests',
      count: startingSoon.withRequests,
      text: t('overview.tasks.soonRequests', { count: startingSoon.withRequests }),
      hint: t('overview.tasks.ofRequests', { count: startingSoon.requests }),
      isPart: true,
      action: answer,
      link: { to: '/enrollments', search: { status: 'pending', starts: 'soon' } },
    },
  ];
}

/** Returns the tasks about imports, mail and accounts, which only the super admin has. */
export function useAdminTasks({ heldSyncs, importsToCheck, mailTrouble, people }: Overview<'super_admin'>): Task[] {
  const { t } = useTranslation();
  const show = t('overview.tasks.show');
  const { rejected, planned } = importsToCheck;
  const { pausedBy, held, refused, refusedBy, addressUnknown, since } = mailTrouble ?? noTrouble;
  const syncs = heldSyncs.map(
    ({ group: { id, name }, leaving, file }): Task => ({
      key: id,
      count: leaving,
      text: t('overview.tasks.heldSync', { count: leaving, name }),
      hint: t('overview.tasks.heldSyncHint', { file }),
      action: show,
      link: { to: '/groups', search: { search: name } },
    }),
  );
  return [
    ...syncs,
    {
      key: 'planned',
      count: planned,
      text: t('overview.tasks.planned', { count: planned }),
      action: show,
      link: { to: '/imports', search: { status: 'planned' } },
    },
    {
      key: 'rejected',
      count: rejected,
      text: t('overview.tasks.rejected', { count: rejected }),
      hint: t('overview.tasks.lastWeek'),
      action: show,
      link: { to: '/imports', search: { rejected: 'recent' } },
    },
    {
      key: 'held',
      count: held,
      text: t('overview.tasks.held', { count: held }),
      hint: pausedBy ?? undefined,
      action: show,
      link: { to: '/mail', search: { state: 'queued' } },
    },
    {
      key: 'refused',
      count: refused,
      text: t('overview.tasks.refused', { count: refused }),
      hint: t('overview.tasks.refusedBy', { reason: refusedBy }),
      action: show,
      link: { to: '/mail', search: { state: 'failed', address: 'known', since } },
    },
    {
      key: 'addressUnknown',
      count: addressUnknown,
      text: t('overview.tasks.addressUnknown', { count: addressUnknown }),
      hint: t('overview.tasks.lastDays'),
      action: show,
      link: { to: '/mail', search: { state: 'failed', address: 'unknown', since } },
    },
    {
      key: 'locked',
      count: people.locked,
      text: t('overview.tasks.locked', { count: people.locked }),
      hint: t('overview.tasks.lockedHint'),
      action: show,
      link: { to: '/people', search: { locked: 'true' } },
    },
  ];
}

const noTrouble = { pausedBy: null, held: 0, refused: 0, refusedBy: null, addressUnknown: 0, since: '' };
