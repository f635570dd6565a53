import type { ImportField } from '../../../../schemas/import.js';
import type { SourceRow } from '../../../../tables/table/table.js';
import { filledWidth } from '../../../../tables/table/text.js';
import { readPhone } from '../../../../tables/write/cells.js';
import { splitFullName } from '../../../accounts/full-names.js';
import type { ColumnMapping } from '../columns/columns.js';
import { isList } from '../fields/header-aliases.js';
import { parseActive } from '../fields/state-words.js';
import { spreadsheetError } from './damaged-names.js';

/**
 * Returns the line of a rejects file for a row: its cells, the reason, and the surplus cells. Surplus cells stay beyond the
 * last heading, so that the row is rejected again until somebody moves or removes them.
 */
export function rejectLine(
  mapping: ColumnMapping,
  row: { line: number; cells: readonly string[] },
  why: readonly string[],
) {
  const surplus = row.cells.slice(mapping.width, Math.max(mapping.width, filledWidth(row.cells)));
  return [...mapping.fileColumns.map(({ index }) => row.cells[index] ?? ''), String(row.line), ...why, ...surplus];
}

/** Matches placeholders that programs export instead of passwords. */
const maskedPassword = /^[*•●]+$/;

/** Returns the cell that tells whether the account is active; empty if there is none. */
export function stateCell(cells: readonly string[], { columns, isTicked }: ColumnMapping): string {
  const states = (columns.get('suspended') ?? columns.get('isActive') ?? []).map((index) => cells[index] ?? '');
  return (isTicked ? undefined : states.find((cell) => cell.trim() !== '')) ?? states[0] ?? '';
}

/** Returns `true` or `false` for the schema, or an unknown word unchanged. */
function readActive(cells: readonly string[], mapping: ColumnMapping): string {
  const cell = stateCell(cells, mapping);
  // An error such as `#BLOCKED!` doesn't mean "blocked".
  if (spreadsheetError.test(cell.trim())) return cell;
  const active = parseActive(cell, { isSuspendedColumn: mapping.columns.has('suspended'), isTicked: mapping.isTicked });
  return active === undefined ? cell : String(active);
}

/** Joins the lines of a list. A regular expression for line breaks with surrounding spaces would be slow for many spaces. */
const joinLines = (list: string) =>
  list
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ');

/** Text of each field that the file has. */
export type RowInput = Partial<Record<ImportField, string>> & {
  otherCourses?: string[];
  groups?: string[];
};

/** Splits a full name; returns the full name itself if it can't be split. */
function readNames(fullName: string, lastNameFirst: boolean): RowInput {
  if (fullName === '') return { firstName: '', lastName: '' };
  const halves = splitFullName(fullName, lastNameFirst);
  return halves ? { firstName: halves.firstName, lastName: halves.lastName } : { fullName };
}

const hasText = (cell = '') => cell.trim() !== '';

/** Returns the fields of a row whose value is a formula without a result. */
export function uncalculatedFields(
  { cells, uncalculatedColumns }: SourceRow,
  { columns }: ColumnMapping,
): ImportField[] {
  if (uncalculatedColumns === undefined) return [];
  const isMissing = (index: number) => uncalculatedColumns.includes(index);
  return [...columns].flatMap(([field, indexes]) => {
    // The import reads all cells of lists, and the first filled cell of other fields.
    const read = isList(field) ? indexes.find(isMissing) : indexes.find((at) => isMissing(at) || hasText(cells[at]));
    return read !== undefined && isMissing(read) ? [field] : [];
  });
}

const personFields: readonly ImportField[] = ['firstName', 'lastName', 'fullName', 'email', 'phone'];
/** Fields that people fill down in a sheet before they enter the persons. */
const defaultFields: readonly ImportField[] = ['role', 'isActive', 'suspended', 'language', 'enrollmentStatus'];

/** Matches a cell of a person field that is empty, or was filled down by a formula or a checkbox. */
const emptyPersonCell = /^\s*(0|false)?\s*$/i;

/**
 * Whether a row has only filled-down values: no name, email or phone.
 * @param before cells of the previous row
 */
export function isEmptyRow(
  { cells, uncalculatedColumns = [] }: SourceRow,
  { columns }: ColumnMapping,
  before: readonly string[],
): boolean {
  const hasPerson = personFields.some((field) =>
    columns
      .get(field)
      ?.some((index) => uncalculatedColumns.includes(index) || !emptyPersonCell.test(cells[index] ?? '')),
  );
  if (hasPerson) return false;
  return [...columns].every(
    ([field, indexes]) =>
      personFields.includes(field) ||
      defaultFields.includes(field) ||
      indexes.every((index) => !hasText(cells[index]) || cells[index] === before[index]),
  );
}

/** Matches addresses as programs copy them: `Ada King <ada@example.org>` and `mailto:ada@example.org`. */
const copiedAddress = /^\s*(?:[^<>]*<\s*(?:mailto:)?([^<>\s]+)\s*>|mailto:([^\s?]+)(?:\?.*)?)\s*$/i;

function readAddress(cell: string): string {
  if (!/[<:]/.test(cell)) return cell;
  const [, named, linked] = copiedAddress.exec(cell) ?? [];
  return named ?? linked ?? cell;
}

/** Splits cells that list groups by line breaks and the separators that no group has in its name. */
const splitGroups = (cells: readonly string[]): string[] => [
  ...new Set(
    cells
      .flatMap((cell) => cell.split(/[;|\r\n]/))
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Returns the fields of a row as raw input for the schema. */
export function readFields(cells: readonly string[], mapping: ColumnMapping): RowInput {
  const input: RowInput = {};
  for (const [field, indexes] of mapping.columns) {
    const [first = '', ...others] = indexes.map((index) => cells[index] ?? '').filter((cell) => cell.trim() !== '');
    // A cell may list courses on several lines.
    input[field] = field === 'course' ? joinLines(first) : first;
    if (field === 'course' && others.length > 0) input.otherCourses = others.map(joinLines);
    if (field === 'group' && first !== '') input.groups = splitGroups([first, ...others]);
  }
  if (input.phone !== undefined) input.phone = readPhone(input.phone);
  if (input.email !== undefined) input.email = readAddress(input.email);
  // A spreadsheet pads cells with spaces, which nobody would enter at login.
  if (input.password !== undefined) input.password = input.password.trim().replace(maskedPassword, '');
  const { suspended, fullName, ...fields } = input;
  if (suspended !== undefined || fields.isActive !== undefined) fields.isActive = readActive(cells, mapping);
  return fullName === undefined ? fields : { ...fields, ...readNames(fullName.trim(), mapping.lastNameFirst) };
}
