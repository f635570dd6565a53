import { createHash } from 'node:crypto';
import type { ImportCounts } from '../../../db/models/import.js';
import type { IdentityChange } from '../../../db/models/import-plan.js';
import type { ImportableRole, ImportOptions } from '../../../schemas/import.js';
import type { RowCode } from '../read/fields/row-codes.js';
import {
  countEnrollments,
  type Decision,
  enrollmentsToNotify,
  getsNoPassword,
  groupsOf,
  isInvited,
  isSamePerson,
  leftOutOf,
  needsSecret,
  type Outcome,
} from './outcomes.js';
import type { PlannedLeaver } from './roster.js';

/** An example row of a plan; contains no password. */
export interface PlanSample {
  line: number;
  outcome: Outcome;
  code?: RowCode;
  reason?: string;
  /** Name and email; absent in rejected rows. */
  person?: string;
  /** Fields that an update changes. */
  changes?: string[];
}

const identityFields = ['firstName', 'lastName', 'email', 'role'] as const;

/** Limits the memory of a plan, which must not grow with the file. */
const maxIdentityChanges = 20_000;

const samplesPerOutcome: Record<Outcome, number> = { created: 3, updated: 3, skipped: 3, rejected: 10 };

const noRows = { rows: 0, created: 0, updated: 0, skipped: 0, rejected: 0 };
const noCounts: ImportCounts = { ...noRows, enrolled: 0, waiting: 0, leftOut: 0, left: 0 };

/** Counts, samples and id of a plan, collected batch by batch. */
export class PlanSummary {
  readonly counts: ImportCounts;
  readonly createdByRole: Record<ImportableRole, number> = { trainee: 0, trainer: 0 };
  readonly samples: PlanSample[] = [];
  readonly #digest = createHash('sha256');
  readonly identityChanges: IdentityChange[] = [];
  /** Number of identity changes beyond the maximum. */
  identityChangesLeftOut = 0;
  generatedPasswords = 0;
  /** Number of invitations to active people. Inactive people get an invitation on activation. */
  invitations = 0;
  /** Number of mails about enrollments. */
  news = 0;
  /** Number of added memberships. */
  memberships = 0;
  /** Number of existing enrollments that a roster assigns to itself. */
  claims = 0;
  readonly #rejects = createHash('sha256');
  readonly #shown: Record<Outcome, number> = { created: 0, updated: 0, skipped: 0, rejected: 0 };

  /**
   * @param done counts of an earlier run; absent for a new import
   */
  constructor(
    readonly options: Pick<ImportOptions, 'role' | 'invite' | 'withPasswords' | 'noPassword' | 'notify'>,
    done: ImportCounts = noCounts,
  ) {
    this.counts = { ...done };
  }

  add(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      this.#count(decision);
      this.memberships += groupsOf(decision).length;
      if (decision.outcome !== 'rejected') this.claims += decision.claims?.length ?? 0;
      else this.#rejects.update(`${decision.row.code} ${decision.row.cells.join('\n')}\n`);
      this.#noteIdentity(decision);
      this.#digest.update(fingerprintOf(decision));
      const mails = enrollmentsToNotify(this.options, decision).length;
      if (mails > 0) this.#digest.update(`${mails} mails\n`);
      this.news += mails;
      const shown = this.#shown[decision.outcome];
      if (shown >= samplesPerOutcome[decision.outcome]) continue;
      this.#shown[decision.outcome] = shown + 1;
      this.samples.push(sampleOf(decision));
    }
  }

  /** Adds the members who leave a roster. */
  addLeaving(leaving: readonly PlannedLeaver[]): void {
    this.counts.left += leaving.length;
    for (const { userId, ended, isDeactivated } of leaving)
      this.#digest.update(`leaves ${userId} ${ended} ${isDeactivated}\n`);
  }

  /** Returns a digest of the rejected rows, without their lines; null if there are none. */
  rejectsDigest(): string | null {
    return this.counts.rejected === 0 ? null : this.#rejects.digest('hex').slice(0, 16);
  }

  /** Returns the id of the plan, after all rows were added. @param subject identifies the file and the options */
  id(subject: string): string {
    return this.#digest.update(subject).digest('hex').slice(0, 16);
  }

  #noteIdentity(decision: Decision): void {
    if (decision.outcome !== 'updated') return;
    const { account, changes, row } = decision;
    if (identityFields.every((field) => changes[field] === undefined)) return;
    if (this.identityChanges.length === maxIdentityChanges) {
      this.identityChangesLeftOut += 1;
      return;
    }
    const identityOf = ({ firstName, lastName, email, role }: IdentityChange['before']) => ({
      firstName,
      lastName,
      email,
      role,
    });
    const [before, after] = [identityOf(account), identityOf({ ...identityOf(account), ...changes })];
    this.identityChanges.push({ line: row.line, userId: account.id, before, after });
  }

  #count(decision: Decision): void {
    this.counts.rows += 1;
    this.counts[decision.outcome] += 1;
    if (decision.outcome === 'rejected') return;
    if (decision.outcome === 'created') this.createdByRole[decision.row.person.role ?? this.options.role] += 1;
    const { enrolled, waiting, leftOut } = countEnrollments(decision);
    this.counts.enrolled += enrolled;
    this.counts.waiting += waiting;
    this.counts.leftOut += leftOut;
    const { password, passwordHash } = decision.row.person;
    const hasPassword = password !== undefined || passwordHash !== undefined;
    if (isInvited(this.options, decision) && decision.row.person.isActive !== false) this.invitations += 1;
    if (needsSecret(decision) && !hasPassword && !getsNoPassword(this.options, decision)) this.generatedPasswords += 1;
  }
}

/** Returns a text that changes if the effect of the row changes. */
function fingerprintOf(decision: Decision): string {
  const { outcome, row } = decision;
  if (outcome === 'rejected') return `${row.line} ${decision.row.code}\n`;
  const enrolled = decision.enrollments.map(
    ({ course, status }) => ` ${course.id}${status === 'waiting' ? ' waiting' : ''}`,
  );
  const leftOut = leftOutOf(decision).map(({ course, code }) => ` ${course.id} ${code}`);
  const groups = groupsOf(decision).map(({ key }) => ` group ${key}`);
  const claims = (decision.claims ?? []).map((id) => ` claim ${id}`);
  const courses = [...enrolled, ...leftOut, ...groups, ...claims].join('');
  if (outcome === 'created') return `${row.line} +${courses}\n`;
  // Without the account id: the account may exist only after an earlier run.
  if (isSamePerson(decision)) return `${row.line} ${decision.code}${courses}\n`;
  const { id, updatedAt } = decision.account;
  return outcome === 'skipped'
    ? `${row.line} ${decision.code} ${id}${courses}\n`
    : `${row.line} ${id} ${updatedAt.toISOString()}${courses}\n`;
}

function sampleOf(decision: Decision): PlanSample {
  const { outcome, row } = decision;
  if (outcome === 'rejected') return { line: row.line, outcome, code: decision.row.code, reason: decision.row.reason };
  const { firstName, lastName, email } = decision.row.person;
  const person = `${firstName} ${lastName} <${email}>`;
  if (outcome === 'created') return { line: row.line, outcome, person };
  if (outcome === 'skipped') return { line: row.line, outcome, code: decision.code, person };
  const changes = [...Object.keys(decision.changes), ...(decision.resetPassword ? ['password'] : [])];
  return { line: row.line, outcome, person, changes };
}
