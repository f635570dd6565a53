import type { Config } from '../../config/config.js';
import { type Io, widthOf } from './output.js';
import { paintFor } from './paint.js';
import { printable } from './printable.js';

/** What the logger writes its lines to. */
interface LogStream {
  /** @param line JSON, with its line break */
  write(line: string): void;
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
  const { prettyLog } = await import('./pretty-log.js');
  const pretty = prettyLog({ paint: paintFor(stderr, env), width: () => widthOf(stderr) });
  return { write: (line) => void stderr.write(pretty(line)) };
}
