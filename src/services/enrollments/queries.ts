import { col, fn, Op, type OrderItem, type WhereOptions } from 'sequelize';
import { contains, courseExists, isNotEnrolled, refersToMatch } from '../../db/conditions.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { notFound } from '../../errors.js';
import {
  availableTraineeListingSchema,
  courseTraineeListingSchema,
  type EnrollmentStatus,
  enrollmentListingSchema,
  enrollmentStatuses,
  ownEnrollmentListingSchema,
  trainerEnrollmentListingSchema,
} from '../../schemas/enrollment.js';
import { searchKey } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import type { Actor, Caller, Core } from '../core.js';
import { assertManages } from '../courses/commands.js';
import { assertTrainer } from '../courses/queries.js';
import { type Page, pageOf } from '../paging.js';

const newestFirst: OrderItem[] = [
  ['enrolledAt', 'DESC'],
  ['id', 'DESC'],
];

/** The trainee and the course, as listings show them. */
const withUserAndCourse = ({ database: { models } }: Core) => [
  { model: models.User, as: 'user', attributes: ['id', 'firstName', 'lastName', 'email', 'avatar'] },
  { model: models.Course, as: 'course', attributes: ['id', 'title', 'description', 'thumbnail'] },
];

/** The course with its trainer, as a trainee sees it (specification, section 2). */
const withCourseSummary = ({ database: { models } }: Core) => [
  {
    model: models.Course,
    as: 'course',
    attributes: ['id', 'title', 'thumbnail', 'description'],
    include: [{ model: models.User, as: 'trainer', attributes: ['id', 'firstName', 'lastName'] }],
  },
];

interface Filter {
  courseId?: string;
  userId?: string;
  status?: EnrollmentStatus;
}

const filtered = ({ courseId, userId, status }: Filter): WhereOptions<Enrollment> => ({
  ...(courseId !== undefined && { courseId }),
  ...(userId !== undefined && { userId }),
  ...(status !== undefined && { status }),
});

/** The ids of the caller's active and pending enrollments, newest first. */
export async function currentEnrollmentIds(core: Core, { user }: Caller): Promise<string[]> {
  const where = { userId: user.id, status: ['active', 'pending'] };
  const found = await core.database.read(() =>
    core.database.models.Enrollment.findAll({ attributes: ['id'], where, order: newestFirst }),
  );
  return found.map(({ id }) => id);
}

/** How many enrollments are read together: their courses may have long texts. */
const readTogether = 50;

/** Those enrollments of the given ids that are still active or pending, with their courses (specification, section 4.11). */
export async function* currentEnrollments(core: Core, ids: readonly string[]): AsyncGenerator<Enrollment> {
  for (let at = 0; at < ids.length; at += readTogether) {
    const where = { id: ids.slice(at, at + readTogether), status: ['active', 'pending'] };
    const include = withCourseSummary(core);
    yield* await core.database.read(() =>
      core.database.models.Enrollment.findAll({ where, order: newestFirst, include }),
    );
  }
}

/**
 * One page of the enrollments in a trainer's courses, newest first (specification, section 4.12).
 * @throws AppError `VALIDATION`, `NOT_FOUND` when there is no such trainer
 */
export async function listTrainerEnrollments(
  core: Core,
  actor: Actor,
  trainerId: string,
  query: unknown,
): Promise<Page<Enrollment>> {
  const listing = validate(trainerEnrollmentListingSchema, query);
  const { sequelize, models } = core.database;
  const sought = searchKey(listing.search);
  const matches = [
    refersToMatch(sequelize, 'Enrollment.user_id', 'users', sought),
    refersToMatch(sequelize, 'Enrollment.course_id', 'courses', sought),
  ];
  return pageOf(core, models.Enrollment, listing, {
    where: { trainerId, ...filtered(listing), ...(sought && { [Op.or]: matches }) },
    order: newestFirst,
    include: withUserAndCourse(core),
    // A trainer lists their own courses, and exists.
    ifNone: actor.role !== 'trainer' && (() => assertTrainer(core, trainerId)),
  });
}

/** Enrollments that the actor may see: a trainee's own, those in a trainer's courses, all for the super admin. */
function visibleTo({ actorId, role }: Pick<Actor, 'actorId' | 'role'>): WhereOptions<Enrollment> {
  if (role === 'super_admin') return {};
  return role === 'trainer' ? { trainerId: actorId ?? '' } : { userId: actorId ?? '' };
}

/** One page of the enrollments that the actor may see, newest first. @throws AppError `VALIDATION` */
export async function listEnrollments(core: Core, actor: Actor, query: unknown): Promise<Page<Enrollment>> {
  const listing = validate(enrollmentListingSchema, query);
  const { courseId, userId } = listing;
  const narrow = actor.role !== 'super_admin' || courseId !== undefined || userId !== undefined;
  return pageOf(core, core.database.models.Enrollment, listing, {
    where: { [Op.and]: [visibleTo(actor), filtered(listing)] },
    // Sorting all enrollments by date is too slow: UUIDv7 ids are in the order of creation.
    order: narrow ? newestFirst : [['id', 'DESC']],
    include: withUserAndCourse(core),
  });
}

/** One page of the caller's own enrollments, newest first. @throws AppError `VALIDATION` */
export async function listOwnEnrollments(core: Core, { user }: Caller, query: unknown): Promise<Page<Enrollment>> {
  const listing = validate(ownEnrollmentListingSchema, query);
  return pageOf(core, core.database.models.Enrollment, listing, {
    where: { userId: user.id, ...filtered(listing) },
    order: newestFirst,
    include: withCourseSummary(core),
  });
}

/** An enrollment that the actor may see. @throws AppError `NOT_FOUND` */
export async function findEnrollment(
  core: Core,
  actor: Pick<Actor, 'actorId' | 'role'>,
  id: string,
): Promise<Enrollment> {
  const enrollment = await core.database.read(() =>
    core.database.models.Enrollment.findOne({
      where: { [Op.and]: [{ id }, visibleTo(actor)] },
      include: withUserAndCourse(core),
    }),
  );
  if (!enrollment) throw notFound('Enrollment');
  return enrollment;
}

/** @throws AppError `NOT_FOUND`, `ACCESS_DENIED` */
async function assertManagesCourse(core: Core, actor: Actor, courseId: string): Promise<void> {
  const course = await core.database.read(() => core.database.models.Course.findByPk(courseId));
  if (!course) throw notFound('Course');
  assertManages(actor, course);
}

/**
 * One page of a course's trainees with their enrollments, newest first.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`
 */
export async function listCourseTrainees(
  core: Core,
  actor: Actor,
  courseId: string,
  query: unknown,
): Promise<Page<Enrollment>> {
  const listing = validate(courseTraineeListingSchema, query);
  const { sequelize, models } = core.database;
  const sought = searchKey(listing.search);
  const scope = actor.role === 'super_admin' ? {} : { trainerId: actor.actorId ?? '' };
  return pageOf(core, models.Enrollment, listing, {
    where: {
      ...{ courseId, ...scope },
      ...filtered(listing),
      ...(sought && { [Op.and]: [refersToMatch(sequelize, 'Enrollment.user_id', 'users', sought)] }),
    },
    order: newestFirst,
    include: withUserAndCourse(core).slice(0, 1),
    // Another trainer's course has none for the actor: this finds the reason.
    ifNone: () => assertManagesCourse(core, actor, courseId),
  });
}

/**
 * One page of the active trainees who could be enrolled in a course, by name.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`
 */
export async function listAvailableTrainees(core: Core, actor: Actor, query: unknown): Promise<Page<User>> {
  const listing = validate(availableTraineeListingSchema, query);
  const { sequelize, models } = core.database;
  const sought = searchKey(listing.search);
  const { courseId } = listing;
  const trainerId = actor.role === 'super_admin' ? undefined : (actor.actorId ?? '');
  return pageOf(core, models.User, listing, {
    where: {
      role: 'trainee',
      isActive: true,
      [Op.and]: [
        // Another trainer's course has no available trainees: `ifNone` finds the reason.
        courseExists(sequelize, courseId, trainerId),
        isNotEnrolled(sequelize, 'User.id', courseId),
        ...(sought ? [contains(sequelize, 'User.search_key', sought)] : []),
      ],
    },
    order: [
      ['lastName', 'ASC'],
      ['id', 'ASC'],
    ],
    ifNone: () => assertManagesCourse(core, actor, courseId),
  });
}

/** The number of enrollments by status. */
export type EnrollmentStatistics = Record<EnrollmentStatus | 'total', number>;

/** Counts of the enrollments that the actor may see. */
export async function enrollmentStatistics(core: Core, actor: Actor): Promise<EnrollmentStatistics> {
  const groups = await core.database.read(() =>
    core.database.models.Enrollment.findAll({
      attributes: ['status', [fn('COUNT', col('id')), 'count']],
      where: visibleTo(actor),
      group: ['status'],
    }),
  );
  const counts = new Map(groups.map((group) => [group.status, Number(group.get('count'))]));
  const byStatus = Object.fromEntries(enrollmentStatuses.map((status) => [status, counts.get(status) ?? 0]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // The type is derived from the same list, so every status has a count.
  return { total, ...byStatus } as EnrollmentStatistics;
}
