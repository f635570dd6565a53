import * as fields from './fields.js';
import Joi from './joi.js';

/** Ways to sign in, as sessions show them: a password, or the organisation's account (OpenID Connect). */
export const signInMethods = ['password', 'oidc'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** Ways to link an identity to an account: by its verified email, with the new account, or by its signed-in owner. */
export const linkedByWords = ['email', 'creation', 'owner'] as const;
export type LinkedBy = (typeof linkedByWords)[number];

/** Parameter of a redirect. Codes of some issuers are long. */
const answerText = (name: string) => fields.singleLine(name, 0, 8000).allow('');

/** Body of `POST /api/auth/identities`. */
export const identityLinkSchema = Joi.object<{ currentPassword: string }, true>({
  currentPassword: fields.currentPassword.required(),
});

/** Query of `GET /api/oidc/start`. */
export const oidcStartSchema = Joi.object<{ returnTo?: string }>({
  returnTo: answerText('returnTo')
    .description('Path to open after the sign-in: one of this service; others become `/`')
    .example('/people'),
});

/** Answer of the issuer (OpenID Connect Core, section 3.1.2.5; RFC 9207). */
export type OidcAnswer = Partial<Record<'code' | 'state' | 'iss' | 'error', string>>;

/** Query of `GET /api/oidc/callback`. */
export const oidcAnswerSchema = Joi.object<OidcAnswer>({
  code: answerText('code').description('Code of the issuer, for one use'),
  state: answerText('state').description('State of the sign-in, as this service has sent it'),
  iss: answerText('iss').description('Issuer (RFC 9207)').example('https://login.example.org'),
  error: answerText('error').description('Refusal of the issuer').example('access_denied'),
});
