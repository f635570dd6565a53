import { AppError, type ErrorCode, isAppError } from '../../../errors.js';
import type { bulkOptions } from '../command/declaration.js';
import { type ExitCode, exitCodes } from '../command/exit-codes.js';
import type { Result, Run } from '../command/run.js';
import { counted, withCommandLines, writeLine } from '../output/output.js';
import {
  type BulkItem,
  type BulkOutcome,
  type BulkWording,
  countsOf,
  type ItemResult,
  outcomesText,
  planText,
  questionText,
  summaryText,
} from './bulk-plan.js';
import { assertCanAsk, confirm } from './confirm.js';
import { createProgress } from './progress.js';

export type BulkRun = Run<'', ReturnType<typeof bulkOptions>>;

/** Targets on a command line: one name, a list of names, or all items that a filter matches. */
export type Targets = { kind: 'one'; name: string } | { kind: 'names'; names: readonly string[] } | { kind: 'filter' };

/** An empty search would match everything. */
export const emptySearch = (): AppError => new AppError('USAGE', '--search is empty. Give a text to search for.');

interface TargetsInput {
  typed: readonly string[] | undefined;
  isFiltered: boolean;
  /** Possible headings of the column of names, if the list of `--from` has headings. */
  headings: readonly string[];
  wording: Pick<BulkWording, 'singular'>;
  /** Lets the user choose an item if the command line names none. @throws AppError `USAGE` without a terminal */
  choose(): Promise<string>;
}

/** @throws AppError `USAGE` if the command can't ask for confirmation */
function assertCanConfirm(run: BulkRun, { toDo }: BulkWording): void {
  if (run.options.from === '-')
    throw new AppError(
      'USAGE',
      'Standard input is the list, so nobody can answer a question: add --yes, or --dry-run to look first.',
    );
  assertCanAsk(run, toDo, { hasDryRun: true });
}

/**
 * Returns the targets on the command line. Kind `one` is changed without a plan; a single name in a dry run has kind `names`.
 * @throws AppError `USAGE` for a combination of names, list and filters, and for an unreadable list
 */
export async function targetsOf(run: BulkRun, input: TargetsInput): Promise<Targets> {
  const { typed = [], isFiltered, headings, wording, choose } = input;
  const { from, dryRun } = run.options;
  if ([typed.length > 0, from !== undefined, isFiltered].filter(Boolean).length > 1)
    throw new AppError(
      'USAGE',
      `Name each ${wording.singular}, or give a list with --from, or filters: only one of these.`,
    );
  if (from !== undefined) {
    const { namesIn } = await import('./name-list.js');
    return { kind: 'names', names: await namesIn(run.io, from, headings) };
  }
  if (isFiltered) return { kind: 'filter' };
  const [name = await choose(), ...others] = typed;
  if (others.length === 0 && !dryRun) return { kind: 'one', name };
  return { kind: 'names', names: [name, ...others] };
}

/** Items that names or filters select, without duplicates. */
export interface Selection<N extends BulkItem = BulkItem> {
  entries: { given: string | null; found: N | AppError }[];
  /** Number of names that were left out as duplicates. */
  repeated: number;
}

/** Creates a selection from names. @param found item for each name, or the error why there is none */
export function selectionOf<N extends BulkItem>(
  names: readonly string[],
  found: readonly (N | AppError)[],
): Selection<N> {
  const ids = new Set<string>();
  const entries: Selection<N>['entries'] = [];
  for (const [index, one] of found.entries()) {
    if (!isAppError(one) && ids.has(one.id)) continue;
    if (!isAppError(one)) ids.add(one.id);
    entries.push({ given: names[index] ?? null, found: one });
  }
  return { entries, repeated: found.length - entries.length };
}

export interface BulkWork<N extends BulkItem = BulkItem> {
  wording: BulkWording;
  selection: Selection<N>;
  /** Items per call of `change`. The progress is updated after each batch. */
  batchSize: number;
  /** Returns the expected results, in the order of the items. @throws AppError if no item can be changed at all */
  preview(items: readonly N[]): Promise<ItemResult[]>;
  /** Returns a text to show before the change of these items. */
  notice?(items: readonly N[]): string | undefined;
  /**
   * Changes a batch.
   * @returns the results in the order of the items, and the failure that ends the whole change early
   * @throws AppError if no item of the batch was changed; later batches are not tried
   */
  change(
    items: readonly BulkItem[],
    signal: AbortSignal,
  ): Promise<{ results: ItemResult[]; stopped?: AppError | undefined }>;
  /** Returns additional fields for `--json`, after the change. */
  more?(): object;
  /** Returns lines to print below the summary. */
  hint?(): string | undefined;
}

/** Creates the outcomes from a preview. {@link changeAll} updates them. */
function previewOutcomes({ entries }: Selection, results: readonly ItemResult[]): BulkOutcome[] {
  const next = results.values();
  return entries.map(({ given, found }) => {
    if (isAppError(found)) return { given, item: null, outcome: 'refused', refusal: found };
    const { value } = next.next();
    if (!value) throw new Error(`There is no preview of ${found.id}.`);
    return { given, item: found, ...value };
  });
}

/** Calls {@link BulkWork.change}, and returns an AppError as `stopped`. */
async function changeBatch(work: Pick<BulkWork, 'change'>, items: readonly BulkItem[], signal: AbortSignal) {
  try {
    return await work.change(items, signal);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { results: [], stopped: error };
  }
}

/**
 * Changes the items batch by batch, and updates their outcomes.
 * @returns the reason why the change ended early, or undefined
 */
async function changeAll(
  run: BulkRun,
  work: Pick<BulkWork, 'wording' | 'batchSize' | 'change'>,
  outcomes: readonly BulkOutcome[],
): Promise<AppError | undefined> {
  const { signal } = run.io;
  const toChange = outcomes.flatMap((outcome) =>
    outcome.outcome === 'done' && outcome.item ? [{ outcome, item: outcome.item }] : [],
  );
  // Items count as refused until they are changed, so that the report includes items that were not reached.
  for (const { outcome } of toChange) outcome.outcome = 'refused';
  const progress = createProgress(run, work.wording.doing, toChange.length, work.wording.singular);
  let stopped: AppError | undefined;
  try {
    for (let at = 0; at < toChange.length; at += work.batchSize) {
      const batch = toChange.slice(at, at + work.batchSize);
      if (signal.aborted) stopped ??= new AppError('INTERRUPTED');
      const items = batch.map(({ item }) => item);
      const done = stopped ? undefined : await changeBatch(work, items, signal);
      stopped ??= done?.stopped;
      for (const [index, { outcome }] of batch.entries())
        Object.assign(outcome, done?.results[index] ?? { outcome: 'refused', refusal: stopped });
      progress.update(at + batch.length);
    }
  } catch (error) {
    // The failed batch may have changed items, too: hence "At least".
    const { singular, done, target = '' } = work.wording;
    const atLeast = counted(countsOf(outcomes).done, singular);
    progress.say(
      withCommandLines(run.io, `At least ${atLeast} ${done}${target} before this failure. All: coursectl audit list`),
    );
    throw error;
  } finally {
    progress.stop();
  }
  return stopped;
}

/**
 * Changes items one by one, each in its own transaction.
 * @param itemErrors codes of errors that concern a single item; any other error ends the change
 * @param changeOne returns additional fields for `--json`
 */
export async function changeEach(
  items: readonly BulkItem[],
  signal: AbortSignal,
  itemErrors: readonly ErrorCode[],
  changeOne: (one: BulkItem) => Promise<object>,
): ReturnType<BulkWork['change']> {
  const results: ItemResult[] = [];
  let stopped: AppError | undefined;
  for (const one of items) {
    if (signal.aborted) stopped ??= new AppError('INTERRUPTED');
    if (stopped) results.push({ outcome: 'refused', refusal: stopped });
    else
      try {
        results.push({ outcome: 'done', more: await changeOne(one) });
      } catch (error) {
        if (!isAppError(error)) throw error;
        results.push({ outcome: 'refused', refusal: error });
        if (!isAppError(error, ...itemErrors)) stopped = error;
      }
  }
  return { results, stopped };
}

const jsonOf = ({ given, item, outcome, refusal, more }: BulkOutcome) => ({
  given,
  id: item?.id ?? null,
  name: item?.name ?? null,
  outcome,
  code: refusal?.code ?? null,
  message: refusal?.message ?? null,
  ...more,
});

/** Returns 0 without refusals, 1 if all items were refused, and 3 for partial success. */
function exitCodeOf(outcomes: readonly BulkOutcome[], stopped: AppError | undefined): ExitCode {
  const { done, unchanged, refused } = countsOf(outcomes);
  if (stopped?.code === 'INTERRUPTED') return exitCodes.interrupted;
  if (refused === 0) return exitCodes.ok;
  return done + unchanged > 0 ? exitCodes.partial : exitCodes.failure;
}

function dryRunResult(plan: string, outcomes: readonly BulkOutcome[]): Result {
  return {
    json: { dryRun: true, counts: countsOf(outcomes), outcomes: outcomes.map(jsonOf) },
    text: `${plan}\nNothing was changed.${countsOf(outcomes).done > 0 ? ' To do this, leave out --dry-run.' : ''}`,
    exitCode: exitCodeOf(outcomes, undefined),
  };
}

/** Returns a result that prints the outcomes on standard output and a summary on standard error. */
function result(
  run: BulkRun,
  work: Pick<BulkWork, 'wording' | 'more' | 'hint'>,
  outcomes: readonly BulkOutcome[],
  stopped: AppError | undefined,
): Result {
  return {
    async write() {
      const json = { dryRun: false, counts: countsOf(outcomes), outcomes: outcomes.map(jsonOf), ...work.more?.() };
      if (run.options.json) await run.emit(JSON.stringify(json, null, 2));
      else {
        // Items that were not tried appear only in the summary.
        const tried = outcomes.filter(({ refusal }) => !stopped || refusal !== stopped);
        if (tried.length > 0) await writeLine(run.io.stdout, outcomesText(work.wording, tried, run.display));
      }
      run.say(summaryText(work.wording, outcomes, stopped));
      const hint = work.hint?.();
      if (hint !== undefined) run.say(hint);
    },
    exitCode: exitCodeOf(outcomes, stopped),
  };
}

/**
 * Shows the plan, asks for confirmation, and changes the items batch by batch. A refused item doesn't stop the others.
 * @throws AppError `DECLINED` for a no, `USAGE` without a terminal, and the errors of `preview`
 */
export async function runBulk<N extends BulkItem>(run: BulkRun, work: BulkWork<N>): Promise<Result> {
  const { wording, selection } = work;
  const items = selection.entries.flatMap(({ found }) => (isAppError(found) ? [] : [found]));
  const outcomes = previewOutcomes(selection, await work.preview(items));
  const toChange = new Set(outcomes.flatMap(({ outcome, item }) => (outcome === 'done' && item ? [item.id] : [])));
  const notice = work.notice?.(items.filter(({ id }) => toChange.has(id)));
  const plan = (width: number | undefined) =>
    [planText(wording, outcomes, selection.repeated, width), notice].filter((text) => text !== undefined).join('\n');
  if (run.options.dryRun) return dryRunResult(plan(run.display.width), outcomes);
  const isNeeded = toChange.size > 0;
  if (run.options.yes && notice !== undefined) run.say(notice);
  if (isNeeded && !run.options.yes) {
    assertCanConfirm(run, wording);
    await confirm(run, {
      about: plan(run.io.stderr.columns),
      question: questionText(wording, outcomes),
      otherwise: 'Nothing was changed.',
    });
  }
  const stopped = isNeeded ? await changeAll(run, work, outcomes) : undefined;
  return result(run, work, outcomes, stopped);
}
