import { Grid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useToday } from '../session/session.js';
import { TextLink } from '../ui/links.js';
import { CourseFigures } from './course-figures.js';
import { EnrollmentFigures } from './enrollment-figures.js';
import { Section } from './figures.js';
import { NextCourse } from './next-course.js';
import { type Overview, OverviewPage } from './overview-page.js';
import { Tasks, useCourseTasks } from './tasks.js';
import { Weeks } from './weeks.js';

export function TrainerOverview() {
  return (
    <OverviewPage viewer="trainer">
      {(overview) => (
        <>
          <NextCourse course={overview.nextCourse} />
          <TrainerTasks overview={overview} />
          <Sections overview={overview} />
        </>
      )}
    </OverviewPage>
  );
}

function TrainerTasks({ overview }: { overview: Overview<'trainer'> }) {
  const { t } = useTranslation();
  const { finished } = overview;
  const courseTasks = useCourseTasks(overview, useToday());
  return (
    <Tasks
      tasks={[
        ...courseTasks,
        {
          key: 'finished',
          count: finished,
          text: t('overview.tasks.finished', { count: finished }),
          action: t('overview.tasks.show'),
          link: { to: '/enrollments', search: { status: 'finished' } },
        },
      ]}
    />
  );
}

function Sections({ overview }: { overview: Overview<'trainer'> }) {
  const { t } = useTranslation();
  const { courses, enrollments, requestsWaiting, finished, weeks } = overview;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <EnrollmentFigures enrollments={enrollments} requestsWaiting={requestsWaiting} finished={finished} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Section
          title={t('nav.courses')}
          action={
            <TextLink to="/courses" search={{ ended: 'all' }} fz="sm">
              {t('overview.all')}
            </TextLink>
          }
        >
          <CourseFigures courses={courses} />
        </Section>
      </Grid.Col>
      <Grid.Col span={12}>
        <Weeks weeks={weeks} />
      </Grid.Col>
    </Grid>
  );
}
