import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Import } from '../../db/models/import.js';
import { AppError } from '../../errors.js';
import type { ImportStatus } from '../../schemas/import.js';
import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { findImport } from './imports.js';

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
