import { Checkbox, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { useUser } from '../session/session.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import type { Course } from './course-values.js';

interface CourseDialogProps {
  course: Course;
  opened: boolean;
  onClose(): void;
}

export function PublishDialog({ course, opened, onClose }: CourseDialogProps) {
  const { t } = useTranslation();
  const change = useChange('publishCourse');
  const { id, title, isPublished } = course;
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={
        isPublished ? t('courses.publish.unpublishTitle', { title }) : t('courses.publish.publishTitle', { title })
      }
      action={isPublished ? t('courses.publish.unpublish') : t('courses.publish.publish')}
      onConfirm={async () => {
        await change.mutateAsync({ path: { id }, body: { isPublished: !isPublished } });
        notifyDone(isPublished ? t('courses.publish.unpublished') : t('courses.publish.published'));
      }}
    >
      {isPublished ? t('courses.publish.unpublishHint') : t('courses.publish.publishHint')}
    </ConfirmDialog>
  );
}

export function AssignTrainerDialog({ course, opened, onClose }: CourseDialogProps) {
  const { t } = useTranslation();
  const change = useChange('assignTrainer');
  const [trainerId, setTrainerId] = useState<string>();
  const { id, title, trainer } = course;
  useEffect(() => {
    if (opened) setTrainerId(undefined);
  }, [opened]);
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('courses.assignTrainer.title', { title })}
      action={t('courses.assignTrainer.action')}
      onConfirm={async () => {
        if (trainerId === undefined) throw new Error(t('courses.form.trainerNeeded'));
        await change.mutateAsync({ path: { id }, body: { trainerId } });
        notifyDone(t('courses.assignTrainer.done'));
      }}
    >
      <Stack>
        <Text>{t('courses.assignTrainer.hint', { name: nameOf(trainer) })}</Text>
        <PersonPicker
          onlyTrainers
          label={t('courses.assignTrainer.label')}
          value={trainerId}
          onChange={setTrainerId}
          required
        />
      </Stack>
    </ConfirmDialog>
  );
}

/** Deletes a course. With participants, only the super admin can delete it, after a warning. */
export function DeleteCourseDialog({
  course,
  opened,
  onClose,
  onDeleted,
}: CourseDialogProps & { onDeleted: (() => void) | undefined }) {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  // Without `showCourse`: fetching the deleted course would only fail.
  const change = useChange('deleteCourse', [
    'listCourses',
    'listCategories',
    'listEnrollments',
    'showOverview',
    'listAudit',
  ]);
  const [inUse, setInUse] = useState(false);
  const [force, setForce] = useState(false);
  const { id, title } = course;
  useEffect(() => {
    if (!opened) return;
    setInUse(false);
    setForce(false);
  }, [opened]);

  async function remove(): Promise<void> {
    try {
      await change.mutateAsync({ path: { id }, query: { force: force || undefined } });
    } catch (error) {
      // With 400, the service refuses for one reason: trainees take part.
      if (error instanceof ApiError && error.status === 400) setInUse(true);
      throw error;
    }
    notifyDone(t('courses.delete.done', { title }));
    onDeleted?.();
  }

  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('courses.delete.title', { title })}
      action={t('courses.delete.action')}
      destructive
      onConfirm={remove}
    >
      <Stack>
        <Text>{t('courses.delete.hint', { count: course.seatsTaken ?? 0 })}</Text>
        {inUse && isAdmin && (
          <Checkbox
            label={t('courses.delete.force')}
            checked={force}
            onChange={({ currentTarget }) => setForce(currentTarget.checked)}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
