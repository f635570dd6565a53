import { AppError } from '../../../errors.js';
import { archiveFolder, countOldAudit, pruneAudit, retentionStart } from '../../../services/maintenance/retention.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { dryRunOption, yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';

type PruneRun = Run<'', typeof dryRunOption & typeof yesOption>;

/**
 * Exports and deletes the entries that are older than the retention, after a confirmation.
 * @throws AppError `USAGE` without a retention, `DECLINED`, `INTERRUPTED`, and the errors of {@link pruneAudit}
 */
export async function prune(run: PruneRun): Promise<Result> {
  const { dryRun = false, yes = false } = run.options;
  if (!dryRun) assertCanAsk(run, 'prune', { hasDryRun: true });
  const context = await run.context();
  const days = context.config.retention.auditDays;
  if (days === undefined)
    throw new AppError(
      'USAGE',
      'Entries are kept for ever: set AUDIT_RETENTION_DAYS to the number of days to keep them.',
    );
  const before = retentionStart(context, days);
  const about = (entries: number) => `${counted(entries, 'entry', 'entries')} before ${before.toISOString()}`;
  if (dryRun) {
    const entries = await countOldAudit(context, days);
    return {
      json: { dryRun, before, prune: { exported: entries } },
      text: `${about(entries)} would be exported and deleted.\nNothing was written.`,
    };
  }
  if (!yes)
    await confirm(run, {
      about: `${about(await countOldAudit(context, days))} are exported to ${archiveFolder(context)}, then deleted.`,
      question: 'Prune the audit log?',
      otherwise: 'Nothing was deleted.',
    });
  const { exported, files } = await pruneAudit(context, days, run.io.signal);
  const done = `${counted(exported, 'entry', 'entries')} exported and deleted.`;
  return { json: { dryRun, before, prune: { exported, files } }, text: [done, ...files].join('\n') };
}
