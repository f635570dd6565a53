import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ComponentProps, FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import type { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { type CourseFormValues, courseTypes, levels } from './course-values.js';

interface CourseFormProps {
  form: Pick<
    ReturnType<typeof useApiForm<CourseFormValues>>,
    'values' | 'field' | 'failure' | 'submitting' | 'isDirty' | 'reset'
  > & { onSubmit(event: FormEvent<HTMLFormElement>): void };
  /** Label of the submit button. */
  action: string;
  /** Content above the fields. */
  before?: ReactNode;
  /** Content beside the submit button. */
  beside?: ReactNode;
}

export function CourseForm({ form, action, before, beside }: CourseFormProps) {
  const { t } = useTranslation();
  const categories = useApi('listCategories', {});
  const unset = { value: '', label: t('courses.form.unset') };
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('courses.form.title')}>
      <Stack maw={860}>
        <FormFailure>{form.failure}</FormFailure>
        {before}
        <TextInput {...form.field('title')} label={t('courses.field.title')} required />
        <Textarea
          {...form.field('shortDescription')}
          label={t('courses.field.shortDescription')}
          description={t('courses.form.shortDescriptionHint')}
          autosize
          minRows={2}
        />
        <Textarea {...form.field('description')} label={t('courses.field.description')} required autosize minRows={4} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Autocomplete
            {...form.field('category')}
            label={t('courses.field.category')}
            data={categories.data?.categories ?? []}
          />
          <NativeSelect
            {...form.field('level')}
            label={t('courses.field.level')}
            data={[unset, ...levels.map((value) => ({ value, label: t(`courses.level.${value}`) }))]}
          />
          <NativeSelect
            {...form.field('courseType')}
            label={t('courses.field.courseType')}
            data={[unset, ...courseTypes.map((value) => ({ value, label: t(`courses.type.${value}`) }))]}
          />
          <TextInput {...form.field('language')} label={t('courses.field.language')} />
          <TextInput {...form.field('startDate')} type="date" label={t('courses.field.startDate')} />
          <TextInput {...form.field('endDate')} type="date" label={t('courses.field.endDate')} />
          <TextInput {...form.field('location')} label={t('courses.field.location')} />
        </SimpleGrid>
        <Requests form={form} />
        <TagsInput
          {...form.field('tags')}
          label={t('courses.field.tags')}
          description={t('courses.form.tagsHint')}
          clearButtonProps={{ 'aria-label': t('courses.form.clearTags') }}
        />
        <Textarea
          {...form.field('learningOutcomes')}
          label={t('courses.field.learningOutcomes')}
          autosize
          minRows={2}
        />
        <Textarea {...form.field('requirements')} label={t('courses.field.requirements')} autosize minRows={2} />
        <Checkbox {...form.field('isFeatured', 'checkbox')} label={t('courses.field.isFeatured')} />
        <Group className="sticky-actions" gap="xs">
          <Button type="submit" loading={form.submitting}>
            {action}
          </Button>
          {beside}
        </Group>
      </Stack>
    </form>
  );
}

/** Fields about seats, requests and the waiting list. */
function Requests({ form }: Pick<CourseFormProps, 'form'>) {
  const { t } = useTranslation();
  const { enrollUntil, endDate } = form.values;
  const isLate = endDate !== '' && enrollUntil > endDate;
  const inputOrder: ComponentProps<typeof NumberInput>['inputWrapperOrder'] = [
    'label',
    'input',
    'description',
    'error',
  ];
  return (
    <Paper component="fieldset" withBorder p="md" m={0}>
      <legend>{t('courses.form.requests')}</legend>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            {...form.field('maxStudents')}
            label={t('courses.field.maxStudents')}
            placeholder={t('courses.seats.unlimited')}
            min={1}
            // The form refuses an invalid number, instead of changing it silently.
            clampBehavior="none"
          />
          <NumberInput
            {...form.field('waitingMax')}
            label={t('courses.field.waitingMax')}
            description={t('courses.form.waitingHint')}
            inputWrapperOrder={inputOrder}
            placeholder={t('courses.form.unlimited')}
            min={0}
            clampBehavior="none"
          />
          <TextInput
            {...form.field('enrollUntil')}
            type="date"
            label={t('courses.field.enrollUntil')}
            description={t(isLate ? 'courses.form.enrollUntilLate' : 'courses.form.enrollUntilHint')}
            inputWrapperOrder={inputOrder}
          />
        </SimpleGrid>
        <Checkbox
          {...form.field('autoAccept', 'checkbox')}
          label={t('courses.field.autoAccept')}
          description={t('courses.form.autoAcceptHint')}
        />
      </Stack>
    </Paper>
  );
}
