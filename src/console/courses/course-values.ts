import type { TFunction } from 'i18next';
import type { Input, ResponseBody } from '../api/client.js';

export type Course = ResponseBody<'showCourse'>['course'];

export const levels = ['beginner', 'intermediate', 'advanced'] as const;
export const courseTypes = ['online', 'classroom', 'hybrid'] as const;

export const isFull = ({ seatsLeft }: Pick<Course, 'seatsLeft'>): boolean => seatsLeft === 0;

/** Number of trainees that take part. The seats of requests are reserved, too. */
export const participantsOf = ({ seatsTaken = 0, pendingCount = 0 }: Course): number => seatsTaken - pendingCount;

/** Values of the filter for ended courses, as the service takes them. */
export const endedChoices = ['false', 'true', 'all'] as const;

/** Whether a course has ended. The last day still belongs to the course. */
export const hasEnded = (today: string, { endDate }: Pick<Course, 'endDate'>): boolean =>
  endDate !== null && endDate < today;

/** Whether a course began before today, and has not ended. */
export const isRunning = (today: string, course: Pick<Course, 'startDate' | 'endDate'>): boolean =>
  course.startDate !== null && course.startDate < today && !hasEnded(today, course);

/** Reason why nobody can ask for a place any more; undefined if requests are open. Requests are open on the last day. */
export function closedOn(
  today: string,
  course: Pick<Course, 'endDate' | 'enrollUntil'>,
): 'ended' | 'closed' | undefined {
  if (hasEnded(today, course)) return 'ended';
  return course.enrollUntil !== null && course.enrollUntil < today ? 'closed' : undefined;
}

/** All fields of a course, as the service takes them. */
type CourseBody = Required<Input<'updateCourse'>['body']>;

/** Values of the form: null becomes an empty text. */
export type CourseFormValues = {
  [Field in keyof CourseBody]: null extends CourseBody[Field]
    ? string | Exclude<CourseBody[Field], string | null>
    : CourseBody[Field];
};

/** Course with empty fields. */
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

// `Object.keys` loses the types of the keys.
const fields = Object.keys(emptyCourse) as (keyof CourseBody)[];

export const formValuesOf = (course: CourseBody = emptyCourse): CourseFormValues =>
  // `Object.fromEntries` loses the types of the keys.
  Object.fromEntries(fields.map((field) => [field, course[field] ?? ''])) as CourseFormValues;

/** The form of a new course with the fields of another one. Its dates are to be set. */
export const copyOf = (course: CourseBody): CourseFormValues =>
  formValuesOf({ ...course, startDate: null, endDate: null, enrollUntil: null });

const isLimit = (value: number | string, least: number): boolean =>
  value === '' || (typeof value === 'number' && Number.isInteger(value) && value >= least);

/** Errors of the form, by field; the service checks the rest. */
export const courseProblems = ({ maxStudents, waitingMax }: CourseFormValues, t: TFunction) => ({
  ...(!isLimit(maxStudents, 1) && { maxStudents: t('courses.form.limitInvalid', { least: 1 }) }),
  ...(!isLimit(waitingMax, 0) && { waitingMax: t('courses.form.limitInvalid', { least: 0 }) }),
});

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** Converts form values to a request: empty fields become null if they may be null. */
export const courseBodyOf = (values: CourseFormValues): CourseBody =>
  Object.fromEntries(
    fields.map((field) => [field, isBlank(values[field]) ? emptyCourse[field] : values[field]]),
    // The form offers only valid choices, and is sent only without errors.
  ) as CourseBody;

/** Picks the changed fields, as sent to the service. */
export function changedFields(before: CourseFormValues, after: CourseFormValues): Partial<CourseBody> {
  const [old, next] = [courseBodyOf(before), courseBodyOf(after)];
  const changed = Object.entries(next).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof CourseBody]),
  );
  return Object.fromEntries(changed) as Partial<CourseBody>;
}
