import { Button, Group, List } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { formatDay } from '../i18n/format.js';
import { CoursePicker } from '../pickers/course-picker.js';
import type { Import, Plan } from './import-status.js';

type Question = NonNullable<Plan['reasons'][number]['courseQuestion']>;

/** Courses that were chosen for names in the file, as `name=course`. */
export const chosenCourses = ({ mapCourse }: Import['options']): string[] =>
  Array.isArray(mapCourse) ? mapCourse.map(String) : [];

const splitChoice = (entry: string) => {
  const at = entry.lastIndexOf('=');
  return { name: entry.slice(0, at), course: entry.slice(at + 1) };
};

interface CourseQuestionProps {
  question: Question;
  isPending: boolean;
  /** @param choice `name=course`, with an id, or `name=` to leave the course out */
  onChoose(choice: string): void;
}

/** Ways to correct a course name of the file: a suggested course, another course, or none. */
export function CourseAnswers({ question: { name, candidates }, isPending, onChoose }: CourseQuestionProps) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" mt="xs" align="flex-end">
      {candidates.map(({ id, title, startDate }) => (
        <Button
          key={id}
          className="wrapping"
          variant="default"
          disabled={isPending}
          onClick={() => onChoose(`${name}=${id}`)}
        >
          {candidates.length > 1 && startDate !== null
            ? t('imports.courses.useStarting', { title, day: formatDay(startDate) })
            : t('imports.courses.use', { title })}
        </Button>
      ))}
      <CoursePicker
        label={t('imports.courses.other', { name })}
        placeholder={t(candidates.length > 0 ? 'imports.courses.another' : 'imports.courses.choose')}
        value={undefined}
        onChange={(id) => id !== undefined && onChoose(`${name}=${id}`)}
      />
      <Button className="wrapping" variant="subtle" disabled={isPending} onClick={() => onChoose(`${name}=`)}>
        {t('imports.courses.leaveOut')}
      </Button>
    </Group>
  );
}

/** Title of a course that the options name by its id; clients of the API may also give a title. */
export function CourseTitle({ course }: { course: string }) {
  const isId = /^[0-9a-f-]{36}$/i.test(course);
  const { data } = useApi('showCourse', { path: { id: course } }, { enabled: isId });
  return data?.course.title ?? course;
}

interface CourseNamesProps {
  options: Import['options'];
  /** Takes a choice back; absent once the plan is applied. */
  onRemove?(choice: string): void;
}

/** Courses that were chosen for names in the file. */
export function CourseNames({ options, onRemove }: CourseNamesProps) {
  const { t } = useTranslation();
  const choices = chosenCourses(options);
  if (choices.length === 0) return null;
  return (
    <List size="sm" listStyleType="none">
      {choices.map((entry) => {
        const { name, course } = splitChoice(entry);
        return (
          <List.Item key={entry}>
            {t('imports.courses.name', { name })} →{' '}
            {course === '' ? t('imports.courses.none') : <CourseTitle course={course} />}
            {onRemove && (
              <Button ms="xs" size="compact-sm" variant="subtle" onClick={() => onRemove(entry)}>
                {t('imports.courses.undo')}
              </Button>
            )}
          </List.Item>
        );
      })}
    </List>
  );
}
