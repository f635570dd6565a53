import { AppError, isAppError } from '../../../errors.js';
import { isAnonymous, type MailAction, mailListingSchema } from '../../../schemas/mail.js';
import { validate } from '../../../schemas/validate.js';
import { findUser } from '../../../services/accounts/queries.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { changeMails, refusalOf } from '../../../services/mail/commands.js';
import { assertMailSetUp } from '../../../services/mail/outbox.js';
import { mailsMatching, resolveMails, type ShownMail } from '../../../services/mail/queries.js';
import { type BulkWork, runBulk, type Selection, selectionOf, targetsOf } from '../../core/bulk/bulk.js';
import type { BulkItem, BulkWording, ItemResult } from '../../core/bulk/bulk-plan.js';
import { withMailHint } from '../../core/bulk/mail-hint.js';
import type { Result, Run } from '../../core/command/run.js';
import { queryOf } from './list.js';
import { type changeOptions, mailHeadings } from './options.js';

type ChangeRun = Run<'[mail...]', typeof changeOptions>;

const wordings = {
  retry: { singular: 'mail', toDo: 'send again', doing: 'Queueing', done: 'queued again', state: 'queued' },
  withdraw: { singular: 'mail', toDo: 'withdraw', doing: 'Withdrawing', done: 'withdrawn', state: 'withdrawn' },
} as const satisfies Record<MailAction, BulkWording>;

/** Mails per call of the service. */
const batchSize = 100;

interface MailItem extends BulkItem {
  mail: ShownMail['mail'];
}

function mailItem({ mail, address }: ShownMail): MailItem {
  const name = isAnonymous(mail.kind) ? mail.kind : `${mail.kind} to ${address ?? 'a deleted account'}`;
  return { id: mail.id, name, label: `${name}, ${mail.state}`, mail };
}

/** @throws AppError `VALIDATION` */
export function checkFilters({ options: { state, kind, since } }: ChangeRun): void {
  validate(mailListingSchema, { state, kind, since });
}

const nothingNamed = () =>
  new AppError(
    'USAGE',
    'A mail is missing: give its id, an address, or filters such as --state failed. To list them: coursectl mail list',
  );

/** Returns the mails to an address that the action applies to; an error alone if there are no such mails. */
async function mailsTo(context: Context, address: string, action: MailAction): Promise<(ShownMail | AppError)[]> {
  const user = await findUser(context, address).catch((error: unknown) => {
    if (isAppError(error, 'NOT_FOUND')) return error;
    throw error;
  });
  if (isAppError(user)) return [user];
  const now = await context.databaseNow();
  const found: ShownMail[] = [];
  for await (const mails of mailsMatching(context, { userId: user.id }))
    found.push(...mails.filter(({ mail }) => !refusalOf(now, action, mail)));
  if (found.length > 0) return found;
  const message = `There is no mail to ${address} to ${wordings[action].toDo}. To list them: coursectl mail list --user ${address}`;
  return [new AppError('NOT_FOUND', message)];
}

/** Returns the mails that the command line selects. @throws AppError `USAGE`, `NOT_FOUND`, `VALIDATION` */
async function resolveMailTargets(run: ChangeRun, context: Context, action: MailAction): Promise<Selection<MailItem>> {
  const { state, kind, user, import: file, since } = run.options;
  const targets = await targetsOf(run, {
    typed: run.arguments.mail,
    isFiltered: [state, kind, user, file, since].some((one) => one !== undefined),
    headings: mailHeadings,
    wording: wordings[action],
    choose: () => Promise.reject(nothingNamed()),
  });
  if (targets.kind !== 'filter') {
    const names = targets.kind === 'one' ? [targets.name] : targets.names;
    const named: [name: string, found: MailItem | AppError][] = [];
    for (const name of names)
      for (const one of name.includes('@') ? await mailsTo(context, name, action) : await resolveMails(context, [name]))
        named.push([name, isAppError(one) ? one : mailItem(one)]);
    return selectionOf(
      named.map(([name]) => name),
      named.map(([, found]) => found),
    );
  }
  const now = await context.databaseNow();
  const { page: _, limit: __, ...filter } = validate(mailListingSchema, await queryOf(context, run.options));
  const entries: Selection<MailItem>['entries'] = [];
  // A filter selects only mails that the action applies to.
  for await (const mails of mailsMatching(context, filter))
    for (const shown of mails)
      if (!refusalOf(now, action, shown.mail)) entries.push({ given: null, found: mailItem(shown) });
  return { entries, repeated: 0 };
}

async function change(run: ChangeRun, action: MailAction): Promise<Result> {
  const context = await run.context();
  const selection = await resolveMailTargets(run, context, action);
  if (action === 'retry') assertMailSetUp(context);
  const changed: BulkWork['change'] = async (items, signal) => {
    const input = { action, ids: items.map(({ id }) => id) };
    const { outcomes, stopped } = await changeMails(context, operator, input, signal);
    return { results: outcomes, stopped };
  };
  return runBulk(run, {
    wording: wordings[action],
    selection,
    batchSize,
    async preview(items) {
      const now = await context.databaseNow();
      return items.map(({ mail }): ItemResult => {
        const refusal = refusalOf(now, action, mail);
        return refusal ? { outcome: 'refused', refusal } : { outcome: 'done' };
      });
    },
    ...(action === 'retry' ? withMailHint(run.io, context, changed) : { change: changed }),
  });
}

/** Retries mails. @throws AppError `MAIL_NOT_SET_UP`, and the errors of {@link resolveMails} and {@link runBulk} */
export const retry = (run: ChangeRun): Promise<Result> => change(run, 'retry');

/** Withdraws mails. @throws the errors of {@link resolveMails} and {@link runBulk} */
export const withdraw = (run: ChangeRun): Promise<Result> => change(run, 'withdraw');
