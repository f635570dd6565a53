import { createLogger, type Logger } from '../../src/logger.js';

/** A logger of failures, and what it has written since it was asked last, a JSON object a line. */
export function keptLog(): { logger: Logger; take(): string } {
  let lines: string[] = [];
  const logger = createLogger('error', { write: (line) => void lines.push(line) });
  return {
    logger,
    take() {
      const taken = lines.join('');
      lines = [];
      return taken;
    },
  };
}
