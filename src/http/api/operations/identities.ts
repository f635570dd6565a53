import Joi from 'joi';
import { identityLinkSchema, oidcAnswerSchema, oidcStartSchema } from '../../../schemas/identity.js';
import { identity } from '../account-shapes.js';
import { anybody, ok, operations, redirect, signedIn, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';
import { accountBytes } from './auth.js';

const operation = operations('Authentication');

const failureOfRedirect =
  'After a failure the address is `/sign-in#oidc=CODE`, or `/profile#oidc=CODE` while an identity is linked, with the code of the failure.';

/** Signing in with the organisation's account (OpenID Connect), and the identities of accounts. */
export const identityOperations = {
  showOidc: operation.get('/api/oidc', {
    summary: "Whether people can sign in with the organisation's account, and with a password",
    access: anybody,
    success: ok('The ways to sign in', {
      name: shapes.nullableText
        .description("Name of the organisation's account; null if this sign-in is not set up")
        .example('Example Org'),
      passwordLogin: shapes.boolean
        .description('Whether others than the super admin can sign in with a password')
        .example(true),
    }),
  }),
  startOidc: operation.get('/api/oidc/start', {
    summary: "Begin to sign in with the organisation's account",
    description: `For browsers. ${failureOfRedirect}`,
    access: anybody,
    setsCookie: true,
    query: oidcStartSchema,
    success: redirect('The browser opens the sign-in of the organisation'),
    failures: ['OIDC_NOT_SET_UP'],
  }),
  finishOidc: operation.get('/api/oidc/callback', {
    summary: "Return from the organisation's sign-in",
    description: `The issuer sends browsers here. The address is \`returnTo\`, or \`/profile#oidc=linked\` after an identity was linked. ${failureOfRedirect}`,
    access: anybody,
    setsCookie: true,
    query: oidcAnswerSchema,
    success: redirect('The person is signed in, or the address says why not'),
    failures: ['OIDC_NOT_SET_UP'],
  }),
  listOwnIdentities: operation.get('/api/auth/identities', {
    summary: "The caller's identities, oldest first, and whether the caller can also sign in with a password",
    access: signedIn,
    success: ok('The identities', {
      identities: Joi.array().items(identity).required(),
      hasPassword: shapes.boolean.description('Whether the caller can also sign in with a password').example(true),
    }),
  }),
  linkIdentity: operation.post('/api/auth/identities', {
    summary: "Begin to link an identity at the organisation's sign-in to the caller's account",
    description: 'The page opens `url`. The response sets a cookie, so only pages of this service can use it.',
    access: signedIn,
    setsCookie: true,
    body: identityLinkSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('The address to open', {
      url: shapes.text
        .description('Address of the sign-in')
        .example('https://login.example.org/authorize?client_id=...'),
    }),
    failures: ['OIDC_NOT_SET_UP', 'OIDC_UNAVAILABLE', 'CURRENT_PASSWORD_INCORRECT', 'TOO_MANY_ATTEMPTS'],
  }),
  removeOwnIdentity: operation.delete('/api/auth/identities/:id', {
    summary: "Remove one of the caller's identities; ends the caller's other sessions",
    access: signedIn,
    params: Joi.object({ id: shapes.idOf('identity') }),
    success: ok('The identity was removed', { message: shapes.message('Identity removed successfully.') }),
    failures: ['NOT_FOUND', 'IDENTITY_LAST'],
  }),
  listUserIdentities: operation.get('/api/users/:id/identities', {
    summary: "An account's identities, oldest first",
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('The identities', { identities: Joi.array().items(identity).required() }),
    failures: ['NOT_FOUND'],
  }),
  removeUserIdentity: operation.delete('/api/users/:id/identities/:identityId', {
    summary: "Remove one of an account's identities; ends the account's sessions",
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account'), identityId: shapes.idOf('identity') }),
    success: ok('The identity was removed', { message: shapes.message('Identity removed successfully.') }),
    failures: ['NOT_FOUND'],
  }),
};
