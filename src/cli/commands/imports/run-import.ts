import { access } from 'node:fs/promises';
import path from 'node:path';
import { AppError, readFailureReason, systemErrorCode } from '../../../errors.js';
import { pick } from '../../../presenters/pick.js';
import { importOptionsSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { planWithRejects } from '../../../services/imports/output/reports.js';
import { findDefaultCourse } from '../../../services/imports/plan/course-index.js';
import { type ImportPlan, planImport } from '../../../services/imports/plan/plan.js';
import { applyImport, assertPlanCurrent } from '../../../services/imports/queue/apply.js';
import type { AppliedImport } from '../../../services/imports/run/run-import.js';
import { isSpoolNeeded } from '../../../services/imports/store/spool.js';
import { assertCanAsk } from '../../core/bulk/confirm.js';
import { whenMailsLeave } from '../../core/bulk/mail-hint.js';
import { createProgress } from '../../core/bulk/progress.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import type { Io } from '../../core/output/output.js';
import { printable } from '../../core/output/printable.js';
import { correctionHint, findInterruptedOfSameFile, type InterruptedImport, importCommand } from './command-lines.js';
import { encodingAfterRefusal, type ImportRun, mappingsAfterRefusal, mappingsFor } from './mapping.js';
import type { importUsersOptions } from './options.js';
import { confirmPlan, planJson, planText, report, stderrOf, unseenText, withResumeHint } from './outcome.js';
import { fileFromStdin, type SpooledFile } from './stdin-file.js';
import { writeTemplate } from './template.js';

/** Returns the typed options of the import itself. */
export const typedOptions = ({ options }: Run<'[file]', typeof importUsersOptions>) => ({
  ...pick(options, [
    'role',
    'course',
    'enrollmentStatus',
    'onExisting',
    'match',
    'missingPhone',
    'whenFull',
    'resetPasswords',
    'invite',
    'notify',
    'onError',
    'maxErrors',
    'encoding',
    'delimiter',
    'sheet',
    'map',
  ]),
  // People whom mail doesn't reach get their passwords from the file.
  ...(options.invite && options.credentials !== undefined && { withPasswords: true }),
});

/** @throws AppError `VALIDATION` */
export function checkImport(run: Run<'[file]', typeof importUsersOptions>): void {
  validate(importOptionsSchema, typedOptions(run));
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

/** Plans an import, asks for confirmation, and applies the plan. @throws AppError `USAGE`, and as planning and applying */
export async function importUsers(run: ImportRun): Promise<Result> {
  const named = run.arguments.file;
  if (run.options.template) return writeTemplate(run);
  if (named === undefined)
    throw new AppError('USAGE', 'The file to import is missing. Name it, or see what it looks like with --template.');
  const isAnswered = run.options.plan !== undefined || run.options.dryRun;
  const context = await run.context();
  if (named !== '-') {
    const file = path.resolve(run.io.cwd, named);
    await assertReadable(file);
    await findDefaultCourse(context, run.options.course);
    if (!isAnswered) assertCanAsk(run, 'import, or --dry-run to look first');
    return importFile(run, context, file, named);
  }
  if (!isAnswered && !run.options.yes)
    throw new AppError('USAGE', 'Standard input is the file, not a terminal: add --yes, or --dry-run to look first.');
  const spooled = await fileFromStdin(run.io, context.config.dataDir);
  try {
    return await importFile(run, context, spooled.path, named, spooled);
  } finally {
    // An unfinished import needs the file to be resumed. The file also stays if the database fails.
    if (!(await isSpoolNeeded(context, spooled.path).catch(() => true))) await spooled.remove();
  }
}

/** Returns the path that gives name and folder to the output files of an import of standard input. */
const besideStdin = ({ cwd }: Io) => path.join(cwd, 'stdin.csv');

async function importFile(
  given: ImportRun,
  context: Context,
  file: string,
  named: string,
  spooled?: SpooledFile,
): Promise<Result> {
  const { dryRun, plan: expectedPlan, yes } = given.options;
  const { run, plan, columns } = await planWithEncoding(given, context, file);
  const isAnswered = columns.asked === true || run !== given;
  if (expectedPlan !== undefined)
    assertPlanCurrent(plan, expectedPlan, `The plan is now ${plan.id}: see it with --dry-run.`);
  const interrupted = await findInterruptedOfSameFile(run.io, context, plan);
  const isUnseen = !dryRun && plan.refusal === null && !yes && expectedPlan === undefined;
  const isAsked = isUnseen && !isIdle(plan);
  if (isAsked)
    await confirmPlan(run, plan, notesOf(interrupted)).catch((error: unknown) => {
      if (isAnswered) run.io.stderr.write(`${sameAnswersText(run, named, columns.map)}\n`);
      throw error;
    });
  else if (!dryRun) {
    if (interrupted !== null) run.say(interrupted.text);
    const screen = stderrOf(run.io);
    if (isUnseen) run.say(planText(plan, screen, []), { painted: true });
    else if (expectedPlan === undefined) run.say(unseenText(plan, screen).join('\n'), { painted: true });
  }
  // Saves mappings only after the user has seen their effect and not declined. Scripts rely on the saved file.
  if (plan.refusal === null) await columns.remember?.();
  if (dryRun) return dryRunResult(run, named, plan, columns.map, interrupted);
  const startedAt = performance.now();
  const result = await apply(run, context, plan, spooled);
  if (result.status === 'interrupted' && isAnswered)
    run.io.stderr.write(`${sameAnswersText(run, named, columns.map)}\n`);
  return report(
    { ...result, ...pick(plan, ['options', 'columns', 'warnings']) },
    (performance.now() - startedAt) / 1000,
    run,
    await whenMailsLeave(run.io, context),
  );
}

/** Plans with the encoding that the user chooses if it isn't certain. @returns the run with that encoding, too */
async function planWithEncoding(run: ImportRun, context: Context, file: string) {
  try {
    return { run, ...(await planWithMappings(run, context, file)) };
  } catch (error) {
    const encoding = await encodingAfterRefusal(error, run);
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
    const columns = await mappingsAfterRefusal(error, known, run, context, file);
    return { plan: await makePlan(run, context, file, columns.map), columns };
  }
}

/** Whether a plan changes no account and no enrollment, and needs no confirmation. */
const isIdle = ({ counts, unfinished }: ImportPlan): boolean =>
  unfinished === null && counts.created + counts.updated + counts.enrolled + counts.waiting === 0;

const notesOf = (interrupted: InterruptedImport | null): string[] => (interrupted === null ? [] : [interrupted.text]);

/** Returns the exit code that the import itself would have. */
function plannedExitCode({ refusal, counts }: ImportPlan): ExitCode {
  if (refusal !== null) return exitCodeOf('IMPORT_REFUSED');
  return counts.rejected > 0 ? exitCodes.partial : exitCodes.ok;
}

function dryRunResult(
  { io, options, display, paint }: ImportRun,
  named: string,
  plan: ImportPlan,
  map: readonly string[],
  interrupted: InterruptedImport | null,
): Result {
  const rejectsFile =
    options.rejects !== undefined && plan.counts.rejected > 0 ? path.resolve(io.cwd, options.rejects) : null;
  const lines = [
    ...(rejectsFile === null
      ? ['Nothing was written.']
      : [`Rejected rows with reasons: ${rejectsFile}`, 'Nothing was imported.']),
    ...(plan.refusal === null
      ? ['To do exactly this:', `  ${applyPlanCommand(io, named, { ...options, map: [...map] }, plan)}`]
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
    exitCode: plannedExitCode(plan),
  };
}

/**
 * Returns the command that imports the file with the same answers about encoding and columns. It also resumes an
 * interrupted import.
 */
function sameAnswersText({ io, options }: ImportRun, named: string, map: readonly string[]): string {
  const { mapping: _, ...others } = options;
  return `With these answers, without the questions:\n  ${importCommand(io, named, { ...others, map: [...map] })}`;
}

/** Returns the command that applies exactly the plan of a dry run. The plan includes its options. */
function applyPlanCommand(io: Io, named: string, options: ImportRun['options'], plan: ImportPlan): string {
  // The dry run has written the file of rejected rows, and another import never overwrites that file. --map contains the
  // mappings of --mapping.
  const { dryRun: _, yes: __, rejects: ___, mapping: ____, ...others } = options;
  return importCommand(io, named, { ...others, plan: plan.id });
}

async function makePlan(run: ImportRun, context: Context, file: string, map: readonly string[]): Promise<ImportPlan> {
  const { dryRun, rejects } = run.options;
  const progress = createProgress(run, 'Reading', undefined);
  try {
    const request = {
      file,
      options: { ...typedOptions(run), map },
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
  const beside = spooled && { beside: besideStdin(run.io) };
  try {
    return await withResumeHint(run, { progress, total: plan.counts.rows }, (options) =>
      applyImport(context, operator, plan, { ...options, ...beside }),
    );
  } finally {
    progress.stop();
  }
}
