import { setTimeout as sleep } from 'node:timers/promises';
import { type InferAttributes, Op, type WhereOptions } from 'sequelize';
import { activeLeases, type Lease, withLease } from '../../../db/lease.js';
import { assertSchemaCurrent } from '../../../db/migrator.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, isAppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Actor, Core } from '../../core.js';
import { planImport } from '../plan/plan.js';
import { assertNotBeingFetched, leaseMs, withImportLease } from '../run/import-lock.js';
import { needsPlan, removePlan } from '../store/plan-store.js';

import { isRefusalUnfinished, jobLease, leaseName, optionsOf, transientErrors } from '../store/repository.js';
import { isReadableHere, withoutPaths } from '../store/spool.js';
import { applyImport, undoRefused } from './apply.js';
import { assertBinding, assertIsUpload, makePlan, reopenPlan } from './plan-worker.js';

/** Runs and plans the imports that were asked for over HTTP. */
export interface ImportWorker {
  /** Checks the queue now. */
  wake(): void;
  /** Stops at the next row boundary. Running imports are resumed after the next start, here or on another instance. */
  close(): Promise<void>;
}

/** How the queue is polled. */
export interface WorkerOptions {
  /** How often the queue is checked, in milliseconds: other instances queue imports, or die and leave theirs unfinished. */
  pollMs?: number;
}

const leaseTaken = () => new AppError('IMPORT_CONFLICT', 'Another process has the lease.');

/** How many imports are read at a time. */
const queuePage = 100;

/** What slots are for. Plans have slots of their own, so that they needn't wait for the end of imports. */
type Work = 'run' | 'plan';

/** The imports that are to be run or planned. */
const due: Readonly<Record<Work, WhereOptions<Import>>> = {
  run: {
    [Op.or]: [
      { status: ['queued', 'running'] },
      { status: 'interrupted', errorCode: { [Op.or]: [{ [Op.is]: null }, { [Op.in]: [...transientErrors] }] } },
      // Of these, isRefusalUnfinished() knows those that people don't undo.
      { status: 'undoing', errorCode: 'IMPORT_REFUSED', undoneAt: null },
    ],
  },
  plan: { status: 'planning' },
};

const slotLease: Readonly<Record<Work, (slot: number) => string>> = {
  run: (slot) => `import-slot:${slot}`,
  plan: (slot) => `import-plan-slot:${slot}`,
};

/**
 * All imports that no process works on and that are due or were interrupted by a fault, the oldest first. It goes through
 * the whole queue, because any number of imports may not be readable here or now.
 */
async function* pending(core: Core, work: Work): AsyncGenerator<Import> {
  for (let after = ''; ; ) {
    const records = await core.database.read(() =>
      core.database.models.Import.findAll({
        where: { [Op.and]: [{ id: { [Op.gt]: after }, origin: 'http' }, due[work]] },
        order: ['id'],
        limit: queuePage,
      }),
    );
    const held = await activeLeases(core.database, records.map(jobLease));
    const isOurs = (record: Import) => record.status !== 'undoing' || isRefusalUnfinished(record);
    yield* records.filter((record) => !held.has(jobLease(record)) && isOurs(record));
    if (records.length < queuePage) return;
    after = records.at(-1)?.id ?? after;
  }
}

/** The account that submitted an import is the actor of its changes. */
const actorOf = (record: Import): Actor => ({
  origin: 'http',
  actorId: record.createdBy,
  ip: null,
  role: 'super_admin',
});

/** Marks an import as running, unless it has ended or was cancelled. @returns whether to run it */
async function markRunning(core: Core, record: Import): Promise<boolean> {
  return core.database.inTransaction(async (transaction) => {
    await record.reload({ transaction, lock: transaction.LOCK.UPDATE });
    if (!['queued', 'running', 'interrupted'].includes(record.status)) return false;
    if (record.cancelRequested) {
      await record.update({ status: 'cancelled', finishedAt: core.now() }, { transaction });
      return false;
    }
    await assertNotBeingFetched(core, record, transaction);
    const startedAt = record.startedAt ?? core.now();
    await record.update({ status: 'running', startedAt, errorCode: null, errorMessage: null }, { transaction });
    return true;
  });
}

async function runOne(core: Core, record: Import, signal: AbortSignal): Promise<void> {
  // Checked before the file is read, which would take long for nothing.
  const file = leaseName(record.fileSha256, record.optionsJson);
  if ((await activeLeases(core.database, [file])).size > 0) throw leaseTaken();
  if (!(await markRunning(core, record))) return;
  const plan = await planImport(core, {
    file: record.filePath,
    options: optionsOf(record),
    signal,
    record,
    maxRows: core.config.imports.uploadRows,
  });
  assertIsUpload(record, plan);
  await assertBinding(core, record, plan);
  const ignore = () => undefined;
  const events = { onProgress: ignore, onResume: ignore, onWait: ignore };
  await applyImport(core, actorOf(record), plan, { record, signal, waitMs: 0, ...events });
  if (!needsPlan(record)) await removePlan(core, record);
}

/** Undoes the rest of an import that was refused. Its file isn't needed for that. */
async function undoRest(core: Core, record: Import, signal: AbortSignal): Promise<void> {
  const options = { signal, waitMs: 0, onWait: () => undefined };
  await withImportLease(core, record.fileSha256, record.optionsJson, options, (lease) =>
    undoRefused(core, actorOf(record), record, lease),
  );
}

/** Records why a run failed, unless the import was ended otherwise meanwhile. */
async function noteOutcome(core: Core, record: Import, error: unknown): Promise<void> {
  if (isAppError(error, 'PLAN_OUTDATED')) return reopenPlan(core, record, error);
  // What was planned so far is planned again.
  if (isAppError(error, 'INTERRUPTED') && record.status === 'planning') return;
  const fields = outcomeOf(core, record, error);
  await core.database.inTransaction(async (transaction) => {
    const where = { id: record.id, status: ['planning', 'running', 'interrupted'] as ImportStatus[] };
    await core.database.models.Import.update(fields, { where, transaction });
  });
}

function outcomeOf(core: Core, record: Import, error: unknown): Partial<InferAttributes<Import>> {
  if (isAppError(error, 'INTERRUPTED')) return { status: record.rowsDone > 0 ? 'interrupted' : 'queued' };
  const failed = { status: 'failed', finishedAt: core.now() } as const;
  if (isAppError(error)) return { ...failed, errorCode: error.code, errorMessage: withoutPaths(error.message, record) };
  core.logger.error({ err: error, importId: record.id }, 'import failed');
  return {
    ...failed,
    errorCode: 'BUG',
    errorMessage: 'The import failed because of a bug in coursectl. The service has logged it.',
  };
}

/**
 * Logs what stops the slots of a worker, and when all of them work again. Each slot tries again every second and fails likewise
 * in an outage, so each fault is logged once until then, and later ones for debugging only.
 */
function logFaults(logger: Logger) {
  const failing = new Set<string>();
  const logged = new Set<string>();
  return {
    failed(slot: string, error: unknown) {
      failing.add(slot);
      const fault = isAppError(error) ? error.code : String(error);
      const level = logged.has(fault) ? 'debug' : isAppError(error) ? 'warn' : 'error';
      logged.add(fault);
      if (isAppError(error)) logger[level]({ code: error.code, reason: error.message }, 'import worker waits');
      else logger[level]({ err: error }, 'import worker');
    },
    worked(slot: string) {
      if (!failing.delete(slot) || failing.size > 0) return;
      logged.clear();
      logger.info('import worker works again');
    },
  };
}

/**
 * Starts to run and plan imports, `IMPORT_CONCURRENCY` of each at the same time over all instances on this database. Slots and
 * imports are leases, so that another instance takes over those of a dead one.
 */
export function startImportWorker(core: Core, { pollMs = 1000 }: WorkerOptions = {}): ImportWorker {
  const stop = new AbortController();
  const faults = logFaults(core.logger);
  let wakeUp = new AbortController();

  /** Runs or plans the next import that can be read here. @returns whether there was one */
  async function runNext(work: Work): Promise<boolean> {
    for await (const record of pending(core, work)) {
      if (stop.signal.aborted) return false;
      if (record.status !== 'undoing' && !(await isReadableHere(core, record))) continue;
      try {
        const name = jobLease(record);
        const attempted = (lease: Lease) => attempt(record, work, lease);
        if (await withLease(core.database, name, 0, leaseTaken, attempted, { durationMs: leaseMs })) return true;
      } catch (error) {
        if (!isAppError(error, 'IMPORT_CONFLICT')) throw error;
      }
    }
    return false;
  }

  /** @returns false when the import has to wait; the next one is tried then */
  async function attempt(record: Import, work: Work, lease: Lease): Promise<boolean> {
    try {
      if (work === 'plan') await makePlan(core, record, lease, stop.signal);
      else if (record.status === 'undoing') await undoRest(core, record, stop.signal);
      else await runOne(core, record, stop.signal);
    } catch (error) {
      if (isAppError(error, ...transientErrors)) {
        // Conflicts with other runs are normal.
        const level = error.code === 'IMPORT_CONFLICT' ? 'debug' : 'warn';
        core.logger[level]({ importId: record.id, code: error.code, reason: error.message }, 'import put off');
        return false;
      }
      if (record.status === 'undoing') {
        core.logger.error({ err: error, importId: record.id }, 'undoing a refused import failed');
        return false;
      }
      await noteOutcome(core, record, error);
    }
    return true;
  }

  async function pause(): Promise<void> {
    if (stop.signal.aborted) return;
    await sleep(pollMs, undefined, { signal: wakeUp.signal }).catch(() => undefined);
  }

  async function runSlot(slot: number, work: Work): Promise<void> {
    const name = slotLease[work](slot);
    const next = () => {
      // The lease was written. An import may run for long, so this is reported before.
      faults.worked(name);
      return runNext(work);
    };
    while (!stop.signal.aborted) {
      try {
        // The queue is empty most of the time: then no lease is taken.
        const isDue = !(await pending(core, work).next()).done;
        // After a newer program has migrated, imports may have what this one doesn't know.
        if (isDue) await assertSchemaCurrent(core.database);
        if (!isDue) faults.worked(name);
        else if (await withLease(core.database, name, 0, leaseTaken, next, { durationMs: leaseMs })) continue;
      } catch (error) {
        // Another instance has the slot, or the database can't be used: the slot is tried again after the pause.
        if (isAppError(error, 'IMPORT_CONFLICT')) faults.worked(name);
        else faults.failed(name, error);
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
