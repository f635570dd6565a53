import { Op, type Transaction } from 'sequelize';
import { activeLeases } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import type { ImportPlan } from '../../../db/models/import-plan.js';
import { AppError } from '../../../errors.js';
import type { Core } from '../../core.js';
import { forceIncrementUserVersions } from '../../locks/row-locks.js';
import { hasWritten, leaseName, lockImport } from './repository.js';
import { hasEnded, removeSpooledFile } from './spool.js';

const linesPerTransaction = 5000;

export function findPlan(core: Core, { id }: Pick<Import, 'id'>): Promise<ImportPlan | null> {
  return core.database.read(() => core.database.models.ImportPlan.findByPk(id));
}

export function planExpiry(core: Core): Date {
  return new Date(core.now().getTime() + core.config.imports.planHours * 3_600_000);
}

/**
 * Makes sure that an account can have one more planned import. The number is limited, because the files of plans are kept.
 * @param except id of an import that doesn't count
 * @throws AppError `PLAN_LIMIT`
 */
export async function assertBelowPlanLimit(
  core: Core,
  createdBy: string | null,
  transaction: Transaction,
  except = '',
): Promise<void> {
  // The lock makes concurrent requests count one after the other.
  if (createdBy !== null) await forceIncrementUserVersions(core, [createdBy], transaction);
  await assertBelowPlanLimitUnlocked(core, createdBy, transaction, except);
}

/** {@link assertBelowPlanLimit} without a lock: concurrent requests may count the same plans. */
export async function assertBelowPlanLimitUnlocked(
  core: Core,
  createdBy: string | null,
  transaction?: Transaction,
  except = '',
): Promise<void> {
  const limit = core.config.imports.plansPerAccount;
  const where = { createdBy, status: ['planning' as const, 'planned' as const], id: { [Op.ne]: except } };
  const count = await core.database.models.Import.count({ where, ...(transaction && { transaction }) });
  if (count < limit) return;
  const message = `You may have ${limit} planned imports, and have ${count}. Apply or cancel some first.`;
  throw new AppError('PLAN_LIMIT', message, { params: { max: limit } });
}

/** Requests a new plan. A process that makes an older plan notices the new revision, and stops. @param transaction transaction that has locked the import */
export async function requestPlan(core: Core, { id }: Pick<Import, 'id'>, transaction: Transaction): Promise<void> {
  const { ImportPlan } = core.database.models;
  const plan = await ImportPlan.findByPk(id, { transaction });
  const fresh = { rowsRead: 0, planJson: null, appliedAt: null, expiresAt: planExpiry(core) };
  if (plan) await plan.update({ ...fresh, revision: plan.revision + 1 }, { transaction });
  else await ImportPlan.create({ importId: id, ...fresh }, { transaction });
}

/** Removes the rows of a plan in several transactions. */
export async function clearPlanRows(core: Core, { id }: Pick<Import, 'id'>): Promise<void> {
  const { ImportPlanRow } = core.database.models;
  const rows = { where: { importId: id }, limit: linesPerTransaction };
  while ((await core.database.inTransaction((transaction) => ImportPlanRow.destroy({ ...rows, transaction }))) > 0);
}

export async function removePlan(core: Core, { id }: Pick<Import, 'id'>): Promise<void> {
  await clearPlanRows(core, { id });
  const { ImportPlan } = core.database.models;
  await core.database.inTransaction((transaction) => ImportPlan.destroy({ where: { importId: id }, transaction }));
}

/** Removes the plan and the file of a discarded or expired import. */
export async function removeDiscarded(core: Core, record: Import): Promise<void> {
  await removePlan(core, record);
  await removeSpooledFile(core, record);
}

/** Whether the import still needs its plan: until its first rows are committed. */
export const needsPlan = (record: Import): boolean => !hasEnded(record) && !hasWritten(record);

/** Marks an import as expired, unless it has just been applied or planned again. @returns whether it expired */
async function expire(core: Core, id: string): Promise<boolean> {
  return core.database.inTransaction(async (transaction) => {
    const record = await lockImport(core, id, transaction);
    const plan = await core.database.models.ImportPlan.findByPk(id, { transaction });
    const isWaiting = record.status === 'planned' || record.status === 'planning';
    if (!isWaiting || !plan || plan.expiresAt > core.now()) return false;
    await record.update({ status: 'expired', finishedAt: core.now() }, { transaction });
    return true;
  });
}

/** Expires plans that nobody applied, and removes orphaned plans after crashes. Safe to run on every instance at any time. */
export async function sweepPlans(core: Core, signal?: AbortSignal): Promise<{ expired: number; removed: number }> {
  const { Import, ImportPlan } = core.database.models;
  const result = { expired: 0, removed: 0 };
  const plans = await core.database.read(() => ImportPlan.findAll({ attributes: ['importId', 'expiresAt'] }));
  const ids = plans.map(({ importId }) => importId);
  const records = await core.database.read(() => Import.findAll({ where: { id: ids } }));
  const held = await activeLeases(core.database, records.map(leaseName));
  const due = new Set(plans.filter(({ expiresAt }) => expiresAt <= core.now()).map(({ importId }) => importId));
  for (const record of records) {
    if (signal?.aborted) break;
    // A process is planning or running the import.
    if (held.has(leaseName(record))) continue;
    if (!needsPlan(record)) {
      await removePlan(core, record);
      result.removed += 1;
    } else if (due.has(record.id) && (await expire(core, record.id))) {
      await removeDiscarded(core, record);
      result.expired += 1;
    }
  }
  return result;
}
