import type { AuditEntry } from '../db/models/audit-entry.js';
import type { Course } from '../db/models/course.js';
import type { Enrollment } from '../db/models/enrollment.js';
import type { Import } from '../db/models/import.js';
import type { Session } from '../db/models/session.js';
import type { StoredFile } from '../db/models/stored-file.js';
import type { User } from '../db/models/user.js';

/** Models as the API shows them: the exact field lists of the specification. What isn't listed can't get out. */

function pick<T, K extends keyof T>(source: T, keys: readonly K[]): Pick<T, K> {
  // fromEntries forgets which keys it was given.
  return Object.fromEntries(keys.map((key) => [key, source[key]])) as Pick<T, K>;
}

const identity = ['id', 'firstName', 'lastName', 'email'] as const;

/** Setup (section 4.3). */
export const setupUser = (user: User) => pick(user, [...identity, 'phone', 'role']);

/** Both logins (section 4.4). */
export const loginUser = (user: User) => pick(user, [...identity, 'phone', 'role', 'avatar', 'requiresPasswordChange']);

/** Registration (section 4.6). */
export const registeredUser = (user: User) => pick(user, [...identity, 'role', 'phone', 'isActive']);

/** The caller's own account (section 4.7). */
export const ownUser = (user: User) => pick(user, [...identity, 'role', 'avatar', 'phone', 'lastLogin']);

/** Profile update (section 4.8). */
export const profileUser = (user: User) => pick(user, [...identity, 'role', 'avatar', 'phone']);

/** First password change (section 4.10). */
export const firstPasswordChangeUser = (user: User) =>
  pick(user, [...identity, 'role', 'avatar', 'phone', 'requiresPasswordChange']);

/** One entry of the enrollment check (section 4.11). */
export function currentEnrollment(model: Enrollment) {
  return {
    ...pick(model, ['id', 'status', 'progress', 'enrolledAt']),
    course: courseSummary(loaded(model.course)),
  };
}

function courseSummary(course: Course) {
  return {
    ...pick(course, ['id', 'title', 'thumbnail', 'description']),
    trainer: pick(loaded(course.trainer), ['id', 'firstName', 'lastName']),
  };
}

export function course(model: Course) {
  return {
    ...pick(model, ['id', 'title', 'description', 'shortDescription', 'category', 'level', 'language', 'courseType']),
    tags: model.tags,
    ...pick(model, [
      'requirements',
      'learningOutcomes',
      'maxStudents',
      'startDate',
      'endDate',
      'location',
      'thumbnail',
    ]),
    ...pick(model, ['isPublished', 'isFeatured', 'trainerId', 'createdAt', 'updatedAt']),
    trainer: pick(loaded(model.trainer), ['id', 'firstName', 'lastName', 'avatar']),
  };
}

/** An enrollment by itself. */
export const enrollment = (model: Enrollment) =>
  pick(model, ['id', 'userId', 'courseId', 'status', 'progress', 'notes', 'enrolledAt', 'completedAt']);

/** A person, as those who work with them see them. */
export const person = (user: User) => pick(user, [...identity, 'avatar']);

/** An enrollment, as its trainee sees it. */
export const ownEnrollment = (model: Enrollment) => ({
  ...enrollment(model),
  course: courseSummary(loaded(model.course)),
});

/** A trainee of a course, with the enrollment. */
export const courseTrainee = (model: Enrollment) => ({
  ...person(loaded(model.user)),
  enrollment: enrollment(model),
});

export function trainerEnrollment(model: Enrollment) {
  return {
    ...enrollment(model),
    user: person(loaded(model.user)),
    course: pick(loaded(model.course), ['id', 'title', 'description', 'thumbnail']),
  };
}

/** What publishing answers of a course. */
export const publishedCourse = (model: Course) => pick(model, ['id', 'title', 'isPublished']);

/** An account, as the super admin sees it. */
export const account = (user: User) =>
  pick(user, [
    ...identity,
    ...(['phone', 'role', 'isActive', 'avatar', 'lastLogin', 'requiresPasswordChange'] as const),
    ...(['createdAt', 'updatedAt'] as const),
  ]);

/** A file of a course. BIGINT comes as text from some drivers. */
export const material = (file: StoredFile) => ({
  ...pick(file, ['id', 'name', 'contentType', 'createdAt']),
  bytes: Number(file.bytes),
});

export function auditEntry(entry: AuditEntry) {
  const { beforeJson, afterJson } = entry;
  return {
    ...pick(entry, ['id', 'at', 'action', 'actorId', 'origin', 'ip', 'targetType', 'targetId']),
    before: beforeJson === null ? null : (JSON.parse(beforeJson) as object),
    after: afterJson === null ? null : (JSON.parse(afterJson) as object),
  };
}

export function session(model: Session, currentId: string) {
  return {
    ...pick(model, ['id', 'createdAt', 'expiresAt', 'ip', 'userAgent']),
    ...(model.lastUsedAt && { lastUsedAt: model.lastUsedAt }),
    current: model.id === currentId,
  };
}

export function importRecord(record: Import) {
  const { errorCode, errorMessage, rowsDone, rowsTotal } = record;
  return {
    ...pick(record, ['id', 'status']),
    file: record.fileName,
    origin: record.origin,
    counts: record.counts,
    progress: { rowsDone, rowsTotal },
    options: JSON.parse(record.optionsJson) as object,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage },
    hasCredentials: record.hasCredentials,
    hasRejects: record.hasRejects,
    ...pick(record, ['createdBy', 'createdAt', 'startedAt', 'finishedAt', 'undoneAt']),
  };
}

/** An association that the query asked for; its absence is a bug in the query, not a fact about the row. */
function loaded<T>(association: T | undefined): T {
  if (association === undefined) throw new Error('An association was not loaded.');
  return association;
}
