import { Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { formatDaysUntil, formatNumber } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { CourseView } from './course-facts.js';
import { CourseDates, SeatsLeft } from './course-state.js';
import { type Course, hasEnded, participantsOf } from './course-values.js';

/** Dates and figures of a course for its managers, above its page in the catalogue. */
export function CourseSummary({ course }: { course: Course }) {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      <Figures course={course} />
      <Stack component="section" gap="xs" aria-labelledby="course-preview">
        <Title order={2} size="h4" id="course-preview">
          {t('enrollments.summary.preview')}
        </Title>
        <Paper withBorder p="md">
          <CourseView course={course} />
        </Paper>
      </Stack>
    </Stack>
  );
}

function Figures({ course }: { course: Course }) {
  const { t } = useTranslation();
  const {
    id,
    maxStudents,
    seatsLeft,
    autoAccept,
    waitingMax,
    seatsTaken = 0,
    pendingCount = 0,
    waitingCount = 0,
  } = course;
  const completed = useApi('listEnrollments', { query: { courseId: id, status: ['completed'], limit: 1 } });
  const completedCount = completed.data?.pagination.totalItems ?? 0;
  const linkTo = (status: string) =>
    ({ to: '/courses/$id', params: { id }, search: { tab: 'participants', status } }) as const;
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" m={0}>
      <Figure wide label={t('courses.field.dates')} hint={<WhenText course={course} />}>
        {course.startDate || course.endDate ? <CourseDates course={course} /> : t('enrollments.summary.noDates')}
      </Figure>
      <Figure
        label={t('courses.field.seats')}
        hint={seatsLeft ? t('enrollments.summary.free', { count: seatsLeft }) : <SeatsLeft course={course} />}
      >
        {maxStudents === null
          ? formatNumber(seatsTaken)
          : t('courses.seats.taken', { taken: seatsTaken, max: maxStudents })}
        {maxStudents !== null && <Progress value={(seatsTaken / maxStudents) * 100} size="xs" mt={4} aria-hidden />}
      </Figure>
      <Figure
        label={<TextLink {...linkTo('pending')}>{t('courses.field.requests')}</TextLink>}
        hint={
          pendingCount > 0 ? (
            <ButtonLink {...linkTo('pending')} size="compact-sm" variant="light">
              {t('enrollments.summary.answer')}
            </ButtonLink>
          ) : (
            autoAccept && t('enrollments.summary.auto')
          )
        }
      >
        {formatNumber(pendingCount)}
      </Figure>
      <Figure
        label={<TextLink {...linkTo('waiting')}>{t('courses.status.waiting')}</TextLink>}
        hint={
          waitingMax === 0
            ? t('enrollments.summary.noWaitingList')
            : waitingMax !== null && t('enrollments.summary.waitingMost', { most: waitingMax })
        }
      >
        {formatNumber(waitingCount)}
      </Figure>
      <Figure
        label={<TextLink {...linkTo('active')}>{t('courses.tab.participants')}</TextLink>}
        hint={
          completedCount > 0 && (
            <TextLink {...linkTo('completed')}>
              {t('enrollments.summary.completed', { count: completedCount })}
            </TextLink>
          )
        }
      >
        {formatNumber(participantsOf(course))}
      </Figure>
    </SimpleGrid>
  );
}

interface FigureProps {
  label: ReactNode;
  hint: ReactNode;
  /** Takes two columns. */
  wide?: boolean;
  children: ReactNode;
}

function Figure({ label, hint, wide = false, children }: FigureProps) {
  return (
    <Paper withBorder p="sm" {...(wide && { style: { gridColumn: 'span 2' } })}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" fz={18} fw={650} m={0}>
        {children}
      </Text>
      {hint && (
        <Text component="dd" size="sm" c="dimmed" m={0}>
          {hint}
        </Text>
      )}
    </Paper>
  );
}

/** Says in days when a course begins or ends. */
function WhenText({ course }: { course: Course }) {
  const { t } = useTranslation();
  const today = useToday();
  const { startDate, endDate } = course;
  if (hasEnded(today, course)) return t('courses.dates.ended');
  if (startDate && startDate >= today)
    return t('enrollments.summary.begins', { when: formatDaysUntil(startDate, today) });
  if (endDate) return t('enrollments.summary.ends', { when: formatDaysUntil(endDate, today) });
  return startDate && t('enrollments.summary.running');
}
