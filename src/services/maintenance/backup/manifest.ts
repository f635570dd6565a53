import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstat, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';
import Joi from '../../../schemas/joi.js';
import { validate } from '../../../schemas/validate.js';
import { diskFault, readFlags, syncToDisk } from '../../../storage/disk.js';
import { isKey } from '../../../storage/storage.js';
import { filesBelow, measure } from './copy.js';

export const manifestName = 'manifest.json';
export const databaseName = 'database.sqlite';
export const filesName = 'files';

interface ContentDigest {
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

/** Description of a backup. The manifest is written last, so a backup without a manifest is incomplete. */
export interface Manifest {
  /** Version of the manifest's format. */
  version: 1;
  /** Version of the program that made the backup. */
  program: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  finishedAt: string;
  /** With `mysql`, the backup has no database: its dump is a separate file. */
  dialect: 'sqlite' | 'mysql';
  migrations: string[];
  database: ContentDigest | null;
  /** Stored files with their keys; null if a bucket stores them. */
  files: (ContentDigest & { key: string })[] | null;
  /**
   * Keys of live files that were missing, unreadable, or of another size than in their row. Files of another size are in
   * `files` too.
   */
  missing: string[];
}

/**
 * Returns the checksum that reveals a damaged manifest. The given manifest has no checksum, and its fields are in the
 * original order.
 */
const checksumOf = (manifest: object) => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

const content = {
  bytes: Joi.number().strict().integer().min(0).required(),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .required(),
};

const key = Joi.string()
  .max(300)
  .meta({ maxLength: 300 })
  .custom((value: string, helpers) => (isKey(value) ? value : helpers.error('any.invalid')))
  .required();

const schema = Joi.object<Manifest & { checksum: string }>({
  version: Joi.number().strict().valid(1).required(),
  program: Joi.string().meta({ maxLength: 100 }).required(),
  startedAt: Joi.string().isoDate().meta({ maxLength: 100 }).required(),
  finishedAt: Joi.string().isoDate().meta({ maxLength: 100 }).required(),
  dialect: Joi.valid('sqlite', 'mysql').required(),
  migrations: Joi.array()
    .items(Joi.string().meta({ maxLength: 255 }))
    .required(),
  database: Joi.object(content).allow(null).required(),
  files: Joi.array()
    .items(Joi.object({ key, ...content }))
    .unique('key')
    .allow(null)
    .required(),
  missing: Joi.array().items(key.optional()).required(),
  checksum: content.sha256.meta({ maxLength: 64 }),
});

/** Writes a manifest atomically, also in case of a power failure. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
  const unfinished = path.join(folder, `${manifestName}.new`);
  const handle = await open(unfinished, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, path.join(folder, manifestName));
  await syncToDisk(folder);
}

const damaged = (folder: string, cause?: unknown) =>
  new AppError('FILE_UNUSABLE', `The ${manifestName} of the backup ${folder} is damaged. Use another backup.`, {
    cause,
  });

/** Reads a regular file. Refuses links, devices, pipes, and files that are too long for a string. */
async function regularText(folder: string, file: string): Promise<string> {
  const handle = await open(file, readFlags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > constants.MAX_STRING_LENGTH) throw damaged(folder);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Reads the manifest of a backup.
 * @returns undefined if the manifest doesn't exist
 * @throws AppError `FILE_UNUSABLE` if the manifest is damaged or was made by a newer program
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    const parsed: unknown = JSON.parse(await regularText(folder, path.join(folder, manifestName)));
    const { checksum: written, ...fields } = Object(parsed) as Record<string, unknown>;
    if (Number(fields.version) > 1)
      throw new AppError('FILE_UNUSABLE', `The backup ${folder} was made by a newer program. Update coursectl.`);
    const { checksum, ...manifest } = validate(schema, parsed);
    const isComplete = manifest.dialect !== 'sqlite' || manifest.database !== null;
    if (!isComplete || checksum !== written || checksum !== checksumOf(fields)) throw damaged(folder);
    return manifest;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError || isAppError(error, 'VALIDATION')) throw damaged(folder, error);
    throw error;
  }
}

/**
 * Reads the manifest of a backup, and compares all files with the manifest.
 * @throws AppError `FILE_UNUSABLE` if the backup is incomplete, damaged, or has additional files; `INTERRUPTED`
 */
export async function checkedBackup(folder: string, signal: AbortSignal): Promise<Manifest> {
  try {
    const manifest = await readManifest(folder);
    const found = new Set(await filesBelow(folder));
    if (!manifest)
      throw new AppError(
        'FILE_UNUSABLE',
        found.size === 0
          ? `There is no backup in ${folder}. Name the folder of a backup.`
          : `The backup ${folder} is incomplete: it has no ${manifestName}, because it was interrupted. Use another backup.`,
      );
    found.delete(manifestName);
    await compare(folder, manifest, found, signal);
    return manifest;
  } catch (error) {
    throw diskFault(folder, error);
  }
}

async function compare(
  folder: string,
  { database, files }: Manifest,
  found: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const parts = new Map((files ?? []).map((file): [string, ContentDigest] => [path.join(filesName, file.key), file]));
  if (database) parts.set(databaseName, database);
  const refuse = (part: string, problem: string) =>
    new AppError('FILE_UNUSABLE', `The backup ${folder} is damaged: ${part} ${problem}. Use another backup.`);
  for (const part of found)
    if (!parts.has(part))
      throw new AppError(
        'FILE_UNUSABLE',
        `${path.join(folder, part)} isn't part of the backup. Remove it, and try again.`,
      );
  for (const [part, { bytes }] of parts) {
    if (!found.has(part)) throw refuse(part, 'is missing');
    const stats = await lstat(path.join(folder, part));
    if (!stats.isFile()) throw refuse(part, "isn't a regular file");
    if (stats.size !== bytes) throw refuse(part, `has ${stats.size} bytes instead of ${bytes}`);
  }
  // Hashes are compared last, so that a missing file is found without reading the other files.
  for (const [part, { sha256 }] of parts)
    if ((await measure(path.join(folder, part), signal)).sha256 !== sha256)
      throw refuse(part, 'has another SHA-256 hash than the manifest names');
}

/**
 * Summarizes a manifest. `damaged` are live files that were copied with another size than in their row; `missing` ones were
 * not copied.
 */
export function summaryOf({ database, files, missing, migrations, version: _, ...rest }: Manifest) {
  const copied = new Set(files?.map(({ key }) => key));
  return {
    ...rest,
    migrations: migrations.length,
    databaseBytes: database?.bytes ?? null,
    files: files?.length ?? null,
    fileBytes: files?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0,
    missing: missing.filter((key) => !copied.has(key)),
    damaged: missing.filter((key) => copied.has(key)),
  };
}
