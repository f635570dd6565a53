import type { CreationAttributes, Transaction } from 'sequelize';
import type { ImportRow } from '../../../db/models/import-row.js';
import { BulkInserter } from '../../../db/sql/insert.js';
import type { ImportOptions } from '../../../schemas/import.js';
import { searchKey } from '../../../schemas/keys.js';
import { EffectBatch } from '../../accounts/apply-effects.js';
import { prepareAudit } from '../../audit/audit.js';
import type { Actor, Core } from '../../core.js';
import { applyEnrollmentEffects } from '../../enrollments/effects.js';
import { withNewIds } from '../../new-ids.js';
import { lockPhoneKeys } from '../../phone-country.js';
import { codesOf, type Decision, groupsOf, isSamePerson, reasonOf } from '../plan/outcomes.js';
import type { CellMask } from '../read/preview.js';
import { changedAccounts, type LedgerEntry } from '../store/audit-records.js';
import { lockTrainer } from '../store/trainer-imports.js';
import { type BatchContext, createAccounts, type Secrets, updateExisting } from './accounts.js';
import { assertTrainees, enroll, enrollmentChangesOf, lockCourses, reviveEnrollments } from './enrollments.js';
import { assignToRoster, joinGroups } from './groups.js';
import { StaleDecision } from './run-state.js';

/** Values that all ledger rows of a batch share. */
interface LedgerContext {
  importId: string;
  /** Country of phones when the decisions were made. With another country, they are stale. */
  country: string;
  mask: CellMask;
}

/**
 * Writes the accounts and enrollments of a batch, its ledger rows and its audit entries.
 * @throws StaleDecision, AppError `EMAIL_TAKEN`, `PHONE_TAKEN`, `ALREADY_ENROLLED` if another process has changed the data
 *   on which the decisions are based
 */
export async function writeBatch(
  core: Core,
  actor: Actor,
  { importId, country, mask }: LedgerContext,
  options: ImportOptions,
  decisions: readonly Decision[],
  secrets: Secrets,
  transaction: Transaction,
): Promise<void> {
  const phones = await lockPhoneKeys(core, transaction);
  if (phones.country !== country) throw new StaleDecision();
  // Sends statements one after the other. A deadlock ends the transaction, and a statement sent early would then commit alone.
  const waitingNumbers = await lockCourses(core, decisions, transaction);
  await lockTrainer(core, { trainerId: options.trainerId ?? null }, transaction);
  const now = core.now();
  const context: BatchContext = { core, actor, importId, options, secrets, transaction, phones, now, waitingNumbers };
  const ledger = new Map<number, LedgerEntry>();
  await updateExisting(context, decisions, ledger);
  const created = withNewIds(decisions.filter((decision) => decision.outcome === 'created'));
  for (const [id, { row }] of created) ledger.set(row.line, { userId: id, note: {} });
  for (const decision of decisions)
    if (decision.outcome === 'skipped' && !isSamePerson(decision))
      ledger.set(decision.row.line, { userId: decision.account.id, note: {} });
  await noteSamePeople(context, importId, decisions, ledger);
  await assertTrainees(context, decisions, ledger);
  const changes = enrollmentChangesOf(context, decisions, ledger);
  await reviveEnrollments(context, changes);
  // All inserts share one inserter: it prepares the next statement while the database runs the last one.
  const inserts = new BulkInserter(transaction);
  const effects = new EffectBatch(core, transaction);
  await createAccounts(context, created, { inserts, effects });
  await enroll(context, changes, inserts);
  if (options.roster !== undefined || decisions.some((decision) => groupsOf(decision).length > 0)) {
    // The accounts and enrollments must exist, and the ledger names the groups.
    await inserts.finish();
    await joinGroups(context, decisions, ledger);
    await assignToRoster(context, decisions, changes, ledger);
  }
  const rows = ledgerRows({ importId, mask }, decisions, ledger, options.trainerId !== undefined);
  await inserts.add(core.database.models.ImportRow, rows);
  // The audit entries are prepared while the database inserts the last rows of the ledger.
  const records = changedAccounts(importId, decisions, ledger);
  const audit = prepareAudit(core, actor, records);
  await inserts.finish();
  await effects.apply();
  await applyEnrollmentEffects(core, changes, transaction); // effect: import
  if (records.length > 0) await audit.save(transaction);
}

/**
 * Some rows only enroll the person of an earlier row, or add them to groups. Adds the account of that earlier row to the ledger for them.
 * @throws StaleDecision if the earlier row has no account, or was rejected
 */
async function noteSamePeople(
  { core, transaction }: BatchContext,
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
  const earlier = same.flatMap(({ earlierLine }) => (earlierLine < first ? [earlierLine] : []));
  const written = await core.database.models.ImportRow.findAll({
    attributes: ['line', 'outcome', 'userId'],
    where: { importId, line: earlier },
    raw: true,
    transaction,
  });
  const rows = new Map([...written, ...inBatch].map((one) => [one.line, one]));
  for (const decision of same) {
    const { row, earlierLine, enrollments } = decision;
    const { userId = null, outcome } = rows.get(earlierLine) ?? {};
    if (userId === null || outcome === 'rejected') throw new StaleDecision();
    const isOfCreated = outcome === 'created' && enrollments.length + groupsOf(decision).length > 0;
    ledger.set(row.line, { userId, note: isOfCreated ? { ofCreated: true } : {} });
  }
}

function* ledgerRows(
  { importId, mask }: Omit<LedgerContext, 'country'>,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
  isOfTrainer: boolean,
): Generator<CreationAttributes<ImportRow>> {
  for (const decision of decisions) {
    const { line } = decision.row;
    const { userId = accountOfRejected(decision), note = {} } = ledger.get(line) ?? {};
    const { outcome } = decision;
    // Trainers search the cells of all rows, instead of the accounts.
    const hasKey = outcome === 'rejected' || isOfTrainer;
    const key = hasKey ? searchKey(...mask(decision.row.cells)) : null;
    const undoJson = Object.keys(note).length === 0 ? null : JSON.stringify(note);
    const why = { ...codesOf(decision), reason: reasonOf(decision), searchKey: key };
    yield { importId, line, outcome, userId, ...why, undoJson };
  }
}

/** Account that a rejected row matched. In a resumed run, a later row about this account is a duplicate. */
const accountOfRejected = (decision: Decision) =>
  decision.outcome === 'rejected' ? (decision.accountId ?? null) : null;
