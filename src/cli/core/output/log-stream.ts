import type { Config } from '../../../config/config.js';
import type { Io } from './output.js';
import { paintFor } from './paint.js';
import { printable, printableLine } from './printable.js';

/** What the logger writes its lines to. */
interface LogStream {
  /** @param line JSON, with its line break */
  write(line: string): void;
}

/** What may be logged of a request. */
interface LogEntry {
  msg?: string;
  req?: { id?: string; method: string; path: string };
  /** Once it is answered. */
  res?: { status: number };
  /** Milliseconds. */
  responseTime?: number;
  userId?: string;
}

/** Nothing that a client has sent may move the cursor, colour, or begin a line of its own. Stacks keep their lines. */
function withoutControlCharacters(key: string, value: unknown): unknown {
  if (typeof value === 'string') return key === 'stack' ? printable(value) : printableLine(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printableLine(name), member]));
}

/** The message, and what happened to the request. The client of a failed one was answered the same id. */
function messageOf({ msg, req, res, responseTime, userId }: LogEntry): string {
  const parts = [msg, req?.method, req?.path, res?.status];
  if (responseTime !== undefined) parts.push(`${responseTime} ms`);
  if (userId !== undefined) parts.push(`by ${userId}`);
  if (req?.id !== undefined && (!res || res.status >= 500)) parts.push(`request ${req.id}`);
  return parts.filter((part) => part !== undefined).join(' ');
}

/**
 * The stream of the log, on standard error: lines for people at a terminal, JSON elsewhere, or what `LOG_FORMAT` says. Neither
 * has control characters of what is logged.
 */
export async function logStream(
  format: Config['logFormat'],
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
): Promise<LogStream> {
  if (format === 'json' || (format === 'auto' && !stderr.isTTY))
    return { write: (line) => void stderr.write(printable(line)) };
  // JSON needs none of it.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({
    colorize: paintFor(stderr, env).level > 0,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'req,res,responseTime,userId,aborted',
    singleLine: true,
  });
  return {
    write(line) {
      // As `logger.ts` has written it.
      const entry: LogEntry = JSON.parse(line, withoutControlCharacters);
      stderr.write(pretty({ ...entry, msg: messageOf(entry) }));
    },
  };
}
