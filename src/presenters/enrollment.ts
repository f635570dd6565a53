import type { Enrollment } from '../db/models/enrollment.js';
import { presentCourseSummary } from './course.js';
import { loaded, pick } from './pick.js';
import { presentPerson } from './user.js';

/** An enrollment by itself. */
export const presentEnrollment = (enrollment: Enrollment) =>
  pick(enrollment, ['id', 'userId', 'courseId', 'status', 'progress', 'notes', 'enrolledAt', 'completedAt']);

/** An entry of the enrollment check (section 4.11). */
export const presentCurrentEnrollment = (enrollment: Enrollment) => ({
  ...pick(enrollment, ['id', 'status', 'progress', 'enrolledAt']),
  course: presentCourseSummary(loaded(enrollment.course)),
});

/** An enrollment with its course, as its trainee sees it. */
export const presentOwnEnrollment = (enrollment: Enrollment) => ({
  ...presentEnrollment(enrollment),
  course: presentCourseSummary(loaded(enrollment.course)),
});

/** An enrollment with its trainee and course, as a trainer sees it. */
export const presentTrainerEnrollment = (enrollment: Enrollment) => ({
  ...presentEnrollment(enrollment),
  user: presentPerson(loaded(enrollment.user)),
  course: pick(loaded(enrollment.course), ['id', 'title', 'description', 'thumbnail']),
});

/** A trainee of a course with the enrollment. */
export const presentCourseTrainee = (enrollment: Enrollment) => ({
  ...presentPerson(loaded(enrollment.user)),
  enrollment: presentEnrollment(enrollment),
});
