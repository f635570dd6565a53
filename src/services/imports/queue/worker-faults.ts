import { isAppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';

/** What the slots of a worker report of the database. */
export interface WorkerFaults {
  failed(slot: string, error: unknown): void;
  worked(slot: string): void;
}

/**
 * Logs what stops the slots of a worker, and when all of them work again. Each slot tries again every second and fails likewise
 * in an outage, so each fault is logged once until then, and later ones for debugging only.
 */
export function logWorkerFaults(logger: Logger): WorkerFaults {
  const failing = new Set<string>();
  const logged = new Set<string>();
  return {
    failed(slot, error) {
      failing.add(slot);
      const isKnown = isAppError(error);
      const fault = isKnown ? error.code : String(error);
      const isFirst = !logged.has(fault);
      logged.add(fault);
      if (!isKnown) logger[isFirst ? 'error' : 'debug']({ err: error }, 'import worker');
      else logger[isFirst ? 'warn' : 'debug']({ code: error.code, reason: error.message }, 'import worker waits');
    },
    worked(slot) {
      if (!failing.delete(slot) || failing.size > 0) return;
      logged.clear();
      logger.info('import worker works again');
    },
  };
}
