import { Button, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { call, upload } from '../api/client.js';
import { useChange, useRefresh } from '../api/queries.js';
import { useEditForm } from '../ui/forms/edit-form.js';
import { ImageInput } from '../ui/forms/image-input.js';
import { ButtonLink } from '../ui/links.js';
import { CourseForm } from './course-form.js';
import { CourseImage } from './course-image.js';
import { type Course, changedFields, courseProblems, formValuesOf } from './course-values.js';

const route = getRouteApi('/courses/$id');

export function CourseDetails({ course }: { course: Course }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { id } = course;
  return (
    <Stack gap="lg">
      <ImageInput
        label={t('courses.field.image')}
        preview={(url) => <CourseImage thumbnail={url ?? course.thumbnail} title={course.title} />}
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
  const navigate = route.useNavigate();
  const { id } = course;
  const update = useChange('updateCourse');
  const form = useEditForm({
    source: course,
    valuesOf: formValuesOf,
    changesOf: changedFields,
    validate: (values) => courseProblems(values, t),
    labelOf: (name) => t(`courses.field.${name}`),
    read: async () => (await call('showCourse', { path: { id } })).course,
    save: async (body) => (await update.mutateAsync({ path: { id }, body })).course,
    onSaved: () => void navigate({ search: {} }),
  });

  return (
    <CourseForm
      form={form}
      action={t('action.save')}
      beside={
        <>
          <ButtonLink to="/courses/$id" params={{ id }} variant="default" visibleFrom="xs">
            {t('action.cancel')}
          </ButtonLink>
          {form.isDirty && (
            <Button variant="subtle" onClick={form.discard} disabled={form.submitting}>
              {t('action.discard')}
            </Button>
          )}
        </>
      }
    />
  );
}
