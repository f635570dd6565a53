import { readPhone, restoreProtected } from '../../../csv/cells.js';
import { answerWords, type ImportField } from '../../../schemas/import.js';
import type { ColumnMapping } from './columns.js';
import { nameHalves } from './full-names.js';
import { filledWidth } from './headings.js';

/** The cells of a row; for a rejects file, as they were in the file that it came from. */
export const restoredCells = (cells: string[], { isRejects }: ColumnMapping): string[] =>
  isRejects ? cells.map(restoreProtected) : cells;

/**
 * The line of a rejects file for a row: its cells, why it was rejected, and the cells that belong to no column. These stay
 * beyond the last heading, so that the row is rejected again until they are moved or removed.
 */
export function rejectLine(
  mapping: ColumnMapping,
  row: { line: number; cells: readonly string[] },
  why: readonly string[],
) {
  const surplus = row.cells.slice(mapping.width, Math.max(mapping.width, filledWidth(row.cells)));
  return [...mapping.own.map(({ index }) => row.cells[index] ?? ''), String(row.line), ...why, ...surplus];
}

/** What programs export instead of a secret password. */
const maskedPassword = /^\s*[*•●]+\s*$/;

const opposites = new Map([
  ...answerWords.yes.map((word) => [word, 'no'] as const),
  ...answerWords.no.map((word) => [word, 'yes'] as const),
]);

/** "No" for a yes and vice versa. A word for a state, such as "suspended", means the same under any heading. */
const opposite = (cell: string): string => opposites.get(cell.trim().toLowerCase()) ?? cell;

/** The fields of a row as raw input for the schema: a text for each field that the file has. */
export function fieldsOf(cells: readonly string[], mapping: ColumnMapping): Partial<Record<ImportField, string>> {
  const input: Partial<Record<ImportField, string>> = {};
  for (const [column, index] of mapping.fields) input[column] = cells[index] ?? '';
  if (input.phone !== undefined) input.phone = readPhone(input.phone);
  // A spreadsheet pads cells; at a login nobody would type that.
  if (input.password !== undefined) input.password = input.password.trim();
  if (maskedPassword.test(input.password ?? '')) input.password = '';
  if (mapping.suspended !== undefined) input.isActive = opposite(cells[mapping.suspended] ?? '');
  if (mapping.fullName === undefined) return input;
  const fullName = (cells[mapping.fullName] ?? '').trim();
  const halves = nameHalves(fullName);
  if (halves) return { ...input, firstName: halves.firstName, lastName: halves.lastName };
  return fullName === '' ? { ...input, firstName: '', lastName: '' } : { ...input, fullName };
}
