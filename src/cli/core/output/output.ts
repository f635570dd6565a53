import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { AppError, isAppError } from '../../../errors.js';
import { shellWord } from '../../../shell-quote.js';

export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };

/** Width of a terminal that doesn't report its width. */
const defaultWidth = 80;

/** Returns the columns of a terminal; undefined for other streams. */
export const widthOf = ({ isTTY, columns }: OutputStream): number | undefined =>
  isTTY ? columns || defaultWidth : undefined;

export interface Display {
  /** In columns; absent if standard output is no terminal. Tables then show full values. */
  width?: number | undefined;
  now: Date;
}

/** Process of a command; tests replace it. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** Name of the program as the user entered it, such as `npx coursectl`; `coursectl` by default. */
  calledAs?: string;
  /** System user who runs the program; absent if unknown. */
  osUser?: string | undefined;
  /** Whether a pager is open. The pager handles Ctrl-C. */
  pagerOpen?: boolean;
}

/** Returns a command line that begins with the name of the program as the user entered it. */
export function asTyped({ calledAs = 'coursectl' }: Pick<Io, 'calledAs'>, rest: string): string {
  return `${calledAs} ${rest}`;
}

const commandLines =
  /(?<!\bnpx )\bcoursectl (?=(?:setup|serve|open|overview|users|groups|courses|enrollments|imports|audit|files|migrate|seed|doctor|config|backup|restore|mail|certificates|completion)\b)/g;

/** Replaces `coursectl` in the command lines of a message by the name of the program as the user entered it. */
export function withCommandLines({ calledAs = 'coursectl' }: Pick<Io, 'calledAs'>, message: string): string {
  return message.replaceAll(commandLines, () => `${calledAs} `);
}

/** Writes text or bytes. Waits while the stream is full, to bound memory. @throws AppError `INTERRUPTED` */
export async function writeText(stream: OutputStream, text: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (stream.write(text)) return;
  try {
    await once(stream, 'drain', { signal });
  } catch (error) {
    throw signal?.aborted ? new AppError('INTERRUPTED', undefined, { cause: error }) : error;
  }
}

export function writeLine(stream: OutputStream, line: string): Promise<void> {
  return writeText(stream, `${line}\n`);
}

/** @example either(['a', 'b', 'c']) // 'a, b or c' */
export const either = (words: readonly string[]) => words.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** Returns a number with its noun: "1 course", "42 courses". */
export const counted = (count: number, singular: string, plural = `${singular}s`) =>
  `${count} ${count === 1 ? singular : plural}`;

/** Returns a command line with these words, quoted for a POSIX shell. */
export function commandLine(io: Pick<Io, 'calledAs'>, words: readonly string[]): string {
  return asTyped(io, words.map(shellWord).join(' '));
}

/** Returns a failure for `--json`, with command lines as in {@link withCommandLines}. */
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
