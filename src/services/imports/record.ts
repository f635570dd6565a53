import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { Import } from '../../db/models/import.js';
import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import type { Decision } from './existing.js';
import type { ImportCounts, ImportPlan } from './plan.js';
import type { Reports } from './report-files.js';

/** How an import ended, or where it stands. */
export interface ImportResult {
  id: string;
  status: Import['status'];
  file: string;
  counts: ImportCounts;
  /** Where the generated passwords are; absent when none was generated. */
  credentialsFile: string | null;
  rejectsFile: string | null;
}

/** What the database knows of the files of an import. */
export function reportsOf({ credentials, rejects }: Reports) {
  return {
    credentialsFile: credentials.path,
    credentialsBytes: credentials.length,
    rejectsFile: rejects.path,
    rejectsBytes: rejects.length,
  };
}

/** Records that an import begins. */
export async function startImport(core: Core, actor: Actor, plan: ImportPlan, reports: Reports): Promise<Import> {
  return core.database.inTransaction(async (transaction) => {
    const record = await core.database.models.Import.create(
      {
        id: uuidv7(),
        status: 'running',
        fileName: path.basename(plan.file),
        fileSha256: plan.fileSha256,
        optionsJson: JSON.stringify(plan.options),
        rowsTotal: plan.counts.rows,
        ...reportsOf(reports),
        createdBy: actor.actorId,
        createdAt: core.now(),
      },
      { transaction },
    );
    const after = { fileName: record.fileName, rows: plan.counts.rows, ...plan.options };
    await recordAudit(
      core,
      actor,
      { action: 'import.start', targetType: 'import', targetId: record.id, after },
      transaction,
    );
    return record;
  });
}

/** How far the import is when a batch is committed. */
export function progressAfter(record: Import, decisions: readonly Decision[], reports: Reports) {
  const count = (outcome: Decision['outcome']) => decisions.filter((decision) => decision.outcome === outcome).length;
  return {
    rowsDone: record.rowsDone + decisions.length,
    createdCount: record.createdCount + count('created'),
    skippedCount: record.skippedCount + count('skipped'),
    rejectedCount: record.rejectedCount + count('rejected'),
    credentialsBytes: reports.credentials.length,
    rejectsBytes: reports.rejects.length,
  };
}

export function resultOf(record: Import): ImportResult {
  return {
    id: record.id,
    status: record.status,
    file: record.fileName,
    counts: {
      rows: record.rowsDone,
      created: record.createdCount,
      updated: record.updatedCount,
      skipped: record.skippedCount,
      rejected: record.rejectedCount,
      enrolled: record.enrolledCount,
    },
    credentialsFile: Number(record.credentialsBytes) > 0 ? record.credentialsFile : null,
    rejectsFile: Number(record.rejectsBytes) > 0 ? record.rejectsFile : null,
  };
}
