import { Badge, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../i18n/format.js';
import { Facts } from '../ui/facts.js';
import { LinkedText } from '../ui/linked-text.js';
import { nameOf } from '../ui/person-name.js';
import { CourseImage } from './course-image.js';
import { CourseDates, SeatsLeft } from './course-state.js';
import type { Course } from './course-values.js';

function CourseFacts({ course }: { course: Course }) {
  const { t } = useTranslation();
  const { startDate, endDate, enrollUntil, level, courseType } = course;
  const facts: [string, ReactNode][] = [
    [t('courses.field.trainer'), nameOf(course.trainer)],
    [t('courses.field.seats'), <SeatsLeft key="seats" course={course} />],
    [t('courses.field.dates'), (startDate || endDate) && <CourseDates key="dates" course={course} />],
    [t('courses.field.enrollUntil'), enrollUntil && formatDay(enrollUntil)],
    [t('courses.field.category'), course.category],
    [t('courses.field.level'), level && t(`courses.level.${level}`)],
    [t('courses.field.courseType'), courseType && t(`courses.type.${courseType}`)],
    [t('courses.field.language'), course.language],
    [t('courses.field.location'), course.location],
  ];
  return <Facts facts={facts} />;
}

function Section({ title, text }: { title: string; text: string | null }) {
  if (!text) return null;
  return (
    <div>
      <Title order={2} size="h4" mb={4}>
        {title}
      </Title>
      <Text className="running-text">
        <LinkedText text={text} />
      </Text>
    </div>
  );
}

/** Long texts and tags of a course. */
function CourseDescription({ course }: { course: Course }) {
  const { t } = useTranslation();
  return (
    <Stack>
      {course.shortDescription && (
        <Text fw={500} className="running-text">
          <LinkedText text={course.shortDescription} />
        </Text>
      )}
      <Section title={t('courses.field.description')} text={course.description} />
      <Section title={t('courses.field.learningOutcomes')} text={course.learningOutcomes} />
      <Section title={t('courses.field.requirements')} text={course.requirements} />
      {course.tags.length > 0 && (
        <Group gap="xs">
          {course.tags.map((tag) => (
            <Badge key={tag} variant="default" radius="sm" tt="none" fw={500}>
              {tag}
            </Badge>
          ))}
        </Group>
      )}
    </Stack>
  );
}

interface CourseViewProps {
  course: Course;
  /** Below the image. */
  place?: ReactNode;
  /** Below the facts. */
  calendar?: ReactNode;
  /** Below the description. */
  children?: ReactNode;
}

/** A course as the catalogue shows it. */
export function CourseView({ course, place, calendar, children }: CourseViewProps) {
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
        <Stack>
          {course.thumbnail !== null && (
            <Paper withBorder className="clipped">
              <CourseImage thumbnail={course.thumbnail} />
            </Paper>
          )}
          {place}
          <Paper withBorder p="md">
            <CourseFacts course={course} />
            {calendar}
          </Paper>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
        <Stack gap="lg">
          <CourseDescription course={course} />
          {children}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
