import { Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { statusRules } from '../api/enrollment-statuses.js';
import { useApi } from '../api/queries.js';
import { CourseView } from '../courses/course-facts.js';
import { MaterialList } from '../courses/material-list.js';
import { TextLink } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { Failed, Loading, mustHideData } from '../ui/states.js';
import { AddToCalendar } from './add-to-calendar.js';
import { OwnEnrollmentPanel } from './own-enrollment.js';

const route = getRouteApi('/catalogue/$id');

export function CatalogueCoursePage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const query = useApi('showCourse', { path: { id }, query: { include: ['seats'] } });
  const own = useApi('listOwnEnrollments', { query: { courseId: id } });
  const back = <TextLink to="/catalogue">{t('catalogue.back')}</TextLink>;
  const error = query.error ?? own.error;
  const failed = error && (
    <Failed
      error={error}
      onRetry={() => {
        void query.refetch();
        void own.refetch();
      }}
    />
  );
  const [enrollment] = own.data?.enrollments ?? [];
  // The service shows an unpublished course only to its participants. Other trainees still see their own enrollment.
  if (enrollment && mustHideData(query.error) && !own.error)
    return (
      <Page key={id} title={enrollment.course.title} hint={back}>
        <Stack maw={520}>
          <Text>{t('catalogue.withdrawn')}</Text>
          <OwnEnrollmentPanel course={{ ...enrollment.course, isPublished: false }} enrollment={enrollment} />
        </Stack>
      </Page>
    );
  if (!query.data || !own.data || mustHideData(query.error))
    return (
      <Page title={t('catalogue.title')} hint={back}>
        {mustHideData(query.error) && own.isPending ? <Loading /> : (failed ?? <Loading />)}
      </Page>
    );
  const { course } = query.data;
  return (
    <Page key={id} title={course.title} hint={back}>
      {failed}
      <CourseView
        course={course}
        place={<OwnEnrollmentPanel course={course} enrollment={enrollment} />}
        calendar={<AddToCalendar course={course} mt="md" />}
      >
        {enrollment && statusRules[enrollment.status].takesPart && (
          <div>
            <Title order={2} size="h4" mb="xs">
              {t('courses.materials.title')}
            </Title>
            <MaterialList courseId={course.id} />
          </div>
        )}
      </CourseView>
    </Page>
  );
}
