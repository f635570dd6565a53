import { Box, Button, Card, Collapse, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { statusRules } from '../api/enrollment-statuses.js';
import { CourseImage } from '../courses/course-image.js';
import { CourseDates } from '../courses/course-state.js';
import { hasEnded } from '../courses/course-values.js';
import { MaterialList } from '../courses/material-list.js';
import { CertificateButton, EnrollmentBadge, ProgressBar } from '../enrollments/enrollment-state.js';
import { formatDate } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { TextLink } from '../ui/links.js';
import { nameOf } from '../ui/person-name.js';
import { AddToCalendar } from './add-to-calendar.js';
import { Reply } from './own-messages.js';
import { hasProgress, type OwnEnrollment, OwnStatus } from './own-status.js';

export function OwnCourse({ enrollment, onSetProgress }: { enrollment: OwnEnrollment; onSetProgress(): void }) {
  const { t } = useTranslation();
  const { certificate, course, status, progress, enrolledAt, completedAt } = enrollment;
  const { isEnrolled, takesPart, isCurrent } = statusRules[status];
  const hasPlace = isEnrolled && status !== 'waiting';
  const isOver = hasEnded(useToday(), course);
  const trainer = nameOf(course.trainer);
  const since = hasPlace ? t('catalogue.own.since', { trainer, day: formatDate(enrolledAt) }) : trainer;
  const line = completedAt ? t('catalogue.own.completed', { trainer, day: formatDate(completedAt) }) : since;
  return (
    <Card component="article" withBorder padding="md">
      <Group wrap="nowrap" align="flex-start">
        <Box w={140} visibleFrom="xs" className="clipped fixed-size">
          <CourseImage thumbnail={course.thumbnail} title={course.title} />
        </Box>
        <Stack gap="xs" flex={1} miw={0}>
          <Group justify="space-between" gap="xs">
            <Title order={2} size="h4">
              <TextLink to="/catalogue/$id" params={{ id: course.id }} inherit>
                {course.title}
              </TextLink>
            </Title>
            <EnrollmentBadge status={status} />
          </Group>
          <Text size="sm" c="dimmed">
            {line}
          </Text>
          <WhenAndWhere course={course} />
          {!hasPlace && (
            <Text size="sm">
              <OwnStatus enrollment={enrollment} />
              {status === 'waiting' && isOver && ` ${t('catalogue.waiting.next.ended')}`}
            </Text>
          )}
          {/* After completion, the reply to the request is old. The page of the course still shows it. */}
          {status !== 'completed' && <Reply enrollment={enrollment} lines={6} />}
          {hasProgress(status) && (
            <ProgressBar percent={progress} label={t('courses.progress.of', { name: course.title })} />
          )}
          {isCurrent && <AddToCalendar course={course} name={course.title} size="xs" style={{ alignSelf: 'start' }} />}
          {certificate !== null && (
            <CertificateButton code={certificate} title={course.title} size="xs" style={{ alignSelf: 'start' }} />
          )}
          {takesPart && <ActiveCourse courseId={course.id} title={course.title} onSetProgress={onSetProgress} />}
        </Stack>
      </Group>
    </Card>
  );
}

function WhenAndWhere({ course }: { course: OwnEnrollment['course'] }) {
  const { t } = useTranslation();
  const { startDate, endDate, location, courseType } = course;
  const facts = [
    (startDate || endDate) && <CourseDates key="dates" course={course} />,
    location,
    courseType && t(`courses.type.${courseType}`),
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <Text size="sm">{facts.flatMap((fact, index) => (index === 0 ? [fact] : [' · ', fact]))}</Text>;
}

interface ActiveCourseProps {
  courseId: string;
  title: string;
  onSetProgress(): void;
}

function ActiveCourse({ courseId, title, onSetProgress }: ActiveCourseProps) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  return (
    <>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={t('courses.progress.setOf', { name: title })}
          onClick={onSetProgress}
        >
          {t('courses.progress.set')}
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-expanded={opened}
          aria-controls={id}
          aria-label={t('courses.materials.of', { name: title })}
          rightSection={<IconChevronDown size={14} aria-hidden className={opened ? 'turned' : undefined} />}
          onClick={toggle}
        >
          {t('courses.materials.title')}
        </Button>
      </Group>
      <Collapse expanded={opened} id={id}>
        {opened && <MaterialList courseId={courseId} />}
      </Collapse>
    </>
  );
}
