import Joi from 'joi';
import { loginSchema, sessionListingSchema } from '../../../schemas/auth.js';
import { anybody, operation, signedIn } from '../operation.js';
import * as shapes from '../response-schemas.js';
import { accountBytes } from './auth.js';

/** Which requests are not refused. */
const ownPages =
  'Only for pages of this service: `Sec-Fetch-Site` must be `same-origin` (without it, `Origin`, or else `Referer`, must match), and there must be a header `X-Requested-With`.';

/** The session of the web console, and the sessions of the own account. */
export const sessionOperations = {
  startWebSession: operation({
    method: 'post',
    path: '/api/auth/web-session',
    tag: 'Sessions',
    summary: 'Sign in to the web console',
    description: `Like the login, but the token is in a cookie and not in the response. ${ownPages}`,
    access: anybody,
    ownPagesOnly: true,
    setsCookie: true,
    body: loginSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: { status: 200, description: 'Signed in', body: shapes.webSession },
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS'],
  }),
  showWebSession: operation({
    method: 'get',
    path: '/api/auth/web-session',
    tag: 'Sessions',
    summary: 'Who is signed in, and until when',
    access: signedIn,
    allowsInitialPassword: true,
    success: { status: 200, description: 'The session of the request', body: shapes.webSession },
  }),
  endWebSession: operation({
    method: 'delete',
    path: '/api/auth/web-session',
    tag: 'Sessions',
    summary: 'Sign out of the web console',
    description: `Ends the session of the cookie, unless it has ended, and removes the cookie. ${ownPages}`,
    access: anybody,
    ownPagesOnly: true,
    setsCookie: true,
    success: {
      status: 200,
      description: 'Signed out',
      body: Joi.object({ message: shapes.message('Logged out successfully.') }),
    },
  }),
  logout: operation({
    method: 'post',
    path: '/api/auth/logout',
    tag: 'Sessions',
    summary: "End the caller's session",
    access: signedIn,
    allowsInitialPassword: true,
    success: {
      status: 200,
      description: 'The session ended',
      body: Joi.object({ message: shapes.message('Logged out successfully.') }),
    },
  }),
  logoutAll: operation({
    method: 'post',
    path: '/api/auth/logout-all',
    tag: 'Sessions',
    summary: "End all sessions of the caller's account",
    access: signedIn,
    allowsInitialPassword: true,
    success: {
      status: 200,
      description: 'All sessions ended',
      body: Joi.object({ message: shapes.message('Logged out of all sessions.') }),
    },
  }),
  listSessions: operation({
    method: 'get',
    path: '/api/auth/sessions',
    tag: 'Sessions',
    summary: "The caller's sessions, newest first",
    access: signedIn,
    allowsInitialPassword: true,
    query: sessionListingSchema,
    success: { status: 200, description: 'One page of the sessions', body: shapes.pageOf('sessions', shapes.session) },
  }),
  endSession: operation({
    method: 'delete',
    path: '/api/auth/sessions/:id',
    tag: 'Sessions',
    summary: "End one of the caller's sessions",
    access: signedIn,
    allowsInitialPassword: true,
    params: Joi.object({ id: shapes.idOf('session') }),
    success: {
      status: 200,
      description: 'The session ended',
      body: Joi.object({ message: shapes.message('Session ended.') }),
    },
    failures: ['NOT_FOUND'],
  }),
};
