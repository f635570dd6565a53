import type { Enrollment } from '../db/models/enrollment.js';
import type { User } from '../db/models/user.js';
import { type EnrollmentField, enrollmentFieldNames } from '../schemas/enrollment-fields.js';
import { rulesOf } from '../schemas/enrollment-statuses.js';
import { presentCourseSummary, presentEnrolledCourse, presentOwnCourse } from './course.js';
import { loaded, pick, type View } from './pick.js';
import { presentPerson } from './user.js';

/** Presents an enrollment without its course and trainee. */
export const presentEnrollment = (enrollment: Enrollment) => ({
  ...pick(enrollment, ['id', 'userId', 'courseId', ...enrollmentFieldNames]),
  waitingPlace: enrollment.waitingPlace ?? null,
  // Only completed enrollments have a certificate. Queries that don't read certificates read no completed enrollments.
  certificate: enrollment.certificate?.code ?? null,
});

/** Fields of an entry of the enrollment check (section 2). */
export const currentEnrollmentView = {
  shown: ['status', 'progress', 'enrolledAt'],
  hidden: ['notes', 'notesAt', 'reply', 'replyAt', 'replyBy', 'cancelReason', 'completedAt'],
} as const satisfies View<EnrollmentField>;

/** Presents an entry of the enrollment check (section 4.11). */
export const presentCurrentEnrollment = (enrollment: Enrollment) => ({
  ...pick(enrollment, ['id', ...currentEnrollmentView.shown]),
  course: presentCourseSummary(loaded(enrollment.course)),
});

/** Presents an enrollment with the dates of its course, for the trainee's overview. */
export const presentCurrentWithDates = (enrollment: Enrollment) => ({
  ...presentCurrentEnrollment(enrollment),
  course: presentOwnCourse(loaded(enrollment.course)),
});

/**
 * Whether a course was unpublished after the trainee's enrollment ended. The trainee no longer finds the course itself, so
 * the enrollment shows only its title.
 */
const isHiddenFrom = (enrollment: Enrollment): boolean =>
  !rulesOf(enrollment.status).isEnrolled && !loaded(enrollment.course).isPublished;

const hidden = { description: '', thumbnail: '' };
const hiddenDates = { courseType: null, startDate: null, endDate: null, location: null };

/** Presents an enrollment with its course to its trainee. */
export const presentOwnEnrollment = (enrollment: Enrollment) => {
  const course = presentOwnCourse(loaded(enrollment.course));
  return {
    ...presentEnrollment(enrollment),
    course: isHiddenFrom(enrollment) ? { ...course, ...hidden, ...hiddenDates } : course,
  };
};

/** Presents an enrollment with its trainee and course to a trainer. */
export const presentTrainerEnrollment = (enrollment: Enrollment) => ({
  ...presentEnrollment(enrollment),
  formerName: enrollment.formerNameIfDifferent(),
  user: presentPerson(loaded(enrollment.user)),
  course: presentEnrolledCourse(loaded(enrollment.course)),
});

/**
 * Presents an enrollment with its trainee and course to a user. Trainees see no former names, and only the title of a
 * hidden course.
 */
export function presentEnrollmentTo({ role }: Pick<User, 'role'>, enrollment: Enrollment) {
  const presented = presentTrainerEnrollment(enrollment);
  if (role !== 'trainee') return presented;
  const course = isHiddenFrom(enrollment) ? { ...presented.course, ...hidden } : presented.course;
  return { ...presented, formerName: null, course };
}

/** Presents a trainee of a course with the enrollment. */
export const presentCourseTrainee = (enrollment: Enrollment) => ({
  ...presentPerson(loaded(enrollment.user)),
  formerName: enrollment.formerNameIfDifferent(),
  enrollment: presentEnrollment(enrollment),
});
