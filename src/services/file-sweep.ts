import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Op } from 'sequelize';
import { systemErrorCode } from '../errors.js';
import type { Core } from './core.js';
import { removeDoomed, uploadsFolder } from './files.js';
import { importsFolder, sweepImportFolder } from './imports/own-copy.js';

/** An upload that has taken longer than this isn't under way any more, in milliseconds. */
const abandonedAfterMs = 60 * 60_000;

/** What a sweep has found and removed. */
export interface Sweep {
  /** Files that nobody needs, of deletions and uploads that broke off. */
  removed: number;
  /** Objects in the storage of which the database knows nothing. */
  unknown: string[];
  /** Halves of uploads in the folder for what is on its way, and copies of imported files that a crash has left. */
  leftovers: number;
  /** Files that are in use but not in the storage: their keys. */
  missing: string[];
}

/**
 * Removes what crashes and failures have left: marked files and uploads that never came to anything. Every instance may
 * do it at any time.
 */
export async function sweepFiles(core: Core): Promise<Pick<Sweep, 'removed' | 'leftovers'>> {
  const before = new Date(core.now().getTime() - abandonedAfterMs);
  await core.database.inTransaction((transaction) =>
    core.database.models.StoredFile.update(
      { state: 'doomed' },
      { where: { state: 'pending', createdAt: { [Op.lt]: before } }, transaction },
    ),
  );
  const removed = await removeDoomed(core);
  return { removed, leftovers: (await sweepUploads(core, before)) + (await sweepImports(core, before)) };
}

async function sweepUploads(core: Core, before: Date): Promise<number> {
  const folder = uploadsFolder(core);
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const file = path.join(folder, name);
    const age = await stat(file).catch(() => undefined);
    if (!age || age.mtime >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

async function sweepImports(core: Core, before: Date): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(importsFolder(core))) removed += Number(await sweepImportFolder(core, name, before));
  return removed;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // Nothing was ever uploaded.
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * {@link sweepFiles}, and the storage held against the database: objects that nobody knows of, and files that aren't there.
 * @param removeUnknown removes the former; right only where nobody else keeps files in the same place
 */
export async function sweepStorage(core: Core, removeUnknown: boolean): Promise<Sweep> {
  const swept = await sweepFiles(core);
  const before = new Date(core.now().getTime() - abandonedAfterMs);
  const { StoredFile } = core.database.models;
  const known = new Map<string, string>();
  for (const { storageKey, state } of await core.database.read(() =>
    StoredFile.findAll({ attributes: ['storageKey', 'state'] }),
  ))
    known.set(storageKey, state);
  const unknown: string[] = [];
  for await (const { key, modifiedAt } of core.storage.list()) {
    if (!known.delete(key) && modifiedAt < before) unknown.push(key);
  }
  if (removeUnknown) await core.storage.remove(unknown);
  const missing = [...known].flatMap(([key, state]) => (state === 'live' ? [key] : []));
  return { ...swept, unknown, missing };
}

/** How often the service sweeps, in milliseconds. */
const sweepEveryMs = 60 * 60_000;

/** Sweeps now and every hour. */
export function startFileSweep(core: Core): { close(): Promise<void> } {
  let sweep = Promise.resolve();
  const start = () => {
    sweep = sweepFiles(core).then(
      ({ removed, leftovers }) => {
        if (removed + leftovers > 0) core.logger.info({ removed, leftovers }, 'files that nobody needs were removed');
      },
      // The next one comes.
      (error: unknown) => core.logger.warn({ err: error }, 'files that nobody needs could not be looked for'),
    );
  };
  start();
  const timer = setInterval(start, sweepEveryMs);
  return {
    async close() {
      clearInterval(timer);
      await sweep;
    },
  };
}
