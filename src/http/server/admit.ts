import type { Request } from 'express';
import { AppError } from '../../errors.js';
import { assertOwnPassword, authorize, denied } from '../../services/auth/permissions.js';
import { authenticate } from '../../services/auth/sessions.js';
import type { Caller, Client, Core } from '../../services/core.js';
import type { Operation } from '../api/operation.js';
import { bearerToken } from './bearer-token.js';
import { isFromOwnPage, type SessionCookie } from './session-cookie.js';

/**
 * The caller of an operation; a token in the header wins over the cookie.
 * @throws AppError `ACCESS_DENIED` for pages of others, `TOKEN_MISSING`, `TOKEN_INVALID`
 */
export async function callerOf(
  core: Core,
  operation: Operation,
  request: Request,
  client: Client,
  cookie: SessionCookie,
): Promise<Caller | undefined> {
  const { access } = operation;
  if (operation.ownPagesOnly && !isFromOwnPage(request)) throw denied('Only for pages of this service.');
  if (access.kind === 'public') return undefined;
  const token = bearerToken(request.headers.authorization) ?? cookie.token;
  if (token === undefined) {
    if (access.kind === 'optional' && request.headers.authorization === undefined) return undefined;
    throw new AppError('TOKEN_MISSING');
  }
  return authenticate(core, token, client);
}

/** Whether the caller may use the operation. @throws AppError `ACCESS_DENIED`, `PASSWORD_CHANGE_REQUIRED` */
export function assertAdmitted(operation: Operation, caller: Caller, params: Request['params']): void {
  const { access, allowsInitialPassword } = operation;
  if (!allowsInitialPassword) assertOwnPassword(caller);
  if (access.kind !== 'public' && access.kind !== 'optional') authorize(access, caller, params);
}
