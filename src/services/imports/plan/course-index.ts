import { validationError } from '../../../errors.js';
import type { Core } from '../../core.js';
import { coursesNamed, findCourseNamed } from '../../courses/names.js';
import type { CourseReference } from './outcomes.js';

type FoundCourse = CourseReference | 'unknown' | 'ambiguous';

/** Why no course matches a name. */
export const courseProblems = {
  unknown: 'Course: there is none with this id or title.',
  ambiguous: 'Course: there are several with this title. Name it by its id.',
} as const;

const referenceTo = ({ id, trainerId, maxStudents }: CourseReference): CourseReference => ({
  id,
  trainerId,
  maxStudents,
});

/** The courses that a file names, by id or by title, each looked up once. */
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
    const named = await coursesNamed(this.#core, unknown);
    for (const name of unknown) {
      const [course, another] = named.get(name) ?? [];
      this.#found.set(name, !course ? 'unknown' : another ? 'ambiguous' : referenceTo(course));
    }
  }

  /** A course that was loaded. */
  get(name: string): FoundCourse {
    return this.#found.get(name) ?? 'unknown';
  }
}

/** The course that all trainees of a file are enrolled in. @throws AppError `VALIDATION` when no course matches, or more than one */
export async function defaultCourse(core: Core, name: string | undefined): Promise<CourseReference | null> {
  if (name === undefined) return null;
  const course = await findCourseNamed(core, name);
  if (course) return referenceTo(course);
  throw validationError([{ path: 'course', message: courseProblems.unknown }]);
}
