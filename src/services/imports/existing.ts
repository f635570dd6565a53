import { Op } from 'sequelize';
import type { Import } from '../../db/models/import.js';
import { phoneKey } from '../../schemas/fields.js';
import type { ImportOptions } from '../../schemas/import.js';
import type { Core } from '../core.js';
import { CourseBook, defaultCourse, type Seats } from './course-book.js';
import { KeyIndex } from './key-index.js';
import {
  type AccountChanges,
  type CourseReference,
  type Decision,
  type ExistingAccount,
  type PlannedEnrollment,
  rejection,
} from './outcomes.js';
import { bondReasons, boundAccounts } from './role-changes.js';
import { type CandidateRow, type FileRow, isRejected } from './rows.js';
import { undoNoteOf } from './undo-note.js';

const accountFields = [
  'id',
  'firstName',
  'lastName',
  'email',
  'phone',
  'phoneKey',
  'role',
  'isActive',
  'updatedAt',
] as const;

/** With fewer accounts than this, all their keys are held in memory: rows that none of them can mean need no query. */
const fewAccounts = 10_000;
/** How many rows of the ledger are read at a time. */
const ledgerPage = 5000;

/** The accounts that a batch of rows meets. */
interface Holders {
  byEmail: ReadonlyMap<string, ExistingAccount>;
  byPhone: ReadonlyMap<string, ExistingAccount>;
}

interface Keys {
  emails: ReadonlySet<string>;
  phones: ReadonlySet<string>;
}

/** The keys of all accounts, when there are few. */
async function fewKeys(core: Core): Promise<Keys | undefined> {
  const users = await core.database.read(() =>
    core.database.models.User.findAll({ attributes: ['email', 'phoneKey'], limit: fewAccounts, raw: true }),
  );
  if (users.length === fewAccounts) return undefined;
  return { emails: new Set(users.map((user) => user.email)), phones: new Set(users.map((user) => user.phoneKey)) };
}

/**
 * Decides what becomes of rows, batch by batch in the order of the file. The decisions don't depend on how much of the
 * file has been written meanwhile: what an earlier row did to an account, its key included, is remembered here. So a
 * plan, an uninterrupted run and one that was resumed decide the same.
 */
export class Decider {
  readonly #core: Core;
  readonly #options: ImportOptions;
  readonly #courses: CourseBook;
  #course: CourseReference | null = null;
  #few: Keys | undefined;
  /** Accounts that rows were about, with the lines. */
  readonly #targets = new KeyIndex();
  /** Keys that updates took from their accounts: in this file they still mean these. */
  readonly #released = new Map<string, string>();

  private constructor(core: Core, options: ImportOptions) {
    this.#core = core;
    this.#options = options;
    this.#courses = new CourseBook(core);
  }

  /**
   * @param begun the import whose first rows are done
   * @throws AppError `VALIDATION` for a default course that can't be found
   */
  static async open(core: Core, options: ImportOptions, begun: Import | null): Promise<Decider> {
    const decider = new Decider(core, options);
    decider.#course = await defaultCourse(decider.#courses, options.course);
    decider.#few = await fewKeys(core);
    if (begun) await decider.#recall(begun.id);
    return decider;
  }

  /** Remembers what the rows that are done were about. */
  async #recall(importId: string): Promise<void> {
    const { ImportRow } = this.#core.database.models;
    for (let after = 0; ; ) {
      const rows = await this.#core.database.read(() =>
        ImportRow.findAll({
          where: { importId, line: { [Op.gt]: after } },
          order: ['line'],
          limit: ledgerPage,
          raw: true,
        }),
      );
      for (const { line, outcome, userId, undoJson } of rows) {
        if (userId === null || (outcome !== 'skipped' && outcome !== 'updated')) continue;
        this.#targets.firstLine(userId, line);
        this.#release(userId, undoNoteOf(undoJson)?.before ?? {});
      }
      if (rows.length < ledgerPage) return;
      after = rows.at(-1)?.line ?? after;
    }
  }

  #release(userId: string, before: { email?: string; phone?: string }): void {
    if (before.email !== undefined) this.#released.set(`email ${before.email}`, userId);
    if (before.phone !== undefined) this.#released.set(`phone ${phoneKey(before.phone)}`, userId);
  }

  /**
   * Decides on the rows of a batch, in their order.
   * @param seats what is left of limited courses: those of a plan go on from batch to batch
   * @param freshly looks at everything again: somebody else was faster than the decisions that were made before
   */
  async decide(rows: readonly FileRow[], seats: Seats, freshly = false): Promise<Decision[]> {
    if (freshly) {
      this.#few = undefined;
      this.#courses.forget();
      this.#course = await defaultCourse(this.#courses, this.#options.course);
    }
    const holders = await this.#holdersOf(rows);
    const named = rows.flatMap((row) =>
      isRejected(row) || row.person.course === undefined ? [] : [row.person.course],
    );
    await this.#courses.load(named);
    const decisions = rows.map((row) => this.#decideRow(row, holders));
    return this.#settle(decisions, seats);
  }

  /** The accounts that hold the emails and phones of the rows: two queries a batch, each on its own index. */
  async #holdersOf(rows: readonly FileRow[]): Promise<Holders> {
    const few = this.#few;
    const emails: string[] = [];
    const phones: string[] = [];
    for (const row of rows) {
      if (isRejected(row)) continue;
      const key = phoneKey(row.person.phone);
      if (few && !few.emails.has(row.person.email) && !few.phones.has(key)) continue;
      emails.push(row.person.email);
      phones.push(key);
    }
    if (emails.length === 0) return { byEmail: new Map(), byPhone: new Map() };
    const { User } = this.#core.database.models;
    const attributes = [...accountFields];
    const [byEmail, byPhone] = await this.#core.database.read(() =>
      Promise.all([
        User.findAll({ attributes, where: { email: emails } }),
        User.findAll({ attributes, where: { phoneKey: phones } }),
      ]),
    );
    return {
      byEmail: new Map(byEmail.map((user) => [user.email, user])),
      byPhone: new Map(byPhone.map((user) => [user.phoneKey, user])),
    };
  }

  #decideRow(row: FileRow, { byEmail, byPhone }: Holders): Decision {
    if (isRejected(row)) return { outcome: 'rejected', row };
    const key = phoneKey(row.person.phone);
    const [emailHolder, phoneHolder] = [byEmail.get(row.person.email), byPhone.get(key)];
    const emailId = emailHolder?.id ?? this.#released.get(`email ${row.person.email}`);
    const phoneId = phoneHolder?.id ?? this.#released.get(`phone ${key}`);
    if (emailId !== undefined && phoneId !== undefined && emailId !== phoneId)
      return rejection(row, 'ACCOUNTS_DIFFER', `Email belongs to account ${emailId}, phone to account ${phoneId}.`);
    const userId = emailId ?? phoneId;
    if (userId === undefined) return { outcome: 'created', row, enrollments: [] };
    const earlier = this.#targets.firstLine(userId, row.line);
    if (earlier !== undefined && earlier !== row.line)
      return rejection(row, 'DUPLICATE_IN_FILE', `Line ${earlier} is about the same account, ${userId}.`);
    const account = emailHolder ?? phoneHolder;
    // Only a released key is left of it: another process has changed the account since.
    if (account === undefined) return rejection(row, 'ALREADY_EXISTS', `The account ${userId} was changed meanwhile.`);
    return this.#meet(row, account);
  }

  /** A row that meets an account. */
  #meet(row: CandidateRow, account: ExistingAccount): Decision {
    const { onExisting, resetPasswords } = this.#options;
    const userId = account.id;
    if (onExisting === 'fail')
      return rejection(row, 'ALREADY_EXISTS', `The account ${userId} has this email or phone already.`);
    if (onExisting === 'skip') return { outcome: 'skipped', row, code: 'ALREADY_EXISTS', account, enrollments: [] };
    if (account.role === 'super_admin')
      return rejection(row, 'PROTECTED_ACCOUNT', "The super admin's account is never changed by an import.");
    const changes = changesOf(row, account);
    if (Object.keys(changes).length === 0 && !resetPasswords)
      return { outcome: 'skipped', row, code: 'UNCHANGED', account, enrollments: [] };
    this.#release(userId, {
      ...(changes.email !== undefined && { email: account.email }),
      ...(changes.phone !== undefined && { phone: account.phone }),
    });
    return { outcome: 'updated', row, account, changes, resetPassword: resetPasswords, enrollments: [] };
  }

  /** What takes a look beyond the account itself: trainers' courses, enrollments, seats. */
  async #settle(decisions: readonly Decision[], seats: Seats): Promise<Decision[]> {
    const allowed = await this.#withoutBound(decisions);
    if (
      this.#course === null &&
      !allowed.some((one) => one.outcome !== 'rejected' && one.row.person.course !== undefined)
    )
      return allowed;
    const enrolling = allowed.map((decision) => this.#withEnrollments(decision));
    const enrolled = await this.#enrolledAlready(enrolling);
    await seats.load(
      enrolling.flatMap((one) => (one.outcome === 'rejected' ? [] : one.enrollments.map(({ course }) => course))),
    );
    return enrolling.map((decision) => {
      if (decision.outcome === 'rejected') return decision;
      const userId = targetOf(decision);
      const enrollments = decision.enrollments.filter(({ course }) => !enrolled.has(`${userId} ${course.id}`));
      if (!seats.take(enrollments.map(({ course }) => course)))
        return rejection(decision.row, 'COURSE_FULL', 'Course is at maximum capacity.');
      return { ...decision, enrollments };
    });
  }

  /** A trainer who has courses stays one, and so does a trainee with a place in one. */
  async #withoutBound(decisions: readonly Decision[]): Promise<Decision[]> {
    const bound = await boundAccounts(this.#core, decisions);
    return decisions.map((one) => {
      const bond = one.outcome === 'updated' && one.changes.role !== undefined && bound.get(one.account.id);
      return bond ? rejection(one.row, bond, bondReasons[bond](one.account.id)) : one;
    });
  }

  #withEnrollments(decision: Decision): Decision {
    if (decision.outcome === 'rejected') return decision;
    const { row } = decision;
    const { course: name, enrollmentStatus, notes } = row.person;
    const isTrainee = this.#roleOf(decision) === 'trainee';
    const enrollments: PlannedEnrollment[] = [];
    const status = enrollmentStatus ?? this.#options.enrollmentStatus;
    const own = name === undefined ? undefined : this.#courses.get(name);
    if (own === 'unknown') return rejection(row, 'COURSE_UNKNOWN', 'Course: there is none with this id or title.');
    if (own === 'ambiguous')
      return rejection(row, 'COURSE_AMBIGUOUS', 'Course: there are several with this title. Name it by its id.');
    if (own !== undefined) {
      if (!isTrainee) return rejection(row, 'NOT_A_TRAINEE', 'Only trainees can be enrolled: leave the course empty.');
      enrollments.push({ course: own, status, notes: notes ?? null });
    }
    // The course for all is for all trainees; trainers in the same file are none.
    if (this.#course !== null && isTrainee && own?.id !== this.#course.id)
      enrollments.push({ course: this.#course, status, notes: own === undefined ? (notes ?? null) : null });
    return { ...decision, enrollments };
  }

  #roleOf(decision: Exclude<Decision, { outcome: 'rejected' }>): string {
    switch (decision.outcome) {
      case 'created':
        return decision.row.person.role ?? this.#options.role;
      case 'updated':
        return decision.changes.role ?? decision.account.role;
      case 'skipped':
        return decision.account.role;
    }
  }

  /** `user course` of the enrollments that there are already, in whatever state. */
  async #enrolledAlready(decisions: readonly Decision[]): Promise<ReadonlySet<string>> {
    const [users, courses] = [new Set<string>(), new Set<string>()];
    for (const decision of decisions) {
      if (decision.outcome === 'rejected' || decision.outcome === 'created') continue;
      if (decision.enrollments.length > 0) users.add(targetOf(decision));
      for (const { course } of decision.enrollments) courses.add(course.id);
    }
    if (users.size === 0) return new Set();
    const found = await this.#core.database.read(() =>
      this.#core.database.models.Enrollment.findAll({
        attributes: ['userId', 'courseId'],
        where: { userId: [...users], courseId: [...courses] },
        raw: true,
      }),
    );
    return new Set(found.map(({ userId, courseId }) => `${userId} ${courseId}`));
  }
}

/** The existing account that a decision is about; empty for one that is yet to be created. */
function targetOf(decision: Exclude<Decision, { outcome: 'rejected' }>): string {
  return decision.outcome === 'created' ? '' : decision.account.id;
}

function changesOf({ person }: CandidateRow, account: ExistingAccount): AccountChanges {
  const wanted: AccountChanges = {
    firstName: person.firstName,
    lastName: person.lastName,
    email: person.email,
    phone: person.phone,
    ...(person.role !== undefined && { role: person.role }),
    ...(person.isActive !== undefined && { isActive: person.isActive }),
  };
  const differing = Object.entries(wanted).filter(([field, value]) => account[field as keyof AccountChanges] !== value);
  return Object.fromEntries(differing);
}
