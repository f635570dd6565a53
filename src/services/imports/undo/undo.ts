import { type InferAttributes, Op, type Transaction } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { ImportRow } from '../../../db/models/import-row.js';
import { AppError } from '../../../errors.js';
import { recordAudit } from '../../audit/audit.js';
import { type Actor, type Core, withoutSession } from '../../core.js';
import { lockPhoneKeys, readPhoneKeys } from '../../phone-country.js';
import { KeyIndex } from '../read/rows/key-index.js';
import { type KeptAccount, shownLine } from '../store/ledger.js';
import { removeAccounts, restoreAccounts } from './accounts.js';
import { undoEnrollments } from './enrollments.js';
import { undoGroups } from './groups.js';
import { countFreedSeats, keepTakenSeats } from './seats.js';
import { groupBy, judgeRows, keepTakenKeys, readActivity, type Verdict } from './verdicts.js';

export interface UndoResult {
  removed: number;
  restored: number;
  kept: KeptAccount[];
  /** Number of mails that were sent to people whose accounts are removed. */
  mailsSent: number;
}

/** Returns how much of an import was undone: `nothing` if every account was kept. Deleted accounts count as undone. */
export function extentOf({ removed, restored, kept }: UndoResult): 'all' | 'part' | 'nothing' {
  if (kept.every(({ code }) => code === 'GONE')) return 'all';
  return removed + restored > 0 ? 'part' : 'nothing';
}

/** Whether an undo has kept existing accounts, which another undo may remove or restore. */
export async function hasKeptAccounts(core: Core, importId: string, transaction?: Transaction): Promise<boolean> {
  const where = { importId, undoOutcome: 'kept', undoCode: { [Op.ne]: 'GONE' } } as const;
  const find = () =>
    core.database.models.ImportRow.findOne({ attributes: ['line'], where, ...(transaction && { transaction }) });
  return (await (transaction ? find() : core.database.read(find))) !== null;
}

const undoBatch = 500;

/**
 * Returns the next rows that changed something and were not undone, from the last row backwards; then the members who left, so that
 * removed newcomers free their seats. Includes the rows of kept
 * accounts, because the reason to keep them may no longer apply.
 */
async function findUndoableRows(
  core: Core,
  record: Import,
  before: number,
  transaction?: Transaction,
): Promise<ImportRow[]> {
  const find = (line: object) =>
    core.database.models.ImportRow.findAll({
      where: {
        importId: record.id,
        line,
        [Op.and]: [
          { [Op.or]: [{ undoOutcome: null }, { undoOutcome: 'kept' }] },
          { [Op.or]: [{ outcome: ['created', 'updated'] }, { undoJson: { [Op.ne]: null } }] },
        ],
      },
      order: [['line', 'DESC']],
      limit: undoBatch,
      ...(transaction && { transaction }),
    });
  const rows = before > 0 ? await find({ [Op.lt]: before, [Op.gt]: 0 }) : [];
  return rows.length > 0 ? rows : find({ [Op.lt]: Math.min(before, 0) });
}

/** Undoes rows according to their verdicts, with audit entries, and records the outcomes in the ledger. */
async function applyVerdicts(
  core: Core,
  actor: Actor,
  record: Import,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<void> {
  const removed = await removeAccounts(core, actor, record.id, verdicts, transaction);
  const audit = [...removed, ...(await restoreAccounts(core, actor, record.id, verdicts, transaction))];
  if (audit.length > 0) await recordAudit(core, actor, audit, transaction);
  await undoEnrollments(core, actor, verdicts, transaction);
  await undoGroups(core, actor, verdicts, transaction);
  const alike = groupBy(verdicts, ({ outcome, code }) => `${outcome} ${code}`);
  for (const [first, ...others] of alike.values()) {
    if (!first) continue;
    await core.database.models.ImportRow.update(
      { undoOutcome: first.outcome, undoCode: first.code },
      { where: { importId: record.id, line: [first, ...others].map(({ row }) => row.line) }, transaction },
    );
  }
}

/** Commits a step of the undo, if this process still holds the lease. */
export type CommitStep = (
  progress: Partial<InferAttributes<Import>>,
  work: (transaction: Transaction) => Promise<void>,
) => Promise<void>;

/** Adds verdicts to the result. @param restored ids of restored accounts, which count a single time */
function addVerdicts(result: UndoResult, verdicts: readonly Verdict[], restored: KeyIndex): void {
  for (const { row, userId, email, note, outcome, code } of verdicts) {
    if (outcome === 'kept') result.kept.push({ line: shownLine(row.line), userId, email, code });
    // Only the row that created the account counts.
    else if (note.ofCreated || (outcome === 'restored' && restored.recordLine(userId, row.line) !== undefined))
      continue;
    // An account that was deleted before isn't removed by the undo.
    else if (code !== 'GONE') result[outcome] += 1;
  }
}

/**
 * Returns the verdicts on the next rows, and locks their accounts if there is a transaction.
 * @param undone enrollments that earlier steps have undone
 * @param freed seats that earlier steps of a preview would free, by course
 */
async function judgeNextRows(
  core: Core,
  record: Import,
  before: number,
  undone: KeyIndex,
  freed: ReadonlyMap<string, number>,
  transaction?: Transaction,
): Promise<Verdict[]> {
  const rows = await findUndoableRows(core, record, before, transaction);
  const activity = await readActivity(core, rows, transaction);
  const phones = await (transaction ? lockPhoneKeys(core, transaction) : readPhoneKeys(core));
  const verdicts = await keepTakenKeys(core, judgeRows(rows, activity, undone), phones, transaction);
  return keepTakenSeats(core, verdicts, freed, transaction);
}

interface UndoStep {
  verdicts: Verdict[];
  mailsSent: number;
}

/** Counts the sent mails of the import to people whose accounts are removed. Removing an account deletes its mails. */
async function mailsSentTo(
  core: Core,
  { id: importId }: Import,
  verdicts: readonly Verdict[],
  transaction?: Transaction,
): Promise<number> {
  const removed = verdicts.flatMap(({ outcome, user }) => (outcome === 'removed' && user ? [user.id] : []));
  if (removed.length === 0) return 0;
  const where = { importId, userId: removed, state: ['sending' as const, 'sent' as const] };
  return core.database.models.Mail.count({ where, ...(transaction && { transaction }) });
}

/**
 * Judges the rows of an import batch by batch, from the last row to the first.
 * @param step judges the rows before a line, and may undo them
 */
async function judgeInBatches(
  step: (before: number, undone: KeyIndex) => Promise<UndoStep>,
  onProgress: (rows: number) => void = () => undefined,
): Promise<UndoResult> {
  const result: UndoResult = { removed: 0, restored: 0, kept: [], mailsSent: 0 };
  const [undone, restored] = [new KeyIndex(), new KeyIndex()];
  for (let rows = 0, before = Number.MAX_SAFE_INTEGER; ; ) {
    const { verdicts, mailsSent } = await step(before, undone);
    result.mailsSent += mailsSent;
    addVerdicts(result, verdicts, restored);
    rows += verdicts.length;
    onProgress(rows);
    const last = verdicts.at(-1);
    if (!last) return result;
    before = last.row.line;
  }
}

/** Returns the effects that an undo would have now. Writes nothing. @throws AppError `INTERRUPTED` */
export async function previewUndoRows(core: Core, record: Import, signal?: AbortSignal): Promise<UndoResult> {
  const freed = new Map<string, number>();
  return judgeInBatches((before, undone) => {
    if (signal?.aborted) throw new AppError('INTERRUPTED');
    return core.database.read(async () => {
      const verdicts = await judgeNextRows(core, record, before, undone, freed);
      countFreedSeats(verdicts, freed);
      return { verdicts, mailsSent: await mailsSentTo(core, record, verdicts) };
    });
  });
}

/**
 * Removes the accounts and enrollments that an import created, and restores those that it updated, last row first. Each batch
 * commits separately, so that an interrupted undo can be resumed. Accounts that were used or changed since are kept and
 * returned. Accounts that an earlier undo kept are judged again.
 */
export async function undoRows(
  core: Core,
  actor: Actor,
  record: Import,
  commitProgress: CommitStep,
  onProgress?: (rows: number) => void,
): Promise<UndoResult> {
  await commitProgress({ status: 'undoing' }, (transaction) =>
    recordAudit(core, actor, { action: 'import.undo', targetType: 'import', targetId: record.id }, transaction),
  );
  return judgeInBatches(async (before, undone) => {
    let verdicts: Verdict[] = [];
    let mailsSent = 0;
    await commitProgress({ status: 'undoing' }, async (transaction) => {
      verdicts = await judgeNextRows(core, record, before, undone, new Map(), transaction);
      mailsSent = await mailsSentTo(core, record, verdicts, transaction);
      // The undo continues if the session of its actor ends: otherwise, another person would have to finish it.
      await applyVerdicts(core, withoutSession(actor), record, verdicts, transaction);
    });
    return { verdicts, mailsSent };
  }, onProgress);
}
