import type { Enrollment } from '../db/models/enrollment.js';
import type { User } from '../db/models/user.js';
import { type EnrollmentField, enrollmentFieldNames } from '../schemas/enrollment-fields.js';
import { rulesOf } from '../schemas/enrollment-statuses.js';
import { presentCourseSummary, presentEnrolledCourse, presentOwnCourse } from './course.js';
import { loaded, pick, type View } from './pick.js';
import { presentPerson } from './user.js';

/** An enrollment by itself. */
export const presentEnrollment = (enrollment: Enrollment) => ({
  ...pick(enrollment, ['id', 'userId', 'courseId', ...enrollmentFieldNames]),
  waitingPlace: enrollment.waitingPlace ?? null,
  // Where it wasn't read, there is none: only completed ones have one.
  certificate: enrollment.certificate?.code ?? null,
});

/** An entry of the enrollment check shows these fields (section 2). */
export const currentEnrollmentView = {
  shown: ['status', 'progress', 'enrolledAt'],
  hidden: ['notes', 'notesAt', 'reply', 'replyAt', 'replyBy', 'cancelReason', 'completedAt'],
} as const satisfies View<EnrollmentField>;

/** An entry of the enrollment check (section 4.11). */
export const presentCurrentEnrollment = (enrollment: Enrollment) => ({
  ...pick(enrollment, ['id', ...currentEnrollmentView.shown]),
  course: presentCourseSummary(loaded(enrollment.course)),
});

/** The same with the dates of the course, for the trainee's overview. */
export const presentCurrentWithDates = (enrollment: Enrollment) => ({
  ...presentCurrentEnrollment(enrollment),
  course: presentOwnCourse(loaded(enrollment.course)),
});

/**
 * Whether a course was unpublished after the trainee had given up their place: then the course itself is not found, so the
 * enrollment names it and says no more.
 */
const isHiddenFrom = (enrollment: Enrollment): boolean =>
  !rulesOf(enrollment.status).isEnrolled && !loaded(enrollment.course).isPublished;

const hidden = { description: '', thumbnail: '' };
const hiddenDates = { courseType: null, startDate: null, endDate: null, location: null };

/** An enrollment with its course, as its trainee sees it. */
export const presentOwnEnrollment = (enrollment: Enrollment) => {
  const course = presentOwnCourse(loaded(enrollment.course));
  return {
    ...presentEnrollment(enrollment),
    course: isHiddenFrom(enrollment) ? { ...course, ...hidden, ...hiddenDates } : course,
  };
};

/** An enrollment with its trainee and course, as a trainer sees it. */
export const presentTrainerEnrollment = (enrollment: Enrollment) => ({
  ...presentEnrollment(enrollment),
  formerName: enrollment.formerNameIfDifferent(),
  user: presentPerson(loaded(enrollment.user)),
  course: presentEnrolledCourse(loaded(enrollment.course)),
});

/** An enrollment as this role sees it. */
export function presentEnrollmentTo({ role }: Pick<User, 'role'>, enrollment: Enrollment) {
  const presented = presentTrainerEnrollment(enrollment);
  if (role !== 'trainee') return presented;
  const course = isHiddenFrom(enrollment) ? { ...presented.course, ...hidden } : presented.course;
  return { ...presented, formerName: null, course };
}

/** A trainee of a course with the enrollment. */
export const presentCourseTrainee = (enrollment: Enrollment) => ({
  ...presentPerson(loaded(enrollment.user)),
  formerName: enrollment.formerNameIfDifferent(),
  enrollment: presentEnrollment(enrollment),
});
