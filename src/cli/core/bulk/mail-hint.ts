import type { Context } from '../../../services/context.js';
import { isSenderRunning } from '../../../services/mail/sender.js';
import { asTyped, type Io } from '../output/output.js';

/** When mails leave that a command has queued. */
export async function whenMailsLeave(io: Io, context: Context): Promise<string> {
  if (await isSenderRunning(context)) return 'The service sends them now.';
  return `No service runs that sends mails. Start it, or send them with: ${asTyped(io, 'mail send')}`;
}
