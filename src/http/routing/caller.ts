import type { Request } from 'express';
import { AppError } from '../../errors.js';
import { assertInitialPasswordChanged, authorize } from '../../services/auth/permissions.js';
import { authenticate, isSignedIn } from '../../services/auth/sessions.js';
import type { Context } from '../../services/context.js';
import type { Caller, Client, Core } from '../../services/core.js';
import type { Operation } from '../api/operation.js';
import { isFromOwnPage, type SessionCookie } from './session-cookie.js';

/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1), if there is one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [, token] = /^Bearer +(\S.*)$/i.exec(authorization ?? '') ?? [];
  return token?.trim();
}

/**
 * The caller of an operation; a token in the header wins over the cookie.
 * @throws AppError `OTHER_ORIGIN` for pages of others, `TOKEN_MISSING`, `TOKEN_INVALID`
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

/** Whether the caller may use the operation. @throws AppError `ACCESS_DENIED`, `PASSWORD_CHANGE_REQUIRED` */
export function assertAuthorized(operation: Operation, caller: Caller, params: Request['params']): void {
  const { access, allowsInitialPassword } = operation;
  if (!allowsInitialPassword) assertInitialPasswordChanged(caller);
  if (access.kind !== 'public' && access.kind !== 'optional') authorize(access, caller, params);
}

/** The session may have ended while the body arrived. @throws AppError `TOKEN_INVALID` */
export async function assertSessionActive(context: Context, caller: Caller | undefined): Promise<void> {
  if (caller && !(await isSignedIn(context, caller))) throw new AppError('TOKEN_INVALID');
}

/**
 * A table for as long as its reader is signed in: who takes it slowly would get rows that are newer than the end of their
 * session.
 * @throws AppError `TOKEN_INVALID`; what was sent of the response then has no end
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
