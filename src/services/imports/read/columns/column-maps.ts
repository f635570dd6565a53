import { AppError, isAppError } from '../../../../errors.js';
import { type ImportField, importFields } from '../../../../schemas/import.js';
import { filledWidth, findSuggestion, shownText } from '../../../../tables/table/text.js';
import { isRepeatable } from '../fields/header-aliases.js';
import { type Column, headingKey, indexOfAddedColumns, rejectColumns } from '../fields/headings.js';

const usage = (message: string) => new AppError('USAGE', message);

export class ColumnNotFound extends AppError {
  constructor(message: string) {
    super('USAGE', message);
  }
}

/** Fields of mapped columns, by index; undefined for columns to ignore. */
export type MappedFields = ReadonlyMap<number, ImportField | undefined>;

/** Matches a column number, from 1. Mappings use numbers because headings may be blank or repeated. */
const byNumber = /^#(\d{1,5})$/;

/** Returns the part of a mapping before its last equals sign. */
const headingOf = (map: string) => map.slice(0, map.lastIndexOf('=')).trim();

/** Returns the column number of a mapping, from 1; undefined for a mapping by heading. */
export function columnNumberIn(map: string): number | undefined {
  const [, number] = byNumber.exec(headingOf(map)) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * Cuts the header after its last heading, because spreadsheets pad all lines to the length of the longest. Columns that a
 * mapping names by number are kept.
 */
export function trimHeader(header: readonly string[], maps: readonly string[]): readonly string[] {
  const numbers = maps.flatMap((map) => columnNumberIn(map) ?? []);
  const mapped = numbers.filter((number) => number <= header.length);
  return header.slice(0, Math.max(filledWidth(header), ...mapped));
}

/**
 * Returns the columns in the order of the file, without those that a rejects file added.
 * @param maps see {@link mapColumns}
 * @param hidden hidden columns, from 0
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

/** Whether a shell and `--map` read a heading in double quotes unchanged. */
export const isPlainHeading = (heading: string): boolean => /^[^"$`\\!=#…][^"$`\\!=…]*$/.test(heading);

/** Returns the `--map` option for a column, quoted for a shell. Uses the number if the heading has special characters. */
export const mapOption = ({ heading, index }: Pick<Column, 'heading' | 'index'>, field: string): string =>
  `--map "${isPlainHeading(shownText(heading)) ? shownText(heading) : `#${index + 1}`}=${field}"`;

/** Finds the column of a mapping: by number, by exact heading, or by normalized heading. */
function findColumn(
  heading: string,
  fileColumns: readonly Column[],
  keys: ReadonlyMap<Column, string>,
): Column | undefined {
  const [, number] = byNumber.exec(heading) ?? [];
  const key = headingKey(heading);
  return (
    fileColumns.find(({ index }) => index + 1 === Number(number)) ??
    fileColumns.find((other) => other.heading.trim() === heading) ??
    fileColumns.find((other) => key !== '' && keys.get(other) === key)
  );
}

/**
 * Returns the fields of mapped columns.
 * @param maps `heading=field` or `heading=`; `#3` is the third column
 * @throws AppError `USAGE`
 */
export function resolveMappings(fileColumns: readonly Column[], maps: readonly string[]): MappedFields {
  const mapped = new Map<number, ImportField | undefined>();
  const fieldKeys = new Map(importFields.map((field) => [headingKey(field), field]));
  // Computed before the loop, because every mapping is compared with all headings.
  const ownKeys = new Map(fileColumns.map((column) => [column, headingKey(column.heading)]));
  for (const map of maps) {
    const at = map.lastIndexOf('=');
    const [heading, name] = [headingOf(map), map.slice(at + 1).trim()];
    const column = findColumn(heading, fileColumns, ownKeys);
    if (at < 0 || heading === '')
      throw usage('A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.');
    if (column === undefined) {
      const near = findSuggestion(
        heading,
        fileColumns.map((other) => shownText(other.heading)),
      );
      throw new ColumnNotFound(
        `The file has no column "${shownText(heading)}".${near ? ` Did you mean "${near}"?` : ''}`,
      );
    }
    const field = fieldKeys.get(headingKey(name));
    if (name !== '' && field === undefined) {
      // Managers' notes are often meant as replies to trainees. Notes of trainees are never imported.
      const near = headingKey(name) === 'notes' ? 'reply' : findSuggestion(name, importFields);
      throw usage(
        `"${shownText(name)}" is no field.${near ? ` Did you mean ${near}?` : ''} The fields are: ${importFields.join(', ')}`,
      );
    }
    if (mapped.has(column.index)) throw usage(`The column "${shownText(heading)}" is mapped twice.`);
    if (field !== undefined && !isRepeatable(field) && [...mapped.values()].includes(field))
      throw usage(`Two columns are mapped to ${field}. Leave one of them out.`);
    mapped.set(column.index, field);
  }
  return mapped;
}

/** Returns the fields of mapped columns, and ignores invalid mappings. */
export function resolveValidMappings(fileColumns: readonly Column[], maps: readonly string[]): MappedFields {
  const mapped = maps.flatMap((map) => {
    try {
      return [...resolveMappings(fileColumns, [map])];
    } catch (error) {
      if (!isAppError(error, 'USAGE')) throw error;
      return [];
    }
  });
  return new Map(mapped);
}
