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

/** The SQL of a condition of a model's rows, which may be empty. @param alias of its table, as it is quoted in the query */
export function whereSql(model: ModelStatic<Model>, where: WhereOptions, alias: string): string {
  // SQL that stands for a whole condition names columns, not attributes.
  const mapped = where instanceof Utils.SequelizeMethod ? where : Utils.mapWhereFieldNames(where, model);
  if (!model.sequelize) throw new Error('The model has no connection.');
  return internalsOf(model.sequelize).getQueryInterface().queryGenerator.getWhereConditions(mapped, alias, model);
}

/** Conditions that take SQL of their own, for the `where` of queries. Values are escaped by Sequelize. */

/** That `column` contains `text` literally: `%` and `_` have no special meaning. */
export function contains(sequelize: Sequelize, column: string, text: string) {
  return sequelize.where(sequelize.fn('INSTR', sequelize.col(column), text), Op.gt, 0);
}

/**
 * That `column` is the id of a row of `table` whose `search_key` contains `text`. The row is read for each one of the query,
 * which other conditions must have made few.
 */
export function refersToSearchMatch(sequelize: Sequelize, column: string, table: 'users' | 'courses', text: string) {
  const position = `SELECT INSTR(search_key, ${sequelize.escape(text)}) FROM ${table} WHERE id = ${column}`;
  return sequelize.literal(`(${position}) > 0`);
}

/** That `column` is the id of a row of a model. The row is read for each one of the query: for conditions that many meet. */
export function refersToRowByLookup<M extends Model>(
  column: string,
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
) {
  const alias = `\`${model.name}\``;
  const found = `SELECT 1 FROM \`${model.tableName}\` AS ${alias} WHERE ${alias}.\`id\` = ${column} AND ${whereSql(model, where, alias)}`;
  // Not as EXISTS, which databases may rewrite so that they begin with all of the many.
  return literal(`(${found} LIMIT 1) = 1`);
}

/** That `column` is the id of one of the rows of a model that a condition finds by an index. */
export function refersToRowByIndex<M extends Model>(
  column: string,
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
) {
  const alias = `\`${model.name}\``;
  const found = `FROM \`${model.tableName}\` AS ${alias} WHERE ${whereSql(model, where, alias)}`;
  return literal(`${column} IN (SELECT ${alias}.\`id\` ${found})`);
}

/** Matches courses with seats left, or full ones: enrollments of `statuses`, which take one, are counted in an index. */
export function hasSeatsLeft(sequelize: Sequelize, seatsLeft: boolean, statuses: readonly string[]) {
  const where = `course_id = \`Course\`.\`id\` AND ${statusIn(sequelize, statuses)}`;
  const taken = `(SELECT COUNT(*) FROM enrollments WHERE ${where})`;
  const limit = '`Course`.`max_students`';
  return literal(seatsLeft ? `(${limit} IS NULL OR ${limit} > ${taken})` : `${limit} <= ${taken}`);
}

/**
 * The order in which running and coming courses are first, those without a first day next and those that ended last, on every
 * database; the newest first where that says nothing.
 * @param ofCourse the column with the id of a course, where its rows belong to courses; the rows are courses where it is absent
 */
export function soonestFirst(
  sequelize: Sequelize,
  today: string,
  ofCourse?: string,
): [by: string | Utils.Literal, direction: 'ASC' | 'DESC'][] {
  const table = ofCourse === undefined ? '`Course`' : 'courses';
  const value = (sql: string) =>
    literal(ofCourse === undefined ? sql : `(SELECT ${sql} FROM courses WHERE courses.id = ${ofCourse})`);
  const hasEnded = `${table}.end_date < ${sequelize.escape(today)}`;
  return [
    [value(`CASE WHEN ${hasEnded} THEN 2 WHEN ${table}.start_date IS NULL THEN 1 ELSE 0 END`), 'ASC'],
    [value(`${table}.start_date`), 'ASC'],
    ['id', 'DESC'],
  ];
}

/** Matches courses whose last day is over, or those that are running or to come. */
export const courseHasEnded = (ended: boolean, today: string): WhereOptions<Course> =>
  ended ? { endDate: { [Op.lt]: today } } : { [Op.or]: [{ endDate: null }, { endDate: { [Op.gte]: today } }] };

/**
 * Matches accounts with a role, an initial password or an activation, for accounts found by another index or read in the order of a
 * page: databases would look up all that match and sort them, which COALESCE rules out.
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
 * Matches published courses, and those of a trainer. Most are: they are read in the order of a page, and must not be looked up in
 * two indexes and sorted, which COALESCE rules out.
 */
export function isPublishedOrTaughtBy(sequelize: Sequelize, trainerId: string) {
  return sequelize.literal(
    `(COALESCE(\`Course\`.\`is_published\`, 0) = 1 OR \`Course\`.\`trainer_id\` = ${sequelize.escape(trainerId)})`,
  );
}

/**
 * The generated column that the active trainers have, by which an index has them in the order of their last names. It is null
 * for all other accounts, and no query through the model may name it.
 */
export const trainerKey = literal('`User`.`trainer_key`');

/** Active trainers have a key. SQLite would look for what isn't null in all rows. */
export const isActiveTrainer = literal("`User`.`trainer_key` >= ''");

/** Matches enrollments in a trainer's courses, among those that another index finds: a trainer may have very many. */
export const isInCourseOfTrainer = (sequelize: Sequelize, trainerId: string) =>
  literal(`COALESCE(\`Enrollment\`.\`trainer_id\`, '') = ${sequelize.escape(trainerId)}`);

/** Matches enrollments with a progress. The index of their trainer and status has it: that of progress knows no trainers. */
export const hasProgress = (progress: number) => literal(`COALESCE(\`Enrollment\`.\`progress\`, 0) = ${progress}`);

/** Matches imports with rows in their ledger. */
export function hasLedger(sequelize: Sequelize) {
  return sequelize.literal('EXISTS (SELECT 1 FROM import_rows WHERE import_id = Import.id)');
}

/** The key of the last name of the account whose id is in `column`, to sort by. */
export function lastNameKeyOf(sequelize: Sequelize, column: string) {
  return sequelize.literal(`(SELECT last_name_key FROM users WHERE users.id = ${column})`);
}

/** Whether a course exists; with `trainerId`, whether it is this trainer's. */
export function courseExists(sequelize: Sequelize, courseId: string, trainerId?: string) {
  const owned = trainerId === undefined ? '' : ` AND trainer_id = ${sequelize.escape(trainerId)}`;
  return sequelize.literal(`EXISTS (SELECT 1 FROM courses WHERE id = ${sequelize.escape(courseId)}${owned})`);
}

const statusIn = (sequelize: Sequelize, statuses: readonly string[]) =>
  `status IN (${statuses.map((status) => sequelize.escape(status)).join(', ')})`;

/** Matches accounts with an enrollment in a course with one of these statuses. */
export function enrollmentExists(
  sequelize: Sequelize,
  { courseId, userId }: { courseId: string; userId: string },
  statuses: readonly string[],
) {
  const [course, user] = [sequelize.escape(courseId), sequelize.escape(userId)];
  const where = `course_id = ${course} AND user_id = ${user} AND ${statusIn(sequelize, statuses)}`;
  return sequelize.literal(`EXISTS (SELECT 1 FROM enrollments WHERE ${where})`);
}

/** Matches the sessions of an account but the `most` newest, `newestId` being the newest. */
export function isBeyondNewest(
  sequelize: Sequelize,
  { userId, newestId, most }: { userId: string; newestId: string; most: number },
): WhereOptions<Session> {
  const newest = `SELECT id FROM sessions WHERE user_id = ${sequelize.escape(userId)}
    ORDER BY id = ${sequelize.escape(newestId)} DESC, created_at DESC, id DESC LIMIT ${most}`;
  // MySQL reads the table that it deletes from in a derived table only.
  return { userId, id: { [Op.notIn]: literal(`(SELECT id FROM (${newest}) AS newest)`) } };
}

/** Locks that end later than one moment, and at another one at the latest. */
export interface LockEndRange {
  after: Date;
  until: Date;
}

/** Matches rows whose lock ends in this time. */
export function lockEndsWithin(sequelize: Sequelize, { after, until }: LockEndRange): string {
  const literal = sqlLiteral(sequelize);
  return `locked_until > ${literal(after)} AND locked_until <= ${literal(until)}`;
}

/** That `column` is the id of an account that is locked, as a whole or at an address. */
export function refersToLockedAccount(sequelize: Sequelize, column: string, inForce: LockEndRange) {
  const locked = `SELECT account_id FROM login_throttle WHERE ${lockEndsWithin(sequelize, inForce)}`;
  return sequelize.where(sequelize.col(column), Op.in, sequelize.literal(`(${locked})`));
}

/** The number of the last of these moments, in ascending order, that `column` isn't before; the first is 0. */
export function periodIndex(sequelize: Sequelize, column: string, moments: readonly Date[]) {
  const cases = moments.map((moment, index) => `WHEN ${column} >= ${sequelize.escape(moment)} THEN ${index}`).reverse();
  return sequelize.literal(`CASE ${cases.join(' ')} END`);
}

/** That `column` is the id of an account without an enrollment in a course with one of these statuses. */
export function isNotEnrolled(sequelize: Sequelize, column: string, courseId: string, statuses: readonly string[]) {
  const where = `course_id = ${sequelize.escape(courseId)} AND ${statusIn(sequelize, statuses)}`;
  const enrolled = `SELECT user_id FROM enrollments WHERE ${where}`;
  return sequelize.where(sequelize.col(column), Op.notIn, sequelize.literal(`(${enrolled})`));
}

/** The locks in force of the account in the row of a query of accounts. */
const locksSql = (sequelize: Sequelize, inForce: LockEndRange) =>
  `FROM login_throttle WHERE account_id = \`User\`.\`id\` AND ${lockEndsWithin(sequelize, inForce)}`;

/** Matches the lock that ends last of the account in the same row of a query. */
export function isLatestLock(sequelize: Sequelize, inForce: LockEndRange) {
  const latest = `SELECT subject ${locksSql(sequelize, inForce)} ORDER BY locked_until DESC LIMIT 1`;
  return sequelize.where(sequelize.col('currentLock.subject'), sequelize.literal(`(${latest})`));
}

/** Matches accounts that are locked, as a whole or at an address, or those that are not. */
export function isLockedAccount(sequelize: Sequelize, inForce: LockEndRange, locked: boolean) {
  return sequelize.literal(`${locked ? '' : 'NOT '}EXISTS (SELECT 1 ${locksSql(sequelize, inForce)})`);
}
