import { AppError } from '../../../errors.js';
import { testMailSchema } from '../../../schemas/mail.js';
import { validate } from '../../../schemas/validate.js';
import { assertMailSetUp } from '../../../services/mail/outbox.js';
import { sendDueMails, sendTestMail } from '../../../services/mail/sender.js';
import { createProgress } from '../../core/bulk/progress.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';

/**
 * Sends the mails that are due.
 * @throws AppError `MAIL_NOT_SET_UP`, `MAIL_SENDER_BUSY` while the service runs, `MAIL_SERVER_UNUSABLE`, `INTERRUPTED`
 */
export async function send(run: Run): Promise<Result> {
  const context = await run.context();
  const progress = createProgress(run, 'Sending', undefined, 'mail');
  const onStep = ({ sent, failed, deferred }: { sent: number; failed: number; deferred: number }) =>
    progress.update(sent + failed + deferred);
  const done = await sendDueMails(context, { signal: run.io.signal, onStep }).finally(() => progress.stop());
  const { sent, failed, deferred } = done;
  const others = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(deferred > 0 ? [`${deferred} deferred: they are tried again later`] : []),
  ];
  const complete = others.length === 0;
  return {
    json: { mails: done },
    text: [`${counted(sent, 'mail')} sent`, ...others].join(', ').concat('.'),
    exitCode: complete ? exitCodes.ok : sent > 0 ? exitCodes.partial : exitCodes.failure,
  };
}

/** @throws AppError `VALIDATION` */
export function checkTest(run: Run<'<address>'>): void {
  validate(testMailSchema, { email: run.arguments.address });
}

/** Sends one mail at once. @throws AppError `MAIL_NOT_SET_UP`, `MAIL_SERVER_UNUSABLE` with what the server has answered */
export async function test(run: Run<'<address>'>): Promise<Result> {
  const context = await run.context();
  assertMailSetUp(context);
  const { email } = validate(testMailSchema, { email: run.arguments.address });
  const delivery = await sendTestMail(context, email);
  if (delivery.outcome === 'paused') throw new AppError('MAIL_SERVER_UNUSABLE', delivery.reason);
  if (delivery.outcome !== 'accepted')
    throw new AppError('MAIL_SERVER_UNUSABLE', `The mail server refused the mail to ${email}: ${delivery.reason}`);
  return {
    json: { mail: { address: email, outcome: delivery.outcome } },
    text: `The mail server took the mail to ${email}. If it doesn't arrive, look into its spam folder, and at the SPF and DKIM records of the sender's domain.`,
  };
}
