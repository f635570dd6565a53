import { presentMail } from '../../../presenters/mail.js';
import { mailListingSchema } from '../../../schemas/mail.js';
import { findUser } from '../../../services/accounts/queries.js';
import type { Context } from '../../../services/context.js';
import { importIdOf } from '../../../services/imports/store/find-import.js';
import { findMail, listMails } from '../../../services/mail/queries.js';
import { resolveShortId } from '../../../services/short-ids.js';
import type { OptionValues } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { fieldsText } from '../../core/listing/table.js';
import { type filterOptions, type listOptions, mailColumns } from './options.js';

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof listOptions>): void {
  const { state, kind, addressUnknown, since } = run.options;
  checkListing(run, mailColumns, mailListingSchema, { state, kind, addressUnknown, since });
}

/** Returns the query of the service for the filters. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function queryOf(context: Context, options: OptionValues<typeof filterOptions>) {
  const { state, kind, user, import: file, addressUnknown, since } = options;
  const userId = user === undefined ? undefined : (await findUser(context, user)).id;
  const importId = file === undefined ? undefined : await importIdOf(context, file);
  return { state, kind, userId, importId, addressUnknown, since };
}

/** Lists mails, newest first. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function list(run: Run<'', typeof listOptions>): Promise<Result> {
  return listing(run, { key: 'mails', singular: 'mail', columns: mailColumns }, async () => {
    const context = await run.context();
    const query = await queryOf(context, run.options);
    return async (page) => presented(await listMails(context, { ...query, ...page }), presentMail);
  });
}

/** Shows one mail. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function show(run: Run<'<mail>'>): Promise<Result> {
  const context = await run.context();
  const mail = presentMail(await findMail(context, await resolveShortId(context, 'Mail', run.arguments.mail)));
  const { id, kind, state, address, user, attempts, nextAt, lastError, messageId, createdAt, finishedAt } = mail;
  const fields: [string, string | null][] = [
    ['id', id],
    ['kind', kind],
    ['to', address],
    ['person', user && `${user.firstName} ${user.lastName}`],
    ['state', state],
    ['why', lastError],
    ['attempts', String(attempts)],
    ['next', nextAt?.toISOString() ?? null],
    ['queued', createdAt.toISOString()],
    ['ended', finishedAt?.toISOString() ?? null],
    ['Message-ID', messageId],
  ];
  return { json: { mail }, text: fieldsText(fields, run.display) };
}
