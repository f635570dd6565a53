import Joi from 'joi';
import {
  availableTraineeListingSchema,
  bulkAssignmentSchema,
  bulkRemovalSchema,
  bulkStatusSchema,
  courseTraineeListingSchema,
  enrollmentAssignmentSchema,
  enrollmentExportSchema,
  enrollmentListingSchema,
  enrollmentRequestSchema,
  ownEnrollmentListingSchema,
  progressSchema,
  replySchema,
  statusChangeSchema,
  trainerEnrollmentListingSchema,
} from '../../../schemas/enrollment.js';
import { person } from '../account-shapes.js';
import {
  bulkAssignment,
  bulkRemoval,
  bulkStatusChange,
  courseTrainee,
  enrollment,
  enrollmentStatistics,
  ownEnrollment,
  removal,
  trainerEnrollment,
} from '../enrollment-shapes.js';
import { created, freeingSeats, itemBytes, ok, operations, table } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Enrollments');

/** Enrollments. */
export const enrollmentOperations = {
  listEnrollments: operation.get('/api/enrollments', {
    summary: "Enrollments, newest first: a trainee's own, those in a trainer's courses, all for the super admin",
    access: { kind: 'scoped', roles: ['trainee', 'trainer', 'super_admin'] },
    query: enrollmentListingSchema,
    itemBytes: itemBytes.enrollment,
    success: ok('One page of enrollments', shapes.pageOf('enrollments', trainerEnrollment)),
  }),
  requestEnrollment: operation.post('/api/enrollments', {
    summary: 'Request enrollment in a published course, or a place on its waiting list',
    access: { kind: 'roles', roles: ['trainee'] },
    body: enrollmentRequestSchema,
    success: freeingSeats(
      created(
        'The enrollment is pending; active, if the course accepts by itself; or waiting, with `joinWaitingList`',
        {
          message: shapes.message('Enrollment requested successfully.'),
          enrollment: enrollment.required(),
        },
      ),
    ),
    failures: [
      'NOT_FOUND',
      'ALREADY_ENROLLED',
      'COURSE_NOT_PUBLISHED',
      'COURSE_ENDED',
      'ENROLLMENT_CLOSED',
      'COURSE_FULL',
      'SEATS_BEING_GIVEN',
      'WAITING_LIST_FULL',
    ],
  }),
  listOwnEnrollments: operation.get('/api/enrollments/my', {
    summary: "The calling trainee's enrollments, newest first",
    access: { kind: 'scoped', roles: ['trainee'] },
    query: ownEnrollmentListingSchema,
    itemBytes: itemBytes.enrollment,
    success: ok('One page of enrollments', shapes.pageOf('enrollments', ownEnrollment)),
  }),
  assignEnrollment: operation.post('/api/enrollments/assign', {
    summary: 'Enroll a trainee, or put the trainee on the waiting list of a full course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    body: enrollmentAssignmentSchema,
    success: freeingSeats(
      created('The trainee is enrolled, or with `whenFull` on the waiting list', {
        message: shapes.message('Trainee enrolled successfully.'),
        enrollment: enrollment.required(),
      }),
    ),
    failures: [
      ...(['NOT_FOUND', 'ACCOUNT_INACTIVE', 'ALREADY_ENROLLED', 'STATUS_REFUSED'] as const),
      ...(['COURSE_FULL', 'WAITING_LIST_FULL'] as const),
    ],
  }),
  assignMany: operation.post('/api/enrollments/bulk', {
    summary: 'Enroll many trainees: all that can be, or none if the course has too few free seats',
    description:
      'With `whenFull` wait, the others are put on its waiting list in their order, behind those who are on it; none is enrolled if the list has too few places.',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    body: bulkAssignmentSchema,
    success: freeingSeats(created('The new enrollments, and the skipped trainees with their reasons', bulkAssignment)),
    failures: ['NOT_FOUND', 'COURSE_FULL', 'WAITING_LIST_FULL'],
  }),
  removeMany: operation.delete('/api/enrollments/bulk/remove', {
    summary: 'Remove enrollments, all of them or none',
    access: { kind: 'owner', of: 'enrollment', roles: ['trainer', 'super_admin'] },
    body: bulkRemovalSchema,
    success: freeingSeats(ok('The enrollments are removed', bulkRemoval)),
    failures: ['NOT_FOUND'],
  }),
  changeManyStatuses: operation.put('/api/enrollments/bulk/status', {
    summary: 'Move up to 1,000 enrollments to a status: those of a list, or all that match a filter',
    description:
      'Each one is changed as by the operation for one, and has an outcome. Where seats run out, the first ones get them. A reply is at most 100,000 characters long, divided by the number of enrollments.',
    access: { kind: 'scoped', roles: ['trainer', 'super_admin'] },
    body: bulkStatusSchema,
    databaseDeadline: 'none',
    success: freeingSeats(ok('The outcomes', bulkStatusChange)),
  }),
  listAvailableTrainees: operation.get('/api/enrollments/available-trainees', {
    summary: 'The active trainees who could be enrolled in a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    query: availableTraineeListingSchema,
    success: ok('One page of trainees, by name', shapes.pageOf('trainees', person)),
    failures: ['NOT_FOUND'],
  }),
  enrollmentStatistics: operation.get('/api/enrollments/stats/overview', {
    summary: 'How many of the enrollments that the caller can see have which status',
    access: { kind: 'scoped', roles: ['trainee', 'trainer', 'super_admin'] },
    success: ok('The figures', { stats: enrollmentStatistics.required() }),
  }),
  listTrainerEnrollments: operation.get('/api/enrollments/trainer/:trainerId', {
    summary: "The enrollments in a trainer's courses, newest first",
    access: { kind: 'own-trainer', parameter: 'trainerId' },
    params: Joi.object({ trainerId: shapes.id }),
    query: trainerEnrollmentListingSchema,
    itemBytes: itemBytes.enrollment,
    success: ok('One page of enrollments', shapes.pageOf('enrollments', trainerEnrollment)),
    failures: ['NOT_FOUND'],
  }),
  listCourseTrainees: operation.get('/api/enrollments/course/:courseId/trainees', {
    summary: "A course's trainees, the newest first",
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ courseId: shapes.id }),
    query: courseTraineeListingSchema,
    success: ok('One page of trainees with their enrollments', shapes.pageOf('trainees', courseTrainee)),
    failures: ['NOT_FOUND'],
  }),
  exportEnrollments: operation.get('/api/enrollments/export.csv', {
    summary: "The enrollments that match with their trainees: those in a trainer's courses, all for the super admin",
    description: 'The first ones that were made come first. Trainers get no phones.',
    access: { kind: 'scoped', roles: ['trainer', 'super_admin'] },
    query: enrollmentExportSchema,
    exportsRows: true,
    success: table('The enrollments, a line each'),
  }),
  showEnrollment: operation.get('/api/enrollments/:id', {
    summary: 'An enrollment',
    access: { kind: 'owner', of: 'enrollment', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('enrollment') }),
    success: ok('The enrollment', { enrollment: trainerEnrollment.required() }),
    failures: ['NOT_FOUND'],
  }),
  removeEnrollment: operation.delete('/api/enrollments/:id', {
    summary: 'Remove an enrollment',
    access: { kind: 'owner', of: 'enrollment', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('enrollment') }),
    success: freeingSeats(ok('The enrollment is removed', removal)),
    failures: ['NOT_FOUND'],
  }),
  changeStatus: operation.put('/api/enrollments/:id/status', {
    summary: 'Move an enrollment to another status; a trainee can cancel theirs, or request it again',
    access: { kind: 'owner', of: 'enrollment', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('enrollment') }),
    body: statusChangeSchema,
    success: freeingSeats(
      ok('The enrollment has its new status', {
        message: shapes.message('Enrollment status updated successfully.'),
        enrollment: enrollment.required(),
      }),
    ),
    failures: [
      'NOT_FOUND',
      'ACCOUNT_INACTIVE',
      'STATUS_NOT_FOR_TRAINEES',
      'STATUS_CHANGED',
      'STATUS_REFUSED',
      'COURSE_NOT_PUBLISHED',
      'COURSE_ENDED',
      'ENROLLMENT_CLOSED',
      'COURSE_FULL',
      'SEATS_BEING_GIVEN',
      'WAITING_LIST_FULL',
    ],
  }),
  setReply: operation.put('/api/enrollments/:id/reply', {
    summary: 'Reply to a trainee without a change of status, or take the reply back; no mail tells of it',
    access: { kind: 'owner', of: 'enrollment', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('enrollment') }),
    body: replySchema,
    success: ok('The reply is set', {
      message: shapes.message('Reply updated successfully.'),
      enrollment: enrollment.required(),
    }),
    failures: ['NOT_FOUND'],
  }),
  setProgress: operation.put('/api/enrollments/:id/progress', {
    summary: 'Set the progress of a trainee',
    access: { kind: 'owner', of: 'enrollment', roles: ['trainee', 'trainer', 'super_admin'] },
    params: Joi.object({ id: shapes.idOf('enrollment') }),
    body: progressSchema,
    success: ok('The progress is set', {
      message: shapes.message('Progress updated successfully.'),
      enrollment: enrollment.required(),
    }),
    failures: ['NOT_FOUND', 'STATUS_REFUSED'],
  }),
};
