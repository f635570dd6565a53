import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction, WhereOptions } from 'sequelize';
import { markFreedSeats } from '../db/freed-seats.js';
import type { Enrollment } from '../db/models/enrollment.js';
import type { Models } from '../db/models/index.js';

/** Courses in which committed changes may have freed a seat for the waiting list. */
export class FreedSeats {
  readonly #collector = new AsyncLocalStorage<Set<string>>();
  readonly #courses = new Set<string>();
  #wake: () => void = () => undefined;

  /**
   * Adds courses to the work that {@link collect} runs. Outside of such work, adds them for the promoter, and wakes it.
   */
  add(courseIds: Iterable<string>): void {
    const collected = this.#collector.getStore();
    for (const id of courseIds) (collected ?? this.#courses).add(id);
    if (!collected && this.#courses.size > 0) this.#wake();
  }

  /** Runs work, and returns the courses that it adds for the caller to handle. If the work fails, the promoter handles them. */
  async collect<T>(work: () => Promise<T>): Promise<{ result: T; courseIds: ReadonlySet<string> }> {
    const courseIds = new Set<string>();
    try {
      return { result: await this.#collector.run(courseIds, work), courseIds };
    } catch (error) {
      this.add(courseIds);
      throw error;
    }
  }

  /** Returns the courses added since the last call. */
  take(): string[] {
    const courseIds = [...this.#courses];
    this.#courses.clear();
    return courseIds;
  }

  /** @param wake called whenever courses are added for the promoter */
  onAdd(wake: () => void): void {
    this.#wake = wake;
  }
}

/**
 * Marks the courses of enrollments, in which a seat may become free. Call it before the enrollments or their people
 * change.
 */
export async function markCoursesOfEnrollments(
  { Enrollment }: Models,
  where: WhereOptions<Enrollment>,
  transaction: Transaction,
): Promise<void> {
  const rows = await Enrollment.findAll({
    attributes: ['courseId'],
    group: ['courseId'],
    raw: true,
    transaction,
    where,
  });
  markFreedSeats(
    transaction,
    rows.map(({ courseId }) => courseId),
  );
}
