import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../i18n/format.js';
import { Facts } from '../ui/facts.js';
import { LinkedText } from '../ui/linked-text.js';
import { nameOf } from '../ui/person-name.js';
import { CourseDates, SeatsLeft } from './course-state.js';
import type { Course } from './course-values.js';

export function CourseFacts({ course }: { course: Course }) {
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
export function CourseDescription({ course }: { course: Course }) {
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
