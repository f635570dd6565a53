import { rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../../errors.js';
import { isWorkbookName } from '../../../schemas/table-format.js';
import type { Context } from '../../../services/context.js';
import { rosterStateOf } from '../../../services/groups/roster-state.js';
import { findRoster, recordIdleSync } from '../../../services/groups/rosters.js';
import type { ImportPlan } from '../../../services/imports/plan/plan.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';
import type { ImportRun } from './mapping.js';
import { postponedText, rosterJson } from './outcome.js';

/**
 * Ends a sync that changes nothing, and leaves no import. Otherwise makes sure that new people can sign in, and removes the file of
 * the rejected rows of the last sync, which this one replaces.
 * @returns the result of a sync without changes; otherwise the run, with the file for rejected rows
 * @throws AppError `USAGE`
 */
export async function prepareSync(
  run: ImportRun,
  context: Context,
  plan: ImportPlan,
  beside: string,
): Promise<{ result: Result; run?: never } | { run: ImportRun; result?: never }> {
  const { roster, credentials, invite } = run.options;
  const group = roster === undefined ? null : await findRoster(context, roster);
  const state = group ? rosterStateOf(group) : undefined;
  if (group && state && isIdle(plan, state.rejects)) {
    if (!run.options.dryRun) {
      await recordIdleSync(context, group, plan.rejects);
      // The rows were corrected in the file.
      if (state.rejects !== null && plan.rejects === null) await rm(rejectsOf(run, beside), { force: true });
    }
    return { result: idleResult(run, plan) };
  }
  if (!run.options.dryRun && plan.generatedPasswords > 0 && credentials === undefined && !invite)
    throw new AppError(
      'USAGE',
      `${counted(plan.generatedPasswords, 'new person', 'new people')} would have no way to sign in. Set up mail, so that they are invited, or write their passwords to a file with --credentials. With --no-password, they use the organisation's sign-in.`,
    );
  if (run.options.dryRun || (plan.unfinished?.rowsDone ?? 0) > 0) return { run };
  const file = rejectsOf(run, beside);
  // An interrupted run may have left an empty one.
  if (state?.rejects || plan.unfinished) await rm(file, { force: true });
  return { run: { ...run, options: { ...run.options, rejects: file } } };
}

/** Returns the path for the rejected rows of a sync. */
function rejectsOf({ io, options: { rejects } }: ImportRun, file: string): string {
  if (rejects !== undefined) return path.resolve(io.cwd, rejects);
  const { dir, name } = path.parse(path.resolve(file));
  return path.join(dir, `${name}.rejected.${isWorkbookName(file) ? 'xlsx' : 'csv'}`);
}

/** Whether a sync changes nothing. Rows that the last sync rejected, too, are no change. */
function isIdle({ counts, memberships, claims, unfinished, refusal, rejects }: ImportPlan, known: string | null) {
  const { created, updated, enrolled, waiting, left } = counts;
  const changes = created + updated + enrolled + waiting + left + memberships + claims;
  return refusal === null && unfinished === null && changes === 0 && (rejects === null || rejects === known);
}

function idleResult({ options }: ImportRun, plan: ImportPlan): Result {
  const { counts } = plan;
  const file = path.basename(plan.file);
  const json = { sync: { roster: options.roster, changed: false, counts, ...rosterJson(plan) } };
  // Somebody has to correct the file: otherwise, nobody would ever leave.
  const postponed = plan.roster ? postponedText(plan.roster) : [];
  if (postponed.length > 0)
    return {
      json,
      text: [`"${options.roster}" is not in step with ${file}:`, ...postponed].join('\n'),
      exitCode: exitCodes.partial,
    };
  const still = counts.rejected === 0 ? '' : ` ${counted(counts.rejected, 'row')} as before can't be imported.`;
  return { json, text: options.quiet ? '' : `Nothing to do: "${options.roster}" is in step with ${file}.${still}` };
}
