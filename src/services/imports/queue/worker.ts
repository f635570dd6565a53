import { setTimeout as sleep } from 'node:timers/promises';
import { type InferAttributes, Op, type WhereOptions } from 'sequelize';
import { activeLeases, type Lease, withLease } from '../../../db/lease.js';
import { assertSchemaCurrent } from '../../../db/migrations/migrator.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, isAppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import type { Actor, Core } from '../../core.js';
import type { ImportPlan } from '../plan/plan.js';
import { leaseMs, withImportLease } from '../run/import-lock.js';
import { findPlan, needsPlan, removePlan } from '../store/plan-store.js';
import {
  auditFinish,
  hasWritten,
  importConflicts,
  isUndoOfRefusedImport,
  leaseName,
  lockImport,
  transientErrors,
} from '../store/repository.js';
import { isReadableHere, withoutPaths } from '../store/spool.js';
import { lockTrainer, reserveInvites } from '../store/trainer-imports.js';
import { applyUnderLease, planRecorded, undoRefused } from './apply.js';
import { makePlan, reopenPlan } from './plan-worker.js';
import { runWhileWanted } from './watch.js';

/** Runs and plans imports that were requested over HTTP. */
export interface ImportWorker {
  /** Checks the queue now. */
  wake(): void;
  /** Stops at the next row boundary. Running imports resume after the next start, here or on another instance. */
  close(): Promise<void>;
}

export interface WorkerOptions {
  /** Polling interval in milliseconds. Other instances may queue imports, or die and leave imports unfinished. */
  pollMs?: number;
}

const slotTaken = () => new AppError('IMPORT_BUSY', 'Another instance of the service uses this slot for imports.');

/** Maximum due imports that are read at a time. Several are needed, because the first files may be on other machines. */
const queueLength = 1000;

/** Kinds of slots. A slot works on one import at a time. Plans have separate slots, so that no plan waits for a run. */
type SlotKind = 'run' | 'plan';

/** Conditions of imports to run or plan. */
const due: Readonly<Record<SlotKind, WhereOptions<Import>>> = {
  run: {
    [Op.or]: [
      { status: ['queued', 'running'] },
      { status: 'interrupted', errorCode: { [Op.or]: [{ [Op.is]: null }, { [Op.in]: [...transientErrors] }] } },
      // isUndoOfRefusedImport() excludes imports whose undo a person began.
      { status: 'undoing', errorCode: 'IMPORT_REFUSED', undoneAt: null },
    ],
  },
  plan: { status: 'planning' },
};

/** Returns the imports to run or plan that no process works on, the oldest first. */
async function findDue(core: Core, work: SlotKind): Promise<Import[]> {
  const where = { [Op.and]: [{ origin: 'http' }, due[work]] };
  const records = await core.database.read(() =>
    core.database.models.Import.findAll({ where, order: ['id'], limit: queueLength }),
  );
  const held = await activeLeases(core.database, records.map(leaseName));
  const isResumedByService = (record: Import) => record.status !== 'undoing' || isUndoOfRefusedImport(record);
  return records.filter((record) => !held.has(leaseName(record)) && isResumedByService(record));
}

/** The actor of an import's changes is the account that submitted it. */
function actorOf({ createdBy, trainerId }: Import): Actor {
  const client = { origin: 'http', ip: null } as const;
  return trainerId === null
    ? { ...client, actorId: createdBy, role: 'super_admin' }
    : { ...client, actorId: trainerId, role: 'trainer' };
}

/** Marks an import as running, unless it has ended or was cancelled. @returns whether to run it */
async function markRunning(core: Core, record: Import): Promise<boolean> {
  return core.database.inTransaction(async (transaction) => {
    await record.reload({ transaction, lock: transaction.LOCK.UPDATE });
    if (!['queued', 'running', 'interrupted'].includes(record.status)) return false;
    if (record.cancelRequested) {
      await record.update({ status: 'cancelled', finishedAt: core.now() }, { transaction });
      await auditFinish(core, actorOf(record), record, record.counts, transaction);
      return false;
    }
    const startedAt = record.startedAt ?? core.now();
    await record.update({ status: 'running', startedAt, errorCode: null, errorMessage: null }, { transaction });
    return true;
  });
}

async function runOne(core: Core, record: Import, lease: Lease, signal: AbortSignal): Promise<void> {
  if (!(await markRunning(core, record))) return;
  const plan = await planToRun(core, record, signal);
  // The import was cancelled while it was planned.
  if (!plan) return;
  if (record.invitesReservedAt === null) await reserveForRun(core, record, plan);
  const allowLeaving = (await findPlan(core, record))?.allowLeaving ?? undefined;
  await applyUnderLease(core, actorOf(record), plan, { record, signal, allowLeaving }, lease);
  if (!needsPlan(record)) await removePlan(core, record);
}

/** Reserves the invitations of a run that nobody planned before. @throws AppError `INVITE_LIMIT`, `ACCOUNT_INACTIVE` */
async function reserveForRun(core: Core, record: Import, { counts }: ImportPlan): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    await lockTrainer(core, record, transaction);
    await record.update(await reserveInvites(core, record, counts.created, transaction), { transaction });
  });
}

/**
 * Returns the plan of a run. If the run was cancelled, records the cancellation and returns undefined.
 * @throws AppError the errors of {@link planRecorded}
 */
async function planToRun(core: Core, record: Import, stop: AbortSignal): Promise<ImportPlan | undefined> {
  const { Import } = core.database.models;
  const findStopReason = async () => {
    const current = await core.database.read(() => Import.findByPk(record.id, { attributes: ['cancelRequested'] }));
    return current?.cancelRequested ? new AppError('INTERRUPTED') : undefined;
  };
  const maxRows = core.config.imports.uploadRows;
  try {
    return await runWhileWanted(stop, findStopReason, (signal) => planRecorded(core, record, { maxRows, signal }));
  } catch (error) {
    if (!isAppError(error, 'INTERRUPTED') || stop.aborted || (await markRunning(core, record))) throw error;
    return undefined;
  }
}

/** Records why a run failed, unless the import has ended in another way. */
async function recordOutcome(core: Core, record: Import, error: unknown): Promise<void> {
  if (isAppError(error, 'PLAN_OUTDATED')) return reopenPlan(core, record, error);
  // Planning starts again from the beginning.
  if (isAppError(error, 'INTERRUPTED') && record.status === 'planning') return;
  const fields = outcomeOf(core, record, error);
  await core.database.inTransaction(async (transaction) => {
    const current = await lockImport(core, record.id, transaction);
    if (!['planning', 'running', 'interrupted'].includes(current.status)) return;
    await current.update(fields, { transaction });
    if (fields.finishedAt) await auditFinish(core, actorOf(record), current, current.counts, transaction);
  });
}

function outcomeOf(core: Core, record: Import, error: unknown): Partial<InferAttributes<Import>> {
  if (isAppError(error, 'INTERRUPTED')) return { status: hasWritten(record) ? 'interrupted' : 'queued' };
  const failed = { status: 'failed', finishedAt: core.now() } as const;
  if (isAppError(error)) return { ...failed, errorCode: error.code, errorMessage: withoutPaths(error.message, record) };
  core.logger.error({ err: error, importId: record.id }, 'import failed');
  return {
    ...failed,
    errorCode: 'BUG',
    errorMessage: 'The import failed because of a bug in coursectl. The service has logged it.',
  };
}

/** Logs new faults of a slot, and its recovery. Repeated faults have the level debug, because the slot retries each second. */
function logFaults(logger: Logger) {
  let current: string | undefined;
  return {
    failed(error: unknown) {
      const fault = isAppError(error) ? error.code : String(error);
      const level = fault === current ? 'debug' : isAppError(error) ? 'warn' : 'error';
      current = fault;
      if (isAppError(error)) logger[level]({ code: error.code, reason: error.message }, 'import worker waits');
      else logger[level]({ err: error }, 'import worker');
    },
    worked() {
      if (current !== undefined) logger.info('import worker works again');
      current = undefined;
    },
  };
}

/**
 * Starts to run and plan imports. All instances on this database together have `IMPORT_CONCURRENCY` slots for runs, and as many
 * for plans. Slots and imports are leases, so that another instance takes over those of a dead instance.
 */
export function startImportWorker(core: Core, { pollMs = 1000 }: WorkerOptions = {}): ImportWorker {
  const stop = new AbortController();
  let wakeUp = new AbortController();

  /** Runs or plans the next import whose file can be read here. @returns false if there was none */
  async function runNext(work: SlotKind): Promise<boolean> {
    for (const record of await findDue(core, work)) {
      if (stop.signal.aborted) return false;
      if (record.status !== 'undoing' && !(await isReadableHere(core, record))) continue;
      try {
        if (await withImportLease(core, record, { waitMs: 0 }, (lease) => attempt(record, work, lease))) return true;
      } catch (error) {
        if (!isAppError(error, 'IMPORT_BUSY')) throw error;
      }
    }
    return false;
  }

  /** @returns false if the import must wait: then the next one is tried */
  async function attempt(record: Import, work: SlotKind, lease: Lease): Promise<boolean> {
    try {
      if (work === 'plan') await makePlan(core, record, lease, stop.signal);
      // An undo doesn't need the file.
      else if (record.status === 'undoing') await undoRefused(core, actorOf(record), record, lease);
      else await runOne(core, record, lease, stop.signal);
    } catch (error) {
      // Another sync of the same group runs.
      if (isAppError(error, 'IMPORT_BUSY', ...transientErrors)) {
        // Conflicts with other runs are normal.
        const level = error.code === 'IMPORT_BUSY' || importConflicts.includes(error.code) ? 'debug' : 'warn';
        core.logger[level]({ importId: record.id, code: error.code, reason: error.message }, 'import put off');
        return false;
      }
      if (record.status === 'undoing') {
        core.logger.error({ err: error, importId: record.id }, 'undoing a refused import failed');
        return false;
      }
      await recordOutcome(core, record, error);
    }
    return true;
  }

  async function pause(): Promise<void> {
    if (stop.signal.aborted) return;
    await sleep(pollMs, undefined, { signal: wakeUp.signal }).catch(() => undefined);
  }

  async function runSlot(slot: number, work: SlotKind): Promise<void> {
    const name = `${work === 'run' ? 'import-slot' : 'import-plan-slot'}:${slot}`;
    const faults = logFaults(core.logger);
    const next = () => {
      // Taking the lease shows that the database works. The recovery is reported before the import, which may run for long.
      faults.worked();
      return runNext(work);
    };
    while (!stop.signal.aborted) {
      try {
        // The queue is empty most of the time: then no lease is taken.
        const isDue = (await findDue(core, work)).length > 0;
        // After a migration by a newer program, imports may contain data that this program doesn't know.
        if (isDue) await assertSchemaCurrent(core.database);
        if (!isDue) faults.worked();
        else if (await withLease(core.database, name, 0, slotTaken, next, { durationMs: leaseMs })) continue;
      } catch (error) {
        // Another instance has the slot, or the database is unusable: the slot is tried again after the pause.
        if (isAppError(error, 'IMPORT_BUSY')) faults.worked();
        else faults.failed(error);
      }
      await pause();
    }
  }

  const slots = Array.from({ length: core.config.imports.concurrency }, (_, slot) => [
    runSlot(slot + 1, 'run'),
    runSlot(slot + 1, 'plan'),
  ]).flat();
  function wake(): void {
    wakeUp.abort();
    wakeUp = new AbortController();
  }
  return {
    wake,
    async close() {
      stop.abort();
      wake();
      await Promise.all(slots);
    },
  };
}
