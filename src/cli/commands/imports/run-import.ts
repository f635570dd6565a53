import { access } from 'node:fs/promises';
import path from 'node:path';
import { AppError, readFailureReason, systemErrorCode } from '../../../errors.js';
import { pick } from '../../../presenters/pick.js';
import { importOptionsSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { planWithRejects } from '../../../services/imports/output/reports.js';
import { findOptionCourses } from '../../../services/imports/plan/course-index.js';
import { type ImportPlan, planImport } from '../../../services/imports/plan/plan.js';
import { applyImport, assertPlanCurrent } from '../../../services/imports/queue/apply.js';
import type { AppliedImport } from '../../../services/imports/run/run-import.js';
import { isSpoolNeeded } from '../../../services/imports/store/spool.js';
import { assertCanAsk } from '../../core/bulk/confirm.js';
import { whenMailsLeave } from '../../core/bulk/mail-hint.js';
import { createProgress } from '../../core/bulk/progress.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../../core/command/exit-codes.js';
import type { Result } from '../../core/command/run.js';
import type { Io } from '../../core/output/output.js';
import { printable } from '../../core/output/printable.js';
import { correctionHint, findInterruptedOfSameFile, type InterruptedImport, importCommand } from './command-lines.js';
import { askEncodingAfter, askMappingsAfter, type ImportRun, mappingsFor } from './mapping.js';
import { confirmPlan, effectsText, planJson, planText, report, stderrOf, withResumeHint } from './outcome.js';
import { fileFromStdin, type SpooledFile } from './stdin-file.js';
import { prepareSync } from './sync-plan.js';
import { writeTemplate } from './template.js';

/** Returns the run with the option `--no-password` under the name that the import service gives it. */
function withServiceNames(run: ImportRun): ImportRun {
  const { password, ...options } = run.options;
  return { ...run, options: { ...options, ...(password === false && { noPassword: true }) } };
}

/** Returns the options that the import service accepts, as entered on the command line. */
const serviceOptions = ({ options }: ImportRun) => ({
  ...pick(options, [
    'role',
    'course',
    'otherCourses',
    'roster',
    'onLeave',
    'maxLeaving',
    'group',
    'enrollmentStatus',
    'onExisting',
    'match',
    'missingPhone',
    'whenFull',
    'resetPasswords',
    'invite',
    'noPassword',
    'notify',
    'onError',
    'maxErrors',
    'encoding',
    'delimiter',
    'sheet',
    'map',
    'mapCourse',
  ]),
  // With --invite and --credentials, people get an invitation, and the file also has a password for each.
  ...(options.invite && options.credentials !== undefined && { withPasswords: true }),
});

/** @throws AppError `USAGE` for a file of passwords that nobody gets */
export function assertPasswordsAreGenerated({
  password,
  credentials,
}: Pick<ImportRun['options'], 'password' | 'credentials'>): void {
  if (password === false && credentials !== undefined)
    throw new AppError('USAGE', '--no-password and --credentials cannot be used together.');
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkImportOptions(run: ImportRun): void {
  assertPasswordsAreGenerated(run.options);
  validate(importOptionsSchema, serviceOptions(withServiceNames(run)));
}

/** @throws AppError `IMPORT_FILE_INVALID` for a missing or unreadable file */
export async function assertReadable(file: string): Promise<void> {
  try {
    await access(file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} ${readFailureReason(code)}.`, { cause: error });
  }
}

/**
 * Plans an import, asks for confirmation, and applies the plan.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, `PASSWORD_LOGIN_OFF`, and the errors of {@link planImport} and
 *   {@link applyImport}
 */
export async function importUsers(entered: ImportRun): Promise<Result> {
  const run = withServiceNames(entered);
  const fileArgument = run.arguments.file;
  if (run.options.template) return writeTemplate(run);
  if (fileArgument === undefined)
    throw new AppError('USAGE', 'The file to import is missing. Name it, or see what it looks like with --template.');
  const needsNoQuestion = run.options.plan !== undefined || run.options.dryRun;
  const context = await run.context();
  if (run.options.credentials !== undefined && !context.config.auth.passwordLogin)
    throw new AppError('PASSWORD_LOGIN_OFF');
  if (fileArgument !== '-') {
    const file = path.resolve(run.io.cwd, fileArgument);
    await assertReadable(file);
    await findOptionCourses(context, run.options);
    if (!needsNoQuestion) assertCanAsk(run, 'import', { hasDryRun: true });
    return importFile(run, context, file, fileArgument);
  }
  if (!needsNoQuestion && !run.options.yes)
    throw new AppError(
      'USAGE',
      'Standard input is the file, so nobody can answer a question: add --yes, or --dry-run to look first.',
    );
  const spooled = await fileFromStdin(run.io, context.config.dataDir);
  try {
    return await importFile(run, context, spooled.path, fileArgument, spooled);
  } finally {
    // Keeps the copy if an unfinished import may be resumed from it, or if the database can't tell.
    if (!(await isSpoolNeeded(context, spooled.path).catch(() => true))) await spooled.remove();
  }
}

/** Path that standard input would have as a file in the current folder. Output files get their names and folder from it. */
const stdinPath = ({ cwd }: Io) => path.join(cwd, 'stdin.csv');

async function importFile(
  original: ImportRun,
  context: Context,
  file: string,
  fileArgument: string,
  spooled?: SpooledFile,
): Promise<Result> {
  const { dryRun, plan: expectedPlan, yes } = original.options;
  const planned = await planWithEncoding(original, context, file);
  const { plan, columns } = planned;
  const beside = spooled === undefined ? file : stdinPath(original.io);
  const prepared = plan.roster === null ? { run: planned.run } : await prepareSync(planned.run, context, plan, beside);
  if (prepared.result) return prepared.result;
  const { run } = prepared;
  const userAnswered = columns.asked === true || planned.run !== original;
  if (expectedPlan !== undefined)
    assertPlanCurrent(plan, expectedPlan, `The plan is now ${plan.id}: see it with --dry-run.`);
  const interrupted = await findInterruptedOfSameFile(run.io, context, plan);
  const isHeld = isSyncHeld(run, plan);
  const showsPlan = !dryRun && plan.refusal === null && !isHeld && !yes && expectedPlan === undefined;
  const isAsked = showsPlan && !isIdle(plan);
  if (isAsked)
    await confirmPlan(run, plan, notesOf(interrupted)).catch((error: unknown) => {
      if (userAnswered) run.io.stderr.write(`${repeatText(run, fileArgument, columns.map)}\n`);
      throw error;
    });
  else if (!dryRun) {
    if (interrupted !== null) run.say(interrupted.text);
    const screen = stderrOf(run.io);
    if (showsPlan) run.say(planText(plan, screen, []), { painted: true });
    else if (expectedPlan === undefined) run.say(effectsText(plan, screen).join('\n'), { painted: true });
  }
  // Saves the mappings only after the user has seen their effect and not declined: later imports use them unasked.
  if (plan.refusal === null) await columns.remember?.();
  if (dryRun) return dryRunResult(run, fileArgument, plan, columns.map, interrupted);
  const startedAt = performance.now();
  const result = await apply(run, context, plan, spooled);
  if (result.status === 'interrupted' && userAnswered)
    run.io.stderr.write(`${repeatText(run, fileArgument, columns.map)}\n`);
  return report(
    { ...result, ...pick(plan, ['options', 'columns', 'warnings', 'roster']) },
    (performance.now() - startedAt) / 1000,
    run,
    await whenMailsLeave(run.io, context),
  );
}

/**
 * Plans the import. If the encoding isn't certain, asks the user for it.
 * @returns the plan, the columns, and the run, whose options have the chosen encoding
 */
async function planWithEncoding(run: ImportRun, context: Context, file: string) {
  try {
    return { run, ...(await planWithMappings(run, context, file)) };
  } catch (error) {
    const encoding = await askEncodingAfter(error, run);
    const chosen = { ...run, options: { ...run.options, encoding } };
    return { run: chosen, ...(await planWithMappings(chosen, context, file)) };
  }
}

/** Plans with the known mappings, or asks the user for mappings if the header is refused. */
async function planWithMappings(run: ImportRun, context: Context, file: string) {
  const known = await mappingsFor(run, context, file);
  try {
    return { plan: await makePlan(run, context, file, known.map), columns: known };
  } catch (error) {
    const columns = await askMappingsAfter(error, known, run, context, file);
    return { plan: await makePlan(run, context, file, columns.map), columns };
  }
}

/** Whether a plan changes no account and no enrollment, and needs no confirmation. */
const isIdle = ({ counts, unfinished }: ImportPlan): boolean =>
  unfinished === null && counts.created + counts.updated + counts.enrolled + counts.waiting + counts.left === 0;

/** Whether the plan takes too many members out of a roster, and the number isn't approved. */
const isSyncHeld = ({ options }: ImportRun, { roster }: ImportPlan): boolean =>
  roster?.held != null && String(roster.held.leaving) !== options.allowLeaving;

const notesOf = (interrupted: InterruptedImport | null): string[] => (interrupted === null ? [] : [interrupted.text]);

/** Returns the exit code for a dry run: the code that the import would have. */
function plannedExitCode({ refusal, counts }: ImportPlan, isHeld: boolean): ExitCode {
  if (refusal !== null) return exitCodeOf('IMPORT_REFUSED');
  if (isHeld) return exitCodeOf('SYNC_HELD');
  return counts.rejected > 0 ? exitCodes.partial : exitCodes.ok;
}

function dryRunResult(
  run: ImportRun,
  fileArgument: string,
  plan: ImportPlan,
  map: readonly string[],
  interrupted: InterruptedImport | null,
): Result {
  const { io, options, display, paint } = run;
  const isHeld = isSyncHeld(run, plan);
  const rejectsFile =
    options.rejects !== undefined && plan.counts.rejected > 0 ? path.resolve(io.cwd, options.rejects) : null;
  const lines = [
    ...(rejectsFile === null
      ? ['Nothing was written.']
      : [`Rejected rows with reasons: ${rejectsFile}`, 'Nothing was imported.']),
    ...(plan.refusal === null
      ? ['To do exactly this:', `  ${applyPlanCommand(io, fileArgument, { ...options, map: [...map] }, plan)}`]
      : []),
    ...correctionHint(io, rejectsFile, plan.options),
  ];
  const screen = { width: display.width, paint };
  return {
    json: {
      plan: {
        ...planJson(plan),
        interrupted: interrupted && { number: interrupted.number, rowsDone: interrupted.rowsDone },
        ...(options.rejects !== undefined && { rejectsFile }),
      },
    },
    text: `${planText(plan, screen, notesOf(interrupted))}\n${printable(lines.join('\n'))}`,
    painted: true,
    exitCode: plannedExitCode(plan, isHeld),
  };
}

/**
 * Returns the command that imports the file with the same answers about encoding and columns. It also resumes an
 * interrupted import.
 */
function repeatText({ io, options }: ImportRun, fileArgument: string, map: readonly string[]): string {
  const { mapping: _, ...others } = options;
  return `To give the same answers without the questions:\n  ${importCommand(io, fileArgument, { ...others, map: [...map] })}`;
}

/** Returns the command that applies exactly the plan of a dry run. Repeats the options, because the plan's id depends on them. */
function applyPlanCommand(io: Io, fileArgument: string, options: ImportRun['options'], plan: ImportPlan): string {
  // Without --rejects: the dry run has written that file, and an import never overwrites it. Without --mapping: --map has
  // its mappings.
  const { dryRun: _, yes: __, rejects: ___, mapping: ____, ...others } = options;
  return importCommand(io, fileArgument, {
    ...others,
    ...(plan.roster?.held && { allowLeaving: plan.roster.held.leaving }),
    plan: plan.id,
  });
}

async function makePlan(run: ImportRun, context: Context, file: string, map: readonly string[]): Promise<ImportPlan> {
  const { dryRun, rejects } = run.options;
  const progress = createProgress(run, 'Reading', undefined);
  try {
    const request = {
      file,
      options: { ...serviceOptions(run), map },
      signal: run.io.signal,
      onProgress: (rows: number) => progress.update(rows),
    };
    return dryRun && rejects !== undefined
      ? await planWithRejects(context, request, path.resolve(run.io.cwd, rejects))
      : await planImport(context, request);
  } finally {
    progress.stop();
  }
}

async function apply(
  run: ImportRun,
  context: Context,
  plan: ImportPlan,
  spooled: SpooledFile | undefined,
): Promise<AppliedImport> {
  const progress = createProgress(run, 'Importing', plan.counts.rows);
  const beside = spooled && { beside: stdinPath(run.io) };
  const { allowLeaving } = run.options;
  const allowed = allowLeaving !== undefined && { allowLeaving: Number(allowLeaving) };
  try {
    return await withResumeHint(run, { progress, total: plan.counts.rows }, (options) =>
      applyImport(context, operator, plan, { ...options, ...beside, ...allowed }),
    );
  } finally {
    progress.stop();
  }
}
