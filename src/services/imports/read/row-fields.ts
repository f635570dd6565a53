import { readPhone, restoreProtected } from '../../../csv/cells.js';
import type { ImportField } from '../../../schemas/import.js';
import type { ColumnMapping } from './columns.js';
import { nameHalves } from './full-names.js';
import { filledWidth } from './headings.js';
import { activeOf } from './state-words.js';

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

/** The cells of a field, without blank ones. */
const filledCells = (cells: readonly string[], first: number | undefined, more: readonly number[] = []): string[] =>
  (first === undefined ? [] : [first, ...more]).map((index) => cells[index] ?? '').filter((cell) => cell.trim() !== '');

/** The cell that says whether the account is active. */
export function stateCell(cells: readonly string[], { fields, further, suspended, isTicked }: ColumnMapping): string {
  const first = suspended ?? fields.get('isActive');
  if (isTicked) return cells[first ?? 0] ?? '';
  const [cell = ''] = filledCells(cells, first, further.get('isActive'));
  return cell;
}

/** Whether the account is active, as the schema takes it; an unknown word as it is. */
function activeText(cells: readonly string[], mapping: ColumnMapping): string {
  const { suspended, isTicked } = mapping;
  const cell = stateCell(cells, mapping);
  const active = activeOf(cell, { isOpposite: suspended !== undefined, isTicked });
  return active === undefined ? cell : String(active);
}

const oneLine = (list: string) => list.trim().replace(/\s*[\r\n]+\s*/g, '; ');

/** A text for each field that the file has. */
export type RowInput = Partial<Record<ImportField, string>> & { otherCourses?: string[] };

/** The fields of a row as raw input for the schema: a text for each field that the file has. */
export function fieldsOf(cells: readonly string[], mapping: ColumnMapping): RowInput {
  const input: RowInput = {};
  for (const [column, index] of mapping.fields) input[column] = cells[index] ?? '';
  for (const [field, more] of mapping.further) {
    const [first = '', ...others] = filledCells(cells, mapping.fields.get(field), more);
    input[field] = first;
    if (field === 'course' && others.length > 0) input.otherCourses = others;
  }
  // A cell may list courses in lines.
  if (input.course !== undefined) input.course = oneLine(input.course);
  if (input.otherCourses) input.otherCourses = input.otherCourses.map(oneLine);
  if (input.phone !== undefined) input.phone = readPhone(input.phone);
  // A spreadsheet pads cells; at a login nobody would type that.
  if (input.password !== undefined) input.password = input.password.trim();
  if (maskedPassword.test(input.password ?? '')) input.password = '';
  if (mapping.suspended !== undefined || mapping.fields.has('isActive')) input.isActive = activeText(cells, mapping);
  if (mapping.fullName === undefined) return input;
  const fullName = (cells[mapping.fullName] ?? '').trim();
  const halves = nameHalves(fullName, mapping.lastNameFirst);
  if (halves) return { ...input, firstName: halves.firstName, lastName: halves.lastName };
  return fullName === '' ? { ...input, firstName: '', lastName: '' } : { ...input, fullName };
}
