import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { statusRules } from '../api/enrollment-statuses.js';
import { closedOn } from '../courses/course-values.js';
import { maySetProgress } from '../enrollments/enrollment-changes.js';
import { CertificateButton, EnrollmentBadge, ProgressBar } from '../enrollments/enrollment-state.js';
import { formatDay, formatTime } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { lazyDialog } from '../ui/lazy.js';
import { EnrollmentRequest } from './enrollment-request.js';
import { isLeavable, type LeavableStatus, LeaveDialog } from './leave-dialog.js';
import { Messages } from './own-messages.js';
import { type EnrolledCourse, hasProgress, type OwnEnrollment, OwnStatus } from './own-status.js';

const ProgressDialog = lazyDialog(
  async () => (await import('../enrollments/progress-dialog.js')).ProgressDialog,
  'enrollment',
);

interface OwnEnrollmentPanelProps {
  course: EnrolledCourse;
  enrollment: OwnEnrollment | undefined;
}

export function OwnEnrollmentPanel({ course, enrollment }: OwnEnrollmentPanelProps) {
  const { t } = useTranslation();
  const canRequest = !enrollment || !statusRules[enrollment.status].isEnrolled;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('catalogue.place.title')}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('catalogue.place.title')}
          </Title>
          {enrollment && <EnrollmentBadge status={enrollment.status} />}
        </Group>
        {enrollment && (
          <Text size="sm">
            <OwnStatus enrollment={enrollment} />
          </Text>
        )}
        {canRequest && enrollment && <Messages enrollment={enrollment} />}
        {enrollment && !canRequest && <EnrollmentDetails course={course} enrollment={enrollment} />}
        {canRequest &&
          (course.isPublished ? (
            <EnrollmentRequest course={course} askedBefore={enrollment !== undefined} />
          ) : (
            <Text size="sm">{t('catalogue.place.unpublished')}</Text>
          ))}
      </Stack>
    </Paper>
  );
}

/** Says what happens next on the waiting list. */
function WaitingNext({ course }: { course: EnrolledCourse }) {
  const { t } = useTranslation();
  const today = useToday();
  if (!course.isPublished) return t('catalogue.waiting.next.unpublished');
  if (closedOn(today, course) === 'ended') return t('catalogue.waiting.next.ended');
  return t(`catalogue.waiting.next.${course.autoAccept ? 'auto' : 'request'}`);
}

/** Says that a course has ended; nothing before. */
function EndedNote({ course }: { course: EnrolledCourse }) {
  const { t } = useTranslation();
  const today = useToday();
  if (!course.isPublished || closedOn(today, course) !== 'ended') return null;
  return <Text size="sm">{t('catalogue.place.over', { day: formatDay(course.endDate) })}</Text>;
}

function EnrollmentDetails({ course, enrollment }: { course: EnrolledCourse; enrollment: OwnEnrollment }) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const [leaving, setLeaving] = useState<LeavableStatus>();
  const { id, status, progress, enrolledAt, completedAt, certificate } = enrollment;
  return (
    <>
      {status === 'waiting' ? (
        <Text size="sm">
          <WaitingNext course={course} />
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          {completedAt
            ? t('catalogue.place.completedAt', { time: formatTime(completedAt) })
            : t('catalogue.place.enrolledAt', { time: formatTime(enrolledAt) })}
        </Text>
      )}
      {status !== 'completed' && status !== 'waiting' && <EndedNote course={course} />}
      <Messages enrollment={enrollment} />
      {hasProgress(status) && (
        <ProgressBar percent={progress} label={t('courses.progress.of', { name: course.title })} />
      )}
      {progress === 100 && maySetProgress('trainee', status) && <Text size="sm">{t('catalogue.place.confirmed')}</Text>}
      {certificate !== null && <CertificateButton code={certificate} title={course.title} />}
      {isLeavable(status) && (
        <Group gap="xs">
          {maySetProgress('trainee', status) && (
            <Button variant="default" onClick={() => setEditing(true)}>
              {t('courses.progress.set')}
            </Button>
          )}
          <Button variant="default" onClick={() => setLeaving(status)}>
            {t(`catalogue.leave.${status}.action`)}
          </Button>
        </Group>
      )}
      <LeaveDialog course={course} id={id} leaving={leaving} onClose={() => setLeaving(undefined)} />
      <ProgressDialog
        enrollment={editing ? { id, progress, name: course.title } : undefined}
        onClose={() => setEditing(false)}
      />
    </>
  );
}
