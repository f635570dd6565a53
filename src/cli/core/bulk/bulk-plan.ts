import type { AppError } from '../../../errors.js';
import type { Column } from '../listing/columns.js';
import { tableText } from '../listing/table.js';
import { cut, wrap } from '../output/fit.js';
import { counted, type Display } from '../output/output.js';
import { printableLine } from '../output/printable.js';

/** Something that is changed with others. */
export interface BulkItem {
  id: string;
  /** As the API calls it. */
  name: string;
  /** For people, where the name alone isn't enough to know it. */
  label: string;
}

/** What was done with one of them, or would be: the words of the API. */
export interface ItemResult {
  outcome: 'done' | 'unchanged' | 'refused';
  /** State after the change, where it isn't that of the {@link BulkWording}. */
  state?: string | undefined;
  /** Why it was refused. */
  refusal?: AppError;
  /** What `--json` has besides. */
  more?: object;
}

/** One of those that were meant, and its outcome. */
export interface BulkOutcome extends ItemResult {
  /** As it was typed; null where a filter has found it. */
  given: string | null;
  /** Null for a name that names nothing. */
  named: BulkItem | null;
}

/** How a bulk change is spoken of: "3 accounts to deactivate", "Deactivating", "3 accounts deactivated, 1 inactive already". */
export interface BulkWording {
  /** What is counted: "account". */
  one: string;
  toDo: string;
  doing: string;
  done: string;
  /** What each is then, in the table of outcomes: "inactive". */
  state: string;
  /** State of the unchanged ones, if it has another word: "enrolled". */
  unchanged?: string;
  /** What follows the verb: ' in "Bees"'. */
  target?: string;
}

const unchangedText = ({ state, unchanged = state }: BulkWording) => `${unchanged} already`;

/** Names listed before a question, of those to change and of those that can't be. */
const maxShown = 20;

const labelOf = ({ named, given }: BulkOutcome) => named?.label ?? given ?? '';

const count = (outcomes: readonly BulkOutcome[], wanted: ItemResult['outcome']) =>
  outcomes.filter(({ outcome }) => outcome === wanted).length;

/** Counts each outcome. */
export const countsOf = (outcomes: readonly BulkOutcome[]) => ({
  done: count(outcomes, 'done'),
  unchanged: count(outcomes, 'unchanged'),
  refused: count(outcomes, 'refused'),
});

/** Counts of the other states: ", 10 of them on the waiting list". */
function otherStates(outcomes: readonly BulkOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { outcome, state } of outcomes)
    if (outcome === 'done' && state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, number]) => `, ${number.toLocaleString('en')} of them ${state}`).join('');
}

/** The lines of the first, and how many more there are. */
function firstOf(outcomes: readonly BulkOutcome[], lineOf: (outcome: BulkOutcome) => string[]): string[] {
  const left = outcomes.length - maxShown;
  return [
    ...outcomes.slice(0, maxShown).flatMap(lineOf),
    ...(left > 0 ? [`  and ${left.toLocaleString('en')} more`] : []),
  ];
}

/**
 * What is about to be done.
 * @param repeated how many names were left out, because others name the same
 * @param width of the terminal; absent where there is none
 */
export function planText(
  words: BulkWording,
  outcomes: readonly BulkOutcome[],
  repeated: number,
  width = Number.POSITIVE_INFINITY,
): string {
  const { one, toDo, target = '' } = words;
  const counts = countsOf(outcomes);
  const shown = (outcome: BulkOutcome) =>
    cut(`  ${printableLine(labelOf(outcome))}${outcome.state === undefined ? '' : `: ${outcome.state}`}`, width);
  const refused = (outcome: BulkOutcome) =>
    wrap(printableLine(`${labelOf(outcome)}: ${outcome.refusal?.message}`), width - 4).map((line, index) =>
      index === 0 ? `  ${line}` : `    ${line}`,
    );
  const of = (wanted: ItemResult['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted);
  return [
    `${counted(counts.done, one)} to ${toDo}${target}${otherStates(outcomes)}${counts.done > 0 ? ':' : '.'}`,
    ...firstOf(of('done'), (outcome) => [shown(outcome)]),
    ...(counts.unchanged > 0 ? [`${counted(counts.unchanged, one)} ${unchangedText(words)}.`] : []),
    ...(counts.refused > 0 ? [`${counts.refused} that can't be found or changed:`] : []),
    ...firstOf(of('refused'), refused),
    ...(repeated > 0 ? [`${counted(repeated, 'name')} left out: another one names the same.`] : []),
  ].join('\n');
}

/** Whether it may be done. */
export function questionText({ one, toDo, target = '' }: BulkWording, outcomes: readonly BulkOutcome[]): string {
  const { done } = countsOf(outcomes);
  const verb = toDo.charAt(0).toUpperCase() + toDo.slice(1);
  return `${verb} ${done === 1 ? `this ${one}` : `these ${counted(done, one)}`}${target}?`;
}

/** What was done, in a sentence. @param stopped why it has ended early */
export function summaryText(
  words: BulkWording,
  outcomes: readonly BulkOutcome[],
  stopped: AppError | undefined,
): string {
  const { one, done, target = '' } = words;
  const counts = countsOf(outcomes);
  const left = stopped ? outcomes.filter(({ refusal }) => refusal === stopped).length : 0;
  const figures = [
    `${counted(counts.done, one)} ${done}${target}${otherStates(outcomes)}`,
    ...(counts.unchanged > 0 ? [`${counts.unchanged} ${unchangedText(words)}`] : []),
    ...(counts.refused > left ? [`${counts.refused - left} refused`] : []),
    ...(left > 0 ? [`${left} not done`] : []),
  ];
  if (!stopped) return `${figures.join(', ')}.`;
  return `${stopped.code === 'INTERRUPTED' ? 'Interrupted' : `Stopped. ${stopped.message}`}\n${figures.join(', ')}.`;
}

/** The outcomes as a table, those that were refused last: they are nearest to what is typed next. */
export function outcomesText(words: BulkWording, outcomes: readonly BulkOutcome[], display: Display): string {
  const states = { done: words.state, unchanged: unchangedText(words), refused: 'refused' };
  const columns: Column<BulkOutcome>[] = [
    { name: 'outcome', value: ({ outcome, state: own = states[outcome] }) => own, fit: 'whole', priority: 0 },
    { name: words.one, value: labelOf, minimum: 20, priority: 0 },
    { name: 'why', value: ({ refusal }) => refusal?.message, fit: 'wrap', minimum: 24, priority: 0 },
  ];
  const isRefused = ({ outcome }: BulkOutcome) => outcome === 'refused';
  const sorted = [...outcomes.filter((one) => !isRefused(one)), ...outcomes.filter(isRefused)];
  return tableText(outcomes.some(isRefused) ? columns : columns.slice(0, 2), sorted, display);
}
