import { col, fn, literal, Op, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { openRequests } from '../../db/sql/conditions.js';
import type { Core, Identity } from '../core.js';
import { today } from '../dates.js';
import { addSeatCounts } from './capacity.js';
import { alphabetical, byStart } from './queries.js';

/** Matches a trainer's own courses, or all courses for the super admin. */
const managedBy = (viewer: Identity): WhereOptions<Course> =>
  viewer.role === 'super_admin' ? {} : { trainerId: viewer.actorId };

export interface CourseCounts {
  total: number;
  published: number;
  unpublished: number;
}

/** Counts a trainer's own courses, or all courses for the super admin. */
export async function countCourses(core: Core, viewer: Identity): Promise<CourseCounts> {
  const groups = await core.database.read(() =>
    core.database.models.Course.findAll({
      attributes: ['isPublished', [fn('COUNT', col('id')), 'count']],
      where: managedBy(viewer),
      group: ['isPublished'],
    }),
  );
  const count = (state: boolean) => Number(groups.find(({ isPublished }) => isPublished === state)?.get('count') ?? 0);
  const [published, unpublished] = [count(true), count(false)];
  return { total: published + unpublished, published, unpublished };
}

/** A course with the number of its requests. */
export interface CourseRequests {
  course: Pick<Course, 'id' | 'title' | 'startDate'>;
  waiting: number;
}

/** Returns the courses with the most requests: a trainer's own, or all for the super admin. */
export async function requestsByCourse(core: Core, viewer: Identity, limit: number): Promise<CourseRequests[]> {
  const requests = literal(openRequests(core.database.sequelize));
  const courses = await core.database.read(() =>
    core.database.models.Course.findAll({
      attributes: ['id', 'title', 'startDate', [requests, 'waiting']],
      where: managedBy(viewer),
      order: [
        [literal('waiting'), 'DESC'],
        ['id', 'ASC'],
      ],
      limit,
    }),
  );
  return courses
    .map((course) => ({
      course: { id: course.id, title: course.title, startDate: course.startDate },
      waiting: Number(course.get('waiting')),
    }))
    .filter(({ waiting }) => waiting > 0);
}

/** Number of courses that start soon, with their requests. */
export interface SoonCourses {
  courses: number;
  /** Courses among them with requests. */
  withRequests: number;
  requests: number;
}

/** Counts the courses that start within a number of days: a trainer's own, or all for the super admin. */
export async function countSoonCourses(core: Core, viewer: Identity, startsWithin: number): Promise<SoonCourses> {
  const found = await core.database.read(() =>
    core.database.models.Course.findAll({
      attributes: [[literal(openRequests(core.database.sequelize)), 'waiting']],
      where: { [Op.and]: [managedBy(viewer), ...byStart(core, startsWithin)] },
    }),
  );
  const requests = found.map((course) => Number(course.get('waiting'))).filter((waiting) => waiting > 0);
  return {
    courses: found.length,
    withRequests: requests.length,
    requests: requests.reduce((total, waiting) => total + waiting, 0),
  };
}

export interface NextCourse {
  course: Course;
  requests: number;
}

/** Returns a trainer's next course, with seats, that starts today or later; null for none. */
export async function nextCourse(core: Core, trainerId: string): Promise<NextCourse | null> {
  const course = await core.database.read(() =>
    core.database.models.Course.findOne({
      attributes: [
        ...(['id', 'title', 'startDate', 'endDate', 'courseType', 'location', 'maxStudents', 'isPublished'] as const),
        [literal(openRequests(core.database.sequelize)), 'waiting'],
      ],
      where: { trainerId, startDate: { [Op.gte]: today(core) } },
      order: [
        ['startDate', 'ASC'],
        ['id', 'ASC'],
      ],
    }),
  );
  if (!course) return null;
  await addSeatCounts(core, [course]);
  return { course, requests: Number(course.get('waiting')) };
}

export interface CourseStatistics {
  total: number;
  published: number;
  unpublished: number;
  featured: number;
  byCategory: { category: string | null; count: number }[];
}

/** Returns statistics of a trainer's own courses, or of all courses for the super admin. */
export async function courseStatistics(core: Core, viewer: Identity): Promise<CourseStatistics> {
  const { Course } = core.database.models;
  const groups = await core.database.read(() =>
    Course.findAll({
      attributes: ['category', 'isPublished', 'isFeatured', [fn('COUNT', col('id')), 'count']],
      where: managedBy(viewer),
      group: ['category', 'isPublished', 'isFeatured'],
    }),
  );
  const statistics: CourseStatistics = { total: 0, published: 0, unpublished: 0, featured: 0, byCategory: [] };
  const byCategory = new Map<string | null, number>();
  for (const group of groups) {
    const count = Number(group.get('count'));
    statistics.total += count;
    statistics[group.isPublished ? 'published' : 'unpublished'] += count;
    if (group.isFeatured) statistics.featured += count;
    byCategory.set(group.category, (byCategory.get(group.category) ?? 0) + count);
  }
  statistics.byCategory = [...byCategory]
    .map(([category, count]) => ({ category, count }))
    // Courses without a category come first.
    .sort((a, b) => alphabetical.compare(a.category ?? '', b.category ?? ''));
  return statistics;
}
