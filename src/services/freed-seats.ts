import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction, WhereOptions } from 'sequelize';
import { markFreedSeats } from '../db/freed-seats.js';
import type { Enrollment } from '../db/models/enrollment.js';
import type { Models } from '../db/models/index.js';
import { type EnrollmentStatus, seatStatuses } from '../schemas/enrollment-statuses.js';

/** Courses in which committed changes may have freed a seat for the waiting list. */
export class FreedSeats {
  readonly #ofWork = new AsyncLocalStorage<Set<string>>();
  readonly #courses = new Set<string>();
  #wake: () => void = () => undefined;

  /** Adds courses, for the running work where it collects its own, else for the promoter, which it wakes. */
  add(courseIds: Iterable<string>): void {
    const own = this.#ofWork.getStore();
    for (const id of courseIds) (own ?? this.#courses).add(id);
    if (!own && this.#courses.size > 0) this.#wake();
  }

  /** Runs work whose caller looks after the courses that it adds. If it fails, they are left to the promoter. */
  async collect<T>(work: () => Promise<T>): Promise<{ result: T; courseIds: ReadonlySet<string> }> {
    const courseIds = new Set<string>();
    try {
      return { result: await this.#ofWork.run(courseIds, work), courseIds };
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

  /** @param wake called whenever there are courses to take */
  onAdd(wake: () => void): void {
    this.#wake = wake;
  }
}

type Within = Transaction | null | undefined;

/** Marks the courses of enrollments that are about to change, or whose people do. */
export async function markCoursesOf(
  { Enrollment }: Models,
  where: WhereOptions<Enrollment>,
  transaction: Within,
): Promise<void> {
  if (!transaction) return;
  const options = { attributes: ['courseId'], group: ['courseId'], raw: true, transaction };
  const rows = await Enrollment.findAll({ ...options, where });
  markFreedSeats(
    transaction,
    rows.map(({ courseId }) => courseId),
  );
}

/**
 * Makes writes of the models mark the courses in which they may free a seat; changes of accounts do by their effects.
  */
export function watchFreedSeats(models: Models): void {
  const { Course, Enrollment } = models;
  const takesSeat = (status: EnrollmentStatus) => seatStatuses.some((one) => one === status);
  Enrollment.beforeSave((one, { transaction }) => {
    if (one.changed('status') && !takesSeat(one.status)) markFreedSeats(transaction, [one.courseId]); // effect: left-seat
  });
  Enrollment.beforeBulkUpdate(async ({ where, transaction, ...options }) => {
    // Sequelize passes the new values, and its types leave them out.
    const { status } = (options as { attributes?: Partial<Enrollment> }).attributes ?? {};
    if (status && !takesSeat(status)) await markCoursesOf(models, where, transaction); // effect: left-seats
  });
  Enrollment.beforeDestroy(({ courseId }, { transaction }) => {
    markFreedSeats(transaction, [courseId]); // effect: removed-seat
  });
  Enrollment.addHook('beforeBulkDestroy', async ({ where = {}, transaction }) => {
    await markCoursesOf(models, where, transaction); // effect: removed-seats
  });
  Course.beforeSave((course, { transaction }) => {
    const fields = ['maxStudents', 'endDate', 'isPublished'] as const;
    const mayHaveSeats = course.isPublished && fields.some((field) => course.changed(field));
    if (mayHaveSeats) markFreedSeats(transaction, [course.id]); // effect: new-seats
  });
  User.beforeSave(async (user, { transaction }) => {
    const isActivated = user.isActive && user.changed('isActive') && !user.isNewRecord;
    if (isActivated) await markActivated(models, [user.id], transaction); // effect: seats-for-activated
  });
}
