import { Op, type Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError } from '../../errors.js';
import { courseCreationSchema, type NewCourse } from '../../schemas/course.js';
import { type CourseField, courseFields, courseInputFields } from '../../schemas/course-fields.js';
import { foldCase } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import { findUser } from '../accounts/queries.js';
import { auditedCourse, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { removeMarkedFiles } from '../files/files.js';
import { parseId } from '../ids.js';
import { assertDatesInOrder, courseAuditRecord, insertCourse, lockActiveTrainer } from './commands.js';
import { applyCourseEffects } from './effects.js';
import { findCoursesByTitle } from './find-course.js';
import { listAvailableTrainers } from './queries.js';

/** Columns of a file that an import reads: fields of new courses, and their trainer. */
export const importedColumns = [...courseInputFields('create'), 'trainer', 'trainerId'] as const;
export type ImportedColumn = (typeof importedColumns)[number];

export interface CourseRow {
  line: number;
  cells: Partial<Record<ImportedColumn, string>>;
}

export type PlannedCourse = { line: number; title: string } & (
  | { outcome: 'create'; course: NewCourse & { trainerId: string }; isTitleKnown: boolean }
  | { outcome: 'exists' }
  | { outcome: 'rejected'; reason: string }
);

const [yes, no] = [
  ['true', 'yes', 'ja', '1'],
  ['false', 'no', 'nein', '0'],
];

/** Converts a cell for the schema. Invalid text stays unchanged, and the schema refuses it. */
function parseCell(field: CourseField, cell: string): unknown {
  switch (courseFields[field].column.type) {
    case 'number':
      return /^\d+$/.test(cell) ? Number(cell) : cell;
    case 'flag':
      return yes.includes(cell.toLowerCase()) || (no.includes(cell.toLowerCase()) ? false : cell);
    case 'list':
      return cell.split(',').map((word) => word.trim());
    case 'date': {
      const [, day = '', month = '', year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(cell) ?? [];
      if (year !== undefined) return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
      return cell.replace(/^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00)?$/, '$1');
    }
    default:
      return cell;
  }
}

/** Returns a function that finds active trainers by id, email, phone or name, with one query for each text. */
function trainerFinder(core: Core) {
  const found = new Map<string, Promise<User | AppError>>();
  async function lookUp(text: string): Promise<User | AppError> {
    const user = await findUser(core, text).catch((error: unknown) => {
      if (isAppError(error, 'NOT_FOUND', 'VALIDATION')) return undefined;
      throw error;
    });
    if (user?.role === 'trainer')
      return user.isActive ? user : new AppError('ACCOUNT_INACTIVE', `The trainer ${text} is inactive.`);
    const { items } = await listAvailableTrainers(core, { search: text, limit: 100 });
    const named = items.filter(({ firstName, lastName }) => foldCase(`${firstName} ${lastName}`) === foldCase(text));
    const [one] = named;
    if (one === undefined) return new AppError('NOT_FOUND', `There is no active trainer ${text}.`);
    if (named.length === 1) return one;
    return new AppError('NOT_FOUND', `Several trainers are called ${text}: give an email address.`);
  }
  return (text: string): Promise<User | AppError> => {
    const looked = found.get(text) ?? lookUp(text);
    found.set(text, looked);
    return looked;
  };
}

/** Returns the identity of a course for imports: its title and first day. */
const courseKey = ({ title, startDate = null }: Pick<NewCourse, 'title' | 'startDate'>) =>
  JSON.stringify([foldCase(title), startDate]);

/** Plans an import of courses without writing. @param trainerId trainer for rows without a trainer */
export async function planCourses(
  core: Core,
  rows: readonly CourseRow[],
  trainerId: string | undefined,
): Promise<PlannedCourse[]> {
  const findTrainer = trainerFinder(core);
  const lines = new Map<string, number>();

  async function trainerOf({ trainerId: id = '', trainer = '' }: CourseRow['cells']): Promise<string> {
    const byId = parseId(id) === undefined ? undefined : await findTrainer(id);
    if (byId !== undefined && !isAppError(byId)) return byId.id;
    const named = trainer === '' ? byId : await findTrainer(trainer);
    if (isAppError(named)) throw named;
    const found = named?.id ?? trainerId;
    if (found !== undefined) return found;
    throw new AppError('NOT_FOUND', 'The trainer is missing: fill in the column trainer, or add --trainer.');
  }

  async function plan({ line, cells }: CourseRow): Promise<PlannedCourse> {
    const { title = '' } = cells;
    try {
      const fields = courseInputFields('create').flatMap((field) => {
        const cell = cells[field];
        return cell === undefined ? [] : [[field, parseCell(field, cell)] as const];
      });
      const valid = validate(courseCreationSchema, Object.fromEntries(fields));
      assertDatesInOrder(valid);
      const course = { ...valid, trainerId: await trainerOf(cells) };
      const alike = await findCoursesByTitle(core, course.title);
      if (alike.some((one) => courseKey(one) === courseKey(course))) return { line, title, outcome: 'exists' };
      const earlier = lines.get(courseKey(course));
      if (earlier !== undefined)
        return {
          line,
          title,
          outcome: 'rejected',
          reason: `The row repeats the title and first day of line ${earlier}.`,
        };
      lines.set(courseKey(course), line);
      return { line, title, outcome: 'create', course, isTitleKnown: alike.length > 0 };
    } catch (error) {
      if (!isAppError(error, 'VALIDATION', 'NOT_FOUND', 'ACCOUNT_INACTIVE')) throw error;
      const reasons = error.details.map(({ message }) => message);
      return { line, title, outcome: 'rejected', reason: reasons.length > 0 ? reasons.join(' ') : error.message };
    }
  }

  const planned: PlannedCourse[] = [];
  for (const row of rows) planned.push(await plan(row));
  return planned;
}

/**
 * Creates unpublished courses, all or none.
 * @throws AppError `NOT_FOUND`, `ACCOUNT_INACTIVE` if a trainer has changed since the plan
 */
export async function importCourses(
  core: Core,
  actor: Actor,
  courses: readonly (NewCourse & { trainerId: string })[],
): Promise<Course[]> {
  return core.database.inTransaction(async (transaction) => {
    // Rows are locked in key order to avoid deadlocks.
    const trainers = [...new Set(courses.map(({ trainerId }) => trainerId))].sort();
    for (const id of trainers) await lockActiveTrainer(core, id, transaction);
    const created: Course[] = [];
    for (const course of courses) created.push(await insertCourse(core, course, transaction));
    // Entries of one call have the same time, by which an undo finds the courses of an import.
    const records = created.map((course) =>
      courseAuditRecord('course.import', course.id, { after: auditedCourse(course) }),
    );
    await recordAudit(core, actor, records, transaction);
    return created;
  });
}

/** Existing courses of the latest import. */
export interface LatestImport {
  at: Date;
  untouched: Course[];
  /** Courses that were changed or got enrollments since; an undo keeps them. */
  kept: Course[];
}

/** Returns the ids of courses that were changed or have enrollments. */
async function touchedIds({ database }: Core, ids: readonly string[], transaction?: Transaction): Promise<Set<string>> {
  const { AuditEntry, Enrollment } = database.models;
  const within = transaction ? { transaction } : {};
  const targetId = [...ids];
  const action = { [Op.ne]: 'course.import' };
  const entries = await AuditEntry.findAll({
    attributes: ['targetId'],
    where: { targetType: 'course', targetId, action },
    ...within,
  });
  const enrollments = await Enrollment.findAll({ attributes: ['courseId'], where: { courseId: targetId }, ...within });
  return new Set([...entries.flatMap((entry) => entry.targetId ?? []), ...enrollments.map(({ courseId }) => courseId)]);
}

/**
 * Finds the latest import with courses that still exist; undefined without one, or after its audit entries were deleted.
 */
export async function latestCourseImport(core: Core): Promise<LatestImport | undefined> {
  const { AuditEntry, Course } = core.database.models;
  return core.database.read(async () => {
    let below: Date | undefined;
    for (;;) {
      const where = { action: 'course.import', ...(below && { at: { [Op.lt]: below } }) };
      const latest = await AuditEntry.findOne({ attributes: ['at'], where, order: [['at', 'DESC']] });
      if (!latest) return undefined;
      const { at } = latest;
      const entries = await AuditEntry.findAll({ attributes: ['targetId'], where: { action: 'course.import', at } });
      const ids = entries.flatMap(({ targetId }) => targetId ?? []);
      const courses = await Course.findAll({ where: { id: ids }, order: ['id'] });
      if (courses.length > 0) {
        const touched = await touchedIds(core, ids);
        const isTouched = ({ id }: Course) => touched.has(id);
        return { at, untouched: courses.filter((one) => !isTouched(one)), kept: courses.filter(isTouched) };
      }
      below = at;
    }
  });
}

/**
 * Deletes those of the courses that still have no enrollments and no changes since the import.
 * @returns the deleted courses
 */
export async function undoCourseImport(core: Core, actor: Actor, ids: readonly string[]): Promise<Course[]> {
  const { Course } = core.database.models;
  const deleted = await core.database.inTransaction(async (transaction) => {
    const lock = transaction.LOCK.UPDATE;
    const locked = await Course.findAll({ where: { id: [...ids] }, order: ['id'], transaction, lock });
    const touched = await touchedIds(core, ids, transaction);
    const untouched = locked.filter(({ id }) => !touched.has(id));
    for (const course of untouched) {
      await course.destroy({ transaction });
      await applyCourseEffects(core, course.id, course, undefined, transaction); // effect: undo-of-course
    }
    const records = untouched.map((course) =>
      courseAuditRecord('course.undo-import', course.id, { before: auditedCourse(course) }),
    );
    await recordAudit(core, actor, records, transaction);
    return untouched;
  });
  for (const { id } of deleted) await removeMarkedFiles(core, { courseId: id });
  return deleted;
}
