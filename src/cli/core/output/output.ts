import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { AppError, isAppError } from '../../../errors.js';
import { shellWord } from '../../../shell-quote.js';

/** A stream that may be a terminal. */
export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };

/** How wide a terminal is that doesn't say so. */
const defaultWidth = 80;

/** The columns of a terminal; undefined for other streams. */
export const widthOf = ({ isTTY, columns }: OutputStream): number | undefined =>
  isTTY ? columns || defaultWidth : undefined;

/** Where tables are shown. */
export interface Display {
  /** In columns; absent where standard output is no terminal: then nothing is cut, shortened or relative. */
  width?: number | undefined;
  now: Date;
}

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
  /** The user of the operating system who runs the program; absent where it isn't known. */
  osUser?: string | undefined;
  /** A pager has the terminal: Ctrl-C is its own. */
  pagerOpen?: boolean;
}

/** What to type for a command, as the program was called. */
export function asTyped({ calledAs = 'coursectl' }: Pick<Io, 'calledAs'>, rest: string): string {
  return `${calledAs} ${rest}`;
}

const commandLines =
  /(?<!\bnpx )\bcoursectl (?=(?:setup|serve|open|overview|users|courses|enrollments|imports|audit|files|migrate|seed|doctor|config|backup|restore|mail|certificates|completion)\b)/g;

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

/** @example either(['a', 'b', 'c']) // 'a, b or c' */
export const either = (words: readonly string[]) => words.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** A number with its noun: "1 course", "42 courses". */
export const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** A command line that a POSIX shell reads as these words. */
export function commandLine(io: Pick<Io, 'calledAs'>, words: readonly string[]): string {
  return asTyped(io, words.map(shellWord).join(' '));
}

/** A failure for programs; its hints name commands as the program was called. */
export function failureJson(io: Pick<Io, 'calledAs'>, error: unknown): object {
  if (!isAppError(error))
    return { error: { code: 'BUG', message: error instanceof Error ? error.message : String(error) } };
  const { code, message, params, details } = error;
  const problems = details.map((problem) => ({
    path: problem.path,
    code: problem.code,
    params: problem.params ?? {},
    message: withCommandLines(io, problem.message),
  }));
  return {
    error: {
      code,
      message: withCommandLines(io, message),
      ...(params && { params }),
      ...(problems.length > 0 && { details: problems }),
    },
  };
}
