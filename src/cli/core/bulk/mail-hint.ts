import type { Context } from '../../../services/context.js';
import { isSenderRunning } from '../../../services/mail/sender.js';
import { asTyped, type Io } from '../output/output.js';
import type { BulkWork } from './bulk.js';

/** Returns a sentence that says when queued mails are sent. */
export async function whenMailsLeave(io: Io, context: Context): Promise<string> {
  if (await isSenderRunning(context)) return 'The service sends them now.';
  return `No service runs that sends mails. Start or restart it, or send them with: ${asTyped(io, 'mail send')}`;
}

/** Adds a hint to a bulk change that says when its mails are sent. @param queued first sentence of the hint */
export function withMailHint(
  io: Io,
  context: Context,
  change: BulkWork['change'],
  queued = '',
): Pick<BulkWork, 'change' | 'hint'> {
  let hint: string | undefined;
  return {
    async change(items, signal) {
      const changed = await change(items, signal);
      if (changed.results.some(({ outcome }) => outcome === 'done'))
        hint ??= queued + (await whenMailsLeave(io, context));
      return changed;
    },
    hint: () => hint,
  };
}
