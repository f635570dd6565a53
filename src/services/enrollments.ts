import { Op, type Order, type WhereOptions } from 'sequelize';
import { contains } from '../db/dialect.js';
import type { Enrollment } from '../db/models/enrollment.js';
import { trainerEnrollmentListingSchema } from '../schemas/enrollment.js';
import { searchKey } from '../schemas/fields.js';
import { validate } from '../schemas/validate.js';
import type { Caller, Core } from './core.js';
import { assertTrainer } from './courses.js';
import { type Page, pageOf } from './paging.js';

/** The caller's active and pending enrollments, newest first, with their courses (specification, section 4.11). */
export async function currentEnrollments(core: Core, { user }: Caller): Promise<Enrollment[]> {
  const { Course, Enrollment, User } = core.database.models;
  return core.database.read(() =>
    Enrollment.findAll({
      where: { userId: user.id, status: ['active', 'pending'] },
      order: [
        ['enrolledAt', 'DESC'],
        ['id', 'DESC'],
      ],
      include: [
        {
          model: Course,
          as: 'course',
          attributes: ['id', 'title', 'thumbnail', 'description'],
          include: [{ model: User, as: 'trainer', attributes: ['id', 'firstName', 'lastName'] }],
        },
      ],
    }),
  );
}

/**
 * One page of the enrollments in a trainer's courses, newest first (specification, section 4.12).
 * @throws AppError `VALIDATION`, `NOT_FOUND` when there is no such trainer
 */
export async function listTrainerEnrollments(core: Core, trainerId: string, query: unknown): Promise<Page<Enrollment>> {
  const listing = validate(trainerEnrollmentListingSchema, query);
  const { Course, Enrollment, User } = core.database.models;
  const { sequelize } = core.database;
  const sought = searchKey(listing.search);
  const where: WhereOptions<Enrollment> = {
    trainerId,
    ...(listing.courseId !== undefined && { courseId: listing.courseId }),
    ...(listing.status !== undefined && { status: listing.status }),
    ...(sought && {
      [Op.or]: [contains(sequelize, 'user.search_key', sought), contains(sequelize, 'course.search_key', sought)],
    }),
  };
  const user = { model: User, as: 'user', attributes: ['id', 'firstName', 'lastName', 'email', 'avatar'] };
  const course = { model: Course, as: 'course', attributes: ['id', 'title', 'description', 'thumbnail'] };
  const order: Order = [
    ['enrolledAt', 'DESC'],
    ['id', 'DESC'],
  ];
  const page = await pageOf(core, listing, where, {
    // Only a search looks into the joined tables: every other count stays on the index.
    count: (filter) => Enrollment.count({ where: filter, ...(sought && { include: [user, course] }) }),
    // The page's ids first, from the index alone: joined before it is limited, every row of the trainer would be sorted.
    async rows(filter, window) {
      const joins = sought
        ? [
            { ...user, attributes: [] },
            { ...course, attributes: [] },
          ]
        : [];
      const ids = await Enrollment.findAll({
        attributes: ['id'],
        where: filter,
        ...window,
        order,
        include: joins,
        raw: true,
      });
      return Enrollment.findAll({ where: { id: ids.map(({ id }) => id) }, order, include: [user, course] });
    },
  });
  if (page.pagination.totalItems === 0) await assertTrainer(core, trainerId);
  return page;
}
