import { Button, Stack } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { call, upload } from '../api/client.js';
import { useChange, useRefresh } from '../api/queries.js';
import { useApiForm } from '../ui/form.js';
import { notifyDone } from '../ui/notify.js';
import { PictureInput } from '../ui/picture-input.js';
import { useUnsavedGuard } from '../ui/unsaved.js';
import { CourseForm } from './course-form.js';
import { CoursePicture } from './course-picture.js';
import { type Course, type CourseFormValues, changedFields, formValuesOf } from './course-values.js';

/** The picture and the fields of a course, to be changed. */
export function CourseDetails({ course }: { course: Course }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { id } = course;
  return (
    <Stack gap="lg">
      <PictureInput
        label={t('courses.field.picture')}
        preview={(url) => <CoursePicture thumbnail={url ?? course.thumbnail} />}
        width={240}
        onUpload={async (image, onProgress) => {
          await upload('setThumbnail', { path: { id }, body: { image } }, { onProgress });
          await refresh();
        }}
        {...(course.thumbnail !== null && {
          onRemove: async () => {
            await call('removeThumbnail', { path: { id } });
            await refresh();
          },
        })}
      />
      <EditForm key={id} course={course} />
    </Stack>
  );
}

function EditForm({ course }: { course: Course }) {
  const { t } = useTranslation();
  const { id } = course;
  const update = useChange('updateCourse');
  /** What the fields were when they were shown, or last compared with the service. */
  const base = useRef(formValuesOf(course));

  /** Somebody else may have changed the same fields in the meantime: their work isn't overwritten unasked. */
  async function assertNotChangedMeanwhile(names: readonly string[]): Promise<void> {
    const now = formValuesOf((await call('showCourse', { path: { id } })).course);
    const theirs = Object.keys(changedFields(base.current, now)).filter((name) => names.includes(name));
    base.current = now;
    if (theirs.length === 0) return;
    const fields = theirs.map((name) => t(`courses.field.${name as keyof CourseFormValues}`)).join(', ');
    throw new Error(t('courses.form.conflict', { fields }));
  }

  const form = useApiForm({
    initialValues: base.current,
    async submit(values) {
      const body = changedFields(base.current, values);
      await assertNotChangedMeanwhile(Object.keys(body));
      const { course: saved } = await update.mutateAsync({ path: { id }, body });
      base.current = formValuesOf(saved);
      notifyDone(t('state.saved'));
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting);
  return (
    <CourseForm
      form={form}
      action={t('action.save')}
      beside={
        form.isDirty && (
          <Button variant="default" onClick={() => form.setValues(base.current)} disabled={form.submitting}>
            {t('courses.form.discard')}
          </Button>
        )
      }
    />
  );
}
