import { Button, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, upload } from '../api/client.js';
import { useApi, useChange } from '../api/queries.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { useUser } from '../session/session.js';
import { useApiForm } from '../ui/forms/form.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { messageOf } from '../ui/messages.js';
import { notifyDone } from '../ui/notify.js';
import { Page } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import { CourseForm } from './course-form.js';
import { type Course, copyOf, courseBodyOf, courseProblems, formValuesOf } from './course-values.js';

const route = getRouteApi('/courses/new');

/** Creates a course, empty or as a copy of another one. */
export function NewCoursePage() {
  const { t } = useTranslation();
  const { copyOf: id } = route.useSearch();
  const source = useApi('showCourse', { path: { id: id ?? '' } }, { enabled: id !== undefined });
  return (
    <Page
      title={t(id === undefined ? 'courses.new' : 'courses.copy.title')}
      hint={<TextLink to="/courses">{t('courses.all')}</TextLink>}
    >
      {id === undefined ? (
        <NewCourse />
      ) : (
        <Loaded query={source}>{({ course }) => <NewCourse key={course.id} source={course} />}</Loaded>
      )}
    </Page>
  );
}

async function copyImage(thumbnail: string, id: string): Promise<void> {
  const image = await call('showImage', { path: { name: thumbnail.slice(thumbnail.lastIndexOf('/') + 1) } });
  await upload('setThumbnail', { path: { id }, body: { image } }, { onProgress: () => undefined });
}

/** A trainer creates courses of their own, the super admin those of any trainer. */
function NewCourse({ source }: { source?: Course }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useUser().role === 'super_admin';
  const create = useChange('createCourse');
  const publish = useChange('publishCourse');
  const [created, setCreated] = useState(false);
  const publishes = useRef(false);

  /** Does the rest for a course that exists, whatever fails then. @returns the message to the user */
  async function complete(id: string): Promise<string> {
    try {
      if (source?.thumbnail) await copyImage(source.thumbnail, id);
      if (!publishes.current) return t('courses.form.created');
      await publish.mutateAsync({ path: { id }, body: { isPublished: true } });
      return t('courses.publish.published');
    } catch (error) {
      return `${t('courses.form.created')} ${messageOf(error, t)}`;
    }
  }

  const form = useApiForm({
    initialValues: { ...(source ? copyOf(source) : formValuesOf()), trainerId: source?.trainerId ?? '' },
    validate: (values) => ({
      ...courseProblems(values, t),
      ...(isAdmin && values.trainerId === '' && { trainerId: t('courses.form.trainerNeeded') }),
    }),
    async submit(values) {
      const trainer = isAdmin ? { trainerId: values.trainerId } : {};
      const { course } = await create.mutateAsync({ body: { ...courseBodyOf(values), ...trainer } });
      setCreated(true);
      notifyDone(await complete(course.id));
      await navigate({ to: '/courses/$id', params: { id: course.id } });
    },
  });
  useUnsavedGuard(
    form.isDirty && !form.submitting && !created,
    form.changed.map((name) => t(name === 'trainerId' ? 'courses.field.trainer' : `courses.field.${name}`)),
  );
  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    const { nativeEvent } = event;
    const button = nativeEvent instanceof SubmitEvent ? nativeEvent.submitter : null;
    publishes.current = button?.getAttribute('value') === 'publish';
    form.onSubmit(event);
  }
  const { value, onChange, error } = form.field('trainerId');
  return (
    <CourseForm
      form={{ ...form, onSubmit }}
      action={t('action.create')}
      before={
        <>
          {source && <Text>{t('courses.copy.hint', { title: source.title })}</Text>}
          {isAdmin && (
            <PersonPicker
              onlyTrainers
              label={t('courses.field.trainer')}
              value={value === '' ? undefined : value}
              onChange={(id) => onChange(id ?? '')}
              error={error}
              required
            />
          )}
        </>
      }
      beside={
        <>
          <Button type="submit" value="publish" variant="default" disabled={form.submitting}>
            {t('courses.form.createAndPublish')}
          </Button>
          <ButtonLink to="/courses" variant="subtle" visibleFrom="xs">
            {t('action.cancel')}
          </ButtonLink>
        </>
      }
    />
  );
}
