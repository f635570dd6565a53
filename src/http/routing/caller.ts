import type { Request } from 'express';
import { AppError } from '../../errors.js';
import { assertInitialPasswordChanged, authorize } from '../../services/auth/permissions.js';
import { authenticate, isSignedIn } from '../../services/auth/sessions.js';
import type { Context } from '../../services/context.js';
import type { Caller, Client, Core } from '../../services/core.js';
import type { Operation } from '../api/operation.js';
import { isFromOwnPage, type SessionCookie } from './session-cookie.js';

/** Returns the token of an `Authorization: Bearer` header (RFC 6750, section 2.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [, token] = /^Bearer +(\S.*)$/i.exec(authorization ?? '') ?? [];
  return token?.trim();
}

/**
 * Authenticates the caller of an operation. A token in the header takes precedence over the cookie.
 * @returns undefined if the operation is public, or if its token is optional and absent
 * @throws AppError `OTHER_ORIGIN` for other pages, `TOKEN_MISSING`, `TOKEN_INVALID`
 */
export async function callerOf(
  core: Core,
  operation: Operation,
  request: Request,
  client: Client,
  cookie: SessionCookie,
): Promise<Caller | undefined> {
  const { access } = operation;
  if (operation.ownPagesOnly && !isFromOwnPage(request)) throw new AppError('OTHER_ORIGIN');
  if (access.kind === 'public') return undefined;
  const token = bearerToken(request.headers.authorization) ?? cookie.token;
  if (token === undefined) {
    if (access.kind === 'optional' && request.headers.authorization === undefined) return undefined;
    throw new AppError('TOKEN_MISSING');
  }
  return authenticate(core, token, client);
}

/** Refuses callers who may not use the operation. @throws AppError of `authorize`, `PASSWORD_CHANGE_REQUIRED` */
export function assertAuthorized(operation: Operation, caller: Caller, params: Request['params']): void {
  const { access, allowsInitialPassword } = operation;
  if (!allowsInitialPassword) assertInitialPasswordChanged(caller);
  if (access.kind !== 'public' && access.kind !== 'optional') authorize(access, caller, params);
}

/** Checks the session again, because it may have ended while the body arrived. @throws AppError `TOKEN_INVALID` */
export async function assertSessionActive(context: Context, caller: Caller | undefined): Promise<void> {
  if (caller && !(await isSignedIn(context, caller))) throw new AppError('TOKEN_INVALID');
}

/**
 * Yields the pieces of a CSV export while the caller is signed in. Otherwise a slow client could get rows that were written
 * after the end of the session.
 * @throws AppError `TOKEN_INVALID`, which leaves the response incomplete
 */
export async function* whileSignedIn<T>(
  context: Context,
  caller: Caller | undefined,
  pieces: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await assertSessionActive(context, caller);
    yield piece;
  }
}
