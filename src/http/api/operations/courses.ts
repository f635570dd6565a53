import Joi from 'joi';
import {
  courseCreationSchema,
  courseDeletionSchema,
  courseDetailsSchema,
  courseExportSchema,
  courseListingSchema,
  courseUpdateSchema,
  publicationSchema,
  trainerAssignmentSchema,
  trainerCourseListingSchema,
  trainerListingSchema,
} from '../../../schemas/course.js';
import { person } from '../account-shapes.js';
import { course, courseStatistics, courseWithSeats, publication } from '../course-shapes.js';
import { created, freeingSeats, itemBytes, ok, operations, streamed, superAdmin, table } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Courses');

export const courseOperations = {
  listCourses: operation.get('/api/courses', {
    summary: 'The catalogue: published courses, for trainers also their own courses, for the super admin all courses',
    access: { kind: 'optional' },
    query: courseListingSchema,
    itemBytes: itemBytes.course,
    success: ok('One page of courses', shapes.pageOf('courses', courseWithSeats)),
  }),
  createCourse: operation.post('/api/courses', {
    summary: 'Create an unpublished course of the calling trainer; the super admin names the trainer',
    access: { kind: 'roles', roles: ['trainer', 'super_admin'] },
    body: courseCreationSchema,
    success: created('The course was created', {
      message: shapes.message('Course created successfully.'),
      course: course.required(),
    }),
    failures: ['NOT_FOUND', 'ACCOUNT_INACTIVE', 'COURSE_LIMIT'],
  }),
  listCategories: operation.get('/api/courses/categories/all', {
    summary: 'The categories of the courses in the catalogue',
    access: { kind: 'optional' },
    success: ok('The categories, in alphabetical order', { categories: Joi.array().items(Joi.string()).required() }),
  }),
  listAvailableTrainers: operation.get('/api/courses/trainers/available', {
    summary: 'The trainers to whom a course can be assigned',
    access: superAdmin,
    query: trainerListingSchema,
    success: ok('One page of trainers, by name', shapes.pageOf('trainers', person)),
  }),
  courseStatistics: operation.get('/api/courses/stats/overview', {
    summary: 'Figures of all courses; trainers get only the figures of their own courses',
    access: { kind: 'scoped', roles: ['trainer', 'super_admin'] },
    success: ok('The figures', { stats: courseStatistics.required() }),
  }),
  listTrainerCourses: operation.get('/api/courses/trainer/:trainerId', {
    summary: "A trainer's courses",
    access: { kind: 'own-trainer', parameter: 'trainerId' },
    params: Joi.object({ trainerId: shapes.id }),
    query: trainerCourseListingSchema,
    itemBytes: itemBytes.course,
    success: ok('One page of courses', shapes.pageOf('courses', courseWithSeats)),
    failures: ['NOT_FOUND'],
  }),
  exportCourses: operation.get('/api/courses/export.csv', {
    summary: 'Matching courses, oldest first; trainers get only their own courses',
    access: { kind: 'scoped', roles: ['trainer', 'super_admin'] },
    query: courseExportSchema,
    exportsRows: true,
    success: table('The courses, a line each'),
  }),
  showCourse: operation.get('/api/courses/:id', {
    summary: 'A course; an unpublished course only for its trainer, its active trainees and the super admin',
    access: { kind: 'owner', of: 'course', roles: ['trainee', 'trainer', 'super_admin'], open: true },
    params: Joi.object({ id: shapes.idOf('course') }),
    query: courseDetailsSchema,
    success: ok('The course', { course: courseWithSeats.required() }),
    failures: ['NOT_FOUND'],
  }),
  courseCalendar: operation.get('/api/courses/:id/calendar.ics', {
    summary: 'The dates of a course for calendar programs, for everybody who may see the course',
    description: 'An all-day event. Refused with 404 for a course without dates.',
    access: { kind: 'optional' },
    params: Joi.object({ id: shapes.idOf('course') }),
    success: streamed('An iCalendar file (RFC 5545)', 'text/calendar'),
    failures: ['NOT_FOUND'],
  }),
  updateCourse: operation.put('/api/courses/:id', {
    summary: 'Change the given fields of a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    body: courseUpdateSchema,
    success: freeingSeats(
      ok('The course was changed', {
        message: shapes.message('Course updated successfully.'),
        course: course.required(),
      }),
    ),
    failures: ['NOT_FOUND'],
  }),
  deleteCourse: operation.delete('/api/courses/:id', {
    summary:
      'Delete a course with its enrollments and files; with active enrollments only by the super admin, with `force`',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    query: courseDeletionSchema,
    databaseDeadline: 'none',
    success: ok('The course was deleted', { message: shapes.message('Course deleted successfully.') }),
    failures: ['NOT_FOUND', 'COURSE_IN_USE'],
  }),
  publishCourse: operation.put('/api/courses/:id/publish', {
    summary: 'Show a course in the catalogue, or remove it from the catalogue',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('course') }),
    body: publicationSchema,
    success: freeingSeats(ok('The course is published, or no longer published', publication)),
    failures: ['NOT_FOUND'],
  }),
  assignTrainer: operation.put('/api/courses/:id/assign-trainer', {
    summary: 'Give a course to another trainer, with its enrollments',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('course') }),
    body: trainerAssignmentSchema,
    databaseDeadline: 'none',
    success: ok('The course belongs to the trainer', {
      message: shapes.message('Trainer assigned successfully.'),
      course: course.required(),
    }),
    failures: ['NOT_FOUND', 'ACCOUNT_INACTIVE'],
  }),
};
