import Joi from 'joi';
import { nextCourseView } from '../../../presenters/overview.js';
import { courseFields } from '../../../schemas/course-fields.js';
import { roles } from '../../../schemas/fields.js';
import { fileKinds } from '../../../schemas/file.js';
import { currentEnrollmentWithDates, enrollmentStatistics } from '../enrollment-shapes.js';
import { groupName, heldSync } from '../group-shapes.js';
import { importSummary } from '../import-shapes.js';
import { component } from '../json-schema.js';
import { ok, operations } from '../operation.js';
import * as shapes from '../response-schemas.js';

const { count, id, nullableDate, nullableText, text, timestamp } = shapes;

const accountCounts = {
  total: count,
  active: count.description('Accounts that may sign in').example(180),
  inactive: count.description('Accounts that may not sign in').example(20),
  initialPassword: count.description('Accounts that must change their initial password').example(35),
  locked: count.description('Accounts that are locked after too many wrong passwords').example(1),
};

const accounts = component('AccountCounts', 'Number of accounts by state', Joi.object(accountCounts).required());

const people = component(
  'AccountStatistics',
  'Number of accounts by state, in total and by role',
  Joi.object({
    ...accountCounts,
    byRole: Joi.object(Object.fromEntries(roles.map((role) => [role, accounts]))).required(),
  }).required(),
);

const courses = component(
  'CourseCounts',
  'Number of courses by state',
  Joi.object({ total: count, published: count, unpublished: count }).required(),
);

const enrollments = enrollmentStatistics.required();

const week = text.description('First day of the week, a Monday').example('2026-01-26');
const perWeek = {
  week,
  enrollments: count.description('Enrollments requested or assigned in the week').example(14),
};
const weeks = (schema: Joi.ObjectSchema) =>
  Joi.array().items(schema).required().description('The last 12 weeks, the oldest first, in UTC');

const requestsByCourse = Joi.array()
  .items(
    component(
      'CourseRequests',
      'Number of requests for a course',
      Joi.object({
        course: Joi.object({ id, title: text, startDate: nullableDate }).required().description('The course'),
        waiting: count.description('Requests for the course that wait for an answer').example(3),
      }),
    ),
  )
  .required()
  .description('The 5 courses with the most requests');

const startingSoon = component(
  'SoonCourses',
  'Courses that start today or within seven days',
  Joi.object({
    courses: count.description('Number of these courses').example(4),
    withRequests: count.description('Courses among them with requests that wait for an answer').example(2),
    requests: count.description('Requests for these courses that wait for an answer').example(5),
  }).required(),
);

const usage = { files: count.description('Number of files').example(310), bytes: count };

const kindUsage = component('FileUsage', 'Number of files of a kind and their size', Joi.object(usage).required());

const superAdmin = component(
  'SuperAdminOverview',
  'Figures of the whole programme',
  Joi.object({
    role: Joi.valid('super_admin').required(),
    programme: Joi.object({
      timeZone: text.description('Time zone of the programme').example('Europe/Berlin'),
      today: text.description('Current day in this time zone; courses end after their last day').example('2026-02-01'),
      timeZoneMissing: Joi.boolean()
        .required()
        .description('Whether the service runs in production without a configured time zone; containers use UTC')
        .example(false),
    })
      .required()
      .description('Time zone and current day of the programme'),
    people,
    courses,
    enrollments,
    requestsWaiting: count,
    requestsByCourse,
    startingSoon,
    importsToCheck: component(
      'ImportsToCheck',
      'Imports that wait for a person',
      Joi.object({
        rejected: count.description('Imports of the last seven days with rejected rows').example(1),
        planned: count.description('Plans that wait for a confirmation').example(1),
      }).required(),
    ),
    mailTrouble: Joi.object({
      pausedBy: nullableText.description('Why no mail is sent; null while mails are sent').example(null),
      held: count.description('Unsent mails while sending is paused, otherwise 0').example(0),
      refused: count.description('Mails that the server refused since `since`, without unknown addresses').example(2),
      refusedBy: nullableText
        .description('Why the last of them was refused; null for none')
        .example('554 5.7.1 Message refused'),
      addressUnknown: count.description("Mails since `since` whose address doesn't exist").example(1),
      since: timestamp
        .description('Start of the period of counted failures: three days ago')
        .example('2026-11-13T09:30:00.000Z'),
    })
      .allow(null)
      .required()
      .description('Problems with mails; null without problems, and if the service sends no mail'),
    heldSyncs: Joi.array()
      .items(
        component(
          'HeldSync',
          'A group whose last sync was held, because too many members would leave',
          Joi.object({ group: groupName.required(), ...heldSync }),
        ),
      )
      .required()
      .description('The first 20 groups by name whose last sync was held'),
    imports: Joi.array().items(importSummary).required().description('The last 5 imports, the newest first'),
    weeks: weeks(Joi.object({ ...perWeek, accounts: count.description('Accounts created in the week').example(9) })),
    storage: component(
      'StorageUsage',
      'Stored files and their sizes, in total and by kind',
      Joi.object({
        ...usage,
        byKind: Joi.object(Object.fromEntries(fileKinds.map((kind) => [kind, kindUsage]))).required(),
      }).required(),
    ),
  }),
);

const trainer = component(
  'TrainerOverview',
  "Figures of a trainer's courses",
  Joi.object({
    role: Joi.valid('trainer').required(),
    courses,
    enrollments,
    requestsWaiting: count,
    requestsByCourse,
    startingSoon,
    nextCourse: component(
      'NextCourse',
      "A trainer's next course, which starts today or later",
      Joi.object({
        ...shapes.shapesOf(courseFields, nextCourseView),
        participants: count.description('Trainees who take part').example(14),
        waiting: count.description('Trainees on the waiting list').example(0),
        requests: count.description('Requests that wait for an answer').example(3),
      })
        .allow(null)
        .required(),
    ),
    finished: count.description('Active enrollments with a progress of 100 %, which can be completed').example(12),
    weeks: weeks(Joi.object(perWeek)),
  }),
);

const trainee = component(
  'TraineeOverview',
  'The courses of a trainee',
  Joi.object({
    role: Joi.valid('trainee').required(),
    enrollments,
    averageProgress: count.max(100).allow(null),
    current: Joi.array()
      .items(currentEnrollmentWithDates)
      .required()
      .description('The 10 newest active and pending enrollments'),
  }),
);

/** The overview for the caller's role. `role` distinguishes the alternatives. */
const overview = Joi.alternatives().try(superAdmin, trainer, trainee).required().description('The overview');

const operation = operations('Overview');

export const overviewOperations = {
  showOverview: operation.get('/api/overview', {
    summary: 'Figures of the whole programme; trainers and trainees get only the figures of their own courses',
    description: "The response depends on the caller's role, which it contains.",
    access: { kind: 'scoped', roles: ['trainee', 'trainer', 'super_admin'] },
    success: ok('The figures', { overview }),
  }),
};
