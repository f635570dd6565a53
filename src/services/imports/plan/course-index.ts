import { setImmediate as nextTick } from 'node:timers/promises';
import { validationError } from '../../../errors.js';
import type { ImportOptions } from '../../../schemas/import.js';
import { findSuggestion } from '../../../tables/table/text.js';
import type { Core } from '../../core.js';
import { readOccupancy, Vacancies } from '../../courses/capacity.js';
import {
  ambiguousTitleMessage,
  comparableTitle,
  findCourseByName,
  findCoursesByName,
  findNewestCourses,
  type NamedCourse,
} from '../../courses/find-course.js';
import { headingKey } from '../read/fields/headings.js';
import type { CourseQuestion, CourseReference, LeftOutEnrollment, PlannedEnrollment } from './outcomes.js';
import { findCourseOfTrainer } from './trainer-course.js';

/** A course, `unknown`, `ignored` by an option, or the refusal of a title that several courses have. */
type FoundCourse = CourseReference | 'unknown' | 'ignored' | { refusal: string };

export const courseAmbiguous = 'Course: there are several with this title. Name it by its id.';
export const courseUnknown = 'Course: there is none with this id or title.';

/** Reason for rejecting a row whose course is full, with the alternatives. */
export const courseFull =
  'Course is at maximum capacity. Raise its maximum, or import with --when-full wait (waiting list) or --when-full skip-course (account alone).';

function referenceTo({ id, title, trainerId, maxStudents, waitingMax, isPublished }: CourseReference): CourseReference {
  return { id, title, trainerId, maxStudents, waitingMax, isPublished };
}

const maxComparedTitles = 1000;
/** Maximum unknown names with candidates: comparing a name with all titles takes milliseconds. */
const maxQuestions = 20;
const maxCandidates = 10;

/** Whether a name contains a title, as "First Aid (online)" does, or is a part of a title. Compares normalized texts. */
function isPartOf(title: string, name: string): boolean {
  const [shorter, longer] = title.length < name.length ? [title, name] : [name, title];
  return shorter.length > 3 && longer.includes(shorter);
}

/** The courses that a file names by id or title. Each name is looked up a single time. */
export class CourseIndex {
  readonly #found = new Map<string, FoundCourse>();
  readonly #core: Core;
  readonly #choices: OptionCourses['choices'];
  /** Courses for suggestions; read when the first name is unknown. */
  #courses: readonly (NamedCourse & { key: string })[] = [];
  readonly #questions = new Map<string, CourseQuestion>();

  constructor(core: Core, choices: OptionCourses['choices'] = new Map()) {
    this.#core = core;
    this.#choices = choices;
  }

  /** Looks up the names that were not looked up before. */
  async load(names: Iterable<string>): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => !this.#found.has(name));
    if (unknown.length === 0) return;
    const named = await findCoursesByName(this.#core, unknown);
    for (const name of unknown) {
      const courses = named.get(name) ?? [];
      const [course] = courses;
      const isAmbiguous = courses.length > 1;
      const found = course ? referenceTo(course) : 'unknown';
      const chosen = this.#choices.get(comparableTitle(name));
      this.#found.set(name, chosen ?? (isAmbiguous ? { refusal: ambiguousTitleMessage(courses) } : found));
      if (isAmbiguous) this.#ask(name, courses);
    }
    if (this.#courses.length === 0 && unknown.some((name) => this.get(name) === 'unknown'))
      this.#courses = (await findNewestCourses(this.#core, maxComparedTitles)).map((course) => ({
        ...course,
        key: headingKey(course.title),
      }));
    for (const name of unknown) {
      if (this.#questions.size === maxQuestions) break;
      if (this.get(name) !== 'unknown') continue;
      this.#ask(name, this.#similarCourses(name));
      // Lets the event loop answer requests between two names.
      await nextTick();
    }
  }

  #ask(name: string, courses: readonly NamedCourse[]): void {
    if (this.#questions.size === maxQuestions) return;
    const candidates = courses.slice(0, maxCandidates).map(({ id, title, startDate }) => ({ id, title, startDate }));
    this.#questions.set(name, { name, candidates });
  }

  /** Returns the courses that an unknown or ambiguous name may mean; only for the first {@link maxQuestions} names. */
  questionOf(name: string): CourseQuestion | undefined {
    return this.#questions.get(name);
  }

  /** Returns the courses with the title that is most similar to a name. */
  #similarCourses(name: string): NamedCourse[] {
    const wanted = headingKey(name);
    const titles = this.#courses.map(({ title }) => title);
    const [longest] = this.#courses
      .filter(({ key }) => isPartOf(key, wanted))
      .sort((one, other) => other.title.length - one.title.length);
    const similar = longest?.title ?? findSuggestion(name, titles);
    return this.#courses.filter(({ title }) => title === similar);
  }

  /** Returns a course that {@link load} has looked up. */
  get(name: string): FoundCourse {
    return this.#found.get(name) ?? 'unknown';
  }
}

/** The courses that the options of an import name. */
interface OptionCourses {
  /** Courses in which all trainees of the file are enrolled. */
  forAll: readonly CourseReference[];
  /** Courses for names in the file, by the comparable name. */
  choices: ReadonlyMap<string, CourseReference | 'ignored'>;
}

async function findOptionCourse(
  core: Core,
  path: 'course' | 'otherCourses' | 'mapCourse',
  name: string,
): Promise<CourseReference> {
  const course = await findCourseByName(core, name);
  if (course) return referenceTo(course);
  throw validationError([{ path, code: 'UNKNOWN', message: courseUnknown }]);
}

/**
 * Finds the courses that the options of an import name.
 * @throws AppError `VALIDATION` unless exactly one course has each name, `COURSE_LOST` and `ACCOUNT_INACTIVE` for trainers
 */
export async function findOptionCourses(
  core: Core,
  {
    course,
    otherCourses = [],
    mapCourse = [],
    trainerId,
  }: Pick<Partial<ImportOptions>, 'course' | 'otherCourses' | 'mapCourse' | 'trainerId'>,
): Promise<OptionCourses> {
  if (trainerId !== undefined)
    return { forAll: [referenceTo(await findCourseOfTrainer(core, trainerId, course))], choices: new Map() };
  const forAll = course === undefined ? [] : [await findOptionCourse(core, 'course', course)];
  for (const name of otherCourses) forAll.push(await findOptionCourse(core, 'otherCourses', name));
  const choices = new Map<string, CourseReference | 'ignored'>();
  for (const entry of mapCourse) {
    const at = entry.lastIndexOf('=');
    const chosen = entry.slice(at + 1).trim();
    const found = chosen === '' ? 'ignored' : await findOptionCourse(core, 'mapCourse', chosen);
    choices.set(comparableTitle(entry.slice(0, at)), found);
  }
  return { forAll, choices };
}

/** Enrollments of a row with a seat or on a waiting list, and enrollments without a place. */
interface AllocatedEnrollments {
  enrollments: PlannedEnrollment[];
  leftOut: LeftOutEnrollment[];
}

/** Remaining capacity of courses with a limit, and numbers of members of groups. Rows take places in their order. */
export class Capacity {
  /** Numbers of members by the keys of groups. */
  readonly groupSizes = new Map<string, number>();
  readonly #free = new Map<string, Vacancies>();
  readonly #core: Core;
  readonly #freed: ReadonlyMap<string, { seats: number; waiting: number }>;

  /** @param freed seats and places on waiting lists that become free before the first row, by course */
  constructor(core: Core, freed: ReadonlyMap<string, { seats: number; waiting: number }> = new Map()) {
    this.#core = core;
    this.#freed = freed;
  }

  /** Counts the enrollments of courses that were not counted yet. */
  async load(courses: Iterable<CourseReference>): Promise<void> {
    const uncounted = new Map<string, CourseReference>();
    for (const course of courses)
      if (course.maxStudents !== null && !this.#free.has(course.id)) uncounted.set(course.id, course);
    const occupancy = await readOccupancy(this.#core, [...uncounted.keys()]);
    for (const [id, course] of uncounted) {
      const { taken, waiting, eligible } = occupancy(id);
      const { seats, waiting: left } = this.#freed.get(id) ?? { seats: 0, waiting: 0 };
      const after = { taken: taken - seats, waiting: waiting - left, eligible: Math.max(0, eligible - left) };
      this.#free.set(id, new Vacancies(course, after));
    }
  }

  /**
   * Allocates seats and waiting list places to the enrollments of a row.
   * @returns undefined if the row is rejected because a course has no seat
   */
  allocate(
    planned: readonly PlannedEnrollment[],
    whenFull: ImportOptions['whenFull'],
  ): AllocatedEnrollments | undefined {
    const hasSeat = ({ course, isOnWaitingList = false }: PlannedEnrollment) =>
      this.#free.get(course.id)?.hasSeat(isOnWaitingList) ?? true;
    if (whenFull === 'reject' && !planned.every(hasSeat)) return undefined;
    const placed: AllocatedEnrollments = { enrollments: [], leftOut: [] };
    for (const one of planned) {
      const { course, isOnWaitingList = false } = one;
      const free = this.#free.get(course.id);
      if (!free || free.takeSeat(isOnWaitingList)) placed.enrollments.push(one);
      else if (whenFull !== 'wait') placed.leftOut.push({ course, code: 'COURSE_FULL' });
      // Otherwise, the enrollment keeps its place on the waiting list.
      else if (!isOnWaitingList) {
        if (free.joinWaitingList()) placed.enrollments.push({ ...one, status: 'waiting' });
        else placed.leftOut.push({ course, code: 'WAITING_LIST_FULL' });
      }
    }
    return placed;
  }
}
