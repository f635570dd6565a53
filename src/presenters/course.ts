import type { Course } from '../db/models/course.js';
import { type CourseField, courseFieldNames } from '../schemas/course-fields.js';
import { loaded, pick, type View } from './pick.js';

/** A course with its trainer, and with its seats and waiting list where they were counted. */
export const presentCourse = (course: Course) => ({
  ...pick(course, ['id', ...courseFieldNames, 'trainerId', 'createdAt', 'updatedAt']),
  trainer: pick(loaded(course.trainer), ['id', 'firstName', 'lastName', 'avatar']),
  ...(course.seatsTaken !== undefined && {
    seatsTaken: course.seatsTaken,
    seatsLeft: course.seatsLeft ?? null,
    waitingCount: course.waitingCount ?? 0,
  }),
});

/** What an enrollment shows of its course after its id: no more than the course summary of the specification (section 2). */
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

/** The course of an enrollment; its thumbnail is a string (section 2), which is empty where there is none. */
export const presentEnrolledCourse = (course: Course) => ({
  ...pick(course, ['id', ...enrolledCourseView.shown]),
  thumbnail: course.thumbnail ?? '',
});

/** A course with its trainer, as its trainee sees it (section 4.11). */
export const presentCourseSummary = (course: Course) => ({
  ...presentEnrolledCourse(course),
  trainer: pick(loaded(course.trainer), ['id', 'firstName', 'lastName']),
});

/** What a trainee's own list shows of the course besides its summary. */
export const datesView = ['courseType', 'startDate', 'endDate', 'location'] as const satisfies CourseField[];

/** A course as the list of a trainee's own enrollments shows it. */
export const presentOwnCourse = (course: Course) => ({ ...presentCourseSummary(course), ...pick(course, datesView) });

/** A course after it was published or unpublished. */
export const presentPublishedCourse = (course: Course) => pick(course, ['id', 'title', 'isPublished']);
