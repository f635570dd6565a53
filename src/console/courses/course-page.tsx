import { Alert, Badge, type BadgeProps, Group, Tabs } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { formatNumber } from '../i18n/format.js';
import { useUser } from '../session/session.js';
import { lazyPart } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { oneOf } from '../ui/lists/list-search.js';
import { Page } from '../ui/page.js';
import { Loading, resultOf } from '../ui/states.js';
import { CourseActions } from './course-actions.js';
import { CourseView } from './course-facts.js';
import { EndedBadge, PublishedBadge } from './course-state.js';
import { CourseSummary } from './course-summary.js';
import { type Course, participantsOf } from './course-values.js';

// Loaded when their tabs are opened.
const Participants = lazyPart(async () => (await import('./participants.js')).Participants, <Loading />);
const Materials = lazyPart(async () => (await import('./materials.js')).Materials, <Loading />);
const CourseDetails = lazyPart(async () => (await import('./course-details.js')).CourseDetails, <Loading />);

const route = getRouteApi('/courses/$id');
const tabs = ['overview', 'participants', 'materials'] as const;

export function CoursePage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const query = useApi('showCourse', { path: { id }, query: { include: ['seats'] } });
  const back = <TextLink to="/courses">{t('courses.all')}</TextLink>;
  const { data, failed } = resultOf(query);
  if (data) return <ManagedCourse key={id} course={data.course} failed={failed} />;
  return (
    <Page title={t('courses.title')} hint={back}>
      {failed ?? <Loading />}
    </Page>
  );
}

/** @param failed message if the course could not be fetched again */
function ManagedCourse({ course, failed }: { course: Course; failed: ReactNode }) {
  const { t } = useTranslation();
  const user = useUser();
  const leave = useNavigate();
  const { tab } = route.useSearch();
  const { id, title, isPublished } = course;
  const isManager = user.role === 'super_admin' || course.trainerId === user.id;
  const hint = (
    <Group gap="sm">
      <TextLink to="/courses">{t('courses.all')}</TextLink>
      <PublishedBadge course={course} />
      {!isPublished &&
        t(participantsOf(course) > 0 ? 'enrollments.summary.toParticipants' : 'enrollments.summary.notYet')}
      <EndedBadge course={course} />
    </Group>
  );
  if (!isManager)
    return (
      <Page title={title} hint={hint}>
        {failed}
        <Alert color="gray" variant="outline">
          {t('courses.notYours')}
        </Alert>
        <CourseView course={course} />
      </Page>
    );
  if (tab === 'edit')
    return (
      <Page
        key="edit"
        title={t('enrollments.summary.edit', { title })}
        hint={
          <TextLink to="/courses/$id" params={{ id }}>
            {t('enrollments.summary.back')}
          </TextLink>
        }
      >
        {failed}
        <CourseDetails course={course} />
      </Page>
    );
  const actions = (
    <CourseActions course={course} large onDeleted={() => void leave({ to: '/courses', ignoreBlocker: true })} />
  );
  return (
    <Page key="course" title={title} hint={hint} actions={actions}>
      {failed}
      <CourseTabs course={course} />
    </Page>
  );
}

function CourseTabs({ course }: { course: Course }) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const tab = oneOf(tabs, route.useSearch().tab) ?? 'overview';
  const { id, pendingCount = 0 } = course;
  // The tab of materials asks for the same page.
  const materials = useApi('listMaterials', { path: { id }, query: {} });
  const materialCount = materials.data?.pagination.totalItems;
  const counts: Partial<Record<(typeof tabs)[number], ReactNode>> = {
    participants: (
      <>
        <Count>{formatNumber(participantsOf(course))}</Count>
        {pendingCount > 0 && (
          <Count color="yellow" visibleFrom="xs">
            {t('enrollments.summary.requests', { count: pendingCount })}
          </Count>
        )}
      </>
    ),
    materials: materialCount !== undefined && <Count>{formatNumber(materialCount)}</Count>,
  };
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(next) => void navigate({ search: next === null || next === 'overview' ? {} : { tab: next } })}
    >
      <Tabs.List>
        {tabs.map((value) => (
          <Tabs.Tab key={value} value={value} rightSection={<Group gap={4}>{counts[value]}</Group>}>
            {t(`courses.tab.${value}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="overview" pt="md">
        <CourseSummary course={course} />
      </Tabs.Panel>
      <Tabs.Panel value="participants" pt="md">
        <Participants course={course} />
      </Tabs.Panel>
      <Tabs.Panel value="materials" pt="md">
        <Materials courseId={id} />
      </Tabs.Panel>
    </Tabs>
  );
}

const Count = (props: BadgeProps & { children: ReactNode }) => (
  <Badge color="gray" variant="light" radius="sm" tt="none" fw={500} {...props} />
);
