import { AppError, isAppError } from '../../../../errors.js';
import { type ImportField, importFields } from '../../../../schemas/import.js';
import { filledWidth, findSuggestion, shownText } from '../../../../tables/table/text.js';
import { isRepeatable } from '../fields/header-aliases.js';
import { type Column, headingKey, indexOfAddedColumns, rejectColumns } from '../fields/headings.js';

const usage = (message: string) => new AppError('USAGE', message);

/** The refusal of a mapping of a column that the file doesn't have. */
export class ColumnNotFound extends AppError {
  constructor(message: string) {
    super('USAGE', message);
  }
}

/** The fields of columns that the options map; undefined for columns to ignore. */
export type MappedFields = ReadonlyMap<number, ImportField | undefined>;

/** A column by its number, from 1: headings may be blank, or repeated. */
const byNumber = /^#(\d{1,5})$/;

/** What a mapping says before its last equals sign. */
const headingOf = (map: string) => map.slice(0, map.lastIndexOf('=')).trim();

/** The number of the column that a mapping names, from 1; nothing for one that names a heading. */
export function columnNumberIn(map: string): number | undefined {
  const [, number] = byNumber.exec(headingOf(map)) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * The header up to its last heading, because spreadsheets pad all lines to the length of the longest; or up to the last
 * column that a mapping names by its number.
 */
export function trimHeader(header: readonly string[], maps: readonly string[]): readonly string[] {
  const numbers = maps.flatMap((map) => columnNumberIn(map) ?? []);
  const mapped = numbers.filter((number) => number <= header.length);
  return header.slice(0, Math.max(filledWidth(header), ...mapped));
}

/**
 * The columns in the order of the file, without those that a rejects file added.
 * @param maps as of {@link mapColumns}
 * @param hidden columns that nobody sees, from 0
 */
export function fileColumnsOf(
  header: readonly string[],
  maps: readonly string[] = [],
  hidden: readonly number[] = [],
): Column[] {
  const headings = trimHeader(header, maps);
  const added = indexOfAddedColumns(headings);
  const unseen = new Set(hidden);
  return headings
    .map((heading, index): Column => ({ heading, index, ...(unseen.has(index) && { hidden: true }) }))
    .filter(({ index }) => added < 0 || index < added || index >= added + rejectColumns.length);
}

/** Whether a shell and `--map` read a heading between double quotes as it is. */
export const isPlainHeading = (heading: string): boolean => /^[^"$`\\!=#…][^"$`\\!=…]*$/.test(heading);

/** The option that imports a column as a field, for a shell: by the heading, or by the number where that has other signs. */
export const mapOption = ({ heading, index }: Pick<Column, 'heading' | 'index'>, field: string): string =>
  `--map "${isPlainHeading(shownText(heading)) ? shownText(heading) : `#${index + 1}`}=${field}"`;

/** The column that a mapping names: by number, by its exact heading, or by one that is nearly the same. */
function findColumn(heading: string, own: readonly Column[], keys: ReadonlyMap<Column, string>): Column | undefined {
  const [, number] = byNumber.exec(heading) ?? [];
  const key = headingKey(heading);
  return (
    own.find(({ index }) => index + 1 === Number(number)) ??
    own.find((other) => other.heading.trim() === heading) ??
    own.find((other) => key !== '' && keys.get(other) === key)
  );
}

/** @param maps `heading=field` each, or `heading=`; `#3` is the third column */
export function resolveMappings(own: readonly Column[], maps: readonly string[]): MappedFields {
  const decided = new Map<number, ImportField | undefined>();
  const fieldKeys = new Map(importFields.map((field) => [headingKey(field), field]));
  // Computed once, because every mapping is compared with all headings.
  const ownKeys = new Map(own.map((column) => [column, headingKey(column.heading)]));
  for (const map of maps) {
    const at = map.lastIndexOf('=');
    const [heading, name] = [headingOf(map), map.slice(at + 1).trim()];
    const column = findColumn(heading, own, ownKeys);
    if (at < 0 || heading === '')
      throw usage('A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.');
    if (column === undefined) {
      const near = findSuggestion(
        heading,
        own.map((other) => shownText(other.heading)),
      );
      throw new ColumnNotFound(
        `The file has no column "${shownText(heading)}".${near ? ` Did you mean "${near}"?` : ''}`,
      );
    }
    const field = fieldKeys.get(headingKey(name));
    if (name !== '' && field === undefined) {
      // Notes of others are often meant for the trainee; those of the trainee are never imported.
      const near = headingKey(name) === 'notes' ? 'reply' : findSuggestion(name, importFields);
      throw usage(
        `"${shownText(name)}" is no field.${near ? ` Did you mean ${near}?` : ''} The fields are: ${importFields.join(', ')}`,
      );
    }
    if (decided.has(column.index)) throw usage(`The column "${shownText(heading)}" is mapped twice.`);
    if (field !== undefined && !isRepeatable(field) && [...decided.values()].includes(field))
      throw usage(`Two columns are mapped to ${field}. Leave one of them out.`);
    decided.set(column.index, field);
  }
  return decided;
}

/** The fields of columns that options map; options that can't be used are left out. */
export function resolveValidMappings(own: readonly Column[], maps: readonly string[]): MappedFields {
  const decided = maps.flatMap((map) => {
    try {
      return [...resolveMappings(own, [map])];
    } catch (error) {
      if (!isAppError(error, 'USAGE')) throw error;
      return [];
    }
  });
  return new Map(decided);
}
