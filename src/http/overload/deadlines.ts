import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors.js';
import type { Context } from '../../services/context.js';
import type { Operation } from '../api/operation.js';

/** How long the parts of a request may take, in milliseconds. */
export interface Deadlines {
  /** How long a JSON body may take to arrive. */
  bodyMs: number;
  /** How long a client may read nothing of a response. */
  unreadMs: number;
  /** How long a request may use the database; with all else it is answered within 5 s. */
  databaseMs: number;
}

export const standardDeadlines: Readonly<Deadlines> = { bodyMs: 30_000, unreadMs: 60_000, databaseMs: 4000 };

/** The least time in the database that is left to a request that has waited in the queue, in milliseconds. */
const leastDatabaseMs = 1500;

/**
 * How long an operation may use the database. Uploads and streams last as long as their client takes, so each of their queries
 * has a deadline of its own. Other requests have waited for the database in the queue already, where those before them were slow.
 */
export function databaseDeadline(
  { upload, success }: Operation,
  { databaseMs }: Deadlines,
  waitedMs: number,
): Parameters<Context['database']['withDeadline']>[0] {
  if (upload || 'content' in success) return { each: databaseMs };
  return { all: Math.max(leastDatabaseMs, databaseMs - waitedMs) };
}

/** Why a signal of {@link disconnectSignal} is aborted: made once, because an error of its own for each request costs time. */
const clientLeft = new AppError('BODY_INCOMPLETE', 'The client left before its response.');

/** A signal that is aborted when the client has gone; made when it is asked for, as most requests need none. */
export function disconnectSignal(response: ServerResponse): () => AbortSignal {
  let created: AbortController | undefined;
  return () => {
    if (created) return created.signal;
    const controller = new AbortController();
    created = controller;
    if (response.closed) controller.abort(clientLeft);
    else response.once('close', () => controller.abort(clientLeft));
    return controller.signal;
  };
}

/** Ends a response of which its client reads nothing for so long. @returns whether `event` came before */
export function destroyUnlessRead(
  response: ServerResponse,
  event: 'drain' | 'finish',
  unreadMs: number,
): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const deadline = setTimeout(() => response.destroy(), unreadMs);
    const settle = (isRead: boolean) => {
      clearTimeout(deadline);
      response.off(event, succeed).off('close', fail);
      resolve(isRead);
    };
    const succeed = () => settle(true);
    const fail = () => settle(false);
    response.once(event, succeed).once('close', fail);
  });
}
