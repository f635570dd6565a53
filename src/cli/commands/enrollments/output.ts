import type { presentTrainerEnrollment } from '../../../presenters/enrollment.js';

/** An enrollment as the API shows it to trainers: with its trainee and course. */
export type Enrollment = ReturnType<typeof presentTrainerEnrollment>;

/** What names an enrollment. */
interface Names {
  user: Pick<Enrollment['user'], 'firstName' | 'lastName'>;
  course: Pick<Enrollment['course'], 'title'>;
}

export const traineeName = ({ user }: Pick<Names, 'user'>) => `${user.firstName} ${user.lastName}`;

/** An enrollment in a sentence. */
export const enrollmentName = (enrollment: Names) => `${traineeName(enrollment)} in "${enrollment.course.title}"`;

/** What people are shown of an enrollment. */
export function enrollmentFields(enrollment: Enrollment): [field: string, value: string | null][] {
  const { id, user, course, status, progress, notes, enrolledAt, completedAt } = enrollment;
  return [
    ['id', id],
    ['trainee', `${traineeName(enrollment)} (${user.email})`],
    ['course', `${course.title} (${course.id})`],
    ['status', status],
    ['progress', `${progress} %`],
    ['enrolled', enrolledAt.toISOString()],
    ['completed', completedAt?.toISOString() ?? null],
    ['notes', notes],
  ];
}
