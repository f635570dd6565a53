import { Button, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
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
  /** What the service had when it was last asked. */
  const latest = useRef(formValuesOf(course));

  /** Somebody else may have changed the same fields in the meantime: their work isn't overwritten unasked. */
  async function assertNotChangedMeanwhile(names: readonly string[]): Promise<void> {
    const now = formValuesOf((await call('showCourse', { path: { id } })).course);
    latest.current = now;
    const theirs = Object.keys(changedFields(form.initialValues(), now)).filter((name) => names.includes(name));
    if (theirs.length === 0) return;
    form.merge(now);
    const fields = theirs.map((name) => t(`courses.field.${name as keyof CourseFormValues}`)).join(', ');
    throw new Error(t('courses.form.conflict', { fields }));
  }

  const form = useApiForm<CourseFormValues>({
    initialValues: latest.current,
    async submit(values) {
      const body = changedFields(form.initialValues(), values);
      await assertNotChangedMeanwhile(Object.keys(body));
      const { course: saved } = await update.mutateAsync({ path: { id }, body });
      latest.current = formValuesOf(saved);
      form.merge(latest.current, values);
      notifyDone(t('state.saved'));
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting);

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks at each answer once
  useEffect(() => {
    if (form.submitting) return;
    latest.current = formValuesOf(course);
    // Changed fields keep what they were changed from: whether somebody else has changed them is asked when they are saved.
    const changed = changedFields(form.initialValues(), form.values);
    const kept = Object.entries(form.initialValues()).filter(([name]) => name in changed);
    form.merge({ ...latest.current, ...Object.fromEntries(kept) });
  }, [course]);

  return (
    <CourseForm
      form={form}
      action={t('action.save')}
      beside={
        form.isDirty && (
          <Button variant="default" onClick={() => form.restart(latest.current)} disabled={form.submitting}>
            {t('courses.form.discard')}
          </Button>
        )
      }
    />
  );
}
