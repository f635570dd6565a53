import { AppError } from '../../../errors.js';
import { presentMail } from '../../../presenters/mail.js';
import { testMailSchema } from '../../../schemas/mail.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { assertMailSetUp } from '../../../services/mail/outbox.js';
import { listMails } from '../../../services/mail/queries.js';
import { sendDueMails, sendTestMail } from '../../../services/mail/sender.js';
import { createProgress } from '../../core/bulk/progress.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { relativeTime } from '../../core/listing/table.js';
import { asTyped, counted } from '../../core/output/output.js';

/**
 * Sends the due mails.
 * @throws AppError `MAIL_NOT_SET_UP`, `MAIL_SENDER_BUSY` while the service runs, `MAIL_SERVER_UNUSABLE`, `INTERRUPTED`
 */
export async function send(run: Run): Promise<Result> {
  const context = await run.context();
  const progress = createProgress(run, 'Sending', undefined, 'mail');
  const onStep = ({ sent, failed, deferred }: { sent: number; failed: number; deferred: number }) =>
    progress.update(sent + failed + deferred);
  const done = await sendDueMails(context, { signal: run.io.signal, onStep }).finally(() => progress.stop());
  const { sent, failed, deferred } = done;
  const others = [...(failed > 0 ? [`${failed} failed`] : []), ...(deferred > 0 ? [`${deferred} deferred`] : [])];
  const complete = others.length === 0;
  const waiting = await deferredMails(context, run.display.now);
  return {
    json: { mails: done, deferred: waiting.map(({ mail }) => mail) },
    text: [
      [`${counted(sent, 'mail')} sent`, ...others].join(', ').concat('.'),
      ...(waiting.length > 0 ? ['Deferred, and retried automatically:'] : []),
      ...waiting.map(({ text }) => `  ${text}`),
      ...(waiting.length > 0 ? [`To try them now: ${asTyped(run.io, 'mail retry --state deferred')}`] : []),
    ].join('\n'),
    exitCode: complete ? exitCodes.ok : sent > 0 ? exitCodes.partial : exitCodes.failure,
  };
}

async function deferredMails(context: Context, now: Date) {
  const { items } = await listMails(context, { state: 'deferred' });
  return items.map((one) => {
    const mail = presentMail(one);
    const { kind, address, nextAt, lastError } = mail;
    const next = nextAt === null ? '' : ` ${relativeTime(nextAt, now)}`;
    return { mail, text: `${kind}${address === null ? '' : ` to ${address}`}${next}: ${lastError ?? 'no answer'}` };
  });
}

/** @throws AppError `VALIDATION` */
export function checkTest(run: Run<'<address>'>): void {
  validate(testMailSchema, { email: run.arguments.address });
}

/** Sends a test mail immediately. @throws AppError `MAIL_NOT_SET_UP`; `MAIL_SERVER_UNUSABLE` with the response of the server */
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
