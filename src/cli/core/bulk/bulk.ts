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

/** A command that changes several things at once. */
export type BulkRun = Run<'', ReturnType<typeof bulkOptions>>;

/** What a command line means: one thing, a list of names, or all that a filter matches. */
export type Targets = { kind: 'one'; name: string } | { kind: 'names'; names: readonly string[] } | { kind: 'filter' };

/** Refuses a search for nothing: it would mean everything. */
export const emptySearch = (): AppError => new AppError('USAGE', '--search is empty. Give a text to search for.');

interface TargetsInput {
  typed: readonly string[] | undefined;
  /** Whether there are filters. */
  isFiltered: boolean;
  /** The headings of the column with the names in a list with headings. */
  headings: readonly string[];
  words: Pick<BulkWording, 'one'>;
  /** Lets a person choose where nothing is named. @throws AppError `USAGE` without a terminal */
  choose(): Promise<string>;
}

/** @throws AppError `USAGE` where several would be changed, and nobody can be asked */
function assertCanConfirm(run: BulkRun, { toDo }: BulkWording): void {
  if (run.options.from === '-')
    throw new AppError('USAGE', 'Standard input is the list, not a terminal: add --yes, or --dry-run to look first.');
  assertCanAsk(run, `${toDo}, or --dry-run to look first`);
}

/**
 * What the command line means. One that is named is changed without a plan, unless it is a dry run.
 * @throws AppError `USAGE` for several ways to say it, and for a list that can't be read
 */
export async function targetsOf(run: BulkRun, meaning: TargetsInput): Promise<Targets> {
  const { typed = [], isFiltered, headings, words, choose } = meaning;
  const { from, dryRun } = run.options;
  if ([typed.length > 0, from !== undefined, isFiltered].filter(Boolean).length > 1)
    throw new AppError('USAGE', `Name each ${words.one}, or give a list with --from, or filters: only one of these.`);
  if (from !== undefined) {
    const { namesIn } = await import('./name-list.js');
    return { kind: 'names', names: await namesIn(run.io, from, headings) };
  }
  if (isFiltered) return { kind: 'filter' };
  const [name = await choose(), ...others] = typed;
  if (others.length === 0 && !dryRun) return { kind: 'one', name };
  return { kind: 'names', names: [name, ...others] };
}

/** What the arguments and filters name, each once. */
export interface Selection<N extends BulkItem = BulkItem> {
  entries: { given: string | null; found: N | AppError }[];
  /** Names left out, because others name the same. */
  repeated: number;
}

/** A selection by names. @param found what each name means, or why it means nothing */
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

/** A change of several things. */
export interface BulkWork<N extends BulkItem = BulkItem> {
  words: BulkWording;
  selection: Selection<N>;
  /** Between two batches the progress is shown. */
  batchSize: number;
  /** What would be done with each, in their order. @throws AppError where nothing can be done at all */
  preview(items: readonly N[]): Promise<ItemResult[]>;
  /** Text to see before the change, about those that would be changed. */
  notice?(items: readonly N[]): string | undefined;
  /**
   * Changes those of a batch.
   * @returns what was done with each, in their order; and the failure because of which all that follow aren't tried
   * @throws AppError where none of them was changed: those that follow aren't tried
   */
  change(
    items: readonly BulkItem[],
    signal: AbortSignal,
  ): Promise<{ verdicts: ItemResult[]; stopped?: AppError | undefined }>;
  /** What `--json` has besides, when all is done. */
  more?(): object;
  /** The lines below the summary. */
  hint?(): string | undefined;
}

/** Outcomes that are filled in while the work goes on. */
function previewOutcomes({ entries }: Selection, verdicts: readonly ItemResult[]): BulkOutcome[] {
  const next = verdicts.values();
  return entries.map(({ given, found }) => {
    if (isAppError(found)) return { given, named: null, outcome: 'refused', refusal: found };
    const { value } = next.next();
    if (!value) throw new Error(`There is no preview of ${found.id}.`);
    return { given, named: found, ...value };
  });
}

/** {@link BulkWork.change}, whose failure is a result. */
async function changeBatch(work: Pick<BulkWork, 'change'>, items: readonly BulkItem[], signal: AbortSignal) {
  try {
    return await work.change(items, signal);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { verdicts: [], stopped: error };
  }
}

/** Changes those that can be, batch by batch. @returns why it has ended early, if it has */
async function changeAll(
  run: BulkRun,
  work: Pick<BulkWork, 'words' | 'batchSize' | 'change'>,
  outcomes: readonly BulkOutcome[],
): Promise<AppError | undefined> {
  const { signal } = run.io;
  const toChange = outcomes.flatMap((outcome) =>
    outcome.outcome === 'done' && outcome.named ? [{ outcome, named: outcome.named }] : [],
  );
  // Not done until it is: what isn't reached is told, too.
  for (const { outcome } of toChange) outcome.outcome = 'refused';
  const progress = createProgress(run, work.words.doing, toChange.length, work.words.one);
  let stopped: AppError | undefined;
  try {
    for (let at = 0; at < toChange.length; at += work.batchSize) {
      const batch = toChange.slice(at, at + work.batchSize);
      if (signal.aborted) stopped ??= new AppError('INTERRUPTED');
      const items = batch.map(({ named }) => named);
      const done = stopped ? undefined : await changeBatch(work, items, signal);
      stopped ??= done?.stopped;
      for (const [index, { outcome }] of batch.entries())
        Object.assign(outcome, done?.verdicts[index] ?? { outcome: 'refused', refusal: stopped });
      progress.update(at + batch.length);
    }
  } catch (error) {
    // Of the batch that failed it isn't known.
    const { one, done, target = '' } = work.words;
    const atLeast = counted(countsOf(outcomes).done, one);
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
 * Changes one after the other, each in a transaction of its own.
 * @param own failures that belong to one; after any other the rest isn't tried
 * @param changeOne gives what `--json` has besides
 */
export async function changeEach(
  items: readonly BulkItem[],
  signal: AbortSignal,
  own: readonly ErrorCode[],
  changeOne: (one: BulkItem) => Promise<object>,
): ReturnType<BulkWork['change']> {
  const verdicts: ItemResult[] = [];
  let stopped: AppError | undefined;
  for (const one of items) {
    if (signal.aborted) stopped ??= new AppError('INTERRUPTED');
    if (stopped) verdicts.push({ outcome: 'refused', refusal: stopped });
    else
      try {
        verdicts.push({ outcome: 'done', more: await changeOne(one) });
      } catch (error) {
        if (!isAppError(error)) throw error;
        verdicts.push({ outcome: 'refused', refusal: error });
        if (!isAppError(error, ...own)) stopped = error;
      }
  }
  return { verdicts, stopped };
}

const jsonOf = ({ given, named, outcome, refusal, more }: BulkOutcome) => ({
  given,
  id: named?.id ?? null,
  name: named?.name ?? null,
  outcome,
  code: refusal?.code ?? null,
  message: refusal?.message ?? null,
  ...more,
});

/** All done or so already: 0; nothing: 1; else partial. */
function exitCodeOf(outcomes: readonly BulkOutcome[], stopped: AppError | undefined): ExitCode {
  const { done, unchanged, refused } = countsOf(outcomes);
  if (stopped?.code === 'INTERRUPTED') return exitCodes.interrupted;
  if (refused === 0) return exitCodes.ok;
  return done + unchanged > 0 ? exitCodes.partial : exitCodes.failure;
}

/** The result of a dry run. */
function dryRunResult(plan: string, outcomes: readonly BulkOutcome[]): Result {
  return {
    json: { dryRun: true, counts: countsOf(outcomes), outcomes: outcomes.map(jsonOf) },
    text: `${plan}\nNothing was changed.${countsOf(outcomes).done > 0 ? ' To do this, leave out --dry-run.' : ''}`,
    exitCode: exitCodeOf(outcomes, undefined),
  };
}

/** What was done: the outcomes on standard output, a summary on standard error. */
function result(
  run: BulkRun,
  work: Pick<BulkWork, 'words' | 'more' | 'hint'>,
  outcomes: readonly BulkOutcome[],
  stopped: AppError | undefined,
): Result {
  return {
    async write() {
      const json = { dryRun: false, counts: countsOf(outcomes), outcomes: outcomes.map(jsonOf), ...work.more?.() };
      if (run.options.json) await run.emit(JSON.stringify(json, null, 2));
      else {
        // Of the others the summary says that they weren't tried.
        const tried = outcomes.filter(({ refusal }) => !stopped || refusal !== stopped);
        if (tried.length > 0) await writeLine(run.io.stdout, outcomesText(work.words, tried, run.display));
      }
      run.say(summaryText(work.words, outcomes, stopped));
      const hint = work.hint?.();
      if (hint !== undefined) run.say(hint);
    },
    exitCode: exitCodeOf(outcomes, stopped),
  };
}

/**
 * Shows what would be done, asks, and does it batch by batch. One that fails doesn't stop the others.
 * @throws AppError `DECLINED` for a no, `USAGE` where nobody can be asked, and what `preview` throws
 */
export async function runBulk<N extends BulkItem>(run: BulkRun, work: BulkWork<N>): Promise<Result> {
  const { words, selection } = work;
  const items = selection.entries.flatMap(({ found }) => (isAppError(found) ? [] : [found]));
  const outcomes = previewOutcomes(selection, await work.preview(items));
  const toChange = new Set(outcomes.flatMap(({ outcome, named }) => (outcome === 'done' && named ? [named.id] : [])));
  const notice = work.notice?.(items.filter(({ id }) => toChange.has(id)));
  const plan = (width: number | undefined) =>
    [planText(words, outcomes, selection.repeated, width), notice].filter((text) => text !== undefined).join('\n');
  if (run.options.dryRun) return dryRunResult(plan(run.display.width), outcomes);
  const isNeeded = toChange.size > 0;
  if (run.options.yes && notice !== undefined) run.say(notice);
  if (isNeeded && !run.options.yes) {
    assertCanConfirm(run, words);
    await confirm(run, {
      about: plan(run.io.stderr.columns),
      question: questionText(words, outcomes),
      otherwise: 'Nothing was changed.',
    });
  }
  const stopped = isNeeded ? await changeAll(run, work, outcomes) : undefined;
  return result(run, work, outcomes, stopped);
}
