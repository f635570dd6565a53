import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { Import } from '../../db/models/import.js';
import { AppError, validationError } from '../../errors.js';
import { type ImportStatus, importOptionsSchema } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { keptName, type Upload, uploadFault } from '../files.js';
import { CourseBook, defaultCourse } from './course-book.js';
import { findImport } from './imports.js';
import { createImport } from './record.js';

/** Where files to be imported and what comes of them are kept: nothing of it is served as a file. */
function importsFolder(core: Core): string {
  return path.join(core.config.dataDir, 'imports');
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Puts an uploaded file in the queue. The file is moved to a folder of the import's own, or removed when that fails.
 * @param options raw options of the import
 * @throws AppError `VALIDATION` for the options, a course that isn't there and an empty file, `DISK_FULL`,
 *   `STORAGE_UNAVAILABLE`
 */
export async function submitImport(core: Core, actor: Actor, upload: Upload, options: unknown): Promise<Import> {
  const id = uuidv7();
  const folder = path.join(importsFolder(core), id);
  try {
    const valid = validate(importOptionsSchema, options);
    await defaultCourse(new CourseBook(core), valid.course);
    if ((await stat(upload.path)).size === 0) throw validationError([{ path: 'file', message: 'The file is empty.' }]);
    const fileSha256 = await sha256Of(upload.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const filePath = path.join(folder, 'upload.csv');
    await rename(upload.path, filePath);
    const file = { fileName: keptName(upload.name), filePath, fileSha256 };
    return await createImport(core, actor, { id, status: 'queued', options: valid, rowsTotal: null, ...file });
  } catch (error) {
    await rm(upload.path, { force: true });
    // Where there is no such folder, nothing can be in it.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw uploadFault(importsFolder(core), error);
  }
}

const underWay: readonly ImportStatus[] = ['queued', 'running', 'undoing'];

/** Whether the passwords of an import can be fetched over HTTP. Those of the terminal are in the operator's file. */
export function hasCredentials(record: Import): boolean {
  return (
    record.origin === 'http' &&
    record.credentialsFile !== null &&
    Number(record.credentialsBytes) > 0 &&
    record.credentialsFetchedAt === null
  );
}

/** A claim on the passwords of an import: nobody else gets them meanwhile. */
export interface CredentialsClaim {
  /** The passwords, as CSV. */
  text(): AsyncGenerator<string>;
  /** They have arrived: they are removed. */
  done(): Promise<void>;
  /** They have not: they can be fetched again. */
  failed(): Promise<void>;
}

/**
 * Claims the passwords of an import for the one time that they can be fetched.
 * @throws AppError `NOT_FOUND`, `CREDENTIALS_FETCHED`, `IMPORT_CONFLICT` while it runs
 */
export async function claimCredentials(core: Core, actor: Actor, id: string): Promise<CredentialsClaim> {
  const { status } = await findImport(core, id);
  if (underWay.includes(status))
    throw new AppError(
      'IMPORT_CONFLICT',
      `The import ${id} is ${status}: its passwords can be fetched once it has ended.`,
    );
  const { Import } = core.database.models;
  const claimed = await core.database.inTransaction(async (transaction) => {
    const record = await Import.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE, rejectOnEmpty: true });
    if (record.credentialsFetchedAt !== null) throw new AppError('CREDENTIALS_FETCHED');
    if (!hasCredentials(record)) throw new AppError('NOT_FOUND', 'Credentials not found.');
    await record.update({ credentialsFetchedAt: core.now() }, { transaction });
    await recordAudit(core, actor, { action: 'import.credentials', targetType: 'import', targetId: id }, transaction);
    return record;
  });
  const file = claimed.credentialsFile ?? '';
  const end = Number(claimed.credentialsBytes) - 1;
  return {
    async *text() {
      for await (const chunk of createReadStream(file, { encoding: 'utf8', end })) yield chunk as string;
    },
    done: () => rm(file, { force: true }),
    failed: () =>
      core.database.inTransaction(async (transaction) => {
        await Import.update({ credentialsFetchedAt: null }, { where: { id }, transaction });
      }),
  };
}
