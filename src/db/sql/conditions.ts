import {
  type Attributes,
  literal,
  type Model,
  type ModelStatic,
  Op,
  type Sequelize,
  Utils,
  type WhereOptions,
} from 'sequelize';
import { sqlLiteral } from '../dialect.js';
import type { Course } from '../models/course.js';
import type { Session } from '../models/session.js';
import type { User } from '../models/user.js';
import { internalsOf } from '../sequelize/internals.js';

/**
 * Returns the SQL of a condition on a model's rows; may be empty.
 * @param alias quoted name of the table in the query
 */
export function whereSql(model: ModelStatic<Model>, where: WhereOptions, alias: string): string {
  // A condition that is SQL names columns, not attributes.
  const mapped = where instanceof Utils.SequelizeMethod ? where : Utils.mapWhereFieldNames(where, model);
  if (!model.sequelize) throw new Error('The model has no connection.');
  return internalsOf(model.sequelize).getQueryInterface().queryGenerator.getWhereConditions(mapped, alias, model);
}

/** Conditions with their own SQL, for the `where` of queries. Sequelize escapes the values. */

/** Matches rows whose `column` contains `text`. `%` and `_` have no special meaning. */
export function contains(sequelize: Sequelize, column: string, text: string) {
  return sequelize.where(sequelize.fn('INSTR', sequelize.col(column), text), Op.gt, 0);
}

/**
 * Matches rows whose `column` is the id of a row of a model that meets a condition. Looks up the referenced row for each
 * row of the query: use it for conditions that many rows meet.
 */
export function refersToRowByLookup<M extends Model>(
  column: string,
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
) {
  const alias = `\`${model.name}\``;
  const found = `SELECT 1 FROM \`${model.tableName}\` AS ${alias} WHERE ${alias}.\`id\` = ${column} AND ${whereSql(model, where, alias)}`;
  // Not EXISTS: databases may rewrite it and start with the many matching rows.
  return literal(`(${found} LIMIT 1) = 1`);
}

/**
 * Matches rows whose `column` is the id of a row of a model that meets a condition. Collects the matching ids first: use
 * it for conditions with an index.
 */
export function refersToRowByIndex<M extends Model>(
  column: string,
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
) {
  const alias = `\`${model.name}\``;
  const found = `FROM \`${model.tableName}\` AS ${alias} WHERE ${whereSql(model, where, alias)}`;
  return literal(`${column} IN (SELECT ${alias}.\`id\` ${found})`);
}

/** Matches rows whose `column` is the id of a member of a group. Collects the members first: use it for few members. */
export const isMemberByIndex = (sequelize: Sequelize, column: string, groupId: string) =>
  literal(`${column} IN (SELECT user_id FROM group_members WHERE group_id = ${sequelize.escape(groupId)})`);

/** Returns the table with the ids of a group's members. */
export const memberIds = (sequelize: Sequelize, groupId: string) => ({
  table: 'group_members',
  column: 'group_members.user_id',
  where: `group_members.group_id = ${sequelize.escape(groupId)}`,
});

/** Matches the same rows as {@link isMemberByIndex}. Looks up each row of the query: use it for many members. */
export const isMemberByLookup = (sequelize: Sequelize, column: string, groupId: string) =>
  literal(
    `(SELECT 1 FROM group_members WHERE group_id = ${sequelize.escape(groupId)} AND user_id = ${column} LIMIT 1) = 1`,
  );

/** Matches courses with seats left, or full courses. Counts enrollments of `statuses`, which take a seat, in an index. */
export function hasSeatsLeft(sequelize: Sequelize, seatsLeft: boolean, statuses: readonly string[]) {
  const where = `course_id = \`Course\`.\`id\` AND ${statusIn(sequelize, statuses)}`;
  const taken = `(SELECT COUNT(*) FROM enrollments WHERE ${where})`;
  const limit = '`Course`.`max_students`';
  return literal(seatsLeft ? `(${limit} IS NULL OR ${limit} > ${taken})` : `${limit} <= ${taken}`);
}

/**
 * Returns an order: upcoming courses by their first day, then running courses, then courses without a first day, then
 * ended courses. Enrollments begin with running courses: their trainees take part now. Ties are sorted by id, newest
 * first. Doesn't depend on how the database sorts NULL.
 * @param ofCourse column with a course's id; omitted if the rows are courses
 */
export function soonestFirst(
  sequelize: Sequelize,
  today: string,
  ofCourse?: string,
): [by: string | Utils.Literal, direction: 'ASC' | 'DESC'][] {
  const table = ofCourse === undefined ? '`Course`' : 'courses';
  const value = (sql: string) =>
    literal(ofCourse === undefined ? sql : `(SELECT ${sql} FROM courses WHERE courses.id = ${ofCourse})`);
  const isBefore = (column: string) => `${table}.${column} < ${sequelize.escape(today)}`;
  const groups = [
    `WHEN ${isBefore('end_date')} THEN 3`,
    `WHEN ${table}.start_date IS NULL THEN 2`,
    ...(ofCourse === undefined ? [`WHEN ${isBefore('start_date')} THEN 1`] : []),
  ];
  return [
    [value(`CASE ${groups.join(' ')} ELSE 0 END`), 'ASC'],
    [value(`${table}.start_date`), 'ASC'],
    ['id', 'DESC'],
  ];
}

/** Matches courses whose last day is over; all other courses if `ended` is false. */
export const courseHasEnded = (ended: boolean, today: string): WhereOptions<Course> =>
  ended ? { endDate: { [Op.lt]: today } } : { [Op.or]: [{ endDate: null }, { endDate: { [Op.gte]: today } }] };

/** Matches courses whose first day is from `first` to `last`, as `YYYY-MM-DD`. */
export const courseStarts = (first: string, last: string): WhereOptions<Course> => ({
  startDate: { [Op.between]: [first, last] },
});

/** Returns the SQL that counts the requests for a course of the query. An index contains all that it reads. */
export const openRequests = (sequelize: Sequelize): string =>
  `(SELECT COUNT(*) FROM enrollments WHERE course_id = \`Course\`.\`id\` AND ${statusIn(sequelize, ['pending'])})`;

/**
 * Matches accounts by role, required password change and activation. COALESCE keeps databases from using an index for
 * this condition: they would look up and sort all matches. Use it if another index finds the accounts, or if rows are
 * read in the order of a page.
 */
export function hasAccountState({
  role,
  requiresPasswordChange,
  isActive,
}: {
  role: User['role'] | undefined;
  requiresPasswordChange: boolean | undefined;
  isActive: boolean | undefined;
}) {
  const isFlag = (column: string, flag: boolean | undefined) =>
    flag === undefined ? [] : [`COALESCE(\`User\`.\`${column}\`, 0) = ${Number(flag)}`];
  const conditions = [
    ...(role === undefined ? [] : [`COALESCE(\`User\`.\`role\`, '') = '${role}'`]),
    ...isFlag('requires_password_change', requiresPasswordChange),
    ...isFlag('is_active', isActive),
  ];
  return literal(conditions.length === 0 ? '1 = 1' : conditions.join(' AND '));
}

/**
 * Matches published courses, and all courses of a trainer. COALESCE keeps databases from looking these courses up in two
 * indexes and sorting them. Most courses match, so they are read in the order of the page.
 */
export function isPublishedOrTaughtBy(sequelize: Sequelize, trainerId: string) {
  return sequelize.literal(
    `(COALESCE(\`Course\`.\`is_published\`, 0) = 1 OR \`Course\`.\`trainer_id\` = ${sequelize.escape(trainerId)})`,
  );
}

/**
 * Generated column with the sort key of active trainers. Its index lists them in the order of their last names. Null
 * for all other accounts. The model doesn't declare the column.
 */
export const trainerKey = literal('`User`.`trainer_key`');

/** Matches active trainers, who have a key. Compares with '' instead of IS NOT NULL, for which SQLite scans all rows. */
export const isActiveTrainer = literal("`User`.`trainer_key` >= ''");

/**
 * Matches enrollments in a trainer's courses. COALESCE makes databases use another index, because a trainer may have very
 * many enrollments.
 */
export const isInCourseOfTrainer = (sequelize: Sequelize, trainerId: string) =>
  literal(`COALESCE(\`Enrollment\`.\`trainer_id\`, '') = ${sequelize.escape(trainerId)}`);

/**
 * Matches enrollments with a progress. COALESCE makes databases use the index of trainer and status, which contains the
 * progress. The index of progress doesn't contain the trainer.
 */
export const hasProgress = (progress: number) => literal(`COALESCE(\`Enrollment\`.\`progress\`, 0) = ${progress}`);

export function hasLedger(sequelize: Sequelize) {
  return sequelize.literal('EXISTS (SELECT 1 FROM import_rows WHERE import_id = Import.id)');
}

/** SQL for the sort key of the last name of the account whose id is in `column`. */
export function lastNameKeyOf(sequelize: Sequelize, column: string) {
  return sequelize.literal(`(SELECT last_name_key FROM users WHERE users.id = ${column})`);
}

/** Condition that a course exists; with `trainerId`, that the course is this trainer's. */
export function courseExists(sequelize: Sequelize, courseId: string, trainerId?: string) {
  const owned = trainerId === undefined ? '' : ` AND trainer_id = ${sequelize.escape(trainerId)}`;
  return sequelize.literal(`EXISTS (SELECT 1 FROM courses WHERE id = ${sequelize.escape(courseId)}${owned})`);
}

const statusIn = (sequelize: Sequelize, statuses: readonly string[]) =>
  `status IN (${statuses.map((status) => sequelize.escape(status)).join(', ')})`;

/** Condition that an account has an enrollment in a course with one of these statuses. */
export function enrollmentExists(
  sequelize: Sequelize,
  { courseId, userId }: { courseId: string; userId: string },
  statuses: readonly string[],
) {
  const [course, user] = [sequelize.escape(courseId), sequelize.escape(userId)];
  const where = `course_id = ${course} AND user_id = ${user} AND ${statusIn(sequelize, statuses)}`;
  return sequelize.literal(`EXISTS (SELECT 1 FROM enrollments WHERE ${where})`);
}

/** Matches the sessions of an account except the `most` newest. The session `newestId` counts as the newest. */
export function isBeyondNewest(
  sequelize: Sequelize,
  { userId, newestId, most }: { userId: string; newestId: string; most: number },
): WhereOptions<Session> {
  const newest = `SELECT id FROM sessions WHERE user_id = ${sequelize.escape(userId)}
    ORDER BY id = ${sequelize.escape(newestId)} DESC, created_at DESC, id DESC LIMIT ${most}`;
  // MySQL can read the table that it deletes from only in a derived table.
  return { userId, id: { [Op.notIn]: literal(`(SELECT id FROM (${newest}) AS newest)`) } };
}

/** Range of ends of locks: later than `after`, and at the latest at `until`. */
export interface LockEndRange {
  after: Date;
  until: Date;
}

export function lockEndsWithin(sequelize: Sequelize, { after, until }: LockEndRange): string {
  const literal = sqlLiteral(sequelize);
  return `locked_until > ${literal(after)} AND locked_until <= ${literal(until)}`;
}

/** Matches rows whose `column` is the id of a locked account, locked everywhere or from an address. */
export function refersToLockedAccount(sequelize: Sequelize, column: string, inForce: LockEndRange) {
  const locked = `SELECT account_id FROM login_throttle WHERE ${lockEndsWithin(sequelize, inForce)}`;
  return sequelize.where(sequelize.col(column), Op.in, sequelize.literal(`(${locked})`));
}

/** SQL for the index of the last moment that isn't after `column`. The moments must be in ascending order. */
export function periodIndex(sequelize: Sequelize, column: string, moments: readonly Date[]) {
  const cases = moments.map((moment, index) => `WHEN ${column} >= ${sequelize.escape(moment)} THEN ${index}`).reverse();
  return sequelize.literal(`CASE ${cases.join(' ')} END`);
}

/** Matches rows whose `column` is the id of an account without an enrollment in a course with one of these statuses. */
export function isNotEnrolled(sequelize: Sequelize, column: string, courseId: string, statuses: readonly string[]) {
  const where = `course_id = ${sequelize.escape(courseId)} AND ${statusIn(sequelize, statuses)}`;
  const enrolled = `SELECT user_id FROM enrollments WHERE ${where}`;
  return sequelize.where(sequelize.col(column), Op.notIn, sequelize.literal(`(${enrolled})`));
}

/** SQL for the locks in force of the account (`User` in the query). */
const locksSql = (sequelize: Sequelize, inForce: LockEndRange) =>
  `FROM login_throttle WHERE account_id = \`User\`.\`id\` AND ${lockEndsWithin(sequelize, inForce)}`;

/** Matches the lock in force that ends last. Joins an account (`User` in the query) with its lock. */
export function isLatestLock(sequelize: Sequelize, inForce: LockEndRange) {
  const latest = `SELECT subject ${locksSql(sequelize, inForce)} ORDER BY locked_until DESC LIMIT 1`;
  return sequelize.where(sequelize.col('currentLock.subject'), sequelize.literal(`(${latest})`));
}

/** Matches accounts that are linked to an account of the organisation. @param isSetUp without its sign-in, none matches */
export const hasIdentity = (isSetUp: boolean) =>
  literal(isSetUp ? 'EXISTS (SELECT 1 FROM identities WHERE user_id = `User`.`id`)' : '1 = 0');

/** Matches accounts that are locked (everywhere or from an address), or accounts that are not. */
export function isLockedAccount(sequelize: Sequelize, inForce: LockEndRange, locked: boolean) {
  return sequelize.literal(`${locked ? '' : 'NOT '}EXISTS (SELECT 1 ${locksSql(sequelize, inForce)})`);
}
