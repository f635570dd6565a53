import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { isThere } from '../../db/connection.js';
import type { Course } from '../../db/models/course.js';
import type { User } from '../../db/models/user.js';
import { AppError, notFound, validationError } from '../../errors.js';
import {
  type CourseFields,
  courseCreationSchema,
  courseDeletionSchema,
  courseUpdateSchema,
  namedCourseCreationSchema,
  publicationSchema,
  trainerAssignmentSchema,
} from '../../schemas/course.js';
import { searchKey } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedCourse, changesBetween, recordAudit } from '../audit.js';
import { denied } from '../auth/permissions.js';
import { assertStillSignedIn } from '../auth/sessions.js';
import { takenSeats } from '../capacity.js';
import type { Actor, Core } from '../core.js';
import { doomFiles, removeDoomed } from '../files/files.js';
import { holdUsers } from '../row-locks.js';
import { trainerSummary } from './queries.js';

/** What a search for a course looks in. */
function courseSearchKey({ title, category, tags }: Course): string {
  return searchKey(title, category, ...tags);
}

/**
 * Refuses whoever isn't the course's trainer or the super admin. That a course is there is a secret only while it isn't
 * published.
 * @throws AppError `NOT_FOUND`, `ACCESS_DENIED`
 */
export function assertManages(actor: Pick<Actor, 'actorId' | 'role'>, course: Course): void {
  if (actor.role === 'super_admin') return;
  if (actor.role === 'trainer' && course.trainerId === actor.actorId) return;
  throw course.isPublished ? denied("This is another trainer's course.") : notFound('Course');
}

/**
 * The row of a course that the actor manages, locked. Whoever doesn't change it but relies on it holds it, too: see
 * holds.ts.
 * @throws as {@link assertManages}
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

/** A trainer stays one until the transaction ends. @returns nothing where the id isn't a trainer's */
async function holdTrainer(core: Core, id: string, transaction: Transaction): Promise<User | null> {
  const [account] = await holdUsers(core, [id], transaction);
  return account?.role === 'trainer' ? account : null;
}

/** {@link holdTrainer}, of one whom a course can be given to. @throws AppError `NOT_FOUND`, `ACCOUNT_INACTIVE` */
async function holdNamedTrainer(core: Core, id: string, transaction: Transaction): Promise<void> {
  const trainer = await holdTrainer(core, id, transaction);
  if (!trainer) throw notFound('Trainer');
  if (!trainer.isActive) throw new AppError('ACCOUNT_INACTIVE', 'Trainer account is inactive.');
}

/** The trainer is held: courses that are made together are counted one after the other. */
async function assertMayMakeMore(core: Core, trainerId: string, transaction: Transaction): Promise<void> {
  const most = core.config.courses.ofTrainer;
  const count = await core.database.models.Course.count({ where: { trainerId }, transaction });
  if (count < most) return;
  const message = `You may have ${most} courses, and have ${count}. Delete some first, or ask the super admin.`;
  throw new AppError('COURSE_LIMIT', message);
}

/** The course as it is now, with its trainer. */
async function reread(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course, User } = core.database.models;
  const include = [{ model: User, as: 'trainer', attributes: trainerSummary }];
  return Course.findByPk(id, { include, transaction, rejectOnEmpty: true });
}

/** Fields of a course as its columns hold them. */
function columnsOf({ tags, ...fields }: Partial<CourseFields>): Partial<Course> {
  return { ...fields, ...(tags !== undefined && { tagsJson: tags.length === 0 ? null : JSON.stringify(tags) }) };
}

function assertDatesInOrder({ startDate, endDate }: { startDate?: string | null; endDate?: string | null }): void {
  if (startDate && endDate && endDate < startDate)
    throw validationError([
      { path: 'endDate', message: 'endDate must not be before startDate.', otherFields: ['startDate'] },
    ]);
}

const courseRecord = (action: AuditRecord['action'], id: string, changes: Pick<AuditRecord, 'before' | 'after'>) =>
  ({ action, targetType: 'course', targetId: id, ...changes }) as const;

/**
 * Creates a course, unpublished. A trainer's is their own, and they have so many at most; the super admin names the trainer.
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the trainer, `ACCOUNT_INACTIVE`, `COURSE_LIMIT`, `TOKEN_INVALID`
 */
export async function createCourse(core: Core, actor: Actor, input: unknown): Promise<Course> {
  const own = actor.role === 'trainer';
  const { trainerId: named = '', ...fields } = validate(own ? courseCreationSchema : namedCourseCreationSchema, input);
  const trainerId = own ? (actor.actorId ?? '') : named;
  assertDatesInOrder(fields);
  return core.database.inTransaction(async (transaction) => {
    if (own) {
      assertStillSignedIn(await holdTrainer(core, trainerId, transaction));
      await assertMayMakeMore(core, trainerId, transaction);
    } else await holdNamedTrainer(core, trainerId, transaction);
    const { Course } = core.database.models;
    const { title, description } = fields;
    const course = Course.build({ id: uuidv7(), trainerId, title, description, searchKey: '', ...columnsOf(fields) });
    course.searchKey = courseSearchKey(course);
    await course.save({ transaction });
    const created = await reread(core, course.id, transaction);
    const record = courseRecord('course.create', course.id, { after: auditedCourse(created) });
    await recordAudit(core, actor, record, transaction);
    return created;
  }, isThere(core.database.models.Course));
}

/** Changes a managed course with its audit entry; `change` runs inside the transaction, on the locked row. */
async function changeCourse(
  core: Core,
  actor: Actor,
  id: string,
  action: AuditRecord['action'],
  change: (course: Course, transaction: Transaction) => Promise<void>,
): Promise<Course> {
  return core.database.inTransaction(async (transaction) => {
    const course = await lockManagedCourse(core, actor, id, transaction);
    const before = auditedCourse(course);
    await change(course, transaction);
    course.searchKey = courseSearchKey(course);
    await course.save({ transaction });
    const changes = changesBetween(before, auditedCourse(course));
    if (Object.keys(changes.after).length > 0)
      await recordAudit(core, actor, courseRecord(action, id, changes), transaction);
    return reread(core, id, transaction);
  });
}

/**
 * Changes what a course says of itself; what is absent stays as it is.
 * @throws AppError `VALIDATION`, also for fewer seats than are taken, `NOT_FOUND`, `ACCESS_DENIED`
 */
export async function updateCourse(core: Core, actor: Actor, id: string, input: unknown): Promise<Course> {
  const fields = validate(courseUpdateSchema, input);
  return changeCourse(core, actor, id, 'course.update', async (course, transaction) => {
    course.set(columnsOf(fields));
    assertDatesInOrder(course);
    if (course.changed('maxStudents') && course.maxStudents !== null) {
      const taken = (await takenSeats(core, [id], transaction)).get(id) ?? 0;
      if (taken > course.maxStudents)
        throw validationError([
          { path: 'maxStudents', message: `maxStudents must be at least ${taken}: so many seats are taken.` },
        ]);
    }
  });
}

/** Shows a course to everybody, or takes it out of the catalogue. @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED` */
export async function publishCourse(core: Core, actor: Actor, id: string, input: unknown): Promise<Course> {
  const { isPublished } = validate(publicationSchema, input);
  return changeCourse(core, actor, id, isPublished ? 'course.publish' : 'course.unpublish', async (course) => {
    course.isPublished = isPublished;
  });
}

/**
 * Gives a course to another trainer, its enrollments with it.
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the course or the trainer, `ACCOUNT_INACTIVE`
 */
export async function assignTrainer(core: Core, actor: Actor, id: string, input: unknown): Promise<Course> {
  const { trainerId } = validate(trainerAssignmentSchema, input);
  return changeCourse(core, actor, id, 'course.assign-trainer', async (course, transaction) => {
    await holdNamedTrainer(core, trainerId, transaction);
    // A foreign key takes the enrollments along.
    course.trainerId = trainerId;
  });
}

/**
 * Deletes a course with its enrollments and files. While it has active enrollments only the super admin can, by force.
 * @param query `{ force }`
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `COURSE_IN_USE`
 */
export async function deleteCourse(core: Core, actor: Actor, id: string, query: unknown): Promise<Course> {
  const { force } = validate(courseDeletionSchema, query);
  const { Enrollment } = core.database.models;
  const course = await core.database.inTransaction(async (transaction) => {
    const locked = await lockManagedCourse(core, actor, id, transaction);
    const active = await Enrollment.count({ where: { courseId: id, status: 'active' }, transaction });
    if (active > 0 && !(force && actor.role === 'super_admin')) throw new AppError('COURSE_IN_USE');
    const enrollments = await Enrollment.count({ where: { courseId: id }, transaction });
    await doomFiles(core, { courseId: id }, transaction);
    await locked.destroy({ transaction });
    const record = courseRecord('course.delete', id, { before: { ...auditedCourse(locked), enrollments } });
    await recordAudit(core, actor, record, transaction);
    return locked;
  });
  await removeDoomed(core, { courseId: id });
  return course;
}
