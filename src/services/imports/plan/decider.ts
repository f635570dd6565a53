import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import { parseUndoNote } from '../../../db/models/import-row.js';
import { inputFields } from '../../../schemas/account-fields.js';
import type { ImportOptions } from '../../../schemas/import.js';
import { type PhoneKeys, plainPhoneKeys } from '../../../schemas/phone-keys.js';
import { normalized } from '../../../schemas/text.js';
import type { Core } from '../../core.js';
import { readPhoneKeys } from '../../phone-country.js';
import { KeyIndex } from '../read/rows/key-index.js';
import { type CandidateRow, type FileRow, isRejected, rejectRow } from '../read/rows/rows.js';
import { AcceptedPeople } from './accepted-people.js';
import { accountsFor, type MatchingAccounts } from './account-index.js';
import type { Capacity } from './course-index.js';
import { EnrollmentDecider } from './enrollment-decider.js';
import { GroupDecider } from './group-decider.js';
import { type AccountChanges, type Decision, type ExistingAccount, groupsOf, rejection } from './outcomes.js';
import { blockedRoleChanges, roleBlockReasons } from './role-changes.js';
import type { RosterPlan } from './roster.js';
import { decideForTrainer } from './trainer-decisions.js';

/** Fields that identify or name an account. */
const releasedFields = ['firstName', 'lastName', 'email', 'phone'] as const;

const ledgerPage = 5000;

/**
 * Decides on rows, batch by batch, in the order of the file. The decisions don't depend on how much of the file is already
 * written, because the decider remembers how earlier rows change accounts and their keys. A plan, an uninterrupted run and a
 * resumed run therefore decide the same.
 */
export class Decider {
  readonly #core: Core;
  readonly #options: ImportOptions;
  readonly #enrollments: EnrollmentDecider;
  readonly #groups: GroupDecider;
  readonly #people = new AcceptedPeople();
  /** Rows before this line are written. */
  #writtenBefore = 0;
  #phones: PhoneKeys = plainPhoneKeys;
  /** The first line that matched each account, by account id. */
  readonly #targets = new KeyIndex();
  /** Account ids by the old emails and phones that updates changed. Later rows may still contain the old values. */
  readonly #releasedKeys = new Map<string, string>();
  /** Accounts whose name, email or phone earlier rows change. */
  readonly #renamedAccounts = new Set<string>();
  /** Accounts that rows matched by phone only, by `line account`. */
  readonly phoneMatches = new KeyIndex();
  readonly #plannedPhoneMatches: KeyIndex | undefined;
  /** Accounts that changed after this time don't match by phone only. */
  readonly #unchangedSince: Date | null;

  private constructor(
    core: Core,
    options: ImportOptions,
    unfinished: Import | null,
    planned: KeyIndex | undefined,
    roster: RosterPlan | undefined,
  ) {
    this.#core = core;
    this.#options = options;
    this.#plannedPhoneMatches = planned;
    this.#unchangedSince = unfinished && isPlannedWithoutReview(unfinished) ? unfinished.startedAt : null;
    this.#enrollments = new EnrollmentDecider(core, options, this.#people, roster);
    this.#groups = new GroupDecider(core, options, this.#people, roster);
  }

  /**
   * @param unfinished the import whose first rows are done
   * @param planned the phone-only matches of the applied plan: accounts that got a phone later don't match
   * @param roster the members who leave, if the import is a sync
   * @throws AppError `VALIDATION` if the default course doesn't exist
   */
  static async open(
    core: Core,
    options: ImportOptions,
    unfinished: Import | null,
    { planned, roster }: { planned?: KeyIndex; roster?: RosterPlan | undefined } = {},
  ): Promise<Decider> {
    const decider = new Decider(core, options, unfinished, planned, roster);
    await decider.#enrollments.reload();
    await decider.#groups.reload();
    decider.#phones = await readPhoneKeys(core);
    if (unfinished) await decider.#loadDoneRows(unfinished.id);
    return decider;
  }

  /** Restores the effects of the rows that are done from the ledger. */
  async #loadDoneRows(importId: string): Promise<void> {
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
        this.#writtenBefore = line + 1;
        if (outcome !== 'rejected') this.#people.setAccepted(line, true);
        if (userId === null || outcome === 'created') continue;
        this.#targets.recordLine(userId, line);
        this.#release(userId, parseUndoNote(undoJson)?.before ?? {});
      }
      if (rows.length < ledgerPage) return;
      after = rows.at(-1)?.line ?? after;
    }
  }

  #release(userId: string, before: { [field in (typeof releasedFields)[number]]?: string }): void {
    if (releasedFields.some((field) => before[field] !== undefined)) this.#renamedAccounts.add(userId);
    if (before.email !== undefined) this.#releasedKeys.set(`email ${before.email}`, userId);
    if (before.phone) this.#releasedKeys.set(`phone ${this.#phones.keyOf(before.phone)}`, userId);
  }

  /** Names of the groups that the import creates, in the order of the file. */
  get newGroups(): string[] {
    return this.#groups.newGroups;
  }

  /** Country of phones that the decisions rely on; empty for none. */
  get country(): string {
    return this.#phones.country;
  }

  /**
   * Returns the text for an account in reasons: its name and email. If an earlier row changes them, returns the id, because a
   * resumed run would see the new name and email.
   */
  #nameOf(id: string, account: ExistingAccount | undefined): string {
    if (account === undefined || this.#renamedAccounts.has(id)) return `account ${id}`;
    return nameAndEmail(account);
  }

  /** Adds the people of rows that an earlier run wrote. */
  addDone(rows: readonly FileRow[]): void {
    for (const row of rows)
      if (!isRejected(row) && row.isRepeatedPerson !== undefined && this.#people.isAccepted(row.line))
        this.#people.addPerson(row.line, row.person.email);
  }

  /**
   * Decides on the rows of a batch in their order. Rows about the same person are decided one after the other.
   * @param capacity capacity of courses and groups; a plan keeps it from batch to batch
   * @param refresh reads phone keys and courses again, because other processes changed data of an earlier decision
   */
  async decide(rows: readonly FileRow[], capacity: Capacity, refresh = false): Promise<readonly Decision[]> {
    if (refresh) {
      // A batch is decided again when all batches before it are written.
      this.#writtenBefore = rows[0]?.line ?? 0;
      this.#phones = await readPhoneKeys(this.#core);
      await this.#enrollments.reload();
      await this.#groups.reload();
    }
    const accounts = await accountsFor(this.#core, rows, this.#phones);
    const decided = new Map<number, Decision>();
    for (const round of splitIntoRounds(rows)) {
      const decisions = round.map((row) => this.#decideRow(row, accounts));
      const allowed = await this.#withoutBlockedRoleChanges(decisions);
      const grouped = await this.#groups.decide(allowed, capacity.groupSizes);
      for (const one of await this.#enrollments.decide(grouped, capacity)) {
        decided.set(one.row.line, one);
        this.#noteDecision(one);
        this.#groups.noteNewGroups(one);
      }
    }
    return rows.flatMap(({ line }) => decided.get(line) ?? []);
  }

  #noteDecision(decision: Decision): void {
    const { outcome, row } = decision;
    this.#people.setAccepted(row.line, outcome !== 'rejected');
    if (outcome === 'rejected' || decision.row.isRepeatedPerson === undefined) return;
    const courses = decision.enrollments.map(({ course }) => course.id);
    const groups = groupsOf(decision).map(({ key }) => key);
    this.#people.addPerson(row.line, decision.row.person.email, courses, groups);
  }

  /** Decides on a row about the person of an earlier accepted line. */
  #decideSamePerson(row: CandidateRow, earlierLine: number, account: ExistingAccount | undefined): Decision {
    if (account === undefined && earlierLine < this.#writtenBefore)
      return rejection(row, 'ALREADY_EXISTS', `The account of line ${earlierLine} was changed or removed meanwhile.`);
    // `#targets` has the accounts that existed before the import, with the first line about each.
    const isAccountCreated = !account || (this.#targets.lineOf(account.id) ?? row.line) > earlierLine;
    const same = { code: 'SAME_PERSON', earlierLine, isAccountCreated, ...(account && { account }) } as const;
    return { outcome: 'skipped', row, ...same, enrollments: [] };
  }

  #decideRow(row: FileRow, { byEmail, byPhone }: MatchingAccounts): Decision {
    if (isRejected(row)) return { outcome: 'rejected', row };
    const { email, phone } = row.person;
    const emailOwner = byEmail.get(email);
    if (this.#options.trainerId !== undefined) return decideForTrainer(this.#core, row, emailOwner);
    const earlierLine = row.isRepeatedPerson ? this.#people.lineOf(email, row.line) : undefined;
    if (earlierLine !== undefined) {
      const byItsPhone =
        phone === undefined || this.#options.match === 'email' ? undefined : byPhone.get(this.#phones.keyOf(phone));
      return this.#decideSamePerson(row, earlierLine, emailOwner ?? byItsPhone);
    }
    const emailId = emailOwner?.id ?? this.#releasedKeys.get(`email ${email}`);
    const isKnown = phone === undefined ? emailId !== undefined : emailOwner?.phone === phone;
    if (row.phoneProblem !== undefined && !isKnown)
      return { outcome: 'rejected', row: rejectRow(row, [row.phoneProblem]) };
    const key = phone === undefined ? undefined : this.#phones.keyOf(phone);
    const phoneOwner = key === undefined ? undefined : byPhone.get(key);
    const phoneId = phoneOwner?.id ?? this.#releasedKeys.get(`phone ${key}`);
    if (emailId !== undefined && phoneId !== undefined && emailId !== phoneId)
      return rejection(
        row,
        'ACCOUNTS_DIFFER',
        `Email belongs to ${this.#nameOf(emailId, emailOwner)}, phone to ${this.#nameOf(phoneId, phoneOwner)}.`,
      );
    const userId = emailId ?? phoneId;
    if (userId === undefined) return { outcome: 'created', row, enrollments: [] };
    if (emailId === undefined && this.#options.match === 'email')
      return rejection(row, 'ACCOUNTS_DIFFER', otherEmailReason(this.#nameOf(userId, phoneOwner)));
    if (emailId === undefined) {
      const match = `${row.line} ${userId}`;
      if (this.#plannedPhoneMatches && this.#plannedPhoneMatches.lineOf(match) === undefined)
        return rejection(row, 'ACCOUNTS_DIFFER', takenSinceReason(this.#nameOf(userId, phoneOwner)));
      if (this.#unchangedSince && phoneOwner && phoneOwner.updatedAt >= this.#unchangedSince)
        return rejection(row, 'ACCOUNTS_DIFFER', changedSinceReason(this.#nameOf(userId, phoneOwner)));
      this.phoneMatches.recordLine(match, row.line);
    }
    const account = emailOwner ?? phoneOwner;
    const earlier = this.#targets.recordLine(userId, row.line);
    // A rejected line about the same person doesn't count.
    if (earlier !== undefined && earlier < row.line && !(row.isRepeatedPerson && !this.#people.isAccepted(earlier)))
      return rejection(
        row,
        'DUPLICATE_IN_FILE',
        `Line ${earlier} is about ${this.#nameOf(userId, account)}, too.`,
        userId,
      );
    // Only an old key matched: another process has changed the account since an earlier row was decided.
    if (account === undefined)
      return rejection(row, 'ALREADY_EXISTS', `The account ${userId} was changed meanwhile.`, userId);
    return this.#decideExisting(row, account);
  }

  #decideExisting(row: CandidateRow, account: ExistingAccount): Decision {
    const { onExisting, resetPasswords } = this.#options;
    const userId = account.id;
    if (onExisting === 'fail')
      return rejection(
        row,
        'ALREADY_EXISTS',
        `${this.#nameOf(userId, account)} has this email or phone already.`,
        userId,
      );
    if (onExisting === 'skip') return { outcome: 'skipped', row, code: 'ALREADY_EXISTS', account, enrollments: [] };
    if (account.role === 'super_admin')
      return rejection(row, 'PROTECTED_ACCOUNT', "The super admin's account is never changed by an import.", userId);
    const changes = changesOf(row, account);
    if (Object.keys(changes).length === 0 && !resetPasswords)
      return { outcome: 'skipped', row, code: 'UNCHANGED', account, enrollments: [] };
    const before: Record<string, string> = {};
    for (const field of releasedFields) if (changes[field] !== undefined) before[field] = account[field];
    this.#release(userId, before);
    return { outcome: 'updated', row, account, changes, resetPassword: resetPasswords, enrollments: [] };
  }

  /** Rejects role changes of trainers with courses, and of trainees with open enrollments. */
  async #withoutBlockedRoleChanges(decisions: readonly Decision[]): Promise<Decision[]> {
    const blocked = await blockedRoleChanges(this.#core, decisions);
    return decisions.map((one) => {
      const block = one.outcome === 'updated' && one.changes.role !== undefined && blocked.get(one.account.id);
      return block
        ? rejection(one.row, block, roleBlockReasons[block](nameAndEmail(one.account)), one.account.id)
        : one;
    });
  }
}

/** Splits rows into rounds, so that a row is decided after earlier rows about the same person. */
function splitIntoRounds(rows: readonly FileRow[]): FileRow[][] {
  const rounds: FileRow[][] = [];
  const roundOf = new Map<string, number>();
  for (const row of rows) {
    const email = !isRejected(row) && row.isRepeatedPerson !== undefined ? row.person.email : undefined;
    const at = email === undefined ? 0 : (roundOf.get(email) ?? -1) + 1;
    if (email !== undefined) roundOf.set(email, at);
    const round = rounds[at];
    if (round) round.push(row);
    else rounds.push([row]);
  }
  return rounds;
}

/** Whether the service itself plans the remaining rows of an import: then nobody reviews whom the plan affects. */
const isPlannedWithoutReview = ({ origin, rowsDone }: Import) => origin === 'http' && rowsDone > 0;

const nameAndEmail = ({ firstName, lastName, email }: ExistingAccount) => `${firstName} ${lastName} <${email}>`;

const otherEmailReason = (name: string) =>
  `Phone belongs to ${name}, who has another email. Correct the row, or import it with match phone if it is the same person.`;

const takenSinceReason = (name: string) =>
  `Phone belongs to ${name}, who has another email and did not have this phone when the import was planned. Check the row, and import it again.`;

const changedSinceReason = (name: string) =>
  `Phone belongs to ${name}, who has another email, and was changed after the import began. Check the row, and import it again.`;

/** Whether two values look the same. macOS writes an accent as a separate character, which nobody sees. */
function looksSame(one: string | boolean, other: string | boolean | null): boolean {
  if (one === other) return true;
  return typeof one === 'string' && typeof other === 'string' && normalized(one, 'NFC') === normalized(other, 'NFC');
}

/** Returns the fields in which the row differs from the account, with the new values. */
function changesOf({ person }: CandidateRow, account: ExistingAccount): AccountChanges {
  const changes: Record<string, string | boolean> = {};
  for (const field of inputFields('import')) {
    const value = person[field];
    if (value !== undefined && value !== null && !looksSame(value, account[field])) changes[field] = value;
  }
  return changes;
}
