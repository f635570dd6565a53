import Joi from 'joi';
import { datesView, enrolledCourseView } from '../../presenters/course.js';
import { courseFieldNames, courseFields } from '../../schemas/course-fields.js';
import { component } from './json-schema.js';
import { boolean, count, id, nullableText, shapesOf, text, timestamp } from './response-schemas.js';

/** Fields of the course in an enrollment. */
export const enrolledCourse = {
  ...shapesOf(courseFields, enrolledCourseView.shown),
  thumbnail: Joi.string().allow('').required().description("URL of the course's image; empty without one"),
};

const summarized = { ...enrolledCourse, trainer: Joi.object({ id, firstName: text, lastName: text }).required() };

export const courseSummary = component(
  'CourseSummary',
  'The course of an enrollment, with its trainer',
  Joi.object(summarized).required(),
);

export const datedCourse = component(
  'DatedCourse',
  'The course of an enrollment, with its dates and its trainer',
  Joi.object({ ...summarized, ...shapesOf(courseFields, datesView) }).required(),
);

export const course = component(
  'Course',
  'A course with its trainer',
  Joi.object({
    ...shapesOf(courseFields, courseFieldNames),
    trainerId: id,
    createdAt: timestamp,
    updatedAt: timestamp,
    trainer: Joi.object({ id, firstName: text, lastName: text, avatar: nullableText }).required(),
  }),
);

export const courseWithSeats = component(
  'CourseWithSeats',
  'A course with its trainer; with `include=seats` also with its seats and waiting list',
  course.append({
    seatsTaken: count.optional(),
    seatsLeft: count.allow(null).optional(),
    pendingCount: count.optional(),
    waitingCount: count.optional(),
  }),
);

export const publication = Joi.object({
  message: Joi.valid('Course published successfully.', 'Course unpublished successfully.').required(),
  course: component(
    'CoursePublication',
    'Whether the course is published',
    Joi.object({ id, title: text, isPublished: boolean }).required(),
  ),
});

export const courseStatistics = component(
  'CourseStatistics',
  'Number of courses by state and category',
  Joi.object({
    total: count,
    published: count,
    unpublished: count,
    featured: count,
    byCategory: Joi.array()
      .items(Joi.object({ category: nullableText, count }))
      .required(),
  }),
);
