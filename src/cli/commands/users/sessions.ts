import type { Command } from 'commander';
import { listingOptions } from '../../core/columns.js';
import { define, type Registry } from '../../core/command.js';
import { counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';
import { sessionColumns } from './columns.js';

const sessionListOptions = listingOptions('sessions', sessionColumns);

export function register(users: Command, registry: Registry): void {
  const sessions = users.command('sessions').description('List and end the sessions of an account');

  define(sessions, registry, {
    usage: 'list <user>',
    schema: 'any',
    summary: 'List the sessions of an account, newest first',
    examples: ['users sessions list ada@example.org', 'users sessions list "555 0100" --limit 100 --json'],
    options: sessionListOptions,
    async check(run) {
      const [{ sessionListingSchema }, { checkListing }] = await Promise.all([
        import('../../../schemas/auth.js'),
        import('../../core/listing.js'),
      ]);
      checkListing(run, sessionColumns, sessionListingSchema);
    },
    run: list,
  });

  define(sessions, registry, {
    usage: 'end <user> <session-id>',
    schema: 'current',
    summary: 'End a session of an account',
    examples: ['users sessions end ada@example.org b20c94c5'],
    stopsItself: true,
    run: end,
  });

  define(sessions, registry, {
    usage: 'end-all <user>',
    schema: 'current',
    summary: 'End all sessions of an account, which must sign in again',
    examples: ['users sessions end-all ada@example.org', 'users sessions end-all "555 0100" --json'],
    stopsItself: true,
    run: endAll,
  });
}

/** What the commands call. */
async function services() {
  const [sessions, found, core, presenters, ids] = await Promise.all([
    import('../../../services/accounts/sessions.js'),
    import('../../../services/accounts/queries.js'),
    import('../../../services/core.js'),
    import('../../../presenters/session.js'),
    import('../../../services/short-ids.js'),
  ]);
  return { ...sessions, ...found, ...presenters, ...ids, operator: core.operator };
}

async function list(run: Run<'<user>', typeof sessionListOptions>): Promise<Result> {
  const { findUser, listUserSessions, presentSession } = await services();
  const { listing, presented } = await import('../../core/listing.js');
  return listing(run, { key: 'sessions', one: 'session', columns: sessionColumns }, async () => {
    const context = await run.context();
    const { id } = await findUser(context, run.arguments.user);
    return async (page) =>
      // The terminal has no session of its own.
      presented(await listUserSessions(context, id, page), (session) => presentSession(session, undefined));
  });
}

async function end(run: Run<'<user> <session-id>'>): Promise<Result> {
  const { findUser, endUserSession, presentSession, wholeId, operator } = await services();
  const context = await run.context();
  const { id, email } = await findUser(context, run.arguments.user);
  const sessionId = await wholeId(context, 'Session', run.arguments.sessionId, { userId: id });
  const session = await endUserSession(context, operator, id, sessionId);
  return {
    json: { session: presentSession(session, undefined) },
    text: `Ended the session of ${email} that began at ${session.createdAt.toISOString()}.`,
  };
}

async function endAll(run: Run<'<user>'>): Promise<Result> {
  const { findUser, endUserSessions, operator } = await services();
  const context = await run.context();
  const { id, email } = await findUser(context, run.arguments.user);
  const endedCount = await endUserSessions(context, operator, id);
  return {
    json: { endedCount },
    text: endedCount === 0 ? `${email} had no sessions.` : `Ended ${counted(endedCount, 'session')} of ${email}.`,
  };
}
