import type { AppError } from '../../../errors.js';
import type { Column } from '../listing/columns.js';
import { tableText } from '../listing/table.js';
import { cut, wrap } from '../output/fit.js';
import { counted, type Display } from '../output/output.js';
import { printableLine } from '../output/printable.js';

export interface BulkItem {
  id: string;
  /** Name in the JSON output. */
  name: string;
  /** Name with distinguishing details such as an email, for plans and tables. */
  label: string;
}

/** Result of a change of one item, or its preview. The outcomes are those of the API. */
export interface ItemResult {
  outcome: 'done' | 'unchanged' | 'refused';
  /** State after the change, if it differs from {@link BulkWording.state}. */
  state?: string | undefined;
  refusal?: AppError;
  /** Additional fields for `--json`. */
  more?: object;
}

/** Outcome for one target of the command line. */
export interface BulkOutcome extends ItemResult {
  /** Name on the command line or in the list of `--from`; null for an item that a filter found. */
  given: string | null;
  /** Null for an unknown or ambiguous name. */
  item: BulkItem | null;
}

/**
 * Words for the messages of a bulk change: "3 accounts to deactivate", "Deactivating", "3 accounts deactivated, 1
 * inactive already".
 */
export interface BulkWording {
  /** Singular noun: "account". */
  singular: string;
  toDo: string;
  doing: string;
  done: string;
  /** State of a changed item in the table of outcomes: "inactive". */
  state: string;
  /** State of an unchanged item, if the word differs: "enrolled". */
  unchanged?: string;
  /** Text after the verb, such as ' in "Bees"'. */
  target?: string;
}

const unchangedText = ({ state, unchanged = state }: BulkWording) => `${unchanged} already`;

/** Maximum number of changes, and also of refusals, that a plan lists. */
const maxShown = 20;

const labelOf = ({ item, given }: BulkOutcome) => item?.label ?? given ?? '';

const count = (outcomes: readonly BulkOutcome[], wanted: ItemResult['outcome']) =>
  outcomes.filter(({ outcome }) => outcome === wanted).length;

export const countsOf = (outcomes: readonly BulkOutcome[]) => ({
  done: count(outcomes, 'done'),
  unchanged: count(outcomes, 'unchanged'),
  refused: count(outcomes, 'refused'),
});

/** Returns the counts of states that differ from the default: ", 10 of them on the waiting list". */
function otherStates(outcomes: readonly BulkOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { outcome, state } of outcomes)
    if (outcome === 'done' && state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, number]) => `, ${number.toLocaleString('en')} of them ${state}`).join('');
}

/** Returns the lines of the first outcomes, and a line with the number of the others. */
function firstOf(outcomes: readonly BulkOutcome[], lineOf: (outcome: BulkOutcome) => string[]): string[] {
  const left = outcomes.length - maxShown;
  return [
    ...outcomes.slice(0, maxShown).flatMap(lineOf),
    ...(left > 0 ? [`  and ${left.toLocaleString('en')} more`] : []),
  ];
}

/**
 * Returns the plan of a bulk change.
 * @param repeated number of names that were left out as duplicates
 * @param width of the terminal; absent without a terminal
 */
export function planText(
  wording: BulkWording,
  outcomes: readonly BulkOutcome[],
  repeated: number,
  width = Number.POSITIVE_INFINITY,
): string {
  const { singular, toDo, target = '' } = wording;
  const counts = countsOf(outcomes);
  const shown = (outcome: BulkOutcome) =>
    cut(`  ${printableLine(labelOf(outcome))}${outcome.state === undefined ? '' : `: ${outcome.state}`}`, width);
  const refused = (outcome: BulkOutcome) =>
    wrap(printableLine(`${labelOf(outcome)}: ${outcome.refusal?.message}`), width - 4).map((line, index) =>
      index === 0 ? `  ${line}` : `    ${line}`,
    );
  const of = (wanted: ItemResult['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted);
  return [
    `${counted(counts.done, singular)} to ${toDo}${target}${otherStates(outcomes)}${counts.done > 0 ? ':' : '.'}`,
    ...firstOf(of('done'), (outcome) => [shown(outcome)]),
    ...(counts.unchanged > 0 ? [`${counted(counts.unchanged, singular)} ${unchangedText(wording)}.`] : []),
    ...(counts.refused > 0 ? [`${counts.refused} that can't be found or changed:`] : []),
    ...firstOf(of('refused'), refused),
    ...(repeated > 0 ? [`${counted(repeated, 'name')} left out as duplicates.`] : []),
  ].join('\n');
}

export function questionText({ singular, toDo, target = '' }: BulkWording, outcomes: readonly BulkOutcome[]): string {
  const { done } = countsOf(outcomes);
  const verb = toDo.charAt(0).toUpperCase() + toDo.slice(1);
  return `${verb} ${done === 1 ? `this ${singular}` : `these ${counted(done, singular)}`}${target}?`;
}

/** Returns the counts of the outcomes as a sentence. @param stopped reason why the change ended early */
export function summaryText(
  wording: BulkWording,
  outcomes: readonly BulkOutcome[],
  stopped: AppError | undefined,
): string {
  const { singular, done, target = '' } = wording;
  const counts = countsOf(outcomes);
  const left = stopped ? outcomes.filter(({ refusal }) => refusal === stopped).length : 0;
  const figures = [
    `${counted(counts.done, singular)} ${done}${target}${otherStates(outcomes)}`,
    ...(counts.unchanged > 0 ? [`${counts.unchanged} ${unchangedText(wording)}`] : []),
    ...(counts.refused > left ? [`${counts.refused - left} refused`] : []),
    ...(left > 0 ? [`${left} not done`] : []),
  ];
  if (!stopped) return `${figures.join(', ')}.`;
  return `${stopped.code === 'INTERRUPTED' ? 'Interrupted' : `Stopped. ${stopped.message}`}\n${figures.join(', ')}.`;
}

/** Returns the outcomes as a table. Refused items come last, next to the shell prompt. */
export function outcomesText(wording: BulkWording, outcomes: readonly BulkOutcome[], display: Display): string {
  const states = { done: wording.state, unchanged: unchangedText(wording), refused: 'refused' };
  const columns: Column<BulkOutcome>[] = [
    { name: 'outcome', value: ({ outcome, state: own = states[outcome] }) => own, fit: 'whole', priority: 0 },
    { name: wording.singular, value: labelOf, minimum: 20, priority: 0 },
    { name: 'why', value: ({ refusal }) => refusal?.message, fit: 'wrap', minimum: 24, priority: 0 },
  ];
  const isRefused = ({ outcome }: BulkOutcome) => outcome === 'refused';
  const sorted = [...outcomes.filter((one) => !isRefused(one)), ...outcomes.filter(isRefused)];
  return tableText(outcomes.some(isRefused) ? columns : columns.slice(0, 2), sorted, display);
}
