import type { findEnrollment } from '../../../services/enrollments/queries.js';
import { fieldsText } from '../../core/output.js';

/** An enrollment as the services give it. */
export type Enrollment = Awaited<ReturnType<typeof findEnrollment>>;

/** An enrollment by itself for `--json`, with the fields of the API. */
export function enrollmentJson(enrollment: Enrollment): object {
  const { id, userId, courseId, status, progress, notes, enrolledAt, completedAt } = enrollment;
  return { id, userId, courseId, status, progress, notes, enrolledAt, completedAt };
}

/** The same with its trainee and course, as far as they are known. */
export function detailedJson(enrollment: Enrollment): object {
  const { user, course } = enrollment;
  return {
    ...enrollmentJson(enrollment),
    ...(user && {
      user: {
        id: user.id,
        firstName: user.firstName,
        lastName: user.lastName,
        email: user.email,
        avatar: user.avatar,
      },
    }),
    ...(course && {
      course: {
        id: course.id,
        title: course.title,
        description: course.description,
        thumbnail: course.thumbnail,
      },
    }),
  };
}

export const traineeName = ({ user, userId }: Enrollment) => (user ? `${user.firstName} ${user.lastName}` : userId);
export const courseTitle = ({ course, courseId }: Enrollment) => course?.title ?? courseId;

/** An enrollment in a sentence. */
export function enrollmentName(enrollment: Enrollment): string {
  return `${traineeName(enrollment)} in "${courseTitle(enrollment)}"`;
}

/** An enrollment for people, a line a field. */
export function enrollmentText(enrollment: Enrollment): string {
  const { id, user, courseId, status, progress, notes, enrolledAt, completedAt } = enrollment;
  return fieldsText([
    ['id', id],
    ['trainee', `${traineeName(enrollment)}${user ? ` (${user.email})` : ''}`],
    ['course', `${courseTitle(enrollment)} (${courseId})`],
    ['status', status],
    ['progress', `${progress} %`],
    ['enrolled', enrolledAt.toISOString()],
    ['completed', completedAt?.toISOString() ?? null],
    ['notes', notes],
  ]);
}
