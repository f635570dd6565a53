import { Alert, Button, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { statusRules } from '../api/enrollment-statuses.js';
import { useChange } from '../api/queries.js';
import { type Course, closedOn, isFull } from '../courses/course-values.js';
import { EnrollmentBadge } from '../enrollments/enrollment-badge.js';
import { setsProgress } from '../enrollments/enrollment-changes.js';
import { ProgressBar } from '../enrollments/progress-bar.js';
import { formatDay, formatTime } from '../i18n/format.js';
import { useToday } from '../session/session.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { lazyDialog } from '../ui/lazy.js';
import { notifyDone } from '../ui/notify.js';

const ProgressDialog = lazyDialog(
  async () => (await import('../enrollments/progress-dialog.js')).ProgressDialog,
  'enrollment',
);

export type OwnEnrollment = ResponseBody<'listOwnEnrollments'>['enrollments'][number];

/** A course, or what those still see of it who have a place in one that isn't published any more. */
type CourseOfPlace = Course | (OwnEnrollment['course'] & { isPublished: false });

interface OwnPlaceProps {
  course: CourseOfPlace;
  enrollment: OwnEnrollment | undefined;
}

/** The trainee's own place in a course: what state it is in, and what can be done about it. */
export function OwnPlace({ course, enrollment }: OwnPlaceProps) {
  const { t } = useTranslation();
  const open = !enrollment || !statusRules[enrollment.status].isEnrolled;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('catalogue.place.title')}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('catalogue.place.title')}
          </Title>
          {enrollment && <EnrollmentBadge status={enrollment.status} />}
        </Group>
        {enrollment && (course.isPublished || !open) && (
          <Text size="sm">{t(`courses.ownStatus.${enrollment.status}`)}</Text>
        )}
        {enrollment && !open && <Held course={course} enrollment={enrollment} />}
        {open && <AskForPlace course={course} />}
      </Stack>
    </Paper>
  );
}

function AskForPlace({ course }: { course: CourseOfPlace }) {
  const { t } = useTranslation();
  const request = useChange('requestEnrollment');
  const form = useApiForm({
    initialValues: { notes: '' },
    async submit({ notes }) {
      await request.mutateAsync({ body: { courseId: course.id, ...(notes.trim() !== '' && { notes }) } });
      notifyDone(t('catalogue.place.asked'));
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting);
  const today = useToday();
  if (!course.isPublished) return <Text size="sm">{t('catalogue.place.unpublished')}</Text>;
  const closed = closedOn(today, course);
  if (closed) {
    const day = formatDay(closed === 'ended' ? course.endDate : course.enrollUntil);
    return <Text size="sm">{t(`catalogue.place.${closed}`, { day })}</Text>;
  }
  if (isFull(course))
    return (
      <Alert color="gray" variant="outline" title={t('courses.seats.full')}>
        {t('catalogue.place.full')}
      </Alert>
    );
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack gap="sm">
        <FormFailure>{form.failure}</FormFailure>
        <Text size="sm">{t('catalogue.place.hint')}</Text>
        <Textarea {...form.field('notes')} label={t('catalogue.place.notes')} autosize minRows={2} maxRows={8} />
        <Button type="submit" loading={form.submitting} fullWidth>
          {t('catalogue.place.ask')}
        </Button>
      </Stack>
    </form>
  );
}

function Held({ course, enrollment }: { course: CourseOfPlace; enrollment: OwnEnrollment }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isPublished } = course;
  // The materials, and a course that isn't published, are refused to those who have left: they are not asked for again.
  const outOfDate = ['listOwnEnrollments', 'listCourses'] as const;
  const change = useChange('changeStatus', isPublished ? [...outOfDate, 'showCourse'] : outOfDate);
  const [asking, setAsking] = useState(false);
  const [editing, setEditing] = useState(false);
  const { id, status, progress, enrolledAt, completedAt, notes } = enrollment;
  const { followedBy } = statusRules[status];
  const pending = status === 'pending';
  return (
    <>
      <Text size="sm" c="dimmed">
        {completedAt
          ? t('catalogue.place.completedAt', { time: formatTime(completedAt) })
          : t('catalogue.place.enrolledAt', { time: formatTime(enrolledAt) })}
      </Text>
      {!pending && <ProgressBar percent={progress} label={t('courses.progress.of', { name: course.title })} />}
      {notes && (
        <Text size="sm" className="running-text">
          {t('catalogue.place.yourNotes', { notes })}
        </Text>
      )}
      {'cancelled' in followedBy && (
        <Group gap="xs">
          {setsProgress('trainee', status) && (
            <Button variant="default" onClick={() => setEditing(true)}>
              {t('courses.progress.set')}
            </Button>
          )}
          <Button variant="default" onClick={() => setAsking(true)}>
            {pending ? t('catalogue.place.cancel') : t('catalogue.place.leave')}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={pending ? t('catalogue.place.cancelTitle') : t('catalogue.place.leaveTitle')}
        action={pending ? t('catalogue.place.cancel') : t('catalogue.place.leave')}
        destructive
        onConfirm={async () => {
          await change.mutateAsync({ path: { id }, body: { status: 'cancelled', expectedStatus: status } });
          notifyDone(t('catalogue.place.cancelledNow'));
          if (!isPublished) await navigate({ to: '/' });
        }}
      >
        {pending ? t('catalogue.place.cancelHint') : t('catalogue.place.leaveHint')}
      </ConfirmDialog>
      <ProgressDialog
        enrollment={editing ? { id, progress, name: course.title } : undefined}
        onClose={() => setEditing(false)}
      />
    </>
  );
}
