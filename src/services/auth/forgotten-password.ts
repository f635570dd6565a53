import { forgotPasswordSchema } from '../../schemas/auth.js';
import { isPossibleKey } from '../../schemas/fields.js';
import { normalizeEmail } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import type { Client, Core } from '../core.js';
import { assertMailSetUp, queueMails } from '../mail/outbox.js';
import { countForgotten } from './throttle-locks.js';

/**
 * Queues a link for who has forgotten a password. The sender looks for the account: this does the same for every identifier, so
 * that neither the answer nor its time tells which accounts exist.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, `TOO_MANY_ATTEMPTS`
 */
export async function forgotPassword(core: Core, input: unknown, client: Client): Promise<void> {
  const { identifier } = validate(forgotPasswordSchema, input);
  assertMailSetUp(core);
  await countForgotten(core, client);
  const key = normalizeEmail(identifier);
  // What can be no key is that of nobody.
  const mail = { kind: 'reset', identifier: isPossibleKey(key) ? key : '' } as const;
  await core.database.inTransaction((transaction) => queueMails(core, [mail], transaction));
}
