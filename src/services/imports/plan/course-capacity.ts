import { seatStatuses } from '../../capacity.js';
import type { Core } from '../../core.js';
import type { CourseReference } from './outcomes.js';

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
      Enrollment.count({ where: { courseId: [...uncounted], status: [...seatStatuses] }, group: ['courseId'] }),
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
