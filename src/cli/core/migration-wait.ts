import type { Schema } from '../../context.js';
import type { Run } from './run.js';

/** Tells the operator that another migration has to end first. */
export function tellingOfWait(run: Run): Parameters<Schema['up']>[0] {
  return { onWait: () => run.say('Another migration is running, or was just interrupted: waiting for it.') };
}
