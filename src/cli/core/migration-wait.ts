import type { Schema } from '../../context.js';
import type { Run } from './run.js';

/** Tells the person at the terminal why nothing happens while another migration has to end first. */
export function tellingOfWait(run: Run): Parameters<Schema['up']>[0] {
  return { onWait: () => run.say('Another migration is running, or broke off a moment ago: waiting for it.') };
}
