import type { presentTrainerEnrollment } from '../../../presenters/enrollment.js';
import type { EnrollmentField } from '../../../schemas/enrollment-fields.js';
import type { Column } from '../../core/listing/columns.js';
import { printableLine } from '../../core/output/printable.js';

/** Enrollment as trainers get it from the API: with its trainee and course. */
export type Enrollment = ReturnType<typeof presentTrainerEnrollment>;

interface Names {
  user: Pick<Enrollment['user'], 'firstName' | 'lastName'>;
  course: Pick<Enrollment['course'], 'title'>;
}

const traineeName = ({ user }: Pick<Names, 'user'>) => `${user.firstName} ${user.lastName}`;

/** Returns an enrollment for a sentence: trainee and course. */
export const enrollmentName = (enrollment: Names) => `${traineeName(enrollment)} in "${enrollment.course.title}"`;

/** Returns a line about a rename since the enrollment; undefined without a rename. */
export const renameIn = (enrollment: Names & { formerName: string | null }): string | undefined =>
  enrollment.formerName === null ? undefined : `${enrollmentName(enrollment)}, was ${enrollment.formerName}`;

/**
 * Returns the renames to show before a completion, because the certificate will have the current name; undefined without
 * renames.
 */
export const renamesText = (renames: readonly string[]): string | undefined =>
  renames.length === 0
    ? undefined
    : ['Renamed since enrolling:', ...renames.map((rename) => `  ${printableLine(rename)}`)].join('\n');

/** Returns the courses that begin after `day`, to show before completions; undefined without such courses. */
export function earlyText(
  courses: readonly { title: string; startDate: string | null }[],
  day: string,
): string | undefined {
  const early = courses.filter(({ startDate }) => startDate !== null && startDate > day);
  const lines = new Set(early.map(({ title, startDate }) => `  "${printableLine(title)}" begins on ${startDate}`));
  return lines.size === 0 ? undefined : ['Completed before the first day:', ...lines].join('\n');
}

const shownFields: Record<
  EnrollmentField | 'id' | 'trainee' | 'formerName' | 'course' | 'waitingPlace' | 'certificate',
  [heading: string, value: (enrollment: Enrollment) => string | null]
> = {
  id: ['id', ({ id }) => id],
  trainee: ['trainee', (enrollment) => `${traineeName(enrollment)} (${enrollment.user.email})`],
  formerName: ['name when enrolling', ({ formerName }) => formerName],
  course: ['course', ({ course }) => `${course.title} (${course.id})`],
  status: ['status', ({ status }) => status],
  waitingPlace: ['place on the waiting list', ({ waitingPlace }) => (waitingPlace === null ? null : `${waitingPlace}`)],
  progress: ['progress', ({ progress }) => `${progress} %`],
  enrolledAt: ['enrolled', ({ enrolledAt }) => enrolledAt.toISOString()],
  completedAt: ['completed', ({ completedAt }) => completedAt?.toISOString() ?? null],
  notes: ['message', ({ notes }) => notes],
  notesAt: ['message of', ({ notesAt }) => notesAt?.toISOString() ?? null],
  reply: ['reply', ({ reply }) => reply],
  replyAt: ['reply of', ({ replyAt }) => replyAt?.toISOString() ?? null],
  replyBy: ['reply by', ({ replyBy }) => replyBy],
  cancelReason: ['cancelled', ({ cancelReason }) => cancelReason],
  certificate: ['certificate', ({ certificate }) => certificate],
};

/** Returns the fields that `enrollments show` prints. */
export const enrollmentFields = (enrollment: Enrollment): [field: string, value: string | null][] =>
  Object.values(shownFields).map(([heading, textOf]) => [heading, textOf(enrollment)]);

export const enrollmentColumns: readonly Column<Enrollment>[] = [
  { name: 'trainee', value: traineeName, minimum: 15, priority: 0 },
  { name: 'formerName', heading: 'NAME WHEN ENROLLING', value: ({ formerName }) => formerName, priority: 'on request' },
  { name: 'email', value: ({ user }) => user.email, fit: 'whole', priority: 4 },
  { name: 'course', value: ({ course }) => course.title, minimum: 15, priority: 0 },
  { name: 'status', value: ({ status }) => status, fit: 'whole', priority: 1 },
  { name: 'progress', value: ({ progress }) => progress, priority: 2 },
  { name: 'waitingPlace', heading: 'PLACE', value: ({ waitingPlace }) => waitingPlace, priority: 'on request' },
  { name: 'enrolledAt', heading: 'ENROLLED', value: ({ enrolledAt }) => enrolledAt, priority: 3 },
  { name: 'completedAt', heading: 'COMPLETED', value: ({ completedAt }) => completedAt, priority: 'on request' },
  { name: 'notes', value: ({ notes }) => notes, fit: 'wrap', minimum: 20, priority: 'on request' },
  { name: 'reply', value: ({ reply }) => reply, fit: 'wrap', minimum: 20, priority: 'on request' },
  { name: 'cancelReason', heading: 'CANCELLED', value: ({ cancelReason }) => cancelReason, priority: 'on request' },
  { name: 'certificate', value: ({ certificate }) => certificate, fit: 'whole', priority: 'on request' },
  { name: 'userId', heading: 'TRAINEE ID', value: ({ userId }) => userId, fit: 'id', priority: 'on request' },
  { name: 'courseId', value: ({ courseId }) => courseId, fit: 'id', priority: 'on request' },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 0 },
];
