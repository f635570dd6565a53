import type { TFunction } from 'i18next';
import type { Input, ResponseBody } from '../api/client.js';

export type Course = ResponseBody<'showCourse'>['course'];

export const levels = ['beginner', 'intermediate', 'advanced'] as const;
export const courseTypes = ['online', 'classroom', 'hybrid'] as const;

/** Whether nobody can be enrolled any more. */
export const isFull = ({ seatsLeft }: Pick<Course, 'seatsLeft'>): boolean => seatsLeft === 0;

/** Which courses a list shows: those that have ended only where they are asked for. */
export const endedChoices = ['false', 'true', 'all'] as const;

/** Whether a course is over on a day: its last day counts. */
export const hasEnded = (today: string, { endDate }: Pick<Course, 'endDate'>): boolean =>
  endDate !== null && endDate < today;

/** Why nobody can ask for a place any more on a day: the last days count. */
export function closedOn(
  today: string,
  course: Pick<Course, 'endDate' | 'enrollUntil'>,
): 'ended' | 'closed' | undefined {
  if (hasEnded(today, course)) return 'ended';
  return course.enrollUntil !== null && course.enrollUntil < today ? 'closed' : undefined;
}

/** What the service is told of a course: every field. */
type CourseBody = Required<Input<'updateCourse'>['body']>;

/** A course as the form shows it: what is absent is empty. */
export type CourseFormValues = {
  [Field in keyof CourseBody]: null extends CourseBody[Field]
    ? string | Exclude<CourseBody[Field], string | null>
    : CourseBody[Field];
};

/** A course that says nothing of itself. */
const emptyCourse: CourseBody = {
  title: '',
  description: '',
  shortDescription: null,
  category: null,
  level: null,
  language: null,
  courseType: null,
  tags: [],
  requirements: null,
  learningOutcomes: null,
  maxStudents: null,
  startDate: null,
  endDate: null,
  enrollUntil: null,
  autoAccept: false,
  waitingMax: null,
  location: null,
  isFeatured: false,
};

// TypeScript types the keys of any object as text.
const fields = Object.keys(emptyCourse) as (keyof CourseBody)[];

/** The form of a course, or of a new one. */
export const formValuesOf = (course: CourseBody = emptyCourse): CourseFormValues =>
  // Object.fromEntries forgets which keys it was given.
  Object.fromEntries(fields.map((field) => [field, course[field] ?? ''])) as CourseFormValues;

const isLimit = (value: number | string, least: number): boolean =>
  value === '' || (typeof value === 'number' && Number.isInteger(value) && value >= least);

/** The problems of a course's form, by field; the service checks the rest. */
export const courseProblems = ({ maxStudents, waitingMax }: CourseFormValues, t: TFunction) => ({
  ...(!isLimit(maxStudents, 1) && { maxStudents: t('courses.form.limitInvalid', { least: 1 }) }),
  ...(!isLimit(waitingMax, 0) && { waitingMax: t('courses.form.limitInvalid', { least: 0 }) }),
});

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** What the service is told of a course: empty fields are null where they may be. */
export const courseBodyOf = (values: CourseFormValues): CourseBody =>
  Object.fromEntries(
    fields.map((field) => [field, isBlank(values[field]) ? emptyCourse[field] : values[field]]),
    // The form offers the words that the service knows, and is sent without problems only.
  ) as CourseBody;

/** The fields that differ from what they were. */
export function changedFields(before: CourseFormValues, after: CourseFormValues): Partial<CourseBody> {
  const [old, next] = [courseBodyOf(before), courseBodyOf(after)];
  const changed = Object.entries(next).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof CourseBody]),
  );
  return Object.fromEntries(changed) as Partial<CourseBody>;
}
