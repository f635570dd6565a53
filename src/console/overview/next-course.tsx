import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CourseDates, PublishedBadge } from '../courses/course-state.js';
import { formatNumber } from '../i18n/format.js';
import { Facts } from '../ui/facts.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { Section } from './figures.js';
import type { Overview } from './overview-page.js';

export function NextCourse({ course }: { course: Overview<'trainer'>['nextCourse'] }) {
  const { t } = useTranslation();
  if (course === null)
    return (
      <Section title={t('overview.next.title')}>
        <Text size="sm" c="dimmed">
          {t('overview.next.none')}
        </Text>
      </Section>
    );
  const { id, title, courseType, location, maxStudents, isPublished, participants, waiting, requests } = course;
  const place = [location, courseType && t(`courses.type.${courseType}`)].filter(Boolean).join(', ');
  const taken =
    maxStudents === null
      ? formatNumber(participants)
      : t('courses.seats.taken', { taken: participants, max: maxStudents });
  return (
    <Section
      title={t('overview.next.title')}
      action={
        <Group gap="xs">
          <ButtonLink to="/courses/$id" params={{ id }} search={{ tab: 'participants' }} size="xs" variant="default">
            {t('courses.tab.participants')}
          </ButtonLink>
          <ButtonLink to="/courses/$id/attendance" params={{ id }} size="xs" variant="default">
            {t('overview.next.attendance')}
          </ButtonLink>
          {requests > 0 && (
            <ButtonLink to="/enrollments" search={{ status: 'pending', courseId: id }} size="xs">
              {t('overview.next.answer', { count: requests })}
            </ButtonLink>
          )}
        </Group>
      }
    >
      <Group gap="sm">
        <TextLink to="/courses/$id" params={{ id }} fz="lg" fw={600}>
          {title}
        </TextLink>
        {!isPublished && <PublishedBadge course={course} />}
      </Group>
      <Facts
        facts={[
          [t('courses.field.dates'), <CourseDates key="dates" course={course} />],
          [t('overview.next.place'), place],
          [t('courses.tab.participants'), taken],
          [t('overview.requestsWaiting'), formatNumber(requests)],
          [t('courses.status.waiting'), waiting > 0 && formatNumber(waiting)],
        ]}
      />
    </Section>
  );
}
