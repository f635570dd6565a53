import { col, fn, Op, type WhereOptions } from 'sequelize';
import { contains } from '../../db/dialect.js';
import type { Course } from '../../db/models/course.js';
import type { User } from '../../db/models/user.js';
import { notFound, validationError } from '../../errors.js';
import { courseListingSchema, trainerCourseListingSchema, trainerListingSchema } from '../../schemas/course.js';
import type { Role } from '../../schemas/fields.js';
import { searchKey } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { idIn } from '../ids.js';
import { orderOf, type Page, pageOf } from '../paging.js';

/** What is shown of a course's trainer. */
export const trainerSummary = ['id', 'firstName', 'lastName', 'avatar'];

/** Who looks at the catalogue; nobody in particular when not signed in. */
export type Viewer = { actorId: string | null; role: Role } | undefined;

/** Anybody sees published courses, a trainer their own too, the super admin all. */
function visibleTo(viewer: Viewer): WhereOptions<Course> {
  if (viewer?.role === 'super_admin') return {};
  if (viewer?.role === 'trainer') return { [Op.or]: [{ isPublished: true }, { trainerId: viewer.actorId ?? '' }] };
  return { isPublished: true };
}

function titled(core: Core, search: string | undefined): WhereOptions<Course> {
  if (!search) return {};
  return { [Op.and]: [contains(core.database.sequelize, 'Course.search_key', searchKey(search))] };
}

const withTrainer = (core: Core) => [{ model: core.database.models.User, as: 'trainer', attributes: trainerSummary }];

/** One page of the courses that the viewer may see. @throws AppError `VALIDATION` */
export async function listCourses(core: Core, viewer: Viewer, query: unknown): Promise<Page<Course>> {
  const listing = validate(courseListingSchema, query);
  const { category, level, courseType, trainerId, isPublished, search } = listing;
  const where: WhereOptions<Course> = {
    [Op.and]: [
      visibleTo(viewer),
      {
        ...(category !== undefined && { category }),
        ...(level !== undefined && { level }),
        ...(courseType !== undefined && { courseType }),
        ...(trainerId !== undefined && { trainerId }),
        ...(isPublished !== undefined && { isPublished }),
      },
      titled(core, search),
    ],
  };
  const include = withTrainer(core);
  return pageOf(core, core.database.models.Course, listing, { where, order: orderOf(listing), include });
}

/** @throws AppError `NOT_FOUND` when the id isn't a trainer's */
export async function assertTrainer(core: Core, trainerId: string): Promise<void> {
  const trainer = await core.database.read(() =>
    core.database.models.User.findOne({ attributes: ['id'], where: { id: trainerId, role: 'trainer' } }),
  );
  if (!trainer) throw notFound('Trainer');
}

/**
 * One page of a trainer's courses (specification, section 4.12).
 * @throws AppError `VALIDATION`, `NOT_FOUND` when there is no such trainer
 */
export async function listTrainerCourses(
  core: Core,
  viewer: NonNullable<Viewer>,
  trainerId: string,
  query: unknown,
): Promise<Page<Course>> {
  const listing = validate(trainerCourseListingSchema, query);
  const { isPublished, search } = listing;
  return pageOf(core, core.database.models.Course, listing, {
    where: { trainerId, ...(isPublished !== undefined && { isPublished }), ...titled(core, search) },
    order: orderOf(listing),
    include: withTrainer(core),
    // A trainer asks for their own, and is there.
    ifNone: viewer.role !== 'trainer' && (() => assertTrainer(core, trainerId)),
  });
}

/** Whether a trainee takes part in a course: what only those may see who do. */
export async function isActiveTrainee(core: Core, userId: string, courseId: string): Promise<boolean> {
  const { Enrollment } = core.database.models;
  const where = { userId, courseId, status: 'active' };
  return (await core.database.read(() => Enrollment.count({ where }))) > 0;
}

/**
 * A course with its trainer: an unpublished one is there for its trainer, the super admin and its active trainees only.
 * @throws AppError `NOT_FOUND`
 */
export async function findCourse(core: Core, viewer: NonNullable<Viewer>, id: string): Promise<Course> {
  const course = await core.database.read(() =>
    core.database.models.Course.findByPk(id, { include: withTrainer(core) }),
  );
  if (!course) throw notFound('Course');
  const { actorId, role } = viewer;
  if (course.isPublished || role === 'super_admin' || course.trainerId === actorId) return course;
  if (role === 'trainee' && actorId !== null && (await isActiveTrainee(core, actorId, id))) return course;
  throw notFound('Course');
}

/** So many ids are named where a title stands for several courses. */
const mostNamed = 10;

/**
 * The course that an id or an exact title means, if there is one. Trainers choose titles: what is spelled like an id is one.
 * @throws AppError `VALIDATION` for a title of several courses, naming their ids
 */
export async function findCourseNamed(core: Core, reference: string): Promise<Course | undefined> {
  const { Course } = core.database.models;
  const name = reference.trim();
  const id = idIn(name);
  if (id !== undefined) return (await core.database.read(() => Course.findByPk(id))) ?? undefined;
  const found = await core.database.read(() => Course.findAll({ where: { title: name }, order: ['id'] }));
  // Databases compare more loosely.
  const titled = found.filter(({ title }) => title === name);
  if (titled.length < 2) return titled[0];
  const ids = titled.slice(0, mostNamed).map((course) => course.id);
  const more = titled.length > mostNamed ? ` and ${titled.length - mostNamed} more` : '';
  const message = `Course: there are several with this title. Name it by its id: ${ids.join(', ')}${more}.`;
  throw validationError([{ path: 'course', message }]);
}

/** The order of a dictionary, the same whatever the database or the place: bytes would put "apples" after "Zoology". */
const alphabetical = new Intl.Collator('en');

/** The categories of the courses that the viewer may see, in alphabetical order. */
export async function listCategories(core: Core, viewer: Viewer): Promise<string[]> {
  const courses = await core.database.read(() =>
    core.database.models.Course.findAll({
      attributes: ['category'],
      where: { [Op.and]: [visibleTo(viewer), { category: { [Op.ne]: null } }] },
      group: ['category'],
    }),
  );
  return courses.flatMap(({ category }) => category ?? []).sort(alphabetical.compare);
}

/** One page of the trainers who can be given a course: the active ones, by name. @throws AppError `VALIDATION` */
export async function listAvailableTrainers(core: Core, query: unknown): Promise<Page<User>> {
  const listing = validate(trainerListingSchema, query);
  const where: WhereOptions<User> = { role: 'trainer', isActive: true };
  const sought = searchKey(listing.search);
  return pageOf(core, core.database.models.User, listing, {
    where: { ...where, ...(sought && { [Op.and]: [contains(core.database.sequelize, 'User.search_key', sought)] }) },
    order: [
      ['lastName', 'ASC'],
      ['id', 'ASC'],
    ],
  });
}

/** Figures of the courses that somebody answers for. */
export interface CourseStatistics {
  total: number;
  published: number;
  unpublished: number;
  featured: number;
  byCategory: { category: string | null; count: number }[];
}

/** Figures of a trainer's own courses; of all for the super admin. */
export async function courseStatistics(core: Core, viewer: NonNullable<Viewer>): Promise<CourseStatistics> {
  const { Course } = core.database.models;
  const groups = await core.database.read(() =>
    Course.findAll({
      attributes: ['category', 'isPublished', 'isFeatured', [fn('COUNT', col('id')), 'count']],
      where: viewer.role === 'super_admin' ? {} : { trainerId: viewer.actorId ?? '' },
      group: ['category', 'isPublished', 'isFeatured'],
    }),
  );
  const figures: CourseStatistics = { total: 0, published: 0, unpublished: 0, featured: 0, byCategory: [] };
  const byCategory = new Map<string | null, number>();
  for (const group of groups) {
    const count = Number(group.get('count'));
    figures.total += count;
    figures[group.isPublished ? 'published' : 'unpublished'] += count;
    if (group.isFeatured) figures.featured += count;
    byCategory.set(group.category, (byCategory.get(group.category) ?? 0) + count);
  }
  figures.byCategory = [...byCategory]
    .map(([category, count]) => ({ category, count }))
    // Those without a category come first.
    .sort((a, b) => alphabetical.compare(a.category ?? '', b.category ?? ''));
  return figures;
}
