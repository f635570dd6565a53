import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { activeLeases, type Lease, withLease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, notFound } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import { recordAudit } from '../../audit.js';
import type { Actor, Core } from '../../core.js';
import { committedBytes, readableFile } from '../output/ledger-export.js';
import { findImport } from '../store/find-import.js';
import { credentialsLease, jobLease, lockImport } from '../store/repository.js';

const underWay: readonly ImportStatus[] = ['queued', 'running', 'undoing'];

/** A claim on the passwords of an import: meanwhile no other client can fetch them, and the import can't be resumed. */
export interface CredentialsClaim {
  /** The passwords, as CSV. */
  bytes(): AsyncGenerator<Buffer>;
  /** Removes the passwords: they have arrived. @throws AppError `IMPORT_CONFLICT` when the claim was lost meanwhile */
  done(): Promise<void>;
  /** Gives up the claim: the passwords have not arrived and can be fetched again. */
  failed(): Promise<void>;
}

/** How long a request waits for another one that fetches the same, in milliseconds. */
const waitMs = 2000;

/**
 * Claims the passwords of an import for the one time that they can be fetched. The claim is a lease, so that it expires
 * when the service dies.
 * @throws AppError `NOT_FOUND`, `CREDENTIALS_FETCHED`, `NOT_READY` where the file can't be read, `IMPORT_CONFLICT` while
 *   it runs or another request fetches them
 */
export async function claimCredentials(core: Core, actor: Actor, id: string): Promise<CredentialsClaim> {
  assertFetchable(await findImport(core, id));
  return new Promise((resolve, reject) => {
    const refusal = () =>
      new AppError('IMPORT_CONFLICT', 'The passwords of this import are being fetched. Try again in a minute.');
    const held = withLease(core.database, credentialsLease({ id }), waitMs, refusal, async (lease) => {
      const claimed = await claimAfterRun(core, actor, id);
      await new Promise<void>((release) => {
        const end = async () => {
          release();
          await held;
        };
        resolve({
          bytes: () => committedBytes(claimed.file, claimed.bytes),
          done: () => remove(core, id, claimed.file, lease).finally(end),
          failed: end,
        });
      });
    });
    held.catch(reject);
  });
}

const notEnded = ({ number, status }: Import) =>
  new AppError('IMPORT_CONFLICT', `The import ${number} is ${status}: its passwords can be fetched once it has ended.`);

/**
 * @param record with its live status, see {@link findImport}
 * @throws AppError `IMPORT_CONFLICT` while the import is under way, `CREDENTIALS_FETCHED`, `NOT_FOUND`
 */
export function assertFetchable(record: Import): void {
  if (underWay.includes(record.status)) throw notEnded(record);
  credentialsOf(record);
}

/** The file with the passwords of an import, and how many of its bytes are committed. */
interface CredentialsFile {
  file: string;
  bytes: number;
}

/** @throws AppError `CREDENTIALS_FETCHED`, `NOT_FOUND` */
function credentialsOf(record: Import): CredentialsFile {
  if (record.credentialsFetchedAt !== null) throw new AppError('CREDENTIALS_FETCHED');
  const { credentialsFile: file, credentialsBytes, hasCredentials } = record;
  if (file === null || !hasCredentials) throw notFound('Credentials');
  return { file, bytes: Number(credentialsBytes) };
}

/** {@link recordClaim}, tried again for a moment: a run that has ended may still hold its lease. */
async function claimAfterRun(core: Core, actor: Actor, id: string): Promise<CredentialsFile> {
  for (const deadline = Date.now() + waitMs; ; await sleep(50)) {
    const claimed = await recordClaim(core, actor, id);
    if ('file' in claimed) return claimed;
    if (Date.now() > deadline) throw notEnded(claimed);
  }
}

/**
 * Makes sure that there are passwords to fetch and that no process runs the import, and writes the audit entry.
 * @returns the import while the run of one that has ended still holds its lease
 */
async function recordClaim(core: Core, actor: Actor, id: string): Promise<CredentialsFile | Import> {
  return core.database.inTransaction(async (transaction) => {
    const found = await lockImport(core, id, transaction);
    const credentials = credentialsOf(found);
    // A process that resumes the import takes this lease before it checks ours.
    const isRunning = (await activeLeases(core.database, [jobLease(found)], transaction)).size > 0;
    if (isRunning && !underWay.includes(found.status)) return found;
    if (isRunning || found.status === 'queued') throw notEnded(found);
    const file = await readableFile(core, found, credentials.file, 'passwords');
    await recordAudit(core, actor, { action: 'import.credentials', targetType: 'import', targetId: id }, transaction);
    return { ...credentials, file };
  });
}

async function remove(core: Core, id: string, file: string, lease: Lease): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    if (!(await lease.renew(transaction))) throw new AppError('IMPORT_CONFLICT');
    const { Import } = core.database.models;
    await Import.update({ credentialsFetchedAt: core.now() }, { where: { id }, transaction });
  });
  await rm(file, { force: true });
}
