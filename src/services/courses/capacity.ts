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
 * Reserved seats are counted, never stored. Reserving a seat or changing the limit locks the course. Freeing a seat
 * doesn't, because enrollments wait for this lock.
 */

/** Counts the reserved seats of courses by id, without courses that have none. */
async function countSeats(core: Core, courseIds: readonly string[], transaction?: Transaction) {
  if (courseIds.length === 0) return new Map<string, number>();
  const counts = await core.database.models.Enrollment.count({
    where: { courseId: [...courseIds], status: seatStatuses },
    group: ['courseId'],
    ...(transaction && { transaction }),
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Adds the numbers of reserved seats and waiting people to courses, with one query. */
export async function addSeatCounts(core: Core, courses: readonly Course[]): Promise<void> {
  if (courses.length === 0) return;
  const counts = await core.database.read(() =>
    core.database.models.Enrollment.count({
      where: { courseId: courses.map(({ id }) => id), status: [...seatStatuses, 'waiting'] },
      group: ['courseId', 'status'],
    }),
  );
  const counted = new Map(courses.map((course) => [course.id, course]));
  for (const course of courses) Object.assign(course, { seatsTaken: 0, pendingCount: 0, waitingCount: 0 });
  for (const { courseId, status, count } of counts) {
    const course = counted.get(String(courseId));
    if (!course) continue;
    if (status === 'pending') course.pendingCount = count;
    if (status === 'waiting') course.waitingCount = count;
    else course.seatsTaken = (course.seatsTaken ?? 0) + count;
  }
}

/** Locks courses and counts their reserved seats by id. No other transaction can reserve a seat until this one ends. */
export async function countReservedSeats(
  core: Core,
  courseIds: readonly string[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  await forceIncrementCourseVersions(core, courseIds, transaction);
  return countSeats(core, courseIds, transaction);
}

/** Seats and waiting list of a course. */
export interface Occupancy {
  /** Reserved seats. */
  taken: number;
  /** People on the waiting list. */
  waiting: number;
  /** People on the waiting list who may get a seat now. */
  eligible: number;
}

const unoccupied: Occupancy = { taken: 0, waiting: 0, eligible: 0 };

/** Counts seats and waiting lists of courses. In a transaction, the caller must have locked the courses. */
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

/** Free seats of a course and free places on its waiting list for newcomers. People on the waiting list come first. */
export class Vacancies {
  /** Free seats for newcomers; negative if the waiting list needs more seats than are free. */
  #seats: number;
  #waitingPlaces: number;

  constructor({ maxStudents, waitingMax }: Limits, { taken, waiting, eligible }: Occupancy) {
    this.#seats = maxStudents === null ? Number.POSITIVE_INFINITY : maxStudents - taken - eligible;
    this.#waitingPlaces = waitingMax === null ? Number.POSITIVE_INFINITY : waitingMax - waiting;
  }

  /** Whether a newcomer can get a seat. With `isOnList`, whether everyone on the waiting list can. */
  hasSeat(isOnList: boolean): boolean {
    return isOnList ? this.#seats >= 0 : this.#seats > 0;
  }

  /** Takes a seat. @returns whether a seat was free */
  takeSeat(isOnList: boolean): boolean {
    if (!this.hasSeat(isOnList)) return false;
    // Seats for the waiting list are subtracted already.
    if (!isOnList) this.#seats -= 1;
    return true;
  }

  /** Takes a place on the waiting list. @returns whether a place was free */
  joinWaitingList(): boolean {
    if (this.#waitingPlaces < 1) return false;
    this.#waitingPlaces -= 1;
    return true;
  }
}

/** Result for a trainee: a seat, a new place on the waiting list, or the same place as before. */
type Assignment = 'seat' | 'joined' | 'kept';

/**
 * Assigns seats to trainees in their order. If `whenFull` is `wait`, trainees without a seat get a place on the waiting
 * list.
 * @param onList whether each trainee is on the waiting list already
 * @throws AppError `COURSE_FULL`, `WAITING_LIST_FULL` if a trainee would get neither a seat nor a place
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
 * Locks a course and assigns its seats, as {@link assignSeats} does, to enrollments of the same transaction.
 * @throws AppError `COURSE_FULL`, `WAITING_LIST_FULL`
 */
export async function reserveSeats(
  core: Core,
  course: Limits & Pick<Course, 'id'>,
  onList: readonly boolean[],
  whenFull: WhenFull,
  transaction: Transaction,
): Promise<Assignment[]> {
  // Locked also without a limit, because another node may be setting one.
  await forceIncrementCourseVersions(core, [course.id], transaction);
  if (course.maxStudents === null) return onList.map(() => 'seat');
  const occupancy = await readOccupancy(core, [course.id], transaction);
  return assignSeats(course, occupancy(course.id), onList, whenFull);
}

/** Locks a course and reserves a seat for an enrollment of the same transaction. @throws AppError `COURSE_FULL` */
export async function reserveSeat(
  core: Core,
  { id, maxStudents }: Pick<Course, 'id' | 'maxStudents'>,
  transaction: Transaction,
): Promise<void> {
  // Locked also without a limit, because another node may be setting one.
  const taken = (await countReservedSeats(core, [id], transaction)).get(id) ?? 0;
  if (maxStudents !== null && taken >= maxStudents) throw new AppError('COURSE_FULL');
}

/** Takes the next numbers of the waiting list of a locked course. @returns the first number */
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
