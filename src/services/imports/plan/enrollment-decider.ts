import type { EnrollmentStatus } from '../../../schemas/enrollment.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import type { RowCode } from '../read/rows.js';
import { CourseBook, defaultCourse, type Seats } from './course-book.js';
import {
  type CancelledEnrollment,
  type CourseReference,
  type Decision,
  type PlannedEnrollment,
  rejection,
} from './outcomes.js';

type Accepted = Exclude<Decision, { outcome: 'rejected' }>;

/**
 * The courses as they were found from some moment on. Whoever decides keeps to those that it began with: another batch may
 * look at everything anew meanwhile.
 */
interface KnownCourses {
  book: CourseBook;
  /** The course for all trainees of the file. */
  forAll: CourseReference | null;
}

/** An enrollment that there is, in whatever state. */
type Existing = CancelledEnrollment & { status: EnrollmentStatus };

const cancelledReason =
  'The enrollment in the course was cancelled: it can become active again, but not pending. Import it as active, or leave the course empty.';

/** Adds to decisions on accounts what they mean for courses. */
export class EnrollmentDecider {
  readonly #core: Core;
  readonly #options: ImportOptions;
  #known: KnownCourses;

  constructor(core: Core, options: ImportOptions) {
    this.#core = core;
    this.#options = options;
    this.#known = { book: new CourseBook(core), forAll: null };
  }

  /** Looks at the courses anew. @throws AppError `VALIDATION` for a default course that can't be found */
  async learn(): Promise<void> {
    const book = new CourseBook(this.#core);
    this.#known = { book, forAll: await defaultCourse(book, this.#options.course) };
  }

  /**
   * The decisions with the enrollments that their rows bring, or rejected for them.
   * @param seats what is left of limited courses
   */
  async decide(decisions: readonly Decision[], seats: Seats): Promise<readonly Decision[]> {
    const named = decisions.flatMap((one) =>
      one.outcome === 'rejected' || one.row.person.course === undefined ? [] : [one.row.person.course],
    );
    const known = this.#known;
    if (known.forAll === null && named.length === 0) return decisions;
    await known.book.load(named);
    const enrolling = decisions.map((decision) => this.#withEnrollments(decision, known));
    const enrolled = await this.#enrolledAlready(enrolling);
    await seats.load(
      enrolling.flatMap((one) => (one.outcome === 'rejected' ? [] : one.enrollments.map(({ course }) => course))),
    );
    return enrolling.map((decision) => {
      if (decision.outcome === 'rejected') return decision;
      const userId = accountOf(decision);
      const enrollments = decision.enrollments.flatMap((planned): PlannedEnrollment[] => {
        const existing = enrolled.get(`${userId} ${planned.course.id}`);
        if (!existing) return [planned];
        return existing.status === 'cancelled' ? [{ ...planned, cancelled: existing }] : [];
      });
      // As elsewhere: only the trainee can ask to be let in again, those who manage the course let in.
      if (enrollments.some(({ cancelled, status }) => cancelled && status !== 'active'))
        return rejection(decision.row, 'ENROLLMENT_CANCELLED', cancelledReason, userId);
      if (enrollments.length > 0 && !willBeActive(decision))
        return rejection(decision.row, 'ACCOUNT_INACTIVE', inactive, userId);
      if (!seats.take(enrollments.map(({ course }) => course)))
        return rejection(decision.row, 'COURSE_FULL', 'Course is at maximum capacity.', userId);
      return { ...decision, enrollments };
    });
  }

  #withEnrollments(decision: Decision, { book, forAll }: KnownCourses): Decision {
    if (decision.outcome === 'rejected') return decision;
    const { row } = decision;
    const { course: name, enrollmentStatus, notes } = row.person;
    const isTrainee = this.#roleOf(decision) === 'trainee';
    const enrollments: PlannedEnrollment[] = [];
    const status = enrollmentStatus ?? this.#options.enrollmentStatus;
    const own = name === undefined ? undefined : book.get(name);
    const refusal = (code: RowCode, reason: string) => rejection(row, code, reason, accountOf(decision));
    if (own === 'unknown') return refusal('COURSE_UNKNOWN', 'Course: there is none with this id or title.');
    if (own === 'ambiguous')
      return refusal('COURSE_AMBIGUOUS', 'Course: there are several with this title. Name it by its id.');
    if (own !== undefined) {
      if (!isTrainee) return refusal('NOT_A_TRAINEE', 'Only trainees can be enrolled: leave the course empty.');
      enrollments.push({ course: own, status, notes: notes ?? null });
    }
    // The course for all is for all trainees; trainers in the same file are none.
    if (forAll !== null && isTrainee && own?.id !== forAll.id)
      enrollments.push({ course: forAll, status, notes: own === undefined ? (notes ?? null) : null });
    return { ...decision, enrollments };
  }

  #roleOf(decision: Accepted): string {
    switch (decision.outcome) {
      case 'created':
        return decision.row.person.role ?? this.#options.role;
      case 'updated':
        return decision.changes.role ?? decision.account.role;
      case 'skipped':
        return decision.account.role;
    }
  }

  /** The enrollments that there are already, in whatever state, by `user course`. */
  async #enrolledAlready(decisions: readonly Decision[]): Promise<ReadonlyMap<string, Existing>> {
    const [users, courses] = [new Set<string>(), new Set<string>()];
    for (const decision of decisions) {
      if (decision.outcome === 'rejected' || decision.outcome === 'created') continue;
      if (decision.enrollments.length > 0) users.add(decision.account.id);
      for (const { course } of decision.enrollments) courses.add(course.id);
    }
    if (users.size === 0) return new Map();
    const found = await this.#core.database.read(() =>
      this.#core.database.models.Enrollment.findAll({
        attributes: ['id', 'userId', 'courseId', 'status', 'enrolledAt', 'notes'],
        where: { userId: [...users], courseId: [...courses] },
      }),
    );
    return new Map(found.map((enrollment) => [`${enrollment.userId} ${enrollment.courseId}`, enrollment]));
  }
}

const inactive = 'Trainee account is inactive. Activate it, or leave the course out.';

/** Whether the account may sign in once the row is done: who may not is enrolled nowhere else either. */
function willBeActive(decision: Accepted): boolean {
  switch (decision.outcome) {
    case 'created':
      return decision.row.person.isActive ?? true;
    case 'updated':
      return decision.changes.isActive ?? decision.account.isActive;
    case 'skipped':
      return decision.account.isActive;
  }
}

/** The existing account that a decision is about; none for one that is yet to be created. */
function accountOf(decision: Accepted): string | undefined {
  return decision.outcome === 'created' ? undefined : decision.account.id;
}
