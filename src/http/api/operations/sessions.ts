import Joi from 'joi';
import { loginSchema, sessionListingSchema } from '../../../schemas/auth.js';
import { session, webSession } from '../account-shapes.js';
import { anybody, ok, operations, signedIn } from '../operation.js';
import * as shapes from '../response-schemas.js';
import { accountBytes } from './auth.js';

/** Description of the permitted requests. */
const ownPages =
  'Only pages of this service may send this request: `Sec-Fetch-Site` must be `same-origin`, and the header `X-Requested-With` must be present. Without `Sec-Fetch-Site`, `Origin` must match. Without both, `Referer` must match.';

const operation = operations('Sessions');

/** The session of the web console, and the sessions of the caller's account. */
export const sessionOperations = {
  startWebSession: operation.post('/api/auth/web-session', {
    summary: 'Sign in to the web console',
    description: `Like the login, but the token is in a cookie and not in the response. ${ownPages}`,
    access: anybody,
    ownPagesOnly: true,
    setsCookie: true,
    body: loginSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('Signed in', webSession),
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS'],
  }),
  showWebSession: operation.get('/api/auth/web-session', {
    summary: 'The signed-in account, and the end of the session',
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('The session of the request', webSession),
  }),
  endWebSession: operation.delete('/api/auth/web-session', {
    summary: 'Sign out of the web console',
    description: `Ends the session of the cookie if it is still open, and removes the cookie. ${ownPages}`,
    access: anybody,
    ownPagesOnly: true,
    setsCookie: true,
    success: ok('Signed out', {
      message: shapes.message('Logged out successfully.'),
      signOutUrl: shapes.nullableText
        .description("Address to open, which also ends the session at the organisation's sign-in; null without one")
        .example(null),
    }),
  }),
  logout: operation.post('/api/auth/logout', {
    summary: "End the caller's session",
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('The session ended', { message: shapes.message('Logged out successfully.') }),
  }),
  logoutAll: operation.post('/api/auth/logout-all', {
    summary: "End all sessions of the caller's account",
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('All sessions ended', { message: shapes.message('Logged out of all sessions.') }),
  }),
  listSessions: operation.get('/api/auth/sessions', {
    summary: "The caller's sessions, newest first",
    access: signedIn,
    allowsInitialPassword: true,
    query: sessionListingSchema,
    success: ok('One page of the sessions', shapes.pageOf('sessions', session)),
  }),
  endSession: operation.delete('/api/auth/sessions/:id', {
    summary: "End one of the caller's sessions",
    access: signedIn,
    allowsInitialPassword: true,
    params: Joi.object({ id: shapes.idOf('session') }),
    success: ok('The session ended', { message: shapes.message('Session ended.') }),
    failures: ['NOT_FOUND'],
  }),
};
