import { AppError } from '../../../errors.js';
import { countOldLedgers, pruneLedgers } from '../../../services/maintenance/ledger-retention.js';
import { archiveFolder } from '../../../services/maintenance/retention.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { dryRunOption, yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';

type PruneRun = Run<'', typeof dryRunOption & typeof yesOption>;

/**
 * Exports and deletes the rows of imports that ended before the retention period, after a confirmation.
 * @throws AppError `USAGE` without a retention, `DECLINED`, `INTERRUPTED`, and the errors of {@link pruneLedgers}
 */
export async function prune(run: PruneRun): Promise<Result> {
  const { dryRun = false, yes = false } = run.options;
  if (!dryRun) assertCanAsk(run, 'prune', { hasDryRun: true });
  const context = await run.context();
  const days = context.config.retention.importDays;
  if (days === undefined)
    throw new AppError(
      'USAGE',
      'Rows of imports are kept for ever: set IMPORT_RETENTION_DAYS to the number of days to keep them.',
    );
  const about = ({ imports, exported }: { imports: number; exported: number }) =>
    `${counted(exported, 'row')} of ${counted(imports, 'import')} that ended more than ${counted(days, 'day')} ago`;
  if (dryRun) {
    const found = await countOldLedgers(context, days);
    return {
      json: { dryRun, prune: found },
      text: `${about(found)} would be exported and deleted.\nNothing was written.`,
    };
  }
  if (!yes)
    await confirm(run, {
      about: `${about(await countOldLedgers(context, days))} are exported to ${archiveFolder(context)}, then deleted. These imports can't be undone any more.`,
      question: 'Prune the rows of imports?',
      otherwise: 'Nothing was deleted.',
    });
  const { imports, exported, files } = await pruneLedgers(context, days, run.io.signal);
  const done = `${counted(exported, 'row')} of ${counted(imports, 'import')} exported and deleted.`;
  return { json: { dryRun, prune: { imports, exported, files } }, text: [done, ...files].join('\n') };
}
