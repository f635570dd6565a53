import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { exitCodes } from '../../core/exit-codes.js';
import { counted } from '../../core/output.js';

const sweepOptions = {
  '--remove-unknown': 'also remove stored files that the database does not know',
};

export function register(program: Command, registry: Registry): void {
  const files = program.command('files').description('Manage the file storage');

  define(files, registry, {
    usage: 'sweep',
    schema: 'current',
    summary: 'Remove orphaned files, and compare the storage with the database',
    examples: ['files sweep', 'files sweep --remove-unknown --json'],
    options: sweepOptions,
    notes:
      "The service removes orphaned files every hour by itself. If files are missing in the storage, can't be read there, or have another size than was stored, they are listed and the exit code is 1. It is also 1 if orphaned files could not be removed.",
    async run(run) {
      const { sweepStorage } = await import('../../../services/maintenance/orphan-cleanup.js');
      const { removeUnknown = false } = run.options;
      const sweep = await sweepStorage(await run.context(), removeUnknown);
      const { removed, held, failed, failure, leftovers, unknown, missing, unreadable, wrongSize } = sweep;
      const text = [
        `${counted(removed, 'orphaned file')} removed`,
        ...(held > 0
          ? [`${counted(held, 'orphaned file')} kept during a backup: run the command again when it has ended`]
          : []),
        ...(failed > 0 ? [`${counted(failed, 'orphaned file')} left for the next cleanup: ${failure}`] : []),
        `${counted(leftovers, 'incomplete upload')} removed`,
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
        json: { sweep: { ...sweep, unknownRemoved: removeUnknown } },
        text,
        exitCode: failed + missing.length + unreadable.length + wrongSize.length > 0 ? exitCodes.failure : exitCodes.ok,
      };
    },
  });
}
