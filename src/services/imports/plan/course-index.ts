import { validationError } from '../../../errors.js';
import { seatStatuses } from '../../../schemas/enrollment-statuses.js';
import type { Core } from '../../core.js';
import { coursesNamed, findCourseNamed, newestTitles } from '../../courses/find-course.js';
import { headingKey, suggestionFor } from '../read/fields/headings.js';
import type { CourseReference } from './outcomes.js';

type FoundCourse = CourseReference | 'unknown' | 'ambiguous';

/** Why no course matches a name. */
export const courseProblems = {
  unknown: 'Course: there is none with this id or title.',
  ambiguous: 'Course: there are several with this title. Name it by its id.',
} as const;

const referenceTo = ({ id, trainerId, maxStudents, isPublished }: CourseReference): CourseReference => ({
  id,
  trainerId,
  maxStudents,
  isPublished,
});

const maxComparedTitles = 1000;

/** Whether a name has a title in it, as in "First Aid (online)", or is a part of it. */
function isPartOf(title: string, name: string): boolean {
  const [shorter = '', longer = ''] = [headingKey(title), headingKey(name)].sort((a, b) => a.length - b.length);
  return shorter.length > 3 && longer.includes(shorter);
}

/** The courses that a file names, by id or by title, each looked up once. */
export class CourseIndex {
  readonly #found = new Map<string, FoundCourse>();
  readonly #core: Core;
  /** Of courses that a name which none has may mean; read when there is such a name. */
  #titles: readonly string[] = [];

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
    if (this.#titles.length === 0 && unknown.some((name) => this.get(name) === 'unknown'))
      this.#titles = await newestTitles(this.#core, maxComparedTitles);
  }

  /** The title that a name which no course has nearly is, among those of the newest courses. */
  similar(name: string): string | undefined {
    const titles = this.#titles;
    const [longer] = titles.filter((title) => isPartOf(title, name)).sort((one, other) => other.length - one.length);
    return longer ?? suggestionFor(name, titles);
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
  throw validationError([{ path: 'course', code: 'UNKNOWN', message: courseProblems.unknown }]);
}

/** The remaining capacity of courses that have a limit, as rows reserve it in their order. */
export class CourseCapacity {
  readonly #reserved = new Map<string, number>();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Counts the enrollments of courses that were not counted yet. */
  async load(courses: Iterable<CourseReference>): Promise<void> {
    const uncounted = new Set<string>();
    for (const { id, maxStudents } of courses) if (maxStudents !== null && !this.#reserved.has(id)) uncounted.add(id);
    if (uncounted.size === 0) return;
    const { Enrollment } = this.#core.database.models;
    const counts = await this.#core.database.read(() =>
      Enrollment.count({ where: { courseId: [...uncounted], status: seatStatuses }, group: ['courseId'] }),
    );
    for (const id of uncounted) this.#reserved.set(id, 0);
    for (const { courseId, count } of counts) this.#reserved.set(String(courseId), count);
  }

  /** Reserves one enrollment in each of the courses. @returns false when one of them is full; then nothing is reserved */
  reserve(courses: readonly CourseReference[]): boolean {
    const limited = courses.filter(({ maxStudents }) => maxStudents !== null);
    const isFull = limited.some(({ id, maxStudents }) => (this.#reserved.get(id) ?? 0) >= (maxStudents ?? 0));
    if (!isFull) for (const { id } of limited) this.#reserved.set(id, (this.#reserved.get(id) ?? 0) + 1);
    return !isFull;
  }
}
