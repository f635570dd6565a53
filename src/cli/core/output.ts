import { once } from 'node:events';
import type { Readable } from 'node:stream';
import displayWidth from 'fast-string-width';
import { AppError, isAppError } from '../../errors.js';
import type { Page } from '../../services/paging.js';
import { printableLine } from './printable.js';

/** A stream that may be a terminal. */
export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** All that a command uses of its process; tests replace it. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** What was typed to call the program, such as `npx coursectl`; `coursectl` when absent. */
  calledAs?: string;
}

/** What to type for a command, as the program was called. */
export function asTyped({ calledAs = 'coursectl' }: Pick<Io, 'calledAs'>, rest: string): string {
  return `${calledAs} ${rest}`;
}

const commandLines =
  /\bcoursectl (?=(?:setup|serve|overview|users|courses|enrollments|imports|audit|files|migrate|seed|doctor|config)\b)/g;

/** Replaces `coursectl` in a message by what was typed to call the program. */
export function withCommandLines({ calledAs = 'coursectl' }: Pick<Io, 'calledAs'>, message: string): string {
  return message.replaceAll(commandLines, () => `${calledAs} `);
}

/** Writes text or bytes and waits when the stream is full, so that long data doesn't fill the memory. */
export async function writeText(stream: OutputStream, text: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (stream.write(text)) return;
  try {
    await once(stream, 'drain', { signal });
  } catch (error) {
    throw signal?.aborted ? new AppError('INTERRUPTED', undefined, { cause: error }) : error;
  }
}

/** Writes a line, as {@link writeText} does. */
export function writeLine(stream: OutputStream, line: string): Promise<void> {
  return writeText(stream, `${line}\n`);
}

/** Rows as a table with aligned columns, for people; wide characters take two columns. */
export function table(headings: readonly string[], cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printableLine));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const padded = (cell: string, column: number) =>
    cell + ' '.repeat(Math.max((widths[column] ?? 0) - displayWidth(cell), 0));
  const line = (cells: readonly string[]) => cells.map(padded).join('  ').trimEnd();
  return [line(headings), ...rows.map(line)].join('\n');
}

/** A number with its noun: "1 course", "42 courses". */
export const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** A command line that a POSIX shell reads as these words. */
export function commandLine(io: Pick<Io, 'calledAs'>, words: readonly string[]): string {
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return asTyped(io, quoted.join(' '));
}

/** One page of a listing for people: a table and the number of the page, or that the listing is empty. */
export function pageText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { currentPage, totalPages, totalItems }: Page<unknown>['pagination'],
  one: string,
  many = `${one}s`,
): string {
  if (totalItems === 0) return `No ${many}.`;
  const footer = `Page ${currentPage} of ${totalPages}, ${counted(totalItems, one, many)}.`;
  return rows.length === 0
    ? `No page ${currentPage}: ${counted(totalPages, 'page')}, ${counted(totalItems, one, many)}.`
    : `${table(headings, rows)}\n${footer}`;
}

/** Fields for people, a line each; empty ones are left out, and text of several lines has several. */
export function fieldsText(fields: readonly (readonly [field: string, value: string | null])[]): string {
  const rows = fields.flatMap(([field, value]) =>
    value === null || value === ''
      ? []
      : value.split(/\r\n|\r|\n/).map((line, index) => [index === 0 ? field : '', line]),
  );
  return table(['FIELD', 'VALUE'], rows);
}

/** A failure for programs. */
export function failureJson(error: unknown): object {
  if (!isAppError(error))
    return { error: { code: 'BUG', message: error instanceof Error ? error.message : String(error) } };
  const { code, message, details } = error;
  const problems = details.map(({ path, message: problem }) => ({ path, message: problem }));
  return { error: { code, message, ...(problems.length > 0 && { details: problems }) } };
}
