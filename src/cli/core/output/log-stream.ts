import type { Config } from '../../../config/config.js';
import type { Io } from './output.js';
import { paintFor } from './paint.js';
import { printable, printableLine } from './printable.js';

interface LogStream {
  /** @param line JSON, with its line break */
  write(line: string): void;
}

interface LogEntry {
  msg?: string;
  req?: { id?: string; method: string; path: string };
  /** Absent until the request is answered. */
  res?: { status: number };
  /** In ms. */
  responseTime?: number;
  userId?: string;
}

/** Reviver for JSON.parse() that escapes control characters, which clients may have sent. Stacks keep their line breaks. */
function withoutControlCharacters(key: string, value: unknown): unknown {
  if (typeof value === 'string') return key === 'stack' ? printable(value) : printableLine(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printableLine(name), member]));
}

/** Returns the message with the outcome of the request. A failed request shows the id that the client received. */
function messageOf({ msg, req, res, responseTime, userId }: LogEntry): string {
  const parts = [msg, req?.method, req?.path, res?.status];
  if (responseTime !== undefined) parts.push(`${responseTime} ms`);
  if (userId !== undefined) parts.push(`by ${userId}`);
  if (req?.id !== undefined && (!res || res.status >= 500)) parts.push(`request ${req.id}`);
  return parts.filter((part) => part !== undefined).join(' ');
}

/**
 * Returns the log stream on standard error. With format `auto`, lines are readable at a terminal and JSON elsewhere.
 * Control characters are escaped in both formats.
 */
export async function logStream(
  format: Config['logFormat'],
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
): Promise<LogStream> {
  if (format === 'json' || (format === 'auto' && !stderr.isTTY))
    return { write: (line) => void stderr.write(printable(line)) };
  // Loaded on use: JSON doesn't need the package.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({
    colorize: paintFor(stderr, env).level > 0,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'req,res,responseTime,userId,aborted',
    singleLine: true,
  });
  return {
    write(line) {
      // The line was written by `logger.ts`.
      const entry: LogEntry = JSON.parse(line, withoutControlCharacters);
      stderr.write(pretty({ ...entry, msg: messageOf(entry) }));
    },
  };
}
