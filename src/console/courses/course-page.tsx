import { Alert, Group, Tabs } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { useUser } from '../session/session.js';
import { lazyPart } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { oneOf } from '../ui/lists/list-search.js';
import { Page } from '../ui/page.js';
import { Loading, resultOf } from '../ui/states.js';
import { CourseActions } from './course-actions.js';
import { CourseDetails } from './course-details.js';
import { EndedBadge, PublishedBadge } from './course-state.js';
import type { Course } from './course-values.js';

// Loaded when their tabs are opened.
const Participants = lazyPart(async () => (await import('./participants.js')).Participants, <Loading />);
const Materials = lazyPart(async () => (await import('./materials.js')).Materials, <Loading />);
// Loaded for courses of other trainers.
const CourseFacts = lazyPart(async () => (await import('./course-facts.js')).CourseFacts, <Loading />);
const CourseDescription = lazyPart(async () => (await import('./course-facts.js')).CourseDescription);

const route = getRouteApi('/courses/$id');
const tabs = ['details', 'participants', 'materials'] as const;

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
  const navigate = route.useNavigate();
  const tab = oneOf(tabs, route.useSearch().tab) ?? 'details';
  const isManager = user.role === 'super_admin' || course.trainerId === user.id;
  const hint = (
    <Group gap="sm">
      <TextLink to="/courses">{t('courses.all')}</TextLink>
      <PublishedBadge course={course} />
      <EndedBadge course={course} />
    </Group>
  );
  if (!isManager)
    return (
      <Page title={course.title} hint={hint}>
        {failed}
        <Alert color="gray" variant="outline">
          {t('courses.notYours')}
        </Alert>
        <CourseFacts course={course} />
        <CourseDescription course={course} />
      </Page>
    );
  const actions = (
    <CourseActions course={course} large onDeleted={() => void leave({ to: '/courses', ignoreBlocker: true })} />
  );
  return (
    <Page title={course.title} hint={hint} actions={actions}>
      {failed}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => void navigate({ search: next === null || next === 'details' ? {} : { tab: next } })}
      >
        <Tabs.List>
          {tabs.map((value) => (
            <Tabs.Tab key={value} value={value}>
              {t(`courses.tab.${value}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="details" pt="md">
          <CourseDetails course={course} />
        </Tabs.Panel>
        <Tabs.Panel value="participants" pt="md">
          <Participants course={course} />
        </Tabs.Panel>
        <Tabs.Panel value="materials" pt="md">
          <Materials courseId={course.id} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
