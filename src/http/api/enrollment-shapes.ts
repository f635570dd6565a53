import Joi from 'joi';
import { currentEnrollmentView } from '../../presenters/enrollment.js';
import { userViews } from '../../presenters/user.js';
import { accountFields } from '../../schemas/account-fields.js';
import { enrollmentFieldNames, enrollmentFields } from '../../schemas/enrollment-fields.js';
import { enrollmentStatuses } from '../../schemas/enrollment-statuses.js';
import { person } from './account-shapes.js';
import { courseSummary, datedCourse, enrolledCourse } from './course-shapes.js';
import { publicCodes } from './failures.js';
import { statusDocs } from './field-docs.js';
import { component } from './json-schema.js';
import {
  count,
  enrollmentStatus,
  errorCode,
  errorParams,
  id,
  message,
  nullableEnum,
  nullableText,
  shapesOf,
  text,
} from './response-schemas.js';

export const currentEnrollmentWithDates = component(
  'CurrentEnrollmentWithDates',
  'An active or pending enrollment with its course and its dates',
  Joi.object({ ...shapesOf(enrollmentFields, currentEnrollmentView.shown), course: datedCourse }),
);

export const currentEnrollment = component(
  'CurrentEnrollment',
  'An active or pending enrollment with its course',
  Joi.object({ ...shapesOf(enrollmentFields, currentEnrollmentView.shown), course: courseSummary }),
);

const enrollmentKeys = {
  ...shapesOf(enrollmentFields, enrollmentFieldNames),
  userId: id,
  courseId: id,
  waitingPlace: count.min(1).allow(null),
  certificate: nullableText
    .description('Code of the certificate of a completed enrollment; null without a valid certificate')
    .example(null),
};

export const enrollment = component('Enrollment', 'An enrollment', Joi.object(enrollmentKeys));

export const ownEnrollment = component(
  'OwnEnrollment',
  'An enrollment with its course, for the trainee',
  Joi.object({ ...enrollmentKeys, course: datedCourse }),
);

export const courseTrainee = component(
  'CourseTrainee',
  'A trainee of a course with the enrollment',
  Joi.object({
    ...shapesOf(accountFields, userViews.person.shown),
    formerName: nullableText,
    enrollment: enrollment.required(),
  }),
);

const removedEnrollments = Joi.array().items(enrollment).required();

export const removal = Joi.object({ message: message('Enrollment removed successfully.'), removedEnrollments });

export const bulkRemoval = Joi.object({
  message: message('Enrollments removed successfully.'),
  removedCount: count,
  removedEnrollments,
});

export const bulkAssignment = Joi.object({
  message: message('Trainees enrolled successfully.', 'Nothing was changed.'),
  enrollments: Joi.array().items(enrollment).required(),
  skipped: Joi.array()
    .items(
      Joi.object({
        traineeId: id,
        reason: text,
        code: errorCode,
        params: errorParams,
      }),
    )
    .required()
    .description('The trainees who were not enrolled'),
  outcomes: Joi.array()
    .items(
      Joi.object({
        traineeId: id,
        name: nullableText.description('Name of the trainee; null without an active trainee').example('Ada Lovelace'),
        outcome: Joi.valid('done', 'waiting', 'unchanged', 'refused').required(),
        code: nullableEnum(publicCodes).description('Code of the refusal; null otherwise').example(null),
        message: nullableText.description('Reason of the refusal, for people; null otherwise').example(null),
      }),
    )
    .description('With `dryRun`, the outcome for each trainee; absent otherwise'),
});

export const bulkStatusChange = component(
  'BulkStatusChange',
  'The outcome for each enrollment',
  Joi.object({
    status: enrollmentStatus,
    counts: Joi.object({
      changed: count.description('Enrollments that have the status now').example(12),
      unchanged: count.description('Enrollments that had the status already'),
      refused: count.description('Enrollments that could not be changed'),
    })
      .required()
      .description('Number of enrollments by outcome'),
    outcomes: Joi.array()
      .items(
        Joi.object({
          id,
          name: nullableText
            .description('Name of the trainee; null if there is no such enrollment')
            .example('Ada Lovelace'),
          outcome: Joi.valid('changed', 'unchanged', 'refused').required(),
          code: nullableEnum(publicCodes).description('Code of the refusal; null otherwise').example(null),
          message: nullableText.description('Reason of the refusal, for people; null otherwise').example(null),
          params: errorParams,
        }),
      )
      .required(),
  }),
);

export const enrollmentStatistics = component(
  'EnrollmentStatistics',
  'Number of enrollments by status',
  Joi.object({
    total: count,
    ...Object.fromEntries(
      enrollmentStatuses.map((status) => [
        status,
        count.description(statusDocs[status].description).example(statusDocs[status].example),
      ]),
    ),
  }),
);

export const trainerEnrollment = component(
  'EnrollmentDetails',
  'An enrollment with its trainee and course',
  Joi.object({
    ...enrollmentKeys,
    formerName: nullableText,
    user: person.required(),
    course: Joi.object(enrolledCourse).required().description('The course'),
  }),
);
