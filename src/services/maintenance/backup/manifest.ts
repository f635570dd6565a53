import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';
import Joi from '../../../schemas/joi.js';
import { validate } from '../../../schemas/validate.js';
import { readFlags } from '../../../storage/move-file.js';
import { isKey } from '../../../storage/storage.js';
import { syncFolder } from '../../../storage/sync-folder.js';

/** The names in the folder of a backup. */
export const manifestName = 'manifest.json';
export const databaseName = 'database.sqlite';
export const filesName = 'files';

interface Content {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** What a backup consists of; written last, so that a backup without one is incomplete. */
export interface Manifest {
  /** Of this file's format. */
  version: 1;
  /** The version of the program that made the backup. */
  program: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  finishedAt: string;
  /** Whose dump is a file of its own: then the backup has no database. */
  dialect: 'sqlite' | 'mysql';
  /** The names of the applied migrations. */
  migrations: string[];
  database: Content | null;
  /** The stored files by their keys; null when they are in a bucket. */
  files: (Content & { key: string })[] | null;
  /**
   * Keys of live files that were missing in the storage, couldn't be read, or had another size than their row names; the last are
   * in `files` as they were.
   */
  missing: string[];
}

/** Of the manifest without its checksum, so that a damaged manifest is noticed. */
const checksumOf = (manifest: Manifest) => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

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

/** Writes a manifest so that it is there completely or not at all, also after a power failure. */
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
  await syncFolder(folder);
}

const damaged = (folder: string, cause?: unknown) =>
  new AppError('FILE_UNUSABLE', `The ${manifestName} of the backup ${folder} is damaged. Use another backup.`, {
    cause,
  });

/** The text of a manifest that is neither a link, a device nor a pipe, and no longer than a text can be. */
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
 * @returns nothing when there is none
 * @throws AppError `FILE_UNUSABLE` when it is damaged, or made by a newer program
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await regularText(folder, path.join(folder, manifestName)));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) throw damaged(folder, error);
    throw error;
  }
  const isNewer = typeof parsed === 'object' && parsed !== null && 'version' in parsed && Number(parsed.version) > 1;
  if (isNewer)
    throw new AppError('FILE_UNUSABLE', `The backup ${folder} was made by a newer program. Update coursectl.`);
  try {
    const { checksum, ...manifest } = validate(schema, parsed);
    const isComplete = manifest.dialect !== 'sqlite' || manifest.database !== null;
    if (!isComplete || checksum !== checksumOf(inOrder(manifest))) throw damaged(folder);
    return inOrder(manifest);
  } catch (error) {
    if (isAppError(error, 'VALIDATION')) throw damaged(folder, error);
    throw error;
  }
}

/** The same fields in the order in which they were written: the checksum depends on it. */
function inOrder({ database, files, missing, ...rest }: Manifest): Manifest {
  const { version, program, startedAt, finishedAt, dialect, migrations } = rest;
  return {
    version,
    program,
    startedAt,
    finishedAt,
    dialect,
    migrations,
    database: database && { bytes: database.bytes, sha256: database.sha256 },
    files: files?.map((file) => ({ key: file.key, bytes: file.bytes, sha256: file.sha256 })) ?? null,
    missing,
  };
}
