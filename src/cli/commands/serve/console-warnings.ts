import { format } from 'node:util';
import type { Logger } from '../../../logger.js';

/**
 * Makes what libraries say on the console (Sequelize, when a commit or a rollback fails) a line of the log like any other.
 * @returns restores the console
 */
export function logConsoleWarnings(logger: Logger): () => void {
  const { warn } = console;
  console.warn = (...said: unknown[]) => logger.warn({ from: 'console' }, format(...said));
  return () => {
    console.warn = warn;
  };
}
