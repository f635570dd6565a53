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
  traineeLookupSchema,
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

export const enrollmentOperations = {
  listEnrollments: operation.get('/api/enrollments', {
    summary: 'Enrollments, newest first; trainees get only their own, and trainers only those in their own courses',
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
        'The enrollment is pending; active if the course accepts automatically; or waiting, with `joinWaitingList`',
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
      created('The trainee is enrolled, or on the waiting list with `whenFull`', {
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
    summary: 'Enroll many trainees: all eligible trainees, or nobody if the course has too few free seats',
    description:
      'With `whenFull` `wait`, the trainees without a seat join the end of the waiting list in the order of the request. If the list has too few places, nobody is enrolled. With `dryRun`, nothing is changed, and the response has `outcomes`.',
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
    summary: 'Change the status of up to 1,000 enrollments: of a list, or of all that match a filter',
    description:
      'The rules of the operation for one enrollment apply to each enrollment, and each has its own outcome. If there are too few seats, the first enrollments get them. A reply has at most 100,000 characters, divided by the number of enrollments.',
    access: { kind: 'scoped', roles: ['trainer', 'super_admin'] },
    body: bulkStatusSchema,
    databaseDeadline: 'none',
    success: freeingSeats(ok('The outcomes', bulkStatusChange)),
  }),
  listAvailableTrainees: operation.get('/api/enrollments/available-trainees', {
    summary: 'The active trainees who can be enrolled in a course',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    query: availableTraineeListingSchema,
    success: ok('One page of trainees, by name', shapes.pageOf('trainees', person)),
    failures: ['NOT_FOUND'],
  }),
  findAvailableTrainees: operation.post('/api/enrollments/available-trainees', {
    summary: 'Find the trainees with given emails who can be enrolled in a course',
    description: 'Changes nothing.',
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    body: traineeLookupSchema,
    // Each email has up to 254 characters of four bytes.
    maxBodyBytes: 1024 * 1024,
    success: ok('The trainees by name, and the other emails', {
      trainees: Joi.array().items(person).required(),
      unavailable: Joi.array()
        .items(shapes.text)
        .required()
        .description('Emails as given, without an active trainee who can be enrolled')
        .example(['nobody@example.org']),
    }),
    failures: ['NOT_FOUND'],
  }),
  enrollmentStatistics: operation.get('/api/enrollments/stats/overview', {
    summary: "Number of the caller's visible enrollments by status",
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
    summary: "A course's trainees, newest enrollment first",
    access: { kind: 'owner', of: 'course', roles: ['trainer', 'super_admin'] },
    params: Joi.object({ courseId: shapes.id }),
    query: courseTraineeListingSchema,
    success: ok('One page of trainees with their enrollments', shapes.pageOf('trainees', courseTrainee)),
    failures: ['NOT_FOUND'],
  }),
  exportEnrollments: operation.get('/api/enrollments/export.csv', {
    summary: 'Matching enrollments with their trainees, oldest first; trainers get only those in their own courses',
    description: 'Trainers get no phones.',
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
    summary: 'Change the status of an enrollment; trainees can cancel their enrollment, or request it again',
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
    summary: 'Set or remove the reply to a trainee without a change of status; sends no mail',
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
