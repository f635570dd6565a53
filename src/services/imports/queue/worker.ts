import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InferAttributes, Op } from 'sequelize';
import { activeLeases, withLease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, isAppError } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Actor, Core } from '../../core.js';
import { planImport } from '../plan/plan.js';
import { applyImport } from '../run/apply.js';
import { assertNotFetched } from '../run/import-lock.js';
import { jobLease, leaseName, optionsOf, passing } from '../run/repository.js';

/** Runs the imports that were asked for over HTTP. */
export interface ImportRunner {
  /** There is something new to do. */
  wake(): void;
  /** Stops at the next row boundary: what was under way is gone on with after the next start, here or elsewhere. */
  close(): Promise<void>;
}

/** How the queue is watched. */
export interface RunnerOptions {
  /** How often the queue is looked at, in milliseconds: others put imports in it, and others leave theirs unfinished. */
  pollMs?: number;
}

const leaseMs = 10_000;

const taken = () => new AppError('IMPORT_CONFLICT', 'Somebody else is at it.');

/** Imports that are looked at together. */
const queuePage = 100;

/**
 * The imports of the queue that nobody is at, the oldest first: those that wait, and those that broke off without anybody's
 * wish. All of them: those that can't be run here or now may be many, and the others don't wait behind them.
 */
async function* pending(core: Core): AsyncGenerator<Import> {
  for (let after = ''; ; ) {
    const records = await core.database.read(() =>
      core.database.models.Import.findAll({
        where: {
          id: { [Op.gt]: after },
          origin: 'http',
          [Op.or]: [
            { status: ['queued', 'running'] },
            { status: 'interrupted', errorCode: { [Op.or]: [{ [Op.is]: null }, { [Op.in]: [...passing] }] } },
          ],
        },
        order: ['id'],
        limit: queuePage,
      }),
    );
    const held = await activeLeases(core.database, records.map(jobLease));
    yield* records.filter((record) => !held.has(jobLease(record)));
    if (records.length < queuePage) return;
    after = records.at(-1)?.id ?? after;
  }
}

/** Instances may have disks of their own: each runs what it can read. */
async function isHere({ filePath }: Import): Promise<boolean> {
  return access(filePath, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** Whoever asked for it answers for it. */
const actorOf = (record: Import): Actor => ({
  origin: 'http',
  actorId: record.createdBy,
  ip: null,
  role: 'super_admin',
});

/** Marks an import as running, if it is still one to be run. @returns whether it is */
async function takeUp(core: Core, record: Import): Promise<boolean> {
  return core.database.inTransaction(async (transaction) => {
    await record.reload({ transaction, lock: transaction.LOCK.UPDATE });
    if (!['queued', 'running', 'interrupted'].includes(record.status)) return false;
    if (record.cancelRequested) {
      await record.update({ status: 'cancelled', finishedAt: core.now() }, { transaction });
      return false;
    }
    await assertNotFetched(core, record, transaction);
    const startedAt = record.startedAt ?? core.now();
    await record.update({ status: 'running', startedAt, errorCode: null, errorMessage: null }, { transaction });
    return true;
  });
}

async function runOne(core: Core, record: Import, signal: AbortSignal): Promise<void> {
  // Before its file is read in vain.
  const file = leaseName(record.fileSha256, record.optionsJson);
  if ((await activeLeases(core.database, [file])).size > 0) throw taken();
  if (!(await takeUp(core, record))) return;
  const plan = await planImport(core, {
    file: record.filePath,
    options: optionsOf(record),
    signal,
    record,
    maxRows: core.config.imports.uploadRows,
  });
  if (plan.fileSha256 !== record.fileSha256)
    throw new AppError('FILE_UNUSABLE', `The file ${record.filePath} is not what was uploaded. Upload it again.`);
  const nothing = () => undefined;
  await applyImport(core, actorOf(record), plan, {
    ...{ record, signal, waitMs: 0, onProgress: nothing, onResume: nothing, onWait: nothing },
  });
}

/** Keeps what is known of a run that failed, unless somebody has ended the import otherwise meanwhile. */
async function noteOutcome(core: Core, record: Import, error: unknown): Promise<void> {
  const fields = outcomeOf(core, record, error);
  await core.database.inTransaction(async (transaction) => {
    const where = { id: record.id, status: ['running', 'interrupted'] as ImportStatus[] };
    await core.database.models.Import.update(fields, { where, transaction });
  });
}

function outcomeOf(core: Core, record: Import, error: unknown): Partial<InferAttributes<Import>> {
  if (isAppError(error, 'INTERRUPTED')) return { status: record.rowsDone > 0 ? 'interrupted' : 'queued' };
  const failed = { status: 'failed', finishedAt: core.now() } as const;
  if (isAppError(error)) return { ...failed, errorCode: error.code, errorMessage: withoutPaths(error.message, record) };
  core.logger.error({ err: error, importId: record.id }, 'import failed');
  return { ...failed, errorCode: 'BUG', errorMessage: 'The import met a bug. The service has logged it.' };
}

/** Clients know the file by its name; where it and those beside it lie is no concern of theirs. */
function withoutPaths(message: string, { filePath, fileName }: Import): string {
  return message.replaceAll(filePath, fileName).replaceAll(path.dirname(filePath) + path.sep, '');
}

/**
 * Starts running imports: as many at once as `IMPORT_CONCURRENCY` says, over all instances on this database. Slots and
 * imports are held by leases, so that whatever a dead instance held is taken up by another one.
 */
export function startImportRunner(core: Core, { pollMs = 1000 }: RunnerOptions = {}): ImportRunner {
  const stop = new AbortController();
  let wakeUp = new AbortController();

  /** Runs the next import that nobody runs. @returns whether there was one */
  async function runNext(): Promise<boolean> {
    for await (const record of pending(core)) {
      if (stop.signal.aborted) return false;
      if (!(await isHere(record))) continue;
      try {
        const run = () => attempt(record);
        if (await withLease(core.database, jobLease(record), 0, taken, run, { durationMs: leaseMs })) return true;
      } catch (error) {
        if (!isAppError(error, 'IMPORT_CONFLICT')) throw error;
      }
    }
    return false;
  }

  /** @returns false when the import has to wait, which is no reason for the others to wait with it */
  async function attempt(record: Import): Promise<boolean> {
    try {
      await runOne(core, record, stop.signal);
    } catch (error) {
      if (isAppError(error, ...passing)) {
        // Another's turn passes as a matter of course.
        const level = error.code === 'IMPORT_CONFLICT' ? 'debug' : 'warn';
        core.logger[level]({ importId: record.id, code: error.code }, 'import put off');
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

  async function work(slot: number): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        // Most of the time there is nothing to do, and no slot to be taken for it.
        const isDue = !(await pending(core).next()).done;
        const name = `import-slot:${slot}`;
        if (isDue && (await withLease(core.database, name, 0, taken, runNext, { durationMs: leaseMs }))) continue;
      } catch (error) {
        // Another instance has the slot, or the database is gone for a while: the next round will tell.
        if (!isAppError(error)) core.logger.error({ err: error }, 'import runner');
        else if (error.code !== 'IMPORT_CONFLICT') core.logger.warn({ code: error.code }, 'import runner waits');
      }
      await pause();
    }
  }

  const workers = Array.from({ length: core.config.imports.concurrency }, (_, slot) => work(slot + 1));
  function wake(): void {
    wakeUp.abort();
    wakeUp = new AbortController();
  }
  return {
    wake,
    async close() {
      stop.abort();
      wake();
      await Promise.all(workers);
    },
  };
}
