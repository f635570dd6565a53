import { mayFollow, rulesOf } from '../../../schemas/enrollment-statuses.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { ImportedPerson } from '../../../schemas/imported-person.js';
import type { Core } from '../../core.js';
import type { RowCode } from '../read/fields/row-codes.js';
import { quoteValue } from '../read/rows/row-problems.js';
import type { AcceptedPeople } from './accepted-people.js';
import type { Capacity } from './course-index.js';
import { CourseIndex, courseAmbiguous, courseFull, courseUnknown, findOptionCourses } from './course-index.js';
import {
  accountOf,
  type CourseQuestion,
  type CourseReference,
  type Decision,
  type EarlierEnrollment,
  isSamePerson,
  type PlannedEnrollment,
  rejection,
} from './outcomes.js';
import type { RosterPlan } from './roster.js';

type Accepted = Exclude<Decision, { outcome: 'rejected' }>;

/** The courses as they were last read. A batch keeps its object, because another batch may reload the courses. */
interface KnownCourses {
  index: CourseIndex;
  /** Courses in which all trainees of the file are enrolled. */
  forAll: readonly CourseReference[];
}

const cancelledReason =
  'The enrollment in the course was cancelled: it can become active again, but not pending. Import it as active, or leave the course empty.';

const courseCellsOf = ({ course, otherCourses = [] }: ImportedPerson): readonly string[] =>
  course === undefined ? [] : [course, ...otherCourses];

/** Splits a cell that may list courses; empty without a separator. Forms join answers with commas, so commas count, too. */
function splitCourseList(cell: string, separator = /[;|,]/): string[] {
  const parts = cell.split(separator).map((part) => part.trim());
  return separator.test(cell) ? parts.filter((part) => part !== '') : [];
}

/** Returns the names of the courses of a row. A cell is split only if no course has the whole cell as its title. */
function courseNamesOf(person: ImportedPerson, index: CourseIndex): string[] {
  return courseCellsOf(person).flatMap((cell) => {
    if (index.get(cell) !== 'unknown') return [cell];
    const all = splitCourseList(cell);
    if (all.length > 0 && all.every((part) => index.get(part) !== 'unknown')) return all;
    // Without commas, because a comma may be a part of a title.
    const listed = splitCourseList(cell, /[;|]/);
    return listed.length > 0 ? listed : [cell];
  });
}

/** Adds enrollments to decisions, or rejects rows because of their courses. */
export class EnrollmentDecider {
  readonly #core: Core;
  readonly #options: ImportOptions;
  readonly #people: AcceptedPeople;
  readonly #roster: RosterPlan | undefined;
  #courses: KnownCourses;

  /** @param people people of earlier rows */
  constructor(core: Core, options: ImportOptions, people: AcceptedPeople, roster: RosterPlan | undefined) {
    this.#core = core;
    this.#roster = roster;
    this.#options = options;
    this.#people = people;
    this.#courses = { index: new CourseIndex(core), forAll: [] };
  }

  /**
   * Forgets the courses and loads those of the options again.
   * @throws AppError `VALIDATION` if a course of the options doesn't exist
   */
  async reload(): Promise<void> {
    const { forAll, choices } = await findOptionCourses(this.#core, this.#options);
    this.#courses = { index: new CourseIndex(this.#core, choices), forAll };
  }

  /** Returns the decisions with the enrollments of their rows, or as rejections. */
  async decide(decisions: readonly Decision[], capacity: Capacity): Promise<readonly Decision[]> {
    const named = decisions.flatMap((one) =>
      one.outcome === 'rejected'
        ? []
        : courseCellsOf(one.row.person).flatMap((cell) => [
            cell,
            ...splitCourseList(cell),
            ...splitCourseList(cell, /[;|]/),
          ]),
    );
    const known = this.#courses;
    if (known.forAll.length === 0 && named.length === 0) return decisions;
    await known.index.load(named);
    const enrolling = decisions.map((decision) => this.#addEnrollments(decision, known));
    const enrolled = await this.#existingEnrollments(enrolling);
    const claimable = await this.#findClaimable([...enrolled.values()]);
    await capacity.load(
      enrolling.flatMap((one) => (one.outcome === 'rejected' ? [] : one.enrollments.map(({ course }) => course))),
    );
    return enrolling.map((decision) => {
      if (decision.outcome === 'rejected') return decision;
      const userId = accountOf(decision)?.id;
      const claims: string[] = [];
      const enrollments = decision.enrollments.flatMap((planned): PlannedEnrollment[] => {
        const existing = enrolled.get(`${userId} ${planned.course.id}`);
        if (!existing) return [planned];
        const { isEnrolled } = rulesOf(existing.status);
        if (claimable.has(existing.id)) claims.push(existing.id);
        const isPromoted = existing.status === 'waiting' && mayFollow('waiting', planned.status, 'manager');
        if (isEnrolled && !isPromoted) return [];
        // People or managers have cancelled it since the person joined the roster.
        if (!isEnrolled && decision.roster === 'member' && existing.cancelReason !== 'roster') return [];
        // An inactive account on the waiting list has no reserved seat.
        return [{ ...planned, earlier: existing, isOnWaitingList: isPromoted && wasActive(decision) }];
      });
      // Only trainees can request a cancelled enrollment again. An import can only make it active, like any manager.
      if (enrollments.some(({ earlier, status }) => earlier && !mayFollow(earlier.status, status, 'manager')))
        return rejection(decision.row, 'ENROLLMENT_CANCELLED', cancelledReason, userId);
      if (enrollments.length > 0 && !this.#isActiveAfter(decision))
        return rejection(decision.row, 'ACCOUNT_INACTIVE', inactiveReason, userId);
      const placed = capacity.allocate(enrollments, this.#options.whenFull);
      return placed
        ? { ...decision, ...placed, ...(claims.length > 0 && { claims }) }
        : rejection(decision.row, 'COURSE_FULL', courseFull, userId);
    });
  }

  #addEnrollments(decision: Decision, { index, forAll }: KnownCourses): Decision {
    if (decision.outcome === 'rejected') return decision;
    const { row } = decision;
    const { enrollmentStatus, reply = null } = row.person;
    const isTrainee = this.#roleOf(decision) === 'trainee';
    const enrollments: PlannedEnrollment[] = [];
    const status = enrollmentStatus ?? this.#options.enrollmentStatus;
    const refusal = (code: RowCode, reason: string, courseQuestion?: CourseQuestion) => {
      const rejected = rejection(row, code, reason, accountOf(decision)?.id);
      return courseQuestion ? { ...rejected, row: { ...rejected.row, courseQuestion } } : rejected;
    };
    const withName = (message: string, name: string) => quoteValue('course', message, row.mayQuoteCells ? name : '');
    for (const name of courseNamesOf(row.person, index)) {
      const own = index.get(name);
      if (own === 'ignored') continue;
      const question = row.mayQuoteCells ? index.questionOf(name) : undefined;
      if (own === 'unknown') {
        const [similar] = question?.candidates ?? [];
        const hint = similar === undefined ? '' : ` Did you mean "${similar.title}"?`;
        return refusal('COURSE_UNKNOWN', `${withName(courseUnknown, name)}${hint}`, question);
      }
      if ('refusal' in own) {
        const reason = withName(row.mayQuoteCells ? own.refusal : courseAmbiguous, name);
        return refusal('COURSE_AMBIGUOUS', reason, question);
      }
      if (!isTrainee) return refusal('NOT_A_TRAINEE', 'Only trainees can be enrolled: leave the course empty.');
      if (!enrollments.some(({ course }) => course.id === own.id)) enrollments.push({ course: own, status, reply });
    }
    // A file may also contain trainers, who are not enrolled.
    for (const course of isTrainee ? forAll : [])
      if (!enrollments.some((one) => one.course.id === course.id))
        enrollments.push({ course, status, reply: enrollments.length === 0 ? reply : null });
    if (decision.roster === 'inactive') return { ...decision, enrollments: [] };
    if (!isSamePerson(decision)) return { ...decision, enrollments };
    const { email } = row.person;
    const isNew = ({ course }: PlannedEnrollment) => !this.#people.isEnrolled(email, course.id, row.line);
    return { ...decision, enrollments: enrollments.filter(isNew) };
  }

  #roleOf(decision: Accepted): string {
    switch (decision.outcome) {
      case 'created':
        return decision.row.person.role ?? this.#options.role;
      case 'updated':
        return decision.changes.role ?? decision.account.role;
      case 'skipped':
        return this.#accountAfter(decision).role;
    }
  }

  /** Whether the account is active after its row is imported. Inactive accounts can't be enrolled. */
  #isActiveAfter(decision: Accepted): boolean {
    switch (decision.outcome) {
      case 'created':
        return decision.row.person.isActive ?? true;
      case 'updated':
        return decision.changes.isActive ?? decision.account.isActive;
      case 'skipped':
        return this.#accountAfter(decision).isActive;
    }
  }

  /** Returns role and state of the account of a skipped row, whether or not earlier lines about the person are written. */
  #accountAfter(decision: Accepted & { outcome: 'skipped' }): { role: string; isActive: boolean } {
    const { account, row } = decision;
    const { role = account?.role ?? this.#options.role, isActive = account?.isActive ?? true } = row.person;
    const isUpdated = isSamePerson(decision) && this.#options.onExisting === 'update';
    return account && !isUpdated ? account : { role, isActive };
  }

  /** Returns the ids of enrollments that other rosters have made, and the roster of the import has not. */
  async #findClaimable(existing: readonly EarlierEnrollment[]): Promise<ReadonlySet<string>> {
    const open = existing.filter(({ status }) => rulesOf(status).isEnrolled).map(({ id }) => id);
    if (!this.#roster || open.length === 0) return new Set();
    const { GroupEnrollment } = this.#core.database.models;
    const made = await this.#core.database.read(() =>
      GroupEnrollment.findAll({ where: { enrollmentId: open }, raw: true }),
    );
    const own = this.#roster.groupId;
    const isOwn = new Set(made.flatMap(({ enrollmentId, groupId }) => (groupId === own ? [enrollmentId] : [])));
    return new Set(made.flatMap(({ enrollmentId }) => (isOwn.has(enrollmentId) ? [] : [enrollmentId])));
  }

  /** Returns existing enrollments of any status, by `user course`. */
  async #existingEnrollments(decisions: readonly Decision[]): Promise<ReadonlyMap<string, EarlierEnrollment>> {
    const [users, courses] = [new Set<string>(), new Set<string>()];
    for (const decision of decisions) {
      if (decision.outcome === 'rejected' || decision.outcome === 'created') continue;
      if (decision.account && decision.enrollments.length > 0) users.add(decision.account.id);
      for (const { course } of decision.enrollments) courses.add(course.id);
    }
    if (users.size === 0) return new Map();
    const found = await this.#core.database.read(() =>
      this.#core.database.models.Enrollment.findAll({
        attributes: [
          ...(['id', 'userId', 'courseId', 'status', 'waitingNumber', 'enrolledAt'] as const),
          ...(['cancelReason', 'reply', 'replyAt', 'replyBy'] as const),
        ],
        where: { userId: [...users], courseId: [...courses] },
      }),
    );
    return new Map(found.map((enrollment) => [`${enrollment.userId} ${enrollment.courseId}`, enrollment]));
  }
}

const wasActive = (decision: Accepted): boolean =>
  decision.outcome !== 'created' && (decision.account?.isActive ?? false);

const inactiveReason = 'Trainee account is inactive. Activate it, or leave the course out.';
