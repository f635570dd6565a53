import { setTimeout as sleep } from 'node:timers/promises';
import type { Import } from '../../../../src/db/models/import.js';
import type { Actor } from '../../../../src/services/core.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { submitImport } from '../../../../src/services/imports/queue/submit.js';
import { startImportWorker } from '../../../../src/services/imports/queue/worker.js';
import { optionsOf } from '../../../../src/services/imports/store/repository.js';
import { scaled } from '../../../support/machine.js';
import type { Importing } from './importing.js';
import { applyOptions } from './running.js';

/** A super admin as a client of the API. */
export const client: Actor = { origin: 'http', actorId: null, ip: null, role: 'super_admin' };

/** Queues a file like an upload. */
export function submit({ context, write }: Importing, csv: string, options: object = {}): Promise<Import> {
  return submitImport(context, client, { path: write('upload', csv), name: 'people.csv' }, options);
}

/** Returns an import over HTTP that was interrupted after a full batch. */
export async function submitInterrupted(importing: Importing, csv: string, options: object = {}): Promise<Import> {
  const record = await submit(importing, csv, options);
  const { signal } = new AbortController();
  const plan = await planImport(importing.context, {
    file: record.filePath,
    options: optionsOf(record),
    signal,
    record,
  });
  const breaking = new AbortController();
  const { batchRows } = importing.context.config.imports;
  const onProgress = (rows: number) => {
    if (rows >= batchRows) breaking.abort();
  };
  const run = applyOptions({ record, signal: breaking.signal, onProgress });
  await applyImport(importing.context, client, plan, run);
  return record.reload();
}

/** Runs the service's worker until an import fulfills the condition. */
export async function runUntil(
  { context }: Pick<Importing, 'context'>,
  id: string,
  isWanted: (record: Import) => boolean,
): Promise<Import> {
  const worker = startImportWorker(context, { pollMs: 20 });
  try {
    const deadline = performance.now() + scaled(60_000);
    for (;;) {
      const record = await context.database.models.Import.findByPk(id, { rejectOnEmpty: true });
      if (isWanted(record)) return record;
      if (performance.now() > deadline) throw new Error(`The import never was as wanted; it is ${record.status}.`);
      await sleep(5);
    }
  } finally {
    await worker.close();
  }
}

/** Runs the worker until the plan is made. */
export const runToPlan = (importing: Pick<Importing, 'context'>, id: string) =>
  runUntil(importing, id, ({ status }) => status === 'planned' || status === 'failed');

/** Runs the worker until the import has ended. */
export const runToEnd = (importing: Pick<Importing, 'context'>, id: string) =>
  runUntil(importing, id, ({ status }) => ['completed', 'stopped', 'failed', 'cancelled', 'undone'].includes(status));
