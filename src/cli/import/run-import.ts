import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import { operator } from '../../services/core.js';
import { applyImport } from '../../services/imports/apply.js';
import { delimiterNames } from '../../services/imports/delimiters.js';
import { encodingNames } from '../../services/imports/encodings.js';
import { type ImportPlan, planImport } from '../../services/imports/plan.js';
import type { ImportResult } from '../../services/imports/record.js';
import { exitCodes } from '../exit-codes.js';
import { createPrompts } from '../prompts.js';
import type { Result, Run } from '../run.js';
import { createProgress } from './progress.js';

export interface ImportCommandOptions {
  dryRun?: true;
  plan?: string;
  role?: string;
  encoding?: string;
  delimiter?: string;
  map?: string[];
  credentials?: string;
  rejects?: string;
  yes?: true;
}

/** Plan, ask, apply. */
export async function importUsers(run: Run<ImportCommandOptions>): Promise<Result> {
  const startedAt = performance.now();
  const { dryRun, plan: expectedPlan, role, encoding, delimiter, map, yes } = run.options;
  const file = run.arguments[0] ?? '';
  const context = await run.context();
  await context.schema.assertCurrent();
  const plan = await makePlan(run, context, file, { role, encoding, delimiter, map });
  if (expectedPlan !== undefined && expectedPlan !== plan.id && plan.unfinished) {
    throw new AppError(
      'IMPORT_CONFLICT',
      `An import of this file broke off after ${plan.unfinished.rowsDone} rows. Run it without --plan: it goes on from there.`,
    );
  }
  if (expectedPlan !== undefined && expectedPlan !== plan.id) {
    throw new AppError(
      'IMPORT_CONFLICT',
      `The plan ${expectedPlan} no longer holds: the file, the options or the accounts have changed, and it would now be ${plan.id}. Look at it with --dry-run.`,
    );
  }
  if (dryRun)
    return {
      json: { plan: planJson(plan) },
      text: `${planText(plan)}\nNothing was written. To do exactly this: coursectl users import ${file} --plan ${plan.id}`,
    };
  if (!yes && expectedPlan === undefined) await confirmPlan(run, plan);
  return report(await apply(run, context, plan), (performance.now() - startedAt) / 1000);
}

async function makePlan(
  run: Run<ImportCommandOptions>,
  context: Context,
  file: string,
  options: object,
): Promise<ImportPlan> {
  const progress = createProgress(run, 'Reading', undefined);
  try {
    return await planImport(context, file, options, run.io.signal, (rows) => progress.update(rows));
  } finally {
    progress.stop();
  }
}

async function confirmPlan(run: Run<ImportCommandOptions>, plan: ImportPlan): Promise<void> {
  if (!run.interactive)
    throw new AppError(
      'USAGE',
      'Without a terminal nobody can be asked: add --yes to import, or --dry-run to look first.',
    );
  run.say(planText(plan));
  const prompts = await createPrompts(run.io);
  if (!(await prompts.confirm('Import these rows?', true))) throw new AppError('INTERRUPTED', 'Nothing was imported.');
}

async function apply(run: Run<ImportCommandOptions>, context: Context, plan: ImportPlan): Promise<ImportResult> {
  const { credentials, rejects } = run.options;
  const progress = createProgress(run, 'Importing', plan.counts.rows);
  try {
    return await applyImport(context, operator, plan, {
      ...(credentials !== undefined && { credentialsFile: credentials }),
      ...(rejects !== undefined && { rejectsFile: rejects }),
      signal: run.io.signal,
      onProgress: (rows) => progress.update(rows),
      onResume: (rows) => run.say(`An import of this file broke off after ${rows} rows: it goes on from there.`),
      onWait: () => run.say('Another run of this file has not ended, or broke off a moment ago: waiting for it.'),
    });
  } finally {
    progress.stop();
  }
}

function planJson(plan: ImportPlan): object {
  const { id, file, options, format, counts, ignoredColumns, samples } = plan;
  return { id, file, options, format, counts, ignoredColumns, samples };
}

function planText(plan: ImportPlan): string {
  const { counts } = plan;
  const samples = plan.samples.map(
    ({ line, outcome, person, reason, code }) =>
      `  line ${line}  ${outcome}  ${person ?? ''}${code ? `${person ? ' ' : ''}${code}` : ''}${reason ? `: ${reason}` : ''}`,
  );
  return [
    `${plan.file}: ${counts.rows} rows (CSV, ${delimiterNames[plan.format.delimiter]}, ${encodingNames[plan.format.encoding]})`,
    `  ${counts.created} accounts to create${plan.generatedPasswords > 0 ? `, ${plan.generatedPasswords} of them with a generated password` : ''}`,
    `  ${counts.skipped} rows to skip (the account is there already)`,
    `  ${counts.rejected} rows to reject`,
    ...(plan.ignoredColumns.length > 0 ? [`  Columns ignored: ${plan.ignoredColumns.join(', ')}`] : []),
    ...(plan.unfinished
      ? [`  An earlier import of this file broke off after ${plan.unfinished.rowsDone} rows; it will go on from there.`]
      : []),
    ...(samples.length > 0 ? ['For example:', ...samples] : []),
  ].join('\n');
}

function report(result: ImportResult, seconds: number): Result {
  const { counts, credentialsFile, rejectsFile } = result;
  const interrupted = result.status === 'interrupted';
  const lines = [
    interrupted
      ? `Interrupted after ${counts.rows} rows. Run the same command again to go on.`
      : `Done: ${counts.rows} rows in ${seconds.toFixed(1)} s.`,
    `  ${counts.created} accounts created, ${counts.skipped} rows skipped, ${counts.rejected} rejected`,
    ...(credentialsFile
      ? [`  Passwords: ${credentialsFile}${interrupted ? '' : ' (hand them out, then delete the file)'}`]
      : []),
    ...(rejectsFile
      ? [`  Rejected rows with reasons: ${rejectsFile}${interrupted ? '' : ' (mend them and import that file)'}`]
      : []),
  ];
  return {
    json: { import: { ...result, seconds: Number(seconds.toFixed(3)) } },
    text: lines.join('\n'),
    exitCode: interrupted ? exitCodes.interrupted : counts.rejected > 0 ? exitCodes.partial : exitCodes.ok,
  };
}
