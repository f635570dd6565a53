import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors.js';
import type { Context } from '../../services/context.js';
import type { Operation } from '../api/operation.js';

/** Maximum times of the parts of a request, in milliseconds. */
export interface Deadlines {
  /** Receiving a JSON body. */
  bodyMs: number;
  /** Waiting for a client that doesn't read its response. */
  unreadMs: number;
  /** Use of the database. Together with all other work, a response takes at most 5 s. */
  databaseMs: number;
}

export const standardDeadlines: Readonly<Deadlines> = { bodyMs: 30_000, unreadMs: 60_000, databaseMs: 4000 };

/** Minimum database time for a request that has waited in the queue, in milliseconds. */
const leastDatabaseMs = 1500;

/**
 * Returns the database deadline of a request. The duration of uploads and streams depends on their clients, so each of
 * their queries has its own deadline. For other requests, the deadline is shorter by the time that the request has waited
 * in the queue.
 */
export function databaseDeadline(
  { upload, success }: Operation,
  { databaseMs }: Deadlines,
  waitedMs: number,
): Parameters<Context['database']['withDeadline']>[0] {
  if (upload || 'content' in success) return { each: databaseMs };
  return { all: Math.max(leastDatabaseMs, databaseMs - waitedMs) };
}

/** Reason of {@link disconnectSignal}. Shared by all requests, because creating errors costs time. */
const clientLeft = new AppError('BODY_INCOMPLETE', 'The client left before its response.');

/**
 * Returns a getter of a signal that is aborted when the client leaves. The getter creates the signal when it is first
 * called, because most requests need none.
 */
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

/**
 * Waits for an event of a response, and destroys the response if the event doesn't come within `unreadMs`.
 * @returns whether the event came
 */
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
