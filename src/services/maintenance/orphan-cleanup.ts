import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Op } from 'sequelize';
import { systemErrorCode } from '../../errors.js';
import type { FileState } from '../../schemas/file.js';
import type { Core } from '../core.js';
import { removeDoomed, uploadsFolder } from '../files/files.js';
import { importsFolder, removeOrphanedUploads } from '../imports/queue/spool.js';

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
export async function sweepFiles(core: Core, signal?: AbortSignal): Promise<Pick<Sweep, 'removed' | 'leftovers'>> {
  const before = new Date(core.now().getTime() - abandonedAfterMs);
  await core.database.inTransaction((transaction) =>
    core.database.models.StoredFile.update(
      { state: 'doomed' },
      { where: { state: 'pending', createdAt: { [Op.lt]: before } }, transaction },
    ),
  );
  const removed = await removeDoomed(core, {}, signal);
  return { removed, leftovers: (await sweepUploads(core, before)) + (await sweepImports(core, before)) };
}

async function sweepUploads(core: Core, before: Date): Promise<number> {
  const folder = uploadsFolder(core);
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const file = path.join(folder, name);
    const age = await stat(file).catch(() => undefined);
    // What isn't a plain file was put there by somebody else.
    if (!age?.isFile() || age.mtime >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

async function sweepImports(core: Core, before: Date): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(importsFolder(core)))
    removed += Number(await removeOrphanedUploads(core, name, before));
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

/** The keys that this program makes: an object with another is somebody else's, who has nothing to do with the database. */
const madeHere = /^(material|image|incoming|check)\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\.webp)?$/;

/**
 * {@link sweepFiles}, and the storage held against the database: objects that nobody knows of, and files that aren't there.
 * @param removeUnknown removes the former; right only where nobody else keeps files in the same place
 */
export async function sweepStorage(core: Core, removeUnknown: boolean): Promise<Sweep> {
  const swept = await sweepFiles(core);
  const before = new Date(core.now().getTime() - abandonedAfterMs);
  const known = await statesByKey(core);
  const unknown: string[] = [];
  for await (const { key, modifiedAt } of core.storage.list()) {
    if (!known.delete(key) && modifiedAt < before && madeHere.test(key)) unknown.push(key);
  }
  if (removeUnknown) await core.storage.remove(unknown);
  const missing = [...known].flatMap(([key, state]) => (state === 'live' ? [key] : []));
  // Some may have been deleted while the storage was read.
  const now = missing.length > 0 ? await statesByKey(core) : known;
  return { ...swept, unknown, missing: missing.filter((key) => now.get(key) === 'live') };
}

async function statesByKey({ database }: Core): Promise<Map<string, FileState>> {
  const rows = await database.read(() => database.models.StoredFile.findAll({ attributes: ['storageKey', 'state'] }));
  return new Map(rows.map(({ storageKey, state }) => [storageKey, state]));
}
