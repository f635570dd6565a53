import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { countWaitingLists } from '../../db/sql/waiting-list.js';
import { AppError } from '../../errors.js';
import type { WhenFull } from '../../schemas/enrollment.js';
import { seatStatuses } from '../../schemas/enrollment-statuses.js';
import type { Core } from '../core.js';
import { today } from '../dates.js';
import { forceIncrementCourseVersions } from '../locks/row-locks.js';
import { courseFull } from './course-full.js';

/**
 * The seats of courses: they are counted, never stored. What reserves a seat or changes the limit has locked the course; what
 * frees one has not, because others wait for this lock to enroll.
 */

/** Counts the reserved seats of courses, by id; courses without any are left out. */
async function countSeats(core: Core, courseIds: readonly string[], transaction?: Transaction) {
  if (courseIds.length === 0) return new Map<string, number>();
  const counts = await core.database.models.Enrollment.count({
    where: { courseId: [...courseIds], status: seatStatuses },
    group: ['courseId'],
    ...(transaction && { transaction }),
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Adds the number of reserved seats and of those who wait to courses, with one query for all of them. */
export async function addSeatCounts(core: Core, courses: readonly Course[]): Promise<void> {
  if (courses.length === 0) return;
  const counts = await core.database.read(() =>
    core.database.models.Enrollment.count({
      where: { courseId: courses.map(({ id }) => id), status: [...seatStatuses, 'waiting'] },
      group: ['courseId', 'status'],
    }),
  );
  const counted = new Map(courses.map((course) => [course.id, course]));
  for (const course of courses) Object.assign(course, { seatsTaken: 0, waitingCount: 0 });
  for (const { courseId, status, count } of counts) {
    const course = counted.get(String(courseId));
    if (!course) continue;
    if (status === 'waiting') course.waitingCount = count;
    else course.seatsTaken = (course.seatsTaken ?? 0) + count;
  }
}

/** Counts the reserved seats of courses, by id. No other transaction can reserve one until this transaction ends. */
export async function countReservedSeats(
  core: Core,
  courseIds: readonly string[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  await forceIncrementCourseVersions(core, courseIds, transaction);
  return countSeats(core, courseIds, transaction);
}

/** Seats and waiting list of a course at one moment. */
export interface Occupancy {
  /** Reserved seats. */
  taken: number;
  /** People on the waiting list. */
  waiting: number;
  /** People on it who can get a seat. */
  eligible: number;
}

const unoccupied: Occupancy = { taken: 0, waiting: 0, eligible: 0 };

/** Counts the seats and waiting lists of courses. In a transaction, the caller has locked the courses. */
export async function readOccupancy(
  core: Core,
  courseIds: readonly string[],
  transaction?: Transaction,
): Promise<(courseId: string) => Occupancy> {
  if (courseIds.length === 0) return () => unoccupied;
  const read = async () => {
    const seats = await countSeats(core, courseIds, transaction);
    const lists = await countWaitingLists(core.database, { courseIds, day: today(core) }, transaction);
    return (id: string) => ({ ...unoccupied, taken: seats.get(id) ?? 0, ...lists.get(id) });
  };
  return transaction ? read() : core.database.read(read);
}

type Limits = Pick<Course, 'maxStudents' | 'waitingMax'>;

/** Free seats of a course and free places on its waiting list, as newcomers take them. The waiting list goes first. */
export class Vacancies {
  /** For newcomers; negative where the waiting list needs more seats than are free. */
  #seats: number;
  #waitingPlaces: number;

  constructor({ maxStudents, waitingMax }: Limits, { taken, waiting, eligible }: Occupancy) {
    this.#seats = maxStudents === null ? Number.POSITIVE_INFINITY : maxStudents - taken - eligible;
    this.#waitingPlaces = waitingMax === null ? Number.POSITIVE_INFINITY : waitingMax - waiting;
  }

  /** Whether there is a seat for a newcomer, or for somebody on the waiting list without passing others. */
  hasSeat(isOnList: boolean): boolean {
    return isOnList ? this.#seats >= 0 : this.#seats > 0;
  }

  /** Takes a seat, where there is one. */
  takeSeat(isOnList: boolean): boolean {
    if (!this.hasSeat(isOnList)) return false;
    // The list's seats are counted already.
    if (!isOnList) this.#seats -= 1;
    return true;
  }

  /** Takes a place on the waiting list, where there is one. */
  joinWaitingList(): boolean {
    if (this.#waitingPlaces < 1) return false;
    this.#waitingPlaces -= 1;
    return true;
  }
}

/** Result of an assignment: a seat, a new place on the waiting list, or the place there as before. */
type Assignment = 'seat' | 'joined' | 'kept';

/**
 * Gives trainees seats in their order; with `wait`, places on the waiting list to those without one.
 * @param onList whether each is on the waiting list already
 * @throws AppError `COURSE_FULL`, `WAITING_LIST_FULL` where one of them would get nothing
 */
export function assignSeats(
  course: Limits,
  occupancy: Occupancy,
  onList: readonly boolean[],
  whenFull: WhenFull,
): Assignment[] {
  const { maxStudents, waitingMax } = course;
  if (whenFull === 'reject') {
    const seatsLeft = maxStudents === null ? Number.POSITIVE_INFINITY : maxStudents - occupancy.taken;
    if (onList.length > seatsLeft) throw courseFull(seatsLeft, onList.length);
    return onList.map(() => 'seat');
  }
  const free = new Vacancies(course, occupancy);
  return onList.map((isOnList) => {
    if (free.takeSeat(isOnList)) return 'seat';
    if (isOnList) return 'kept';
    if (free.joinWaitingList()) return 'joined';
    throw new AppError(
      'WAITING_LIST_FULL',
      waitingMax === 0
        ? 'Course is at maximum capacity, and has no waiting list. Raise one of its limits.'
        : 'Course is at maximum capacity, and its waiting list is full. Raise one of its limits.',
    );
  });
}

/**
 * Reserves places in a course for enrollments of the same transaction, as {@link assignSeats}.
 * @throws AppError `COURSE_FULL`, `WAITING_LIST_FULL`
 */
export async function reserveSeats(
  core: Core,
  course: Limits & Pick<Course, 'id'>,
  onList: readonly boolean[],
  whenFull: WhenFull,
  transaction: Transaction,
): Promise<Assignment[]> {
  // Without a limit too: a transaction on another node may be setting one.
  await forceIncrementCourseVersions(core, [course.id], transaction);
  if (course.maxStudents === null) return onList.map(() => 'seat');
  const occupancy = await readOccupancy(core, [course.id], transaction);
  return assignSeats(course, occupancy(course.id), onList, whenFull);
}

/** Reserves a seat of a course for an enrollment of the same transaction. @throws AppError `COURSE_FULL` */
export async function reserveSeat(
  core: Core,
  { id, maxStudents }: Pick<Course, 'id' | 'maxStudents'>,
  transaction: Transaction,
): Promise<void> {
  // Without a limit too: a transaction on another node may be setting one.
  const taken = (await countReservedSeats(core, [id], transaction)).get(id) ?? 0;
  if (maxStudents !== null && taken >= maxStudents) throw new AppError('COURSE_FULL');
}

/** Takes the next numbers on the waiting list of a locked course. @returns the first of them */
export async function takeWaitingNumbers(
  core: Core,
  { id, waitingCounter }: Pick<Course, 'id' | 'waitingCounter'>,
  count: number,
  transaction: Transaction,
): Promise<number> {
  const counter = { waitingCounter: waitingCounter + count };
  if (count > 0) await core.database.models.Course.update(counter, { where: { id }, silent: true, transaction });
  return waitingCounter + 1;
}
