import type { Course } from '../db/models/course.js';
import { type CourseField, courseFieldNames } from '../schemas/course-fields.js';
import { loaded, pick, type View } from './pick.js';

/** Presents a course with its trainer, and with seats and waiting list if they were counted. */
export const presentCourse = (course: Course) => ({
  ...pick(course, ['id', ...courseFieldNames, 'trainerId', 'createdAt', 'updatedAt']),
  trainer: pick(loaded(course.trainer), ['id', 'firstName', 'lastName', 'avatar']),
  ...(course.seatsTaken !== undefined && {
    seatsTaken: course.seatsTaken,
    seatsLeft: course.seatsLeft ?? null,
    pendingCount: course.pendingCount ?? 0,
    waitingCount: course.waitingCount ?? 0,
  }),
});

/** Course fields in an enrollment, after the id: only the course summary of the specification (section 2). */
export const enrolledCourseView = {
  shown: ['title', 'description', 'thumbnail'],
  hidden: [
    'shortDescription',
    'category',
    'level',
    'language',
    'courseType',
    'tags',
    'requirements',
    'learningOutcomes',
    'maxStudents',
    'startDate',
    'endDate',
    'enrollUntil',
    'autoAccept',
    'waitingMax',
    'location',
    'isPublished',
    'isFeatured',
  ],
} as const satisfies View<CourseField>;

/** Presents the course of an enrollment. The thumbnail is a string (section 2), which is empty without an image. */
export const presentEnrolledCourse = (course: Course) => ({
  ...pick(course, ['id', ...enrolledCourseView.shown]),
  thumbnail: course.thumbnail ?? '',
});

/** Presents a course with its trainer to a trainee (section 4.11). */
export const presentCourseSummary = (course: Course) => ({
  ...presentEnrolledCourse(course),
  trainer: pick(loaded(course.trainer), ['id', 'firstName', 'lastName']),
});

/** Course fields in a trainee's own list, in addition to the summary. */
export const datesView = ['courseType', 'startDate', 'endDate', 'location'] as const satisfies CourseField[];

/** Presents a course in the list of a trainee's own enrollments. */
export const presentOwnCourse = (course: Course) => ({ ...presentCourseSummary(course), ...pick(course, datesView) });

export const presentPublishedCourse = (course: Course) => pick(course, ['id', 'title', 'isPublished']);
