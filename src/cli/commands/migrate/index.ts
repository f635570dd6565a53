import type { Command } from 'commander';
import { AppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import { yesOption } from '../../core/declaration.js';
import { tellingOfWait } from '../../core/migration-wait.js';
import { counted } from '../../core/output.js';
import type { Run } from '../../core/run.js';

const downOptions = {
  '--steps <n>': 'how many migrations to revert (default 1)',
  '--all': 'revert all of them',
  ...yesOption,
};

export function register(program: Command, registry: Registry): void {
  const migrate = program.command('migrate').description('Update the database schema, or revert it');

  define(migrate, registry, {
    usage: 'up',
    schema: 'not newer',
    missingDatabase: 'created',
    summary: 'Apply all pending migrations; safe to run on several machines at the same time',
    examples: ['migrate up', 'migrate up --json'],
    async run(run) {
      const { schema } = await run.context();
      const applied = await schema.up(tellingOfWait(run));
      return {
        json: { applied },
        text:
          applied.length === 0
            ? 'The database schema is up to date.'
            : `${applied.map((name) => `applied  ${name}`).join('\n')}\nThe database schema is up to date.`,
      };
    },
  });

  define(migrate, registry, {
    usage: 'down',
    schema: 'not newer',
    summary: 'Revert the latest migration, and delete the data in its tables',
    examples: ['migrate down', 'migrate down --steps 2 --yes', 'migrate down --all --yes'],
    options: downOptions,
    async run(run) {
      const { all, steps: given, yes } = run.options;
      if (all && given !== undefined) throw new AppError('USAGE', '--steps and --all cannot be used together.');
      if (given !== undefined && !/^[1-9]\d*$/.test(given))
        throw new AppError('USAGE', '--steps must be a whole number from 1.');
      const steps = all ? 'all' : Number(given ?? 1);
      const { assertCanAsk } = await import('../../core/confirm.js');
      assertCanAsk(run, 'revert');
      const { schema } = await run.context();
      const { executed } = await schema.status();
      const going = executed.toReversed().slice(0, steps === 'all' ? undefined : steps);
      if (!yes && going.length > 0) await askWhetherToRevert(run, going);
      const reverted = await schema.down(steps, tellingOfWait(run));
      return {
        json: { reverted },
        text:
          reverted.length === 0
            ? 'There is nothing to revert.'
            : reverted.map((name) => `reverted  ${name}`).join('\n'),
      };
    },
  });

  define(migrate, registry, {
    usage: 'status',
    schema: 'any',
    summary: 'List the migrations and whether each is applied; changes nothing',
    examples: ['migrate status', 'migrate status --json'],
    async run(run) {
      const status = await (await run.context()).schema.status();
      const lines = [
        ...status.executed.map((name) => `applied  ${name}`),
        ...status.pending.map((name) => `pending  ${name}`),
        ...status.unknown.map((name) => `unknown  ${name} (of a newer coursectl)`),
      ];
      return { json: { ...status }, text: lines.join('\n') };
    },
  });
}

async function askWhetherToRevert(run: Run, names: readonly string[]): Promise<void> {
  const { confirm } = await import('../../core/confirm.js');
  await confirm(run, {
    about: [
      `${counted(names.length, 'migration')} to revert, with all data in ${names.length === 1 ? 'its' : 'their'} tables:`,
      ...names.map((name) => `  ${name}`),
    ].join('\n'),
    question: `Revert ${names.length === 1 ? 'this migration' : 'these migrations'}?`,
    otherwise: 'Nothing was reverted.',
  });
}
