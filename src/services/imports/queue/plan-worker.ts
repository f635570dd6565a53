import type { Transaction } from 'sequelize';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import type { StoredPlan } from '../../../db/models/import-plan.js';
import { insertRows } from '../../../db/sql/insert.js';
import { AppError, type ErrorCode, isAppError } from '../../../errors.js';
import type { ImportOptions } from '../../../schemas/import.js';
import { FileProblem } from '../../../tables/encoding/source-file.js';
import type { Core } from '../../core.js';
import type { ImportPlan } from '../plan/plan.js';
import { toLeavingRow, toPlanRow, toStoredPlan, toUnusablePlan } from '../plan/stored-plan.js';
import { DoubtfulEncoding } from '../read/doubtful-encoding.js';
import { cellMask, type FilePreview } from '../read/preview.js';
import { inspectFile, previewFile } from '../read/thread/read-file.js';
import { assertLeaseHeld } from '../run/import-lock.js';
import { clearPlanRows, planExpiry } from '../store/plan-store.js';
import { hasWritten, lockImport, noPlanColumns, optionsOf, planColumns } from '../store/repository.js';
import { withoutPaths } from '../store/spool.js';
import { planRecorded } from './apply.js';
import { runWhileWanted } from './watch.js';

/** Codes of faults of the file and its options. The plan shows these faults, so that people can choose other options. */
const problemCodes: readonly ErrorCode[] = [
  ...(['IMPORT_FILE_INVALID', 'USAGE', 'VALIDATION', 'MAIL_NOT_SET_UP'] as const),
  ...(['COURSE_LOST', 'ACCOUNT_INACTIVE'] as const),
];

interface Planning {
  core: Core;
  record: Import;
  options: ImportOptions;
  signal: AbortSignal;
  /**
   * Commits a step, if this process still holds the lease and the plan is still wanted.
   * @throws AppError `IMPORT_CONFLICT`
   */
  commit(work: (transaction: Transaction) => Promise<void>): Promise<void>;
}

/** Returns the current request for a plan; undefined if the import needs no plan any more. */
async function currentRequest(core: Core, id: string): Promise<{ record: Import; revision: number } | undefined> {
  return core.database.inTransaction(async (transaction) => {
    const record = await lockImport(core, id, transaction);
    const plan = await core.database.models.ImportPlan.findByPk(id, { transaction });
    return record.status === 'planning' && plan ? { record, revision: plan.revision } : undefined;
  });
}

/**
 * Plans an import over HTTP, and stores the plan with its rows. An interrupted plan starts again from the beginning.
 * @throws AppError `IMPORT_CONFLICT` if the plan was discarded or requested with other options, `INTERRUPTED`,
 *   `FILE_UNUSABLE`
 */
export async function makePlan(core: Core, { id }: Import, lease: Lease, stop: AbortSignal): Promise<void> {
  const request = await currentRequest(core, id);
  if (!request) return;
  const { record, revision } = request;
  const commit: Planning['commit'] = (work) =>
    core.database.inTransaction(async (transaction) => {
      await assertLeaseHeld(lease, record, transaction);
      const { status } = await lockImport(core, id, transaction);
      const plan = await core.database.models.ImportPlan.findByPk(id, { attributes: ['revision'], transaction });
      if (status !== 'planning' || plan?.revision !== revision) throw planUnwantedError(record);
      await work(transaction);
    });
  const findStopReason = () =>
    core.database.read(async () => {
      const { Import, ImportPlan } = core.database.models;
      const current = await Import.findByPk(id, { attributes: ['status'] });
      const plan = await ImportPlan.findByPk(id, { attributes: ['revision'] });
      return current?.status !== 'planning' || plan?.revision !== revision ? planUnwantedError(record) : undefined;
    });
  await runWhileWanted(stop, findStopReason, (signal) =>
    planAndStore({ core, record, options: optionsOf(record), signal, commit }),
  );
}

const planUnwantedError = ({ number }: Import) =>
  new AppError(
    'IMPORT_CONFLICT',
    `The import ${number} was changed or discarded meanwhile: this plan is no longer needed.`,
  );

async function planAndStore(planning: Planning): Promise<void> {
  const { core, record } = planning;
  await clearPlanRows(core, record);
  let preview: FilePreview | undefined;
  try {
    preview = await previewOf(planning);
    const { plan, stored } = await planRows(planning, preview);
    await storePlan(planning, stored, planColumns(plan));
  } catch (error) {
    if (!isAppError(error, ...problemCodes)) throw error;
    await clearPlanRows(core, record);
    const problem = {
      code: error.code,
      message: withoutPaths(error.message, record),
      ...(error instanceof FileProblem && { reason: error.reason, line: error.line, sheets: error.sheets }),
      ...(error instanceof DoubtfulEncoding && { candidates: error.candidates }),
    };
    await storePlan(planning, toUnusablePlan(problem, preview, planning.options), noPlanColumns);
  }
}

async function previewOf({ core, record, options, signal }: Planning): Promise<FilePreview> {
  const { encoding, delimiter = 'auto' } = options;
  const { filePath: file } = record;
  const source = { ...(await inspectFile(file, encoding, signal)), delimiter } as const;
  return previewFile({ file, source, options, limits: core.config.imports }, signal);
}

/** Members who leave, per transaction of a plan. */
const leavingRows = 1000;

async function planRows(
  { core, record, signal, commit }: Planning,
  preview: FilePreview,
): Promise<{ plan: ImportPlan; stored: StoredPlan }> {
  const { ImportPlan, ImportPlanRow } = core.database.models;
  const mask = cellMask(preview.columns, preview.width);
  let rowsRead = 0;
  const plan = await planRecorded(core, record, {
    signal,
    maxRows: core.config.imports.uploadRows,
    onRoster: async (roster) => {
      const { leaving = [] } = roster ?? {};
      for (let at = 0; at < leaving.length; at += leavingRows) {
        const rows = leaving.slice(at, at + leavingRows).map((one, index) => toLeavingRow(record.id, one, at + index));
        await commit((transaction) => insertRows(ImportPlanRow, rows, transaction));
      }
    },
    onDecisions: async (decisions) => {
      rowsRead += decisions.length;
      const rows = decisions.map((decision) => toPlanRow(record.id, decision, mask));
      await commit(async (transaction) => {
        await insertRows(ImportPlanRow, rows, transaction);
        await ImportPlan.update({ rowsRead }, { where: { importId: record.id }, transaction });
      });
    },
  });
  return { plan, stored: toStoredPlan(plan, preview) };
}

async function storePlan(
  { core, record, commit }: Planning,
  stored: StoredPlan,
  planned: ReturnType<typeof planColumns> | typeof noPlanColumns,
): Promise<void> {
  const { Import, ImportPlan } = core.database.models;
  const { problem, refusal } = stored;
  const errorCode = refusal ? 'IMPORT_REFUSED' : (problem?.code ?? null);
  const errorMessage = refusal ?? problem?.message ?? null;
  await commit(async (transaction) => {
    const fields = { planJson: JSON.stringify(stored), expiresAt: planExpiry(core) };
    await ImportPlan.update(fields, { where: { importId: record.id }, transaction });
    const ready = { status: 'planned', errorCode, errorMessage } as const;
    await Import.update({ ...planned, ...ready }, { where: { id: record.id }, transaction });
  });
}

/** Returns an import to the status `planned`, because its plan is out of date. Requires that no row was imported. */
export async function reopenPlan(core: Core, { id }: Import, { code, message }: AppError): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    const record = await lockImport(core, id, transaction);
    const plan = await core.database.models.ImportPlan.findByPk(id, { transaction });
    const content = plan?.content;
    if (record.status !== 'running' || hasWritten(record) || !content) return;
    const planJson = JSON.stringify({ ...content, problem: { code, message } });
    await plan.update({ planJson, appliedAt: null, expiresAt: planExpiry(core) }, { transaction });
    const outdated = { status: 'planned', startedAt: null, errorCode: code, errorMessage: message } as const;
    await record.update(outdated, { transaction });
  });
}
