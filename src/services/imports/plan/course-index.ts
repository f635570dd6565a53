import { Op } from 'sequelize';
import { validationError } from '../../../errors.js';
import type { Core } from '../../core.js';
import { idIn } from '../../ids.js';
import type { CourseReference } from './outcomes.js';

type FoundCourse = CourseReference | 'unknown' | 'ambiguous';

/** Why no course matches a name. */
export const courseProblems = {
  unknown: 'Course: there is none with this id or title.',
  ambiguous: 'Course: there are several with this title. Name it by its id.',
} as const;

/** The courses that a file names, by id or by title, each looked up once. What is spelled like an id is no title. */
export class CourseIndex {
  readonly #found = new Map<string, FoundCourse>();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Looks up the names that were not looked up before. */
  async load(names: Iterable<string>): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => !this.#found.has(name));
    if (unknown.length === 0) return;
    const courses = await this.#core.database.read(() =>
      this.#core.database.models.Course.findAll({
        attributes: ['id', 'title', 'trainerId', 'maxStudents'],
        where: { [Op.or]: [{ id: unknown.flatMap((name) => idIn(name) ?? []) }, { title: unknown }] },
      }),
    );
    for (const name of unknown) {
      const wanted = idIn(name);
      const matches = courses.filter(({ id, title }) => (wanted === undefined ? title === name : id === wanted));
      const [course] = matches;
      this.#found.set(
        name,
        course === undefined
          ? 'unknown'
          : matches.length > 1
            ? 'ambiguous'
            : { id: course.id, trainerId: course.trainerId, maxStudents: course.maxStudents },
      );
    }
  }

  /** A course that was loaded. */
  get(name: string): FoundCourse {
    return this.#found.get(name) ?? 'unknown';
  }
}

/** The course that all trainees of a file are enrolled in. @throws AppError `VALIDATION` when no course matches, or more than one */
export async function defaultCourse(courses: CourseIndex, name: string | undefined): Promise<CourseReference | null> {
  if (name === undefined) return null;
  await courses.load([name]);
  const found = courses.get(name);
  if (typeof found === 'object') return found;
  throw validationError([{ path: 'course', message: courseProblems[found] }]);
}
