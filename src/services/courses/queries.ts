import { Op, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { User } from '../../db/models/user.js';
import {
  courseHasEnded,
  courseStarts,
  hasSeatsLeft,
  isActiveTrainer,
  isPublishedOrTaughtBy,
  soonestFirst,
  trainerKey,
} from '../../db/sql/conditions.js';
import type { Order } from '../../db/sql/page.js';
import { notFound } from '../../errors.js';
import {
  type CourseDetails,
  type CourseFilter,
  courseDetailsSchema,
  courseListingSchema,
  trainerCourseListingSchema,
  trainerListingSchema,
} from '../../schemas/course.js';
import { participantStatuses, seatStatuses } from '../../schemas/enrollment-statuses.js';
import { searchKey } from '../../schemas/keys.js';
import type { EndedFilter, Sorting } from '../../schemas/listing.js';
import { validate } from '../../schemas/validate.js';
import { scanForAccounts } from '../accounts/search.js';
import type { Core, Identity } from '../core.js';
import { daysFromToday, today } from '../dates.js';
import { maxCounted, orderOf, type Page, readPage } from '../paging.js';
import { addSeatCounts } from './capacity.js';
import { scanConditions, searchConditions } from './search.js';

export const trainerSummary = ['id', 'firstName', 'lastName', 'avatar'];

/** Reader of the catalogue; undefined if not signed in. */
export type Viewer = Identity | undefined;

/**
 * Matches the courses that a viewer may see: published courses, for a trainer also their courses, and all for the super
 * admin.
 */
function visibleTo({ database }: Core, viewer: Viewer): WhereOptions<Course> {
  if (viewer?.role === 'super_admin') return {};
  if (viewer?.role === 'trainer') return { [Op.and]: [isPublishedOrTaughtBy(database.sequelize, viewer.actorId)] };
  return { isPublished: true };
}

/**
 * Returns the courses of {@link visibleTo} as disjoint parts. An index serves each part in the sort orders of the
 * catalogue.
 */
function visibleParts(viewer: Viewer): WhereOptions<Course>[] {
  const others = viewer?.role === 'trainer' ? { trainerId: viewer.actorId } : {};
  const maySeeMore = viewer?.role === 'super_admin' || viewer?.role === 'trainer';
  return [{ isPublished: true }, ...(maySeeMore ? [{ isPublished: false, ...others }] : [])];
}

async function addDetails(core: Core, { include }: CourseDetails, courses: readonly Course[]): Promise<void> {
  if (include?.includes('seats')) await addSeatCounts(core, courses);
}

const withTrainer = (core: Core) => [{ model: core.database.models.User, as: 'trainer', attributes: trainerSummary }];

/** Maximum count if counting reads the rows. */
const maxCountedByRow = 1000;

/** Maximum count if counting counts the enrollments of each course. */
const maxCountedBySeats = 250;

const maxCountedFor = ({ seatsLeft, search }: CourseFilter): number =>
  seatsLeft !== undefined ? maxCountedBySeats : search ? maxCountedByRow : maxCounted;

/** Matches courses with seats left, or full ones; undefined means all. */
const bySeats = ({ database: { sequelize } }: Core, seatsLeft: boolean | undefined): WhereOptions<Course>[] =>
  seatsLeft === undefined ? [] : [{ [Op.and]: [hasSeatsLeft(sequelize, seatsLeft, seatStatuses)] }];

/** Matches courses that have ended by today, or all others. */
const byEnd = (core: Core, ended: EndedFilter): WhereOptions<Course>[] =>
  ended === 'all' ? [] : [courseHasEnded(ended === 'true', today(core))];

/** Matches courses that start within a number of days; undefined means all. */
export const byStart = (core: Core, startsWithin: number | undefined): WhereOptions<Course>[] =>
  startsWithin === undefined ? [] : [courseStarts(...daysFromToday(core, startsWithin))];

/** Returns the order of a listing. `soonest` has only one direction. */
const courseOrder = (core: Core, listing: Sorting<string>): Order =>
  listing.sortBy === 'soonest' ? soonestFirst(core.database.sequelize, today(core)) : orderOf(listing);

/** Returns the condition for courses that match both `base` and a filter. */
export async function coursesMatching(
  core: Core,
  base: WhereOptions<Course>,
  { category, level, courseType, trainerId, isPublished, search, seatsLeft, ended, startsWithin }: CourseFilter,
): Promise<WhereOptions<Course>> {
  return {
    [Op.and]: [
      base,
      {
        ...(category !== undefined && { category }),
        ...(level !== undefined && { level }),
        ...(courseType !== undefined && { courseType }),
        ...(trainerId !== undefined && { trainerId }),
        ...(isPublished !== undefined && { isPublished }),
      },
      ...byEnd(core, ended),
      ...byStart(core, startsWithin),
      ...(await searchConditions(core, search)),
      ...bySeats(core, seatsLeft),
    ],
  };
}

/** Returns one page of the courses that the viewer may see. @throws AppError `VALIDATION` */
export async function listCourses(core: Core, viewer: Viewer, query: unknown): Promise<Page<Course>> {
  const listing = validate(courseListingSchema, query);
  const matching = await coursesMatching(core, {}, listing);
  const withFilter = (visible: WhereOptions<Course>) => ({ [Op.and]: [visible, matching] });
  const order = courseOrder(core, listing);
  const page = await readPage(core, core.database.models.Course, listing, {
    where: withFilter(visibleTo(core, viewer)),
    order,
    include: withTrainer(core),
    maxCounted: maxCountedFor(listing),
    // Seats are counted for every examined course, so the page and the total use one query.
    ...(listing.seatsLeft !== undefined && {
      parts: {
        parts: visibleParts(viewer).map((part) => ({ where: withFilter(part), sortedBy: order[0]?.[0] })),
        areFew: true,
      },
    }),
  });
  await addDetails(core, listing, page.items);
  return page;
}

/** @throws AppError `NOT_FOUND` if the id isn't a trainer's */
export async function assertTrainer(core: Core, trainerId: string): Promise<void> {
  const trainer = await core.database.read(() =>
    core.database.models.User.findOne({ attributes: ['id'], where: { id: trainerId, role: 'trainer' } }),
  );
  if (!trainer) throw notFound('Trainer');
}

/**
 * Returns one page of a trainer's courses (specification, section 4.12).
 * @throws AppError `VALIDATION`, `NOT_FOUND` if the trainer doesn't exist
 */
export async function listTrainerCourses(
  core: Core,
  viewer: NonNullable<Viewer>,
  trainerId: string,
  query: unknown,
): Promise<Page<Course>> {
  const listing = validate(trainerCourseListingSchema, query);
  const { isPublished } = listing;
  const own = { trainerId, ...(isPublished !== undefined && { isPublished }) };
  const page = await readPage(core, core.database.models.Course, listing, {
    where: {
      [Op.and]: [
        own,
        ...byEnd(core, listing.ended),
        ...byStart(core, listing.startsWithin),
        ...scanConditions(core, listing.search),
        ...bySeats(core, listing.seatsLeft),
      ],
    },
    order: courseOrder(core, listing),
    include: withTrainer(core),
    // Trainers list only their own courses, so the trainer exists.
    ifNone: viewer.role !== 'trainer' && (() => assertTrainer(core, trainerId)),
  });
  await addDetails(core, listing, page.items);
  return page;
}

export async function isActiveTrainee(core: Core, userId: string, courseId: string): Promise<boolean> {
  const { Enrollment } = core.database.models;
  const where = { userId, courseId, status: participantStatuses };
  return (await core.database.read(() => Enrollment.count({ where }))) > 0;
}

/**
 * Finds a course with its trainer. An unpublished course is visible only to its trainer, the super admin and its active
 * trainees.
 * @param query `{ include }`
 * @throws AppError `VALIDATION`, `NOT_FOUND`
 */
export async function findCourse(core: Core, viewer: Viewer, id: string, query: unknown = {}): Promise<Course> {
  const details = validate(courseDetailsSchema, query);
  const course = await findVisibleCourse(core, viewer, id);
  await addDetails(core, details, [course]);
  return course;
}

async function findVisibleCourse(core: Core, viewer: Viewer, id: string): Promise<Course> {
  const course = await core.database.read(() =>
    core.database.models.Course.findByPk(id, { include: withTrainer(core) }),
  );
  if (!course) throw notFound('Course');
  if (course.isPublished || viewer?.role === 'super_admin') return course;
  if (viewer && course.trainerId === viewer.actorId) return course;
  if (viewer?.role === 'trainee' && (await isActiveTrainee(core, viewer.actorId, id))) return course;
  throw notFound('Course');
}

/** Sorts independently of database and locale. Byte order would put "apples" after "Zoology". */
export const alphabetical = new Intl.Collator('en');

/** Returns the categories of the courses that the viewer may see, in alphabetical order. */
export async function listCategories(core: Core, viewer: Viewer): Promise<string[]> {
  const courses = await core.database.read(() =>
    core.database.models.Course.findAll({
      attributes: ['category'],
      where: { [Op.and]: [visibleTo(core, viewer), { category: { [Op.ne]: null } }] },
      group: ['category'],
    }),
  );
  return courses.flatMap(({ category }) => category ?? []).sort(alphabetical.compare);
}

/** Returns one page of active trainers, by name. A course can be assigned to any of them. @throws AppError `VALIDATION` */
export async function listAvailableTrainers(core: Core, query: unknown): Promise<Page<User>> {
  const listing = validate(trainerListingSchema, query);
  const { search } = listing;
  const matches = search === undefined || searchKey(search) === '' ? [] : [scanForAccounts(core, search)];
  return readPage(core, core.database.models.User, listing, {
    where: { [Op.and]: [isActiveTrainer, ...matches] },
    order: [
      [trainerKey, 'ASC'],
      ['id', 'ASC'],
    ],
    maxCounted,
  });
}
