import { Op, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { validationError } from '../../errors.js';
import { foldCase } from '../../schemas/keys.js';
import { sortKeyRange, titleMaximum } from '../../schemas/sort-key.js';
import { normalized } from '../../schemas/text.js';
import type { Core } from '../core.js';
import { parseId } from '../ids.js';
import { findIdEndingWith } from '../short-ids.js';

/** Returns the form in which titles are compared. Word processors insert other kinds of spaces into copied text. */
export const comparableTitle = (text: string) => foldCase(normalized(text.trim().replace(/\s+/g, ' '), 'NFC'));

/** Names per query. SQLite limits the depth of expressions, and each alternative adds a level. */
const batch = 500;

/** Columns that people need to choose between courses. */
const shownColumns = ['id', 'title', 'startDate', 'endDate', 'trainerId', 'maxStudents', 'waitingMax', 'isPublished'];

/**
 * Finds the courses for each name: by id, otherwise by exact title, otherwise by title, ignoring case and white space.
 * A name in the form of an id is never used as a title, because trainers could choose such titles.
 * @param trainerId searches only the courses of this trainer
 */
export async function findCoursesByName(
  core: Core,
  names: readonly string[],
  { trainerId }: { trainerId?: string } = {},
): Promise<Map<string, Course[]>> {
  const { Course, User } = core.database.models;
  const alternatives = names.map((name): WhereOptions<Course> => {
    const id = parseId(name);
    if (id !== undefined) return { id };
    const { from, below } = sortKeyRange(name.trim(), titleMaximum);
    return { titleKey: { [Op.gte]: from, [Op.lt]: below } };
  });
  // A map, because two spellings of a title can find the same course in different queries.
  const byId = new Map<string, Course>();
  for (let at = 0; at < alternatives.length; at += batch) {
    const courses = await core.database.read(() =>
      Course.findAll({
        attributes: shownColumns,
        where: { [Op.or]: alternatives.slice(at, at + batch), ...(trainerId !== undefined && { trainerId }) },
        include: [{ model: User, as: 'trainer', attributes: ['firstName', 'lastName'] }],
        order: ['id'],
      }),
    );
    for (const course of courses) byId.set(course.id, course);
  }
  const byTitle = new Map<string, Course[]>();
  for (const course of byId.values()) {
    const key = comparableTitle(course.title);
    byTitle.set(key, [...(byTitle.get(key) ?? []), course]);
  }
  return new Map(
    names.map((name) => {
      const id = parseId(name);
      if (id !== undefined) return [name, [byId.get(id) ?? []].flat()];
      const sameButCase = byTitle.get(comparableTitle(name)) ?? [];
      const same = sameButCase.filter(({ title }) => title === normalized(name.trim(), 'NFC'));
      return [name, same.length > 0 ? same : sameButCase];
    }),
  );
}

/** Finds courses by title, ignoring case and white space. */
export async function findCoursesByTitle(core: Core, title: string): Promise<Course[]> {
  const { from, below } = sortKeyRange(title.trim(), titleMaximum);
  const found = await core.database.read(() =>
    core.database.models.Course.findAll({
      attributes: ['id', 'title', 'startDate'],
      where: { titleKey: { [Op.gte]: from, [Op.lt]: below } },
      order: ['id'],
    }),
  );
  return found.filter((course) => comparableTitle(course.title) === comparableTitle(title));
}

/** Maximum number of courses in the error for an ambiguous title. */
const maxListed = 10;

function describeCandidate({ id, title, startDate, endDate, trainer }: Course): string {
  const dates = startDate === null ? 'no date' : [...new Set([startDate, endDate ?? startDate])].join(' to ');
  return `${id} (${title}, ${dates}${trainer ? `, ${trainer.firstName} ${trainer.lastName}` : ''})`;
}

/** Returns the message for a title of several courses, with their ids and dates. */
export function ambiguousTitleMessage(courses: readonly Course[]): string {
  const more = courses.length > maxListed ? ` and ${courses.length - maxListed} more` : '';
  const listed = courses.slice(0, maxListed).map(describeCandidate).join(', ');
  return `Course: there are several with this title. Name it by its id: ${listed}${more}.`;
}

/**
 * Finds a course by an id, a title (ignoring case), or the last 8 characters of an id.
 * @returns undefined if no course is found
 * @throws AppError `VALIDATION` for a title of several courses
 */
export async function findCourseByName(core: Core, reference: string): Promise<Course | undefined> {
  const found = (await findCoursesByName(core, [reference])).get(reference) ?? [];
  if (found.length === 0) {
    const id = await findIdEndingWith(core, 'Course', reference);
    return id === undefined ? undefined : (await findCoursesByName(core, [id])).get(id)?.[0];
  }
  if (found.length === 1) return found[0];
  throw validationError([{ path: 'course', code: 'AMBIGUOUS', message: ambiguousTitleMessage(found) }]);
}

export type NamedCourse = Pick<Course, 'id' | 'title' | 'startDate'>;

export function findNewestCourses({ database }: Core, limit: number): Promise<NamedCourse[]> {
  const { Course } = database.models;
  return database.read(() =>
    Course.findAll({ attributes: ['id', 'title', 'startDate'], order: [['id', 'DESC']], limit, raw: true }),
  );
}
