import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { useUser } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { notifyDone } from '../ui/notify.js';
import { Page } from '../ui/page.js';
import { CourseForm } from './course-form.js';
import { courseBodyOf, courseProblems, formValuesOf } from './course-values.js';

/** Creates a course. The super admin also chooses its trainer. */
export function NewCoursePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useUser().role === 'super_admin';
  const create = useChange('createCourse');
  const [created, setCreated] = useState(false);
  const form = useApiForm({
    initialValues: { ...formValuesOf(), trainerId: '' },
    validate: (values) => ({
      ...courseProblems(values, t),
      ...(isAdmin && values.trainerId === '' && { trainerId: t('courses.form.trainerNeeded') }),
    }),
    async submit(values) {
      const trainer = isAdmin ? { trainerId: values.trainerId } : {};
      const { course } = await create.mutateAsync({ body: { ...courseBodyOf(values), ...trainer } });
      setCreated(true);
      notifyDone(t('courses.form.created'));
      await navigate({ to: '/courses/$id', params: { id: course.id } });
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting && !created);
  const { value, onChange, error } = form.field('trainerId');
  return (
    <Page title={t('courses.new')} hint={<TextLink to="/courses">{t('courses.all')}</TextLink>}>
      <CourseForm
        form={form}
        action={t('action.create')}
        before={
          isAdmin && (
            <PersonPicker
              onlyTrainers
              label={t('courses.field.trainer')}
              value={value === '' ? undefined : value}
              onChange={(id) => onChange(id ?? '')}
              error={error}
              required
            />
          )
        }
        beside={
          <ButtonLink to="/courses" variant="default">
            {t('action.cancel')}
          </ButtonLink>
        }
      />
    </Page>
  );
}
