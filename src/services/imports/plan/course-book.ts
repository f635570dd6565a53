import { Op } from 'sequelize';
import { validationError } from '../../../errors.js';
import { seatStatuses } from '../../capacity.js';
import type { Core } from '../../core.js';
import { idIn } from '../../ids.js';
import type { CourseReference } from './outcomes.js';

type Found = CourseReference | 'unknown' | 'ambiguous';

/** The courses that a file names, by id or by title, each looked up once. What is spelled like an id is no title. */
export class CourseBook {
  readonly #found = new Map<string, Found>();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Looks up courses that haven't been met yet. */
  async load(names: Iterable<string>): Promise<void> {
    const unmet = [...new Set(names)].filter((name) => !this.#found.has(name));
    if (unmet.length === 0) return;
    const courses = await this.#core.database.read(() =>
      this.#core.database.models.Course.findAll({
        attributes: ['id', 'title', 'trainerId', 'maxStudents'],
        where: { [Op.or]: [{ id: unmet.flatMap((name) => idIn(name) ?? []) }, { title: unmet }] },
      }),
    );
    for (const name of unmet) {
      const wanted = idIn(name);
      const meant = courses.filter(({ id, title }) => (wanted === undefined ? title === name : id === wanted));
      const [course] = meant;
      this.#found.set(
        name,
        course === undefined
          ? 'unknown'
          : meant.length > 1
            ? 'ambiguous'
            : { id: course.id, trainerId: course.trainerId, maxStudents: course.maxStudents },
      );
    }
  }

  /** A course that was loaded. */
  get(name: string): Found {
    return this.#found.get(name) ?? 'unknown';
  }
}

/** The seats of courses that have a limit, as they are given to rows in their order. */
export class Seats {
  readonly #taken = new Map<string, number>();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Counts the taken seats of courses that haven't been met yet. */
  async load(courses: Iterable<CourseReference>): Promise<void> {
    const uncounted = new Set<string>();
    for (const { id, maxStudents } of courses) if (maxStudents !== null && !this.#taken.has(id)) uncounted.add(id);
    if (uncounted.size === 0) return;
    const { Enrollment } = this.#core.database.models;
    const counts = await this.#core.database.read(() =>
      Enrollment.count({ where: { courseId: [...uncounted], status: [...seatStatuses] }, group: ['courseId'] }),
    );
    for (const id of uncounted) this.#taken.set(id, 0);
    for (const { courseId, count } of counts) this.#taken.set(String(courseId), count);
  }

  /** Whether each of the courses has a seat left; takes it then. */
  take(courses: readonly CourseReference[]): boolean {
    const limited = courses.filter(({ maxStudents }) => maxStudents !== null);
    const full = limited.some(({ id, maxStudents }) => (this.#taken.get(id) ?? 0) >= (maxStudents ?? 0));
    if (!full) for (const { id } of limited) this.#taken.set(id, (this.#taken.get(id) ?? 0) + 1);
    return !full;
  }
}

/** The course that stands for every row. @throws AppError `VALIDATION` when there is none, or more than one */
export async function defaultCourse(courses: CourseBook, name: string | undefined): Promise<CourseReference | null> {
  if (name === undefined) return null;
  await courses.load([name]);
  const found = courses.get(name);
  if (typeof found === 'object') return found;
  const message =
    found === 'unknown'
      ? 'Course: there is none with this id or title.'
      : 'Course: there are several with this title. Name it by its id.';
  throw validationError([{ path: 'course', message }]);
}
