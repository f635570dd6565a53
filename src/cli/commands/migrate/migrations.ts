import { AppError } from '../../../errors.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import { migrationProgress } from '../../core/bulk/progress.js';
import type { yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';

const linesOf = (state: string, names: readonly string[]) => names.map((name) => `${state}  ${name}`);

/** Applies the pending migrations. @throws the errors of migrations */
export async function up(run: Run): Promise<Result> {
  const { schema } = await run.context();
  const applied = await schema.up(migrationProgress(run));
  return { json: { applied }, text: [...linesOf('applied', applied), 'The database schema is up to date.'].join('\n') };
}

/**
 * Reverts the latest migrations after a confirmation.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of migrations
 */
export async function down(
  run: Run<'', { '--steps <n>': string; '--all': string } & typeof yesOption>,
): Promise<Result> {
  const { all, steps: given, yes } = run.options;
  if (all && given !== undefined) throw new AppError('USAGE', '--steps and --all cannot be used together.');
  if (given !== undefined && !/^[1-9]\d*$/.test(given))
    throw new AppError('USAGE', '--steps must be a whole number from 1.');
  const steps = all ? 'all' : Number(given ?? 1);
  assertCanAsk(run, 'revert');
  const { schema } = await run.context();
  const { executed } = await schema.status();
  const going = executed.toReversed().slice(0, steps === 'all' ? undefined : steps);
  const [its, these] = going.length === 1 ? ['its', 'this migration'] : ['their', 'these migrations'];
  if (!yes && going.length > 0)
    await confirm(run, {
      about: [
        `${counted(going.length, 'migration')} to revert, with all data in ${its} tables:`,
        ...going.map((name) => `  ${name}`),
      ].join('\n'),
      question: `Revert ${these}?`,
      otherwise: 'Nothing was reverted.',
    });
  const reverted = await schema.down(steps, migrationProgress(run));
  return {
    json: { reverted },
    text: reverted.length === 0 ? 'There is nothing to revert.' : linesOf('reverted', reverted).join('\n'),
  };
}

/** Lists the migrations and their states. */
export async function status(run: Run): Promise<Result> {
  const found = await (await run.context()).schema.status();
  const unknown = found.unknown.map((name) => `${name} (of a newer coursectl)`);
  const lines = [
    ...linesOf('applied', found.executed),
    ...linesOf('pending', found.pending),
    ...linesOf('unknown', unknown),
  ];
  return { json: { ...found }, text: lines.join('\n') };
}
