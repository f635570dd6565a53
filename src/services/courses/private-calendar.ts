import { col, fn, Op, type Order, type WhereOptions } from 'sequelize';
import type { Calendar } from '../../db/models/calendar.js';
import type { Course } from '../../db/models/course.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { type EnrollmentStatus, participantStatuses } from '../../schemas/enrollment-statuses.js';
import { calendarUse, recordUse } from '../auth/last-use.js';
import { lockCaller } from '../auth/sessions.js';
import type { Caller, Core } from '../core.js';
import { newSecret, secretHash } from '../credentials/secrets.js';
import { calendarText, eventAttributes } from './calendar.js';

/** Times of the caller's private calendar address; null without an address. */
export type CalendarState = { [Key in 'createdAt' | 'lastUsedAt']: Calendar[Key] | null };

export async function showCalendar({ database }: Core, { user }: Caller): Promise<CalendarState> {
  const calendar = await database.read(() => database.models.Calendar.findByPk(user.id));
  return { createdAt: calendar?.createdAt ?? null, lastUsedAt: calendar?.lastUsedAt ?? null };
}

/**
 * Creates an address for the caller's calendar, which replaces the previous one.
 * @returns the key in the address; the database stores only its hash
 * @throws AppError `TOKEN_INVALID`
 */
export async function createCalendar(core: Core, caller: Caller): Promise<string> {
  const { Calendar } = core.database.models;
  const key = newSecret();
  await core.database.inTransaction(async (transaction) => {
    const { id: userId } = await lockCaller(core, caller, transaction);
    await Calendar.destroy({ where: { userId }, transaction });
    await Calendar.create({ userId, keyHash: secretHash(key), createdAt: core.now() }, { transaction });
  });
  return key;
}

/** Revokes the address of the caller's calendar, if any. */
export async function revokeCalendar({ database }: Core, { user }: Caller): Promise<void> {
  const where = { userId: user.id };
  await database.inTransaction((transaction) => database.models.Calendar.destroy({ where, transaction }));
}

/** Maximum number of courses in a calendar, latest dates first. It keeps a calendar below a megabyte. */
const maxCourses = 500;

/** Statuses of enrollments that appear as events. */
const shownStatuses = ['pending', 'active', 'completed'] as const satisfies readonly EnrollmentStatus[];

const hasDates: WhereOptions<Course> = {
  [Op.or]: [{ startDate: { [Op.ne]: null } }, { endDate: { [Op.ne]: null } }],
};

/** @param table alias of the courses in the query */
const latestFirst = (table: string): Order => [
  [fn('COALESCE', col(`${table}.start_date`), col(`${table}.end_date`)), 'DESC'],
  ['id', 'DESC'],
];

async function coursesOfTrainer({ database }: Core, trainerId: string) {
  const courses = await database.read(() =>
    database.models.Course.findAll({
      attributes: eventAttributes,
      where: { [Op.and]: [{ trainerId }, hasDates] },
      order: latestFirst('Course'),
      limit: maxCourses,
    }),
  );
  return courses.map((course) => ({ course }));
}

/** Reads a trainee's courses; unpublished ones only if the trainee takes part in them. */
async function coursesOfTrainee({ database }: Core, userId: string) {
  const { Course, Enrollment } = database.models;
  const enrollments = await database.read(() =>
    Enrollment.findAll({
      attributes: ['id', 'status'],
      where: {
        userId,
        status: shownStatuses,
        [Op.or]: [{ '$course.is_published$': true }, { status: participantStatuses }],
      },
      include: { model: Course, as: 'course', attributes: eventAttributes, where: hasDates },
      order: latestFirst('course'),
      limit: maxCourses,
    }),
  );
  return enrollments.flatMap(({ course, status }) => (course ? [{ course, isTentative: status === 'pending' }] : []));
}

/** Readers of a person's courses with dates, by role. */
const coursesOf: Readonly<Record<User['role'], typeof coursesOfTrainer | undefined>> = {
  trainee: coursesOfTrainee,
  trainer: coursesOfTrainer,
  super_admin: undefined,
};

/**
 * Returns the calendar of a private address, for the person's current role.
 * @throws AppError `NOT_FOUND` for an unknown or revoked key, an inactive account, or a role without courses
 */
export async function privateCalendar(core: Core, key: string): Promise<string> {
  const { Calendar, User } = core.database.models;
  const now = core.now();
  const where = { keyHash: secretHash(key) };
  const calendar = await core.database.read(() => Calendar.findOne({ where }));
  const user = calendar && (await core.database.read(() => User.findByPk(calendar.userId)));
  const read = user?.isActive ? coursesOf[user.role] : undefined;
  if (!calendar || !user || !read) throw new AppError('NOT_FOUND', 'Calendar not found.');
  const text = calendarText(core, await read(core, user.id), core.config.programme.name);
  await recordUse(core, { id: user.id, usedAt: calendar.lastUsedAt }, now, calendarUse);
  return text;
}
