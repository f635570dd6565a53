import { Grid, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../i18n/format.js';
import { TextLink } from '../ui/links.js';
import { PlainTable } from '../ui/lists/plain-table.js';
import { CourseFigures } from './course-figures.js';
import { EnrollmentFigures } from './enrollment-figures.js';
import { Section } from './figures.js';
import { type Overview, OverviewPage } from './overview-page.js';
import { Weeks } from './weeks.js';

export function TrainerOverview() {
  return <OverviewPage viewer="trainer">{(overview) => <Sections overview={overview} />}</OverviewPage>;
}

function Sections({ overview }: { overview: Overview<'trainer'> }) {
  const { t } = useTranslation();
  const { courses, enrollments, requestsWaiting, requestsByCourse, finished, weeks } = overview;
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
        <Section title={t('overview.requests.title')}>
          {requestsByCourse.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('overview.requests.none')}
            </Text>
          ) : (
            <PlainTable
              label={t('overview.requests.title')}
              figures
              head={[t('field.course'), t('overview.requestsWaiting')]}
              rows={requestsByCourse.map(({ course, waiting }) => ({
                key: course.id,
                cells: [
                  <TextLink key="course" to="/enrollments" search={{ status: 'pending', courseId: course.id }}>
                    {course.title}
                  </TextLink>,
                  formatNumber(waiting),
                ],
              }))}
            />
          )}
        </Section>
      </Grid.Col>
      <Grid.Col span={12}>
        <Weeks weeks={weeks} />
      </Grid.Col>
    </Grid>
  );
}
