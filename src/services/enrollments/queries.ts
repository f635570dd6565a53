import { literal, Op, type WhereOptions } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import {
  courseExists,
  courseHasEnded,
  isInCourseOfTrainer,
  isNotEnrolled,
  lastNameKeyOf,
  refersToRowByIndex,
  refersToRowByLookup,
  soonestFirst,
} from '../../db/sql/conditions.js';
import type { Order } from '../../db/sql/page.js';
import { notFound, validationError } from '../../errors.js';
import {
  availableTraineeListingSchema,
  courseTraineeListingSchema,
  type EnrollmentFilter,
  enrollmentListingSchema,
  ownEnrollmentListingSchema,
  traineeLookupSchema,
  trainerEnrollmentListingSchema,
} from '../../schemas/enrollment.js';
import { currentStatuses, enrolledStatuses, enrollmentStatuses } from '../../schemas/enrollment-statuses.js';
import { normalizeEmail, searchKey } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import { narrowToMembers, planMemberSearch } from '../accounts/members.js';
import { narrowSearch, planAccountSearch } from '../accounts/search.js';
import { certificateJoin } from '../certificates/queries.js';
import type { Actor, Caller, Core, Identity } from '../core.js';
import { assertManages } from '../courses/commands.js';
import { assertTrainer, byStart } from '../courses/queries.js';
import { scanConditions } from '../courses/search.js';
import { today } from '../dates.js';
import { maxCounted, narrowParts, orderOf, type Page, readPage } from '../paging.js';
import { type EnrollmentSearch, isOfTrainee, planTraineeSearch } from './search.js';
import { addWaitingPlaces } from './waiting-places.js';

export const newestFirst: Order = [
  ['enrolledAt', 'DESC'],
  ['id', 'DESC'],
];

/** Joins the trainee and the certificate, as listings show them. */
const withUser = (core: Core) => [
  { model: core.database.models.User, as: 'user', attributes: ['id', 'firstName', 'lastName', 'email', 'avatar'] },
  certificateJoin(core),
];

/** Joins the trainee, the certificate and the course. */
const withUserAndCourse = (core: Core) => [
  ...withUser(core),
  {
    model: core.database.models.Course,
    as: 'course',
    attributes: ['id', 'title', 'description', 'thumbnail', 'isPublished'],
  },
];

/** Joins the course with its trainer, as a trainee sees it (specification, section 2). */
const withCourseSummary = ({ database: { models } }: Core) => [
  {
    model: models.Course,
    as: 'course',
    attributes: [
      ...['id', 'title', 'thumbnail', 'description', 'isPublished'],
      ...['courseType', 'startDate', 'endDate', 'location'],
    ],
    include: [{ model: models.User, as: 'trainer', attributes: ['id', 'firstName', 'lastName'] }],
  },
];

const filterConditions = ({
  courseId,
  userId,
  trainerId,
  status,
  progress,
}: {
  [Key in keyof EnrollmentFilter]?: EnrollmentFilter[Key] | undefined;
}): WhereOptions<Enrollment> => ({
  ...(courseId !== undefined && { courseId }),
  ...(userId !== undefined && { userId }),
  ...(trainerId !== undefined && { trainerId }),
  ...(status !== undefined && { status }),
  ...(progress !== undefined && { progress }),
});

/**
 * Returns the ids of an account's active and pending enrollments, newest first.
 * @param limit maximum number of ids; all by default
 */
export async function currentEnrollmentIds(core: Core, userId: string, limit?: number): Promise<string[]> {
  const where = { userId, status: currentStatuses };
  const found = await core.database.read(() =>
    core.database.models.Enrollment.findAll({
      attributes: ['id'],
      where,
      order: newestFirst,
      ...(limit !== undefined && { limit }),
    }),
  );
  return found.map(({ id }) => id);
}

/** Enrollments per query: their courses may have long texts. */
const rowsPerQuery = 50;

/** Reads the given enrollments that are still active or pending, with their courses (specification, section 4.11). */
export async function* currentEnrollments(core: Core, ids: readonly string[]): AsyncGenerator<Enrollment, undefined> {
  for (let at = 0; at < ids.length; at += rowsPerQuery) {
    const where = { id: ids.slice(at, at + rowsPerQuery), status: currentStatuses };
    const include = withCourseSummary(core);
    yield* await core.database.read(() =>
      core.database.models.Enrollment.findAll({ where, order: newestFirst, include }),
    );
  }
}

/** Adds places on waiting lists to a page of enrollments. */
async function withWaitingPlaces(core: Core, reading: Promise<Page<Enrollment>>): Promise<Page<Enrollment>> {
  const page = await reading;
  await addWaitingPlaces(core, page.items);
  return page;
}

/** Returns the ids of a trainer's courses that match a search. Scans the trainer's courses, which are few. */
async function ownCoursesMatching(core: Core, trainerId: string, search: string | undefined): Promise<string[]> {
  const { models, read } = core.database;
  const where = { trainerId, [Op.and]: scanConditions(core, search) };
  return (await read(() => models.Course.findAll({ attributes: ['id'], where }))).map(({ id }) => id);
}

/** Plans a search for enrollments in a trainer's courses. The search text matches trainees and courses. */
async function planTrainerEnrollmentSearch(
  core: Core,
  trainerId: string,
  filter: EnrollmentFilter,
): Promise<EnrollmentSearch> {
  const ofTrainer = { ...filterConditions(filter), trainerId };
  const matching = await planTraineeSearch(core, filter.search, { trainerId });
  if (searchKey(filter.search) === '') return { where: ofTrainer };
  const inCourses = { courseId: await ownCoursesMatching(core, trainerId, filter.search) };
  const where = { [Op.and]: [ofTrainer, { [Op.or]: [matching.where, inCourses] }] };
  if (!matching.parts) return { ...matching, where };
  const { parts, areFew } = narrowParts<Enrollment, Enrollment>(matching.parts, (condition) => ({
    [Op.and]: [filterConditions(filter), isInCourseOfTrainer(core.database.sequelize, trainerId), condition],
  }));
  // The part by courses comes first, because it is counted fastest.
  return { ...matching, where, parts: { parts: [{ where: { ...ofTrainer, ...inCourses } }, ...parts], areFew } };
}

/**
 * Returns one page of the enrollments in a trainer's courses, newest first by default (specification, section 4.12).
 * @throws AppError `VALIDATION`, `NOT_FOUND` if there is no such trainer
 */
export async function listTrainerEnrollments(
  core: Core,
  actor: Actor,
  trainerId: string,
  query: unknown,
): Promise<Page<Enrollment>> {
  const listing = validate(trainerEnrollmentListingSchema, query);
  const page = readPage(core, core.database.models.Enrollment, listing, {
    ...(await planTrainerEnrollmentSearch(core, trainerId, listing)),
    order: orderOf(listing),
    include: withUserAndCourse(core),
    // A trainer lists only their own courses, so the trainer exists.
    ifNone: actor.role !== 'trainer' && (() => assertTrainer(core, trainerId)),
  });
  return withWaitingPlaces(core, page);
}

/** Matches enrollments that the actor may see: a trainee's own, those in a trainer's courses, or all for the super admin. */
export function visibleTo({ actorId, role }: Identity): WhereOptions<Enrollment> {
  if (role === 'super_admin') return {};
  return role === 'trainer' ? { trainerId: actorId } : { userId: actorId };
}

/** Whether the actor or the filter leaves few enrollments. */
export const isNarrow = ({ role }: Actor, { courseId, userId, trainerId }: EnrollmentFilter) =>
  role !== 'super_admin' || (courseId ?? userId ?? trainerId) !== undefined;

/** Plans how to find and count the enrollments that the actor may see and that match a filter. */
export async function planEnrollmentSearch(
  core: Core,
  actor: Actor,
  filter: EnrollmentFilter,
): Promise<EnrollmentSearch> {
  const { courseId, userId, trainerId, status, progress } = filter;
  const visible = visibleTo(actor);
  const inCourses = byStart(core, filter.startsWithin).map((starts) =>
    refersToRowByIndex('`Enrollment`.`course_id`', core.database.models.Course, starts),
  );
  const members =
    filter.group === undefined ? undefined : await planMemberSearch(core, filter.group, '`Enrollment`.`user_id`');
  const others = [...inCourses, ...(members ? [members.byLookup] : [])];
  const and = (condition: WhereOptions<Enrollment>) => ({
    [Op.and]: [visible, filterConditions(filter), ...others, condition],
  });
  const isOf = (id: string) => isInCourseOfTrainer(core.database.sequelize, id);
  /** Adds all conditions to one that finds enrollments by their accounts. */
  const ofAccounts = (condition: WhereOptions<Enrollment>) => ({
    [Op.and]: [
      actor.role === 'trainer' ? isOf(actor.actorId) : visible,
      filterConditions({ courseId, userId, status, progress }),
      ...others,
      ...(trainerId === undefined ? [] : [isOf(trainerId)]),
      condition,
    ],
  });
  if (members?.areFew) {
    const condition = searchKey(filter.search) === '' ? {} : isOfTrainee(core, filter.search ?? '');
    const where = ofAccounts({ [Op.and]: [members.byIndex, condition] });
    return { where: and(condition), maxCounted, parts: { parts: [{ where }], areFew: true } };
  }
  const narrow = isNarrow(actor, filter)
    ? { [Op.and]: [visible, filterConditions({ courseId, userId, trainerId })] }
    : undefined;
  const matching = await planTraineeSearch(core, filter.search, narrow);
  const where = and(matching.where);
  if (matching.parts) {
    // Finds accounts first, then their enrollments.
    return { ...matching, where, parts: narrowParts(matching.parts, ofAccounts) };
  }
  if (narrow || searchKey(filter.search) !== '') return { ...matching, where };
  if (members)
    return {
      ...matching,
      where,
      parts: { parts: [{ where: ofAccounts({ [Op.and]: [members.byIndex] }) }], areFew: false },
    };
  if (progress === undefined) return { ...matching, where };
  // An index has the enrollments of each status in the order of dates.
  const statuses = status ?? enrollmentStatuses;
  const parts = statuses.map((one) => ({
    where: { progress, status: one, [Op.and]: inCourses },
    sortedBy: 'enrolledAt',
  }));
  return { ...matching, where, parts: { parts, areFew: false } };
}

/** Returns one page of the enrollments that the actor may see, newest first by default. @throws AppError `VALIDATION` */
export async function listEnrollments(core: Core, actor: Actor, query: unknown): Promise<Page<Enrollment>> {
  const listing = validate(enrollmentListingSchema, query);
  // All enrollments are too many to sort without an index.
  if (!isNarrow(actor, listing) && listing.sortBy !== 'enrolledAt') {
    throw validationError([
      {
        path: 'sortBy',
        code: 'NEEDS_OTHER_FIELD',
        params: { fields: ['courseId', 'userId', 'trainerId'] },
        message: 'sortBy must be enrolledAt unless courseId, userId or trainerId is given.',
      },
    ]);
  }
  const page = readPage(core, core.database.models.Enrollment, listing, {
    ...(await planEnrollmentSearch(core, actor, listing)),
    order: orderOf(listing),
    include: withUserAndCourse(core),
  });
  return withWaitingPlaces(core, page);
}

const cancelledLast: Order[number] = [literal("CASE WHEN Enrollment.status = 'cancelled' THEN 1 ELSE 0 END"), 'ASC'];

/** Returns one page of the caller's own enrollments, newest first by default. @throws AppError `VALIDATION` */
export async function listOwnEnrollments(core: Core, { user }: Caller, query: unknown): Promise<Page<Enrollment>> {
  const listing = validate(ownEnrollmentListingSchema, query);
  const { sequelize, models } = core.database;
  const { ended, search, sortBy } = listing;
  const day = today(core);
  const ofCourse = 'Enrollment.course_id';
  const page = readPage(core, models.Enrollment, listing, {
    where: {
      userId: user.id,
      ...filterConditions(listing),
      [Op.and]: [
        ...scanConditions(core, search).map((matches) => refersToRowByLookup(ofCourse, models.Course, matches)),
        ...(ended === 'all'
          ? []
          : [refersToRowByLookup(ofCourse, models.Course, courseHasEnded(ended === 'true', day))]),
      ],
    },
    order: sortBy === 'soonest' ? [cancelledLast, ...soonestFirst(sequelize, day, ofCourse)] : orderOf(listing),
    include: [...withCourseSummary(core), certificateJoin(core)],
  });
  return withWaitingPlaces(core, page);
}

/** Finds an enrollment that the actor may see. @throws AppError `NOT_FOUND` */
export async function findEnrollment(core: Core, actor: Identity, id: string): Promise<Enrollment> {
  const enrollment = await core.database.read(() =>
    core.database.models.Enrollment.findOne({
      where: { [Op.and]: [{ id }, visibleTo(actor)] },
      include: withUserAndCourse(core),
    }),
  );
  if (!enrollment) throw notFound('Enrollment');
  await addWaitingPlaces(core, [enrollment]);
  return enrollment;
}

/** @throws AppError `NOT_FOUND`, `OTHER_TRAINER` */
export async function assertManagesCourse(core: Core, actor: Actor, courseId: string): Promise<void> {
  const course = await core.database.read(() => core.database.models.Course.findByPk(courseId));
  if (!course) throw notFound('Course');
  assertManages(actor, course);
}

/**
 * Returns one page of a course's trainees with their enrollments, newest first by default.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`
 */
export async function listCourseTrainees(
  core: Core,
  actor: Actor,
  courseId: string,
  query: unknown,
): Promise<Page<Enrollment>> {
  const listing = validate(courseTraineeListingSchema, query);
  const { sequelize, models } = core.database;
  const { search, sortBy, sortOrder } = listing;
  const byLastName: Order = [
    [lastNameKeyOf(sequelize, 'Enrollment.user_id'), sortOrder],
    ['id', sortOrder],
  ];
  const scope = actor.role === 'super_admin' ? {} : { trainerId: actor.actorId };
  const page = readPage(core, models.Enrollment, listing, {
    where: {
      courseId,
      ...scope,
      ...filterConditions(listing),
      ...(search !== undefined && searchKey(search) !== '' && isOfTrainee(core, search)),
    },
    order: sortBy === 'lastName' ? byLastName : orderOf({ sortBy, sortOrder }),
    include: withUser(core),
    // Without rows, the course may be missing or another trainer's: this throws the reason.
    ifNone: () => assertManagesCourse(core, actor, courseId),
  });
  return withWaitingPlaces(core, page);
}

/** Matches the active trainees who can be enrolled in a course. Nobody can, if another trainer has the course. */
function isAvailableFor({ database: { sequelize } }: Core, actor: Actor, courseId: string) {
  const trainerId = actor.role === 'super_admin' ? undefined : actor.actorId;
  const isManaged = courseExists(sequelize, courseId, trainerId);
  const isFree = isNotEnrolled(sequelize, 'User.id', courseId, enrolledStatuses);
  // The condition on enrollments comes last: it is checked only for accounts that match the given condition.
  return (condition: WhereOptions<User>): WhereOptions<User> => ({
    [Op.and]: [{ role: 'trainee', isActive: true }, isManaged, condition, isFree],
  });
}

const byName = orderOf({ sortBy: 'lastName', sortOrder: 'ASC' });

/**
 * Returns one page of the active trainees who can be enrolled in a course, by name.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`
 */
export async function listAvailableTrainees(core: Core, actor: Actor, query: unknown): Promise<Page<User>> {
  const listing = validate(availableTraineeListingSchema, query);
  const { courseId, group, search } = listing;
  const found = await planAccountSearch(core, search, { among: { role: 'trainee' } });
  return readPage(core, core.database.models.User, listing, {
    ...narrowSearch(await narrowToMembers(core, found, group), isAvailableFor(core, actor, courseId)),
    order: byName,
    ifNone: () => assertManagesCourse(core, actor, courseId),
  });
}

/**
 * Finds the trainees with given emails who can be enrolled in a course, by name.
 * @returns also the other emails as given. The reason isn't said: managers of a course learn nothing about other accounts.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`
 */
export async function findAvailableTrainees(
  core: Core,
  actor: Actor,
  input: unknown,
): Promise<{ trainees: User[]; unavailable: string[] }> {
  const { courseId, emails } = validate(traineeLookupSchema, input);
  const { database } = core;
  const given = new Map(emails.map((email) => [normalizeEmail(email), email]));
  const where = isAvailableFor(core, actor, courseId)({ email: [...given.keys()] });
  const trainees = await database.read(() => database.models.User.findAll({ where, order: byName }));
  if (trainees.length === 0) await assertManagesCourse(core, actor, courseId);
  for (const { email } of trainees) given.delete(email);
  return { trainees, unavailable: [...given.values()] };
}
