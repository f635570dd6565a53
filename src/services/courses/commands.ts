import { col, fn, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { confirmedById } from '../../db/connection.js';
import type { Course } from '../../db/models/course.js';
import type { User } from '../../db/models/user.js';
import { AppError, notFound, validationError } from '../../errors.js';
import {
  courseCreationSchema,
  courseDeletionSchema,
  courseUpdateSchema,
  type NewCourse,
  namedCourseCreationSchema,
  publicationSchema,
  trainerAssignmentSchema,
} from '../../schemas/course.js';
import type { CourseInput } from '../../schemas/course-fields.js';
import { participantStatuses, rulesOf, seatStatuses } from '../../schemas/enrollment-statuses.js';
import { searchKey } from '../../schemas/keys.js';
import { categoryMaximum, sortKey, titleMaximum } from '../../schemas/sort-key.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedCourse, changesBetween, recordAudit } from '../audit/audit.js';
import { assertActive } from '../auth/sessions.js';
import type { Actor, Core, Identity } from '../core.js';
import { removeMarkedFiles } from '../files/files.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { countReservedSeats } from './capacity.js';
import { applyCourseEffects } from './effects.js';
import { trainerSummary } from './queries.js';

/** Returns the keys by which courses are searched and sorted. */
export function courseKeys({ title, category, tags = [] }: Pick<NewCourse, 'title' | 'category' | 'tags'>) {
  return {
    searchKey: searchKey(title, category, ...tags),
    titleKey: sortKey(title, titleMaximum),
    categoryKey: category ? sortKey(category, categoryMaximum) : null,
  };
}

/**
 * Checks that the actor is the course's trainer or the super admin. Only the existence of unpublished courses is a
 * secret, so the error for a published course differs.
 * @throws AppError `NOT_FOUND`, `OTHER_TRAINER`
 */
export function assertManages(actor: Identity, course: Course): void {
  if (actor.role === 'super_admin') return;
  if (actor.role === 'trainer' && course.trainerId === actor.actorId) return;
  throw course.isPublished ? new AppError('OTHER_TRAINER') : notFound('Course');
}

/**
 * Locks a course that the actor manages. A transaction that reads the course without changing it must also increment
 * its version: see row-locks.ts.
 * @throws the errors of {@link assertManages}
 */
export async function lockManagedCourse(
  core: Core,
  actor: Actor,
  id: string,
  transaction: Transaction,
): Promise<Course> {
  const { Course } = core.database.models;
  const course = await Course.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course) throw notFound('Course');
  assertManages(actor, course);
  return course;
}

/** Locks a trainer, whose role can't change until the transaction ends; null if the id isn't a trainer's. */
async function lockTrainer(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const [account] = await forceIncrementUserVersions(core, [id], transaction);
  return account?.role === 'trainer' ? account : null;
}

/** Locks a trainer, who must be active. @throws AppError `NOT_FOUND`, `ACCOUNT_INACTIVE` */
export async function lockActiveTrainer(core: Core, id: string, transaction: Transaction): Promise<void> {
  const trainer = await lockTrainer(core, id, transaction);
  if (!trainer) throw notFound('Trainer');
  if (!trainer.isActive) throw new AppError('ACCOUNT_INACTIVE', 'Trainer account is inactive.');
}

/**
 * The caller must have locked the trainer's row. Otherwise concurrent requests could exceed the limit.
 * @throws AppError `COURSE_LIMIT`
 */
async function assertBelowCourseLimit(core: Core, trainerId: string, transaction: Transaction): Promise<void> {
  const limit = core.config.courses.ofTrainer;
  const count = await core.database.models.Course.count({ where: { trainerId }, transaction });
  if (count < limit) return;
  const message = `You may have ${limit} courses, and have ${count}. Delete some first, or ask the super admin.`;
  throw new AppError('COURSE_LIMIT', message, { params: { max: limit } });
}

/** Reads the course as it is now, with its trainer. */
async function reload(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course, User } = core.database.models;
  const include = [{ model: User, as: 'trainer', attributes: trainerSummary }];
  return Course.findByPk(id, { include, transaction, rejectOnEmpty: true });
}

function columnsOf({ tags, ...fields }: CourseInput<'update'>): Partial<Course> {
  return { ...fields, ...(tags !== undefined && { tagsJson: tags.length === 0 ? null : JSON.stringify(tags) }) };
}

export function assertDatesInOrder({
  startDate,
  endDate,
}: {
  startDate?: string | null;
  endDate?: string | null;
}): void {
  if (startDate && endDate && endDate < startDate)
    throw validationError([
      {
        path: 'endDate',
        code: 'END_BEFORE_START',
        params: { fields: ['startDate'] },
        message: 'endDate must not be before startDate.',
      },
    ]);
}

export const courseAuditRecord = (
  action: AuditRecord<'course'>['action'],
  id: string,
  changes: Pick<AuditRecord, 'before' | 'after'>,
) => ({ action, targetType: 'course', targetId: id, ...changes }) as const;

/** Inserts an unpublished course for a trainer whose row is locked. */
export async function insertCourse(
  core: Core,
  { trainerId, ...fields }: NewCourse & { trainerId: string },
  transaction: Transaction,
): Promise<Course> {
  const { Course } = core.database.models;
  const { title, description } = fields;
  const identified = { id: uuidv7(), trainerId, title, description };
  const course = Course.build({ ...identified, ...columnsOf(fields), ...courseKeys(fields) });
  await course.save({ transaction });
  await applyCourseEffects(core, course.id, undefined, course, transaction); // effect: creation-of-course
  return course;
}

/**
 * Creates an unpublished course. A trainer who creates a course becomes its trainer, up to a limit of courses. The
 * super admin chooses the trainer.
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the trainer, `ACCOUNT_INACTIVE`, `COURSE_LIMIT`, `TOKEN_INVALID`
 */
export async function createCourse(core: Core, actor: Actor, input: unknown): Promise<Course> {
  const isOwnCourse = actor.role === 'trainer';
  const { trainerId, ...fields } = isOwnCourse
    ? { ...validate(courseCreationSchema, input), trainerId: actor.actorId }
    : validate(namedCourseCreationSchema, input);
  assertDatesInOrder(fields);
  return core.database.inTransaction(async (transaction) => {
    if (isOwnCourse) {
      assertActive(await lockTrainer(core, trainerId, transaction));
      await assertBelowCourseLimit(core, trainerId, transaction);
    } else await lockActiveTrainer(core, trainerId, transaction);
    const { id } = await insertCourse(core, { ...fields, trainerId }, transaction);
    const created = await reload(core, id, transaction);
    const record = courseAuditRecord('course.create', id, { after: auditedCourse(created) });
    await recordAudit(core, actor, record, transaction);
    return created;
  }, confirmedById(core.database.models.Course));
}

/**
 * Changes a managed course and records the change in the audit log. `change` runs in the transaction, on the locked row.
 */
async function changeCourse(
  core: Core,
  actor: Actor,
  id: string,
  action: AuditRecord<'course'>['action'],
  change: (course: Course, transaction: Transaction) => Promise<void>,
): Promise<Course> {
  return core.database.inTransaction(async (transaction) => {
    const course = await lockManagedCourse(core, actor, id, transaction);
    const before = { ...course.get() };
    const audited = auditedCourse(course);
    await change(course, transaction);
    course.set(courseKeys(course));
    await course.save({ transaction });
    await applyCourseEffects(core, id, before, course, transaction); // effect: change-of-course
    const changes = changesBetween(audited, auditedCourse(course));
    if (Object.keys(changes.after).length > 0)
      await recordAudit(core, actor, courseAuditRecord(action, id, changes), transaction);
    return reload(core, id, transaction);
  });
}

/**
 * Changes the given fields of a course.
 * @throws AppError `VALIDATION`, also for a capacity below the reserved seats, `NOT_FOUND`, `OTHER_TRAINER`
 */
export async function updateCourse(core: Core, actor: Actor, id: string, input: unknown): Promise<Course> {
  const fields = validate(courseUpdateSchema, input);
  return changeCourse(core, actor, id, 'course.update', async (course, transaction) => {
    course.set(columnsOf(fields));
    assertDatesInOrder(course);
    if (!course.changed('maxStudents')) return;
    const reserved = (await countReservedSeats(core, [id], transaction)).get(id) ?? 0;
    if (course.maxStudents !== null && reserved > course.maxStudents)
      throw validationError([
        {
          path: 'maxStudents',
          code: 'SEATS_TAKEN',
          params: { min: reserved },
          message: `maxStudents must be at least ${reserved}: so many seats are taken.`,
        },
      ]);
  });
}

/** Publishes or unpublishes a course. @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER` */
export async function publishCourse(core: Core, actor: Actor, id: string, input: unknown): Promise<Course> {
  const { isPublished } = validate(publicationSchema, input);
  const action = isPublished ? 'course.publish' : 'course.unpublish';
  return changeCourse(core, actor, id, action, async (course) => {
    course.isPublished = isPublished;
  });
}

/**
 * Assigns a course, with its enrollments, to another trainer.
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the course or the trainer, `ACCOUNT_INACTIVE`
 */
export async function assignTrainer(core: Core, actor: Actor, id: string, input: unknown): Promise<Course> {
  const { trainerId } = validate(trainerAssignmentSchema, input);
  return changeCourse(core, actor, id, 'course.assign-trainer', async (course, transaction) => {
    await lockActiveTrainer(core, trainerId, transaction);
    // A foreign key updates the trainer of the enrollments.
    course.trainerId = trainerId;
  });
}

/**
 * Deletes a course with its enrollments and files. Only the super admin can delete a course with active enrollments,
 * with `force`.
 * @param query `{ force }`
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`, `COURSE_IN_USE`
 */
export async function deleteCourse(core: Core, actor: Actor, id: string, query: unknown): Promise<Course> {
  const { force } = validate(courseDeletionSchema, query);
  const { Enrollment } = core.database.models;
  const course = await core.database.inTransaction(async (transaction) => {
    const locked = await lockManagedCourse(core, actor, id, transaction);
    // Locks enrollments that may become active: that change locks only the enrollment, not the course. Counts them instead
    // of reading them, because there may be very many.
    await Enrollment.findAll({
      attributes: [[fn('COUNT', col('id')), 'waiting']],
      where: { courseId: id, status: seatStatuses.filter((status) => !rulesOf(status).takesPart) },
      lock: transaction.LOCK.UPDATE,
      transaction,
      raw: true,
    });
    const active = await Enrollment.count({ where: { courseId: id, status: participantStatuses }, transaction });
    if (active > 0 && !(force && actor.role === 'super_admin')) throw new AppError('COURSE_IN_USE');
    const enrollments = await Enrollment.count({ where: { courseId: id }, transaction });
    await locked.destroy({ transaction });
    await applyCourseEffects(core, id, locked, undefined, transaction); // effect: deletion-of-course
    const record = courseAuditRecord('course.delete', id, { before: { ...auditedCourse(locked), enrollments } });
    await recordAudit(core, actor, record, transaction);
    return locked;
  });
  await removeMarkedFiles(core, { courseId: id });
  return course;
}
