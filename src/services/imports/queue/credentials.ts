import { rm } from 'node:fs/promises';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, notFound } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { TableFormat } from '../../../schemas/table-format.js';
import { recordAudit } from '../../audit/audit.js';
import type { Actor, Core } from '../../core.js';
import { readableFile, reportBytes } from '../output/report-downloads.js';
import { withImportLease } from '../run/import-lock.js';
import { commitProgress } from '../run/run-state.js';
import { findImport, statusConflict } from '../store/find-import.js';
import { lockImport } from '../store/repository.js';

const underWay: readonly ImportStatus[] = ['queued', 'running', 'undoing'];

/** A claim on the passwords of an import. Until the claim ends, nobody else can fetch them or resume the import. */
export interface CredentialsClaim {
  bytes(format: TableFormat): AsyncGenerator<Buffer>;
  /** Removes the passwords after their delivery. @throws AppError `IMPORT_CONFLICT` if the claim has expired */
  done(): Promise<void>;
  /** Releases the claim after a failed delivery: the passwords can be fetched again. */
  failed(): Promise<void>;
}

/** Time that a request waits for another request or a run that is just ending, in milliseconds. */
const waitMs = 2000;

/**
 * Claims the passwords of an import, which can be fetched a single time. The claim is the lease of the import, so the claim
 * expires if the service dies.
 * @throws AppError `NOT_FOUND`, `CREDENTIALS_FETCHED`, `NOT_READY` if the file can't be read, `IMPORT_CONFLICT` or
 *   `IMPORT_BUSY` while the import runs or another request fetches them
 */
export async function claimCredentials(core: Core, actor: Actor, id: string): Promise<CredentialsClaim> {
  const found = await findImport(core, actor, id);
  assertFetchable(found);
  return new Promise((resolve, reject) => {
    const held = withImportLease(core, found, { waitMs }, async (lease) => {
      const { file, bytes } = await recordClaim(core, actor, id);
      await new Promise<void>((release) => {
        const end = async () => {
          release();
          await held;
        };
        resolve({
          bytes: (format) => reportBytes(found, { kind: 'credentials', file, bytes }, format),
          done: () => remove(core, found, file, lease).finally(end),
          failed: end,
        });
      });
    });
    held.catch(reject);
  });
}

const notEnded = (record: Import) => statusConflict(record, 'its passwords can be fetched once it has ended.');

/**
 * @param record import with its live status, see {@link findImport}
 * @throws AppError `IMPORT_CONFLICT` while the import is queued, running or being undone, `CREDENTIALS_FETCHED`, `NOT_FOUND`
 */
export function assertFetchable(record: Import): void {
  if (underWay.includes(record.status)) throw notEnded(record);
  credentialsOf(record);
}

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

/** Makes sure, under the lease, that there are passwords to fetch, and writes the audit entry. */
async function recordClaim(core: Core, actor: Actor, id: string): Promise<CredentialsFile> {
  return core.database.inTransaction(async (transaction) => {
    const found = await lockImport(core, id, transaction);
    const credentials = credentialsOf(found);
    if (found.status === 'queued') throw notEnded(found);
    const file = await readableFile(core, found, credentials.file, 'passwords');
    await recordAudit(core, actor, { action: 'import.credentials', targetType: 'import', targetId: id }, transaction);
    return { ...credentials, file };
  });
}

async function remove(core: Core, record: Import, file: string, lease: Lease): Promise<void> {
  await commitProgress({ core, lease, record }, { credentialsFetchedAt: core.now() });
  await rm(file, { force: true });
}
