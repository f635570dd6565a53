import { presentSession } from '../../../presenters/session.js';
import { sessionListingSchema } from '../../../schemas/auth.js';
import { findUser } from '../../../services/accounts/queries.js';
import { endUserSession, endUserSessions, listUserSessions } from '../../../services/accounts/sessions.js';
import { operator } from '../../../services/core.js';
import { resolveShortId } from '../../../services/short-ids.js';
import type { Result, Run } from '../../core/command/run.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { counted } from '../../core/output/output.js';
import { sessionColumns } from './columns.js';
import type { sessionListOptions } from './options.js';

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'<user>', typeof sessionListOptions>): void {
  checkListing(run, sessionColumns, sessionListingSchema);
}

/** Lists the sessions of an account. @throws AppError `NOT_FOUND`, `VALIDATION` */
export function list(run: Run<'<user>', typeof sessionListOptions>): Promise<Result> {
  return listing(run, { key: 'sessions', singular: 'session', columns: sessionColumns }, async () => {
    const context = await run.context();
    const { id } = await findUser(context, run.arguments.user);
    return async (page) =>
      // The terminal has no session: no listed session is the current one.
      presented(await listUserSessions(context, id, page), (session) => presentSession(session, undefined));
  });
}

/** Ends a session of an account. @throws AppError `NOT_FOUND` */
export async function end(run: Run<'<user> <session-id>'>): Promise<Result> {
  const context = await run.context();
  const { id, email } = await findUser(context, run.arguments.user);
  const sessionId = await resolveShortId(context, 'Session', run.arguments.sessionId, { userId: id });
  const session = await endUserSession(context, operator, id, sessionId);
  return {
    json: { session: presentSession(session, undefined) },
    text: `Ended the session of ${email} that began at ${session.createdAt.toISOString()}.`,
  };
}

/** Ends all sessions of an account. @throws AppError `NOT_FOUND` */
export async function endAll(run: Run<'<user>'>): Promise<Result> {
  const context = await run.context();
  const { id, email } = await findUser(context, run.arguments.user);
  const endedCount = await endUserSessions(context, operator, id);
  return {
    json: { endedCount },
    text: endedCount === 0 ? `${email} had no sessions.` : `Ended ${counted(endedCount, 'session')} of ${email}.`,
  };
}
