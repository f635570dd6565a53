import type { TFunction } from 'i18next';
import type { Input, ResponseBody } from '../api/client.js';
import { oneOf } from '../ui/lists/list-search.js';

export type Course = ResponseBody<'showCourse'>['course'];

export const levels = ['beginner', 'intermediate', 'advanced'] as const;
export const courseTypes = ['online', 'classroom', 'hybrid'] as const;

/** Whether nobody can be enrolled any more. */
export const isFull = ({ seatsLeft }: Pick<Course, 'seatsLeft'>): boolean => seatsLeft === 0;

/** What the service is told of a course: every field. */
type CourseBody = Required<Input<'updateCourse'>['body']>;

/** A course as the form shows it: what is absent is empty. */
export type CourseFormValues = {
  [Field in keyof CourseBody]: null extends CourseBody[Field]
    ? string | Exclude<CourseBody[Field], string | null>
    : CourseBody[Field];
};

/** The form of a course, or of a new one. */
export const formValuesOf = (course?: Course): CourseFormValues => ({
  title: course?.title ?? '',
  description: course?.description ?? '',
  shortDescription: course?.shortDescription ?? '',
  category: course?.category ?? '',
  level: course?.level ?? '',
  language: course?.language ?? '',
  courseType: course?.courseType ?? '',
  tags: course?.tags ?? [],
  requirements: course?.requirements ?? '',
  learningOutcomes: course?.learningOutcomes ?? '',
  maxStudents: course?.maxStudents ?? '',
  startDate: course?.startDate?.slice(0, 10) ?? '',
  endDate: course?.endDate?.slice(0, 10) ?? '',
  location: course?.location ?? '',
  isFeatured: course?.isFeatured ?? false,
});

const isSeatLimit = (value: number | string): boolean =>
  value === '' || (typeof value === 'number' && Number.isInteger(value) && value >= 1);

/** The problems of a course's form, by field; the service checks the rest. */
export const courseProblems = ({ maxStudents }: CourseFormValues, t: TFunction): { maxStudents?: string } =>
  isSeatLimit(maxStudents) ? {} : { maxStudents: t('courses.form.seatsInvalid') };

const orNull = (text: string): string | null => (text.trim() === '' ? null : text);

/** What the service is told of a course: empty fields are null. */
export const courseBodyOf = (values: CourseFormValues): CourseBody => ({
  title: values.title,
  description: values.description,
  shortDescription: orNull(values.shortDescription),
  category: orNull(values.category),
  level: oneOf(levels, values.level) ?? null,
  language: orNull(values.language),
  courseType: oneOf(courseTypes, values.courseType) ?? null,
  tags: values.tags,
  requirements: orNull(values.requirements),
  learningOutcomes: orNull(values.learningOutcomes),
  maxStudents: values.maxStudents === '' ? null : Number(values.maxStudents),
  startDate: orNull(values.startDate),
  endDate: orNull(values.endDate),
  location: orNull(values.location),
  isFeatured: values.isFeatured,
});

/** The fields that differ from what they were. */
export function changedFields(before: CourseFormValues, after: CourseFormValues): Partial<CourseBody> {
  const [old, next] = [courseBodyOf(before), courseBodyOf(after)];
  const changed = Object.entries(next).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof CourseBody]),
  );
  return Object.fromEntries(changed) as Partial<CourseBody>;
}
