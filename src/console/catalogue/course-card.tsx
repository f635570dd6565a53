import { Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CourseImage } from '../courses/course-image.js';
import { CourseDates, RunningBadge, SeatsLeft } from '../courses/course-state.js';
import { type Course, closedOn } from '../courses/course-values.js';
import type { EnrollmentStatus } from '../enrollments/enrollment-changes.js';
import { EnrollmentBadge } from '../enrollments/enrollment-state.js';
import { formatDay } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { TextLink } from '../ui/links.js';
import { nameOf } from '../ui/person-name.js';

interface CourseCardProps {
  course: Course;
  /** Status of the trainee's own enrollment, if any. */
  status: EnrollmentStatus | undefined;
}

export function CourseCard({ course, status }: CourseCardProps) {
  const { t } = useTranslation();
  const today = useToday();
  const { level, courseType, location, enrollUntil } = course;
  const closed = closedOn(today, course);
  const venue = [location, courseType && t(`courses.type.${courseType}`)].filter(Boolean);
  const facts = [course.category, level && t(`courses.level.${level}`), course.language].filter(Boolean);
  return (
    <Card component="article" withBorder padding="md" className="link-card" h="100%">
      <Card.Section pos="relative">
        <CourseImage thumbnail={course.thumbnail} title={course.title} />
        <Box pos="absolute" top={12} style={{ insetInlineEnd: 12 }}>
          <RunningBadge course={course} />
        </Box>
      </Card.Section>
      <Stack gap={6} mt="md" h="100%">
        {facts.length > 0 && (
          <Text size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
        )}
        <Title order={2} size="h4">
          <TextLink to="/catalogue/$id" params={{ id: course.id }} className="card-link" inherit>
            {course.title}
          </TextLink>
        </Title>
        {course.shortDescription && (
          <Text size="sm" lineClamp={3}>
            {course.shortDescription}
          </Text>
        )}
        <Stack gap={2} mt="auto">
          <Text size="sm">{nameOf(course.trainer)}</Text>
          <Text size="sm" c="dimmed">
            <CourseDates course={course} />
          </Text>
          {venue.length > 0 && (
            <Text size="sm" c="dimmed">
              {venue.join(' · ')}
            </Text>
          )}
          {enrollUntil && !closed && (
            <Text size="sm" c="dimmed">
              {t('catalogue.card.until', { day: formatDay(enrollUntil) })}
            </Text>
          )}
          <Group justify="space-between" gap="xs" mih={24}>
            <Text size="sm" component="span">
              {closed ? (
                t(closed === 'ended' ? 'courses.dates.ended' : 'catalogue.card.closed')
              ) : (
                <SeatsLeft course={course} />
              )}
            </Text>
            {status && <EnrollmentBadge status={status} />}
          </Group>
        </Stack>
      </Stack>
    </Card>
  );
}
