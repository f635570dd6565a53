import { Op, type WhereOptions } from 'sequelize';
import { contains } from '../db/dialect.js';
import type { Course } from '../db/models/course.js';
import { notFound } from '../errors.js';
import { trainerCourseListingSchema } from '../schemas/course.js';
import { searchKey } from '../schemas/fields.js';
import { validate } from '../schemas/validate.js';
import type { Core } from './core.js';
import { type Page, pageOf } from './paging.js';

/** What is shown of a course's trainer. */
const trainerSummary = ['id', 'firstName', 'lastName', 'avatar'];

/** @throws AppError `NOT_FOUND` when the id isn't a trainer's: asked only for an empty page, so that a full one costs no query more */
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
export async function listTrainerCourses(core: Core, trainerId: string, query: unknown): Promise<Page<Course>> {
  const listing = validate(trainerCourseListingSchema, query);
  const { Course, User } = core.database.models;
  const where: WhereOptions<Course> = {
    trainerId,
    ...(listing.isPublished !== undefined && { isPublished: listing.isPublished }),
    ...(listing.search && {
      [Op.and]: [contains(core.database.sequelize, 'Course.search_key', searchKey(listing.search))],
    }),
  };
  const page = await pageOf(core, listing, where, {
    count: (filter) => Course.count({ where: filter }),
    rows: (filter, window) =>
      Course.findAll({
        where: filter,
        ...window,
        order: [
          [listing.sortBy, listing.sortOrder],
          ['id', listing.sortOrder],
        ],
        include: [{ model: User, as: 'trainer', attributes: trainerSummary }],
      }),
  });
  if (page.pagination.totalItems === 0) await assertTrainer(core, trainerId);
  return page;
}
