import Joi from 'joi';
import { mailLanguages } from '../../config/mail-settings.js';
import { problemCodes } from '../../field-problem.js';
import { datesView, enrolledCourseView } from '../../presenters/course.js';
import { currentEnrollmentView } from '../../presenters/enrollment.js';
import { userViews } from '../../presenters/user.js';
import { accountFields } from '../../schemas/account-fields.js';
import { auditActions, auditTargetTypes } from '../../schemas/audit.js';
import { courseFieldNames, courseFields } from '../../schemas/course-fields.js';
import { enrollmentFieldNames, enrollmentFields } from '../../schemas/enrollment-fields.js';
import { enrollmentStatuses } from '../../schemas/enrollment-statuses.js';
import { roles } from '../../schemas/fields.js';
import type { FieldColumn } from '../../schemas/fields-table.js';
import { importStatuses } from '../../schemas/import.js';
import { inviteStates } from '../../schemas/mail.js';
import { newsKinds } from '../../schemas/mail-preferences.js';
import { bulkActions } from '../../schemas/user.js';
import { publicCodes } from './failures.js';
import { statusDocs } from './field-docs.js';
import { component } from './json-schema.js';

/** The shapes of responses, for the documentation and the contract tests. Every key is required unless it says otherwise. */

export const text = Joi.string().required();
export const nullableText = Joi.string().allow(null, '').required();
/** One of the words, or null, which Joi's conversion to JSON Schema leaves out of the list. */
export const nullableWord = (words: readonly string[]) =>
  Joi.valid(...words, null)
    .meta({ enum: [...words, null] })
    .required();
/** One of the messages that the specification fixes. */
export const message = (...texts: string[]) => Joi.valid(...texts).required();
export const boolean = Joi.boolean().strict().required();
export const count = Joi.number().integer().min(0).required();
export const id = Joi.string().required();
/** The id in a path. */
export const idOf = (entity: string) => id.description(`Id of the ${entity}`);
export const timestamp = Joi.date().iso().required();
export const nullableTimestamp = Joi.date().iso().allow(null).required();
export const date = Joi.string()
  .pattern(/^\d{4}-\d{2}-\d{2}$/)
  .required();
export const nullableDate = date.allow(null);
export const token = Joi.string().required();

const role = component('Role', 'Role of an account', Joi.valid(...roles).required());
function wholeNumberOf({ range, nullable }: Extract<FieldColumn, { type: 'number' }>): Joi.Schema {
  const number = Joi.number().integer().required();
  const bounded = range ? number.min(range[0]).max(range[1]) : number;
  return nullable ? bounded.allow(null) : bounded;
}

const enrollmentStatus = component(
  'EnrollmentStatus',
  'Status of an enrollment',
  Joi.valid(...enrollmentStatuses).required(),
);

/** The shape of a field of an account, a course or an enrollment. */
function shapeOf(column: FieldColumn): Joi.Schema {
  switch (column.type) {
    case 'word':
      if ('nullable' in column) return nullableWord(column.words);
      if (column.words === roles) return role;
      return column.words === enrollmentStatuses ? enrollmentStatus : Joi.valid(...column.words).required();
    case 'flag':
      return boolean;
    case 'moment':
      return 'nullable' in column ? nullableTimestamp : timestamp;
    case 'date':
      return nullableDate;
    case 'number':
      return wholeNumberOf(column);
    case 'list':
      return Joi.array().items(Joi.string()).required();
    case 'longText':
      return 'nullable' in column ? nullableText : text.allow('');
    default:
      if ('nullable' in column) return nullableText;
      return column.default === '' || column.mayBeEmpty ? text.allow('') : text;
  }
}

/** The id and the fields of a table that a response shows. */
const shapesOf = <Field extends string>(
  table: Record<Field, { column: FieldColumn }>,
  shown: readonly Field[],
): Record<string, Joi.Schema> => ({
  id,
  ...Object.fromEntries(shown.map((field) => [field, shapeOf(table[field].column)])),
});

const user = (name: string, description: string, view: keyof typeof userViews): Joi.ObjectSchema =>
  component(name, description, Joi.object(shapesOf(accountFields, userViews[view].shown)).required());

export const setupUser = user('SetupUser', 'The account that setup created', 'setup');
export const registeredUser = user('RegisteredUser', 'The created account', 'registered');
export const ownUser = user('OwnUser', "The caller's account", 'own');
export const profileUser = user('ProfileUser', "The caller's account after the change", 'profile');
export const firstPasswordChangeUser = user(
  'FirstPasswordChangeUser',
  "The caller's account after the change",
  'firstPasswordChange',
);
const loginUser = user('LoginUser', 'The signed-in account', 'login');

export const login = component(
  'Login',
  'The token of a new session and its account',
  Joi.object({ token, user: loginUser }),
);

export const webSession = component(
  'WebSession',
  'The account that is signed in to the web console',
  Joi.object({ user: loginUser, requiresPasswordChange: boolean, expiresAt: timestamp, today: date }),
);

/** The course of an enrollment. */
const enrolledCourse = {
  ...shapesOf(courseFields, enrolledCourseView.shown),
  thumbnail: Joi.string().allow('').required().description("URL of the course's image; empty without one"),
};

const summarized = { ...enrolledCourse, trainer: Joi.object({ id, firstName: text, lastName: text }).required() };

const courseSummary = component(
  'CourseSummary',
  'The course of an enrollment, with its trainer',
  Joi.object(summarized).required(),
);

const datedCourse = component(
  'DatedCourse',
  'The course of an enrollment, with its dates and its trainer',
  Joi.object({ ...summarized, ...shapesOf(courseFields, datesView) }).required(),
);

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
    .description('Code of the certificate of a completed one; null without a valid one')
    .example(null),
};

/** An enrollment by itself. */
export const enrollment = component('Enrollment', 'An enrollment', Joi.object(enrollmentKeys));

/** A person, as those who work with them see them. */
export const person = component(
  'Person',
  'A trainer or trainee',
  Joi.object(shapesOf(accountFields, userViews.person.shown)),
);

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

/** The codes in the header of every refusal. */
export const errorCode = component('ErrorCode', 'Why a request was refused', Joi.valid(...publicCodes).required());

const bound = Joi.number().integer().min(0).example(3);
const words = Joi.array().items(Joi.string()).example([]);

/** What the message of a failure says besides its code. Bodies of the specification have none. */
const errorParams = component(
  'ErrorParams',
  'What the message says besides the code; only where it says more',
  Joi.object({
    seatsLeft: bound.description('Seats that the course has left'),
    wanted: bound.description('Seats that were wanted').example(5),
    maxBytes: bound.description('The most bytes of a file, or of the files of a course'),
    max: bound.description('The most courses of a trainer, files of a course, or planned imports'),
    from: Joi.valid(...enrollmentStatuses).description('Status of the enrollment'),
    to: Joi.valid(...enrollmentStatuses).description('Status that was wanted'),
    status: Joi.valid(...importStatuses).description('Status of the import'),
  }).example({ seatsLeft: 3 }),
);

const problemParams = component(
  'ProblemParams',
  'What the message of a problem says besides the code; empty where it says no more',
  Joi.object({
    min: bound.description('The least characters or items, or the smallest number'),
    max: bound.description('The most characters or items, or the largest number'),
    values: words.description('The permitted words'),
    types: words.description('The permitted types'),
    fields: words.description('Other fields that the problem concerns'),
  })
    .example({ min: 2 })
    .required(),
);

export const bulkAssignment = Joi.object({
  message: message('Trainees enrolled successfully.'),
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
});

/** What became of enrollments that were to get another status. */
export const bulkStatusChange = component(
  'BulkStatusChange',
  'The outcome for each enrollment',
  Joi.object({
    status: enrollmentStatus,
    counts: Joi.object({
      changed: count.description('Enrollments that have the status now').example(12),
      unchanged: count.description('Enrollments that had it already'),
      refused: count.description('Enrollments that stayed as they were'),
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
          code: nullableWord(publicCodes).description('Code of the refusal; null otherwise').example(null),
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
    waitingCount: count.optional(),
  }),
);

/** The response to publishing and unpublishing a course. */
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

export const material = component(
  'Material',
  'A file of a course',
  Joi.object({ id, name: text, contentType: text, bytes: count, createdAt: timestamp }),
);

/** An account, as the super admin sees it. */
export const account = component(
  'User',
  'An account',
  Joi.object({ ...shapesOf(accountFields, userViews.admin.shown), createdAt: timestamp, updatedAt: timestamp }),
);

/** An account with the end of its lock, and its invitation. */
export const accountDetails = component(
  'UserDetails',
  'An account, whether it is locked, and what became of its invitation',
  account.append({
    lockedUntil: nullableTimestamp,
    invitedAt: nullableTimestamp,
    inviteState: nullableWord(inviteStates),
    inviteError: nullableText,
    mailFailedAt: nullableTimestamp,
    language: nullableWord(mailLanguages)
      .description('Language of mails to the person; null for that of the setting `MAIL_LANGUAGE`')
      .example('de'),
  }),
);

/** The response to activating and deactivating an account. */
export const activation = Joi.object({
  message: Joi.valid('User activated successfully.', 'User deactivated successfully.').required(),
  user: account.required(),
});

/** What a bulk operation on accounts did, or would do. */
export const bulkChange = component(
  'BulkChange',
  'The outcome for each account',
  Joi.object({
    action: Joi.valid(...bulkActions)
      .required()
      .description('What was done, or would be'),
    dryRun: boolean.description('Whether nothing was changed'),
    counts: Joi.object({ done: count, unchanged: count, refused: count })
      .required()
      .description('Number of accounts by outcome'),
    outcomes: Joi.array()
      .items(
        Joi.object({
          id,
          name: nullableText.description('Name of the account; null if it does not exist').example('Ada Lovelace'),
          outcome: Joi.valid('done', 'unchanged', 'refused').required(),
          code: nullableWord(publicCodes).description('Code of the refusal; null otherwise').example(null),
          message: nullableText.description('Reason of the refusal, for people; null otherwise').example(null),
          password: Joi.string().description('The new initial password, after `reset_password`; shown only here'),
        }),
      )
      .required(),
  }),
);

export const auditEntry = component(
  'AuditEntry',
  'A privileged change',
  Joi.object({
    id,
    at: timestamp,
    action: Joi.valid(...auditActions).required(),
    actorId: nullableText,
    actorName: nullableText,
    origin: Joi.valid('http', 'cli', 'program').required(),
    ip: nullableText,
    osUser: nullableText,
    targetType: Joi.valid(...auditTargetTypes).required(),
    targetId: nullableText,
    targetName: nullableText,
    before: Joi.object().unknown().allow(null).required(),
    after: Joi.object().unknown().allow(null).required(),
    names: Joi.object().unknown().required(),
  }),
);

export const session = component(
  'Session',
  'A session of an account',
  Joi.object({
    id,
    createdAt: timestamp,
    lastUsedAt: Joi.date().iso(),
    expiresAt: timestamp,
    ip: nullableText,
    userAgent: nullableText,
    current: boolean,
  }),
);

const importStatus = component('ImportStatus', 'Status of an import', Joi.valid(...importStatuses).required());
const importCounts = Joi.object({
  rows: count,
  created: count,
  updated: count,
  skipped: count,
  rejected: count,
  enrolled: count,
  waiting: count.description('Places taken on waiting lists').example(10),
  leftOut: count,
}).required();

/** An import in a line. */
export const importSummary = component(
  'ImportSummary',
  'An import of accounts, with its file, status and counts',
  Joi.object({
    id,
    number: count,
    status: importStatus,
    file: text,
    counts: importCounts,
    createdAt: timestamp,
    finishedAt: nullableTimestamp,
  }),
);

/** An import, without paths of the server and without passwords. */
export const importRecord = component(
  'Import',
  'An import of accounts',
  Joi.object({
    id,
    number: count,
    status: importStatus,
    file: text,
    origin: Joi.valid('cli', 'http').required(),
    counts: importCounts,
    progress: Joi.object({ rowsDone: count, rowsTotal: count.allow(null) })
      .required()
      .description('How many rows have been processed'),
    options: Joi.object().unknown().required(),
    error: Joi.object({
      code: text.example('IMPORT_FILE_INVALID'),
      message: nullableText.description('The reason, for people').example('The file has no header.'),
    })
      .allow(null)
      .required()
      .description('Why the import failed; null otherwise'),
    hasCredentials: boolean,
    hasRejects: boolean,
    createdBy: nullableText,
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
    undoneAt: nullableTimestamp,
    ledgerClosedAt: nullableTimestamp,
  }),
);

/** Why undoing an import keeps an account. */
export const keptCodes = [
  'LOGGED_IN',
  'INVITE_ACCEPTED',
  'EDITED',
  'ENROLLED',
  'HAS_COURSES',
  'KEY_TAKEN',
  'GONE',
] as const;
export const keptCode = Joi.valid(...keptCodes);

const newsKindList = Joi.array()
  .items(Joi.valid(...newsKinds))
  .required();

export const mailPreferences = {
  language: nullableWord(mailLanguages).description('Language of mails; null: that of the service'),
  off: newsKindList.description('Kinds of mails that are turned off').example(['completed']),
  kinds: newsKindList
    .description('Kinds that the caller may turn off; none where no mail is sent')
    .example(['completed']),
};

export const calendar = {
  createdAt: nullableTimestamp.description('Time at which the address was made; null without one'),
  lastUsedAt: nullableTimestamp.description('Time of the last use, to the hour; null before the first'),
};

/** What undoing an import did, or would do. */
export const undo = component(
  'ImportUndo',
  'What undoing an import changed, or would change',
  Joi.object({
    removed: count,
    restored: count,
    mailsSent: count,
    kept: Joi.array()
      .items(
        Joi.object({
          line: count,
          userId: id,
          email: nullableText,
          code: keptCode.required(),
        }),
      )
      .required(),
  }),
);

const pagination = component(
  'Pagination',
  'The page of a listing',
  Joi.object({
    currentPage: count,
    totalPages: count,
    totalItems: count,
    itemsPerPage: count,
    totalItemsCapped: Joi.valid(true),
  }).required(),
);

/** The envelope of every paged listing. */
export function pageOf(plural: string, item: Joi.ObjectSchema): Joi.ObjectSchema {
  return Joi.object({
    [plural]: Joi.array().items(item).required(),
    pagination,
  });
}

/** A failure whose message, and for some its parameters, are all there is to say. */
export const failure = component(
  'Error',
  'Any failure but invalid input; the header `Error-Code` says which',
  Joi.object({
    error: text,
    code: Joi.string().description('Set where clients must handle the case').example('PASSWORD_CHANGE_REQUIRED'),
    params: errorParams,
  }),
);

/** Every invalid field; never the value that was sent. */
export const validationFailure = component(
  'ValidationError',
  'Invalid input, with every invalid field',
  Joi.object({
    errors: Joi.array()
      .items(
        Joi.object({
          type: Joi.valid('field').required(),
          path: Joi.string().allow('').required(),
          location: Joi.valid('body', 'query', 'params').description('Part of the request').required(),
          msg: text,
          code: component(
            'ProblemCode',
            'What is wrong with a field',
            Joi.valid(...problemCodes).example('TOO_SHORT'),
          ).required(),
          params: problemParams,
        }),
      )
      .min(1)
      .required(),
  }),
);
