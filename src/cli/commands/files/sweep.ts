import { sweepStorage } from '../../../services/maintenance/orphan-cleanup.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';

export async function sweep(run: Run<'', Record<'--remove-unknown', string>>): Promise<Result> {
  const { removeUnknown = false } = run.options;
  const swept = await sweepStorage(await run.context(), removeUnknown);
  const {
    removed,
    held: inBackup,
    failed,
    failure,
    leftovers: incompleteUploads,
    unknown,
    missing,
    unreadable,
    wrongSize,
  } = swept;
  const text = [
    `${counted(removed, 'orphaned file')} removed`,
    ...(inBackup > 0
      ? [`${counted(inBackup, 'orphaned file')} kept during a backup: run the command again when the backup has ended`]
      : []),
    ...(failed > 0
      ? [`${counted(failed, 'orphaned file')} could not be removed; the next cleanup tries again: ${failure}`]
      : []),
    `${counted(incompleteUploads, 'incomplete upload')} removed`,
    `${counted(unknown.length, 'object')} unknown to the database ${removeUnknown ? 'removed' : 'found'}`,
    ...unknown.map((key) => `  ${key}`),
    `${counted(missing.length, 'file')} missing in the storage`,
    ...missing.map((key) => `  ${key}`),
    ...(unreadable.length > 0 ? [`${counted(unreadable.length, 'file')} unreadable in the storage`] : []),
    ...unreadable.map(({ key, reason }) => `  ${key}: ${reason}`),
    `${counted(wrongSize.length, 'file')} of the wrong size in the storage`,
    ...wrongSize.map(({ key, bytes, storedBytes }) => `  ${key}: ${storedBytes} bytes instead of ${bytes}`),
  ].join('\n');
  return {
    json: { sweep: { ...swept, unknownRemoved: removeUnknown } },
    text,
    exitCode: failed + missing.length + unreadable.length + wrongSize.length > 0 ? exitCodes.failure : exitCodes.ok,
  };
}
