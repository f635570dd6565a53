import type { ImportPlan } from '../../../services/imports/plan/plan.js';
import { isPlainHeading, mapOption } from '../../../services/imports/read/columns/column-maps.js';
import { cut, displayWidth, wrapHanging } from '../../core/output/fit.js';
import { counted } from '../../core/output/output.js';
import { printable, printableLine } from '../../core/output/printable.js';

type Column = ImportPlan['columns'][number];

const widestName = 32;
const narrowestExample = 8;

const headingOf = ({ heading, index, hidden }: Column): string =>
  `${printableLine(heading) || `column ${index + 1}`}${hidden ? ' (hidden)' : ''}`;

const nameOf = (column: Column): string => {
  const isCanonical = column.heading.toLowerCase() === column.field?.toLowerCase();
  return isCanonical ? headingOf(column) : `${headingOf(column)} = ${column.field}`;
};

/** Returns a line for each used column: name, effect, number of people, example. */
function usedText(columns: readonly Column[], width: number | undefined): string[] {
  const names = columns.map((column) => cut(nameOf(column), widestName));
  const widest = Math.max(0, ...names.map(displayWidth));
  const lines = columns.flatMap((column, at) => {
    const name = names[at] ?? '';
    const padding = ' '.repeat(widest - displayWidth(name));
    const line = `    ${name}${padding}  ${column.effect}; ${counted(column.people, 'person', 'people')}`;
    const left = (width ?? Number.POSITIVE_INFINITY) - displayWidth(line) - ': '.length;
    const example = printableLine(column.example ?? '');
    if (example === '') return wrapHanging(line, width);
    return wrapHanging(`${line}: ${cut(example, Math.max(left, narrowestExample))}`, width);
  });
  return lines.length === 0 ? [] : ['  Columns:', ...lines];
}

/** Returns the ignored columns, with a hint how to import one, and suggestions. */
function ignoredText(columns: readonly Column[]): string[] {
  if (columns.length === 0) return [];
  const example = columns.find(({ heading }) => isPlainHeading(heading));
  const hint = example === undefined ? '' : ` (to import one: ${mapOption(example, 'FIELD')})`;
  // A warning already suggests this field.
  const suggested = columns.flatMap((column) =>
    column.suggestion === null || column.suggestion === 'isActive' ? [] : [mapOption(column, column.suggestion)],
  );
  return [
    `  Columns ignored: ${columns.map(headingOf).join(', ')}${hint}`,
    ...(suggested.length > 0 ? [printableLine(`  Did you mean ${suggested.join(' ')}?`)] : []),
  ];
}

/** Returns lines about the columns of a plan: used, without effect, and ignored. */
export function columnsText({ columns }: Pick<ImportPlan, 'columns'>, width: number | undefined): string[] {
  const used = columns.filter(({ people }) => people > 0);
  const idle = columns.filter(({ field, people }) => field !== null && people === 0);
  const ignored = columns.filter(({ field, heading, example }) => field === null && (heading !== '' || example));
  const others = [
    ...(idle.length > 0 ? [`  Columns without effect: ${idle.map(nameOf).join(', ')}`] : []),
    ...ignoredText(ignored),
  ];
  return [...usedText(used, width), ...others.flatMap((line) => wrapHanging(line, width))].map(printable);
}
