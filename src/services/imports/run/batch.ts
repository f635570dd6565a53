import pLimit from 'p-limit';
import type { CreationAttributes, Transaction } from 'sequelize';
import type { ImportRow, UndoNote } from '../../../db/models/import-row.js';
import { Inserts } from '../../../db/sql/insert.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { ImportedPerson } from '../../../schemas/imported-person.js';
import { searchKey } from '../../../schemas/keys.js';
import { addAccounts, initialPasswordExpiry, type NewAccount } from '../../accounts/store.js';
import { prepareAudit } from '../../audit.js';
import { generatedPasswordCost, generatePassword } from '../../auth/passwords.js';
import type { Actor, Core } from '../../core.js';
import { addEnrollments } from '../../enrollments/store.js';
import { withNewIds } from '../../ids.js';
import { lockPhoneKeys } from '../../phone-country.js';
import { codesOf, type Decision, isSamePerson, needsSecret, type PlannedEnrollment } from '../plan/outcomes.js';
import type { CellMask } from '../read/preview.js';
import { changedAccounts, type LedgerEntry } from '../store/audit-records.js';
import { assertCourses, assertTrainees, StaleDecision } from './batch-checks.js';
import { accountSecret, type Secret, type Secrets, updateExisting, type Writing } from './updates.js';

/** How many hashes an import computes at the same time: enough for all cores, few enough that logins don't wait long. */
const hashesInFlight = 8;

/** All imports together wait for hashes as one client does. */
const hashing = { owner: 'imports' };

async function makeSecret(core: Core, { password }: ImportedPerson): Promise<Secret> {
  if (password !== undefined)
    return { passwordHash: await core.hasher.hash(password, core.config.auth.bcryptCost, hashing) };
  const generated = generatePassword();
  return { passwordHash: await core.hasher.hash(generated, generatedPasswordCost, hashing), generated };
}

/** Hashes the passwords of accounts that need one and have no secret yet. */
export async function prepareSecrets(core: Core, decisions: readonly Decision[], secrets: Secrets): Promise<void> {
  const limit = pLimit(hashesInFlight);
  const making: Promise<void>[] = [];
  for (const decision of decisions) {
    if (!needsSecret(decision) || secrets.has(decision.row.line)) continue;
    const { line, person } = decision.row;
    if (person.passwordHash !== undefined) secrets.set(line, { passwordHash: person.passwordHash });
    else making.push(limit(async () => void secrets.set(line, await makeSecret(core, person))));
  }
  await Promise.all(making);
}

/** The lines of the credentials file. */
export function credentialLines(decisions: readonly Decision[], secrets: Secrets): string[][] {
  return decisions.flatMap((decision) => {
    const generated = needsSecret(decision) ? secrets.get(decision.row.line)?.generated : undefined;
    if (generated === undefined || decision.outcome === 'rejected') return [];
    const { firstName, lastName, email, phone = '' } = decision.row.person;
    return [[String(decision.row.line), firstName, lastName, email, phone, generated]];
  });
}

/** What the rows of a ledger have in common. */
interface LedgerOf {
  importId: string;
  /** Of phones, that the decisions rely on. */
  country: string;
  /** Of the file. */
  mask: CellMask;
}

/**
 * Writes the accounts and enrollments of a batch, its part of the ledger and its audit entries.
 * @throws StaleDecision, AppError `EMAIL_TAKEN`, `PHONE_TAKEN`, `ALREADY_ENROLLED` when others changed what the decisions
 *   rely on
 */
export async function writeBatch(
  core: Core,
  actor: Actor,
  { importId, country, mask }: LedgerOf,
  options: ImportOptions,
  decisions: readonly Decision[],
  secrets: Secrets,
  transaction: Transaction,
): Promise<void> {
  const phones = await lockPhoneKeys(core, transaction);
  if (phones.country !== country) throw new StaleDecision();
  const writing: Writing = { core, options, secrets, transaction, phones, now: core.now() };
  // One statement after the other: after a deadlock none may follow outside of the transaction.
  await assertCourses(core, decisions, transaction);
  const ledger = new Map<number, LedgerEntry>();
  await updateExisting(writing, decisions, ledger);
  const created = withNewIds(decisions.filter((decision) => decision.outcome === 'created'));
  for (const [id, { row }] of created) ledger.set(row.line, { userId: id, note: {} });
  for (const decision of decisions)
    if (decision.outcome === 'skipped' && !isSamePerson(decision))
      ledger.set(decision.row.line, { userId: decision.account.id, note: {} });
  await noteSamePeople(writing, importId, decisions, ledger);
  await assertTrainees(core, enrolledAccounts(decisions, ledger), transaction);
  await reviveEnrollments(writing, decisions, ledger);
  // Together, so that the rows of one table are prepared while the database inserts those of another.
  const inserts = new Inserts(transaction);
  await createAccounts(writing, created, inserts);
  await enroll(writing, decisions, ledger, inserts);
  await inserts.add(core.database.models.ImportRow, ledgerRows({ importId, mask }, decisions, ledger));
  // While the database inserts the last rows of the ledger.
  const records = changedAccounts(importId, decisions, ledger);
  const audit = prepareAudit(core, actor, records);
  await inserts.done();
  if (records.length > 0) await audit.save(transaction);
}

/**
 * Notes in the ledger whose accounts rows are about that only enroll the person of an earlier line.
 * @throws StaleDecision when the earlier line has no account
 */
async function noteSamePeople(
  { core, transaction }: Writing,
  importId: string,
  decisions: readonly Decision[],
  ledger: Map<number, LedgerEntry>,
): Promise<void> {
  const same = decisions.filter(isSamePerson);
  if (same.length === 0) return;
  const inBatch = decisions.map(({ outcome, row: { line } }) => ({
    line,
    outcome,
    userId: ledger.get(line)?.userId ?? null,
  }));
  const first = inBatch[0]?.line ?? 0;
  const earlier = same.flatMap(({ sameAs }) => (sameAs < first ? [sameAs] : []));
  const written = await core.database.models.ImportRow.findAll({
    attributes: ['line', 'outcome', 'userId'],
    where: { importId, line: earlier },
    raw: true,
    transaction,
  });
  const rows = new Map([...written, ...inBatch].map((one) => [one.line, one]));
  for (const { row, sameAs, enrollments } of same) {
    const { userId = null, outcome } = rows.get(sameAs) ?? {};
    if (userId === null || outcome === 'rejected') throw new StaleDecision();
    const isOfCreated = outcome === 'created' && enrollments.length > 0;
    ledger.set(row.line, { userId, note: isOfCreated ? { ofCreated: true } : {} });
  }
}

/** The accounts that are there already and get enrollments. */
function enrolledAccounts(decisions: readonly Decision[], ledger: ReadonlyMap<number, LedgerEntry>): string[] {
  const accounts = (wanted: (decision: Decision) => boolean) =>
    new Set(decisions.flatMap((one) => (wanted(one) ? (ledger.get(one.row.line)?.userId ?? []) : [])));
  const created = accounts(({ outcome }) => outcome === 'created');
  const enrolled = accounts((one) => one.outcome !== 'rejected' && one.enrollments.length > 0);
  return [...enrolled].filter((id) => !created.has(id));
}

/** The rows of the ledger for decisions. */
function* ledgerRows(
  { importId, mask }: Omit<LedgerOf, 'country'>,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): Generator<CreationAttributes<ImportRow>> {
  for (const decision of decisions) {
    const { line } = decision.row;
    const { userId = accountOfRejected(decision), note = {} } = ledger.get(line) ?? {};
    const ofRejected =
      decision.outcome === 'rejected'
        ? { reason: decision.row.reason, searchKey: searchKey(...mask(decision.row.cells)) }
        : { reason: null, searchKey: null };
    const undoJson = Object.keys(note).length === 0 ? null : JSON.stringify(note);
    yield { importId, line, outcome: decision.outcome, ...codesOf(decision), userId, ...ofRejected, undoJson };
  }
}

/** Kept for a resumed run: a later row about the same account is a duplicate even though this one was rejected. */
const accountOfRejected = (decision: Decision) =>
  decision.outcome === 'rejected' ? (decision.accountId ?? null) : null;

async function createAccounts(
  { core, options, secrets, phones }: Writing,
  created: readonly [id: string, decision: Decision & { outcome: 'created' }][],
  inserts: Inserts,
): Promise<void> {
  const expiry = initialPasswordExpiry(core);
  function* accounts(): Generator<NewAccount> {
    for (const [, { row }] of created) {
      const { line, person } = row;
      yield {
        firstName: person.firstName,
        lastName: person.lastName,
        email: person.email,
        phone: person.phone ?? '',
        role: person.role ?? options.role,
        isActive: person.isActive ?? true,
        ...accountSecret(secrets, line, expiry),
      };
    }
  }
  const ids = created.map(([id]) => id);
  await addAccounts(core, accounts(), ids, { inserts, phones });
}

async function enroll(
  { core, now }: Writing,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
  inserts: Inserts,
): Promise<void> {
  const enrollments = decisions.flatMap((decision) => {
    const entry = ledger.get(decision.row.line);
    if (decision.outcome === 'rejected' || !entry?.userId || decision.enrollments.length === 0) return [];
    const { userId, note } = entry;
    const fresh = withNewIds(decision.enrollments.filter(({ cancelled }) => !cancelled));
    if (fresh.length === 0) return [];
    note.enrollments = fresh.map(([id]) => id);
    return fresh.map(([id, { course, status, notes }]) => ({
      id,
      userId,
      courseId: course.id,
      trainerId: course.trainerId,
      status,
      notes,
    }));
  });
  await addEnrollments(core, enrollments, now, inserts);
}

/** Makes cancelled enrollments active again. @throws StaleDecision as {@link revive} */
async function reviveEnrollments(
  { core, transaction, now }: Writing,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): Promise<void> {
  for (const decision of decisions) {
    const note = ledger.get(decision.row.line)?.note;
    if (decision.outcome === 'rejected' || !note) continue;
    for (const planned of decision.enrollments) await revive(core, planned, note, now, transaction);
  }
}

/** Makes a cancelled enrollment active again. @throws StaleDecision when another process did, or the enrollment is gone */
async function revive(
  core: Core,
  { status, notes, cancelled }: PlannedEnrollment,
  note: UndoNote,
  now: Date,
  transaction: Transaction,
): Promise<void> {
  if (!cancelled) return;
  const { id, enrolledAt } = cancelled;
  const [revived] = await core.database.models.Enrollment.update(
    { status, enrolledAt: now, updatedAt: now, ...(notes !== null && { notes }) },
    { where: { id, status: 'cancelled' }, silent: true, transaction },
  );
  if (revived !== 1) throw new StaleDecision();
  const before = { id, enrolledAt: enrolledAt.toISOString(), notes: cancelled.notes, updatedAt: now.toISOString() };
  note.revived = [...(note.revived ?? []), before];
}
