import Joi from 'joi';
import { auditActions, auditTargetTypes } from '../../schemas/audit.js';
import { courseLevels, courseTypes } from '../../schemas/course.js';
import { enrollmentStatuses } from '../../schemas/enrollment.js';
import { roles } from '../../schemas/fields.js';
import { importStatuses } from '../../schemas/import.js';

/** The shapes of answers, for the documentation and the contract tests. Every key is required unless it says otherwise. */

export const text = Joi.string().required();
const nullableText = Joi.string().allow(null, '').required();
/** One of the words, or null, which Joi's conversion to JSON Schema leaves out of the list. */
const nullableWord = (words: readonly string[]) =>
  Joi.valid(...words, null)
    .meta({ enum: [...words, null] })
    .required();
/** The message that the specification fixes. */
export const message = (words: string) => Joi.valid(words).required();
export const boolean = Joi.boolean().strict().required();
export const count = Joi.number().integer().min(0).required();
export const id = Joi.string().required().description('An opaque identifier');
const timestamp = Joi.date().iso().required();
export const nullableTimestamp = Joi.date().iso().allow(null).required();
const nullableDate = Joi.string()
  .pattern(/^\d{4}-\d{2}-\d{2}$/)
  .allow(null)
  .required();
export const token = Joi.string()
  .required()
  .description('A signed JSON web token: send it as "Authorization: Bearer <token>"');

const userFields = {
  phone: text,
  role: Joi.valid(...roles).required(),
  isActive: boolean,
  avatar: nullableText,
  lastLogin: nullableTimestamp,
  requiresPasswordChange: boolean,
};

const identity = { id, firstName: text, lastName: text, email: text };

/** An account with its identity and the fields named. */
export function user(...fields: (keyof typeof userFields)[]): Joi.ObjectSchema {
  return Joi.object({
    ...identity,
    ...Object.fromEntries(fields.map((field) => [field, userFields[field]])),
  }).required();
}

export const login = Joi.object({ token, user: user('phone', 'role', 'avatar', 'requiresPasswordChange') });

const enrollmentFields = {
  id,
  status: Joi.valid(...enrollmentStatuses).required(),
  progress: Joi.number().integer().min(0).max(100).required(),
  enrolledAt: timestamp,
};

const courseHead = { id, title: text, description: Joi.string().allow('').required(), thumbnail: nullableText };

export const currentEnrollment = Joi.object({
  ...enrollmentFields,
  course: Joi.object({
    ...courseHead,
    trainer: Joi.object({ id, firstName: text, lastName: text }).required(),
  }).required(),
});

const enrollmentKeys = {
  ...enrollmentFields,
  userId: id,
  courseId: id,
  notes: nullableText,
  completedAt: nullableTimestamp,
};

/** An enrollment by itself. */
export const enrollment = Joi.object(enrollmentKeys);

/** A person, as those who work with them see them. */
export const person = Joi.object({ ...identity, avatar: nullableText });

export const ownEnrollment = Joi.object({
  ...enrollmentKeys,
  course: Joi.object({
    ...courseHead,
    trainer: Joi.object({ id, firstName: text, lastName: text }).required(),
  }).required(),
});

export const courseTrainee = Joi.object({
  ...identity,
  avatar: nullableText,
  enrollment: enrollment.required(),
});

const removedEnrollments = Joi.array().items(enrollment).required();

export const removal = Joi.object({ message: message('Enrollment removed successfully.'), removedEnrollments });

export const bulkRemoval = Joi.object({
  message: message('Enrollments removed successfully.'),
  removedCount: count,
  removedEnrollments,
});

export const bulkAssignment = Joi.object({
  message: message('Trainees enrolled successfully.'),
  enrollments: Joi.array().items(enrollment).required(),
  skipped: Joi.array()
    .items(Joi.object({ traineeId: id, reason: text }))
    .required(),
});

export const enrollmentStatistics = Joi.object({
  total: count,
  ...Object.fromEntries(enrollmentStatuses.map((status) => [status, count])),
});

export const trainerEnrollment = Joi.object({
  ...enrollmentKeys,
  user: Joi.object({ ...identity, avatar: nullableText }).required(),
  course: Joi.object(courseHead).required(),
});

export const course = Joi.object({
  ...courseHead,
  shortDescription: nullableText,
  category: nullableText,
  level: nullableWord(courseLevels),
  language: nullableText,
  courseType: nullableWord(courseTypes),
  tags: Joi.array().items(Joi.string()).required(),
  requirements: nullableText,
  learningOutcomes: nullableText,
  maxStudents: Joi.number().integer().allow(null).required(),
  startDate: nullableDate,
  endDate: nullableDate,
  location: nullableText,
  isPublished: boolean,
  isFeatured: boolean,
  trainerId: id,
  createdAt: timestamp,
  updatedAt: timestamp,
  trainer: Joi.object({ id, firstName: text, lastName: text, avatar: nullableText }).required(),
});

/** What publishing and unpublishing a course answers. */
export const publication = Joi.object({
  message: Joi.valid('Course published successfully.', 'Course unpublished successfully.').required(),
  course: Joi.object({ id, title: text, isPublished: boolean }).required(),
});

export const courseStatistics = Joi.object({
  ...{ total: count, published: count, unpublished: count, featured: count },
  byCategory: Joi.array()
    .items(Joi.object({ category: nullableText, count }))
    .required(),
});

export const material = Joi.object({ id, name: text, contentType: text, bytes: count, createdAt: timestamp });

/** An account, as the super admin sees it. */
export const account = Joi.object({
  ...identity,
  ...userFields,
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** What activating and deactivating an account answers. */
export const activation = Joi.object({
  message: Joi.valid('User activated successfully.', 'User deactivated successfully.').required(),
  user: account.required(),
});

export const auditEntry = Joi.object({
  id,
  at: timestamp,
  action: Joi.valid(...auditActions).required(),
  actorId: nullableText,
  origin: Joi.valid('http', 'cli').required(),
  ip: nullableText,
  targetType: Joi.valid(...auditTargetTypes).required(),
  targetId: nullableText,
  before: Joi.object().unknown().allow(null).required(),
  after: Joi.object().unknown().allow(null).required(),
});

export const session = Joi.object({
  id,
  createdAt: timestamp,
  lastUsedAt: Joi.date().iso(),
  expiresAt: timestamp,
  ip: nullableText,
  userAgent: nullableText,
  current: boolean,
});

/** An import, as everybody who may see it sees it: no path of the server, no password. */
export const importRecord = Joi.object({
  id,
  status: Joi.valid(...importStatuses).required(),
  file: text,
  origin: Joi.valid('cli', 'http').required(),
  counts: Joi.object({
    ...{ rows: count, created: count, updated: count, skipped: count, rejected: count, enrolled: count },
  }).required(),
  progress: Joi.object({ rowsDone: count, rowsTotal: count.allow(null) }).required(),
  options: Joi.object().unknown().required(),
  error: Joi.object({ code: text, message: nullableText }).allow(null).required(),
  hasCredentials: boolean.description('Whether there are generated passwords that have not been fetched'),
  hasRejects: boolean,
  createdBy: nullableText,
  createdAt: timestamp,
  startedAt: nullableTimestamp,
  finishedAt: nullableTimestamp,
  undoneAt: nullableTimestamp,
});

/** What undoing an import did, or would do. */
export const undo = Joi.object({
  removed: count,
  restored: count,
  kept: Joi.array()
    .items(
      Joi.object({
        line: count,
        userId: id,
        email: nullableText,
        code: Joi.valid('LOGGED_IN', 'EDITED', 'ENROLLED', 'HAS_COURSES', 'KEY_TAKEN', 'GONE').required(),
      }),
    )
    .required(),
});

/** The envelope of every paged listing. */
export function pageOf(plural: string, item: Joi.ObjectSchema): Joi.ObjectSchema {
  return Joi.object({
    [plural]: Joi.array().items(item).required(),
    pagination: Joi.object({
      currentPage: count,
      totalPages: count,
      totalItems: count,
      itemsPerPage: count,
    }).required(),
  });
}

/** A failure whose message is all there is to say. */
export const failure = Joi.object({
  error: text,
  code: Joi.string().description('Set where a client must tell the case apart'),
});

/** Every invalid field; never the value that was sent. */
export const validationFailure = Joi.object({
  errors: Joi.array()
    .items(
      Joi.object({
        type: Joi.valid('field').required(),
        path: Joi.string().allow('').required(),
        location: Joi.valid('body', 'query', 'params').required(),
        msg: text,
      }),
    )
    .min(1)
    .required(),
});
