import { AppError } from '../../errors.js';
import { createFairQueue } from '../../fair-queue.js';
import { networkOf } from '../../network.js';
import { identityLinkSchema, type OidcAnswer } from '../../schemas/identity.js';
import { validate } from '../../schemas/validate.js';
import { assertCurrentPassword } from '../auth/login.js';
import type { StartedSession } from '../auth/sessions.js';
import type { Caller, Client, Core } from '../core.js';
import { linkIdentity } from './linking.js';
import { type Person, personOf } from './person.js';
import { addressesOf, forgetProvider, oidcSettings, openProvider, type Provider, unavailable } from './provider.js';
import { oauthErrorOf } from './provider-faults.js';
import { signIn } from './sign-in.js';
import { type LinkingAccount, ownPathOf, passwordDigest, type SignInState, signState } from './state.js';

/** Address at the issuer, and the signed state for the cookie of the browser. */
interface BegunSignIn {
  url: string;
  state: string;
}

/**
 * Begins a sign-in at the issuer: an authorization code flow with PKCE, state and nonce (OpenID Connect Core, section 3.1;
 * RFC 7636).
 * @param returnTo path of the page to open afterwards
 * @throws AppError `OIDC_NOT_SET_UP`, `OIDC_UNAVAILABLE`
 */
export async function beginSignIn(core: Core, returnTo: unknown, link?: LinkingAccount): Promise<BegunSignIn> {
  const provider = await openProvider(core);
  const { library } = provider;
  const state: SignInState = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
    returnTo: ownPathOf(returnTo),
    ...(link && { link }),
  };
  const parameters = {
    redirect_uri: addressesOf(oidcSettings(core.config).publicUrl).redirect,
    scope: 'openid email profile',
    code_challenge: await library.calculatePKCECodeChallenge(state.verifier),
    code_challenge_method: 'S256',
    state: state.state,
    nonce: state.nonce,
  };
  const url = addressAt(core, () => library.buildAuthorizationUrl(provider.configuration, parameters));
  return { url: url.href, state: await signState(core, state) };
}

/** Returns an address at the issuer. The library refuses addresses without https. @throws AppError `OIDC_UNAVAILABLE` */
function addressAt(core: Core, build: () => URL): URL {
  try {
    return build();
  } catch (error) {
    forgetProvider(core);
    throw unavailable(core.logger, error);
  }
}

/**
 * Begins to link an identity to the caller's account.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `CURRENT_PASSWORD_INCORRECT`, `OVERLOADED`, and the errors of
 *   {@link beginSignIn}
 */
export async function beginLinking(core: Core, caller: Caller, input: unknown): Promise<BegunSignIn> {
  const { currentPassword } = validate(identityLinkSchema, input);
  oidcSettings(core.config);
  await assertCurrentPassword(core, caller, currentPassword);
  const { user, sessionId } = caller;
  const link = { account: user.id, session: sessionId, password: passwordDigest(user.passwordHash) };
  return beginSignIn(core, '/profile', link);
}

/**
 * Ends a sign-in, or the linking of an identity, with the answer of the issuer.
 * @param answer query of the callback
 * @returns the session; undefined after linking
 * @throws AppError `OIDC_STATE_INVALID`, `OIDC_DENIED`, `OIDC_UNAVAILABLE`, `OVERLOADED`, and the errors of `signIn` and `linkIdentity`
 */
export async function finishSignIn(
  core: Core,
  state: SignInState,
  answer: OidcAnswer,
  client: Client,
): Promise<StartedSession | undefined> {
  const owner = client.ip === null ? '' : networkOf(client.ip);
  const person = await exchanges.run({ owner }, () => redeemCode(core, state, answer));
  if (!state.link) return signIn(core, person, client);
  await linkIdentity(core, state.link, person, client);
  return undefined;
}

/** Exchanges of codes that run at the same time; each may take the deadline of two requests. Networks take turns. */
const exchanges = createFairQueue({ capacity: 20, entries: 640, waitMs: 10_000 });

/** Exchanges the code in the answer of the issuer for an ID token, and returns its person. */
async function redeemCode(core: Core, { state, nonce, verifier }: SignInState, answer: OidcAnswer): Promise<Person> {
  const provider = await openProvider(core);
  if (answer.state !== state) throw new AppError('OIDC_STATE_INVALID');
  const url = new URL(addressesOf(oidcSettings(core.config).publicUrl).redirect);
  url.search = new URLSearchParams({ ...answer }).toString();
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
  try {
    const claims = (await provider.library.authorizationCodeGrant(provider.configuration, url, checks)).claims();
    if (!claims) throw new AppError('OIDC_UNAVAILABLE', 'the issuer has sent no ID token');
    return personOf(core.config, claims);
  } catch (error) {
    throw refusalOf(core, provider, error);
  }
}

/** Errors of the issuer after which the person can only begin again (RFC 6749, sections 4.1.2.1 and 5.2). */
const deniedErrors = ['access_denied', 'consent_required', 'interaction_required', 'login_required'];

function refusalOf(core: Core, { library }: Provider, error: unknown): AppError {
  const code = oauthErrorOf(error);
  if (error instanceof library.AuthorizationResponseError && code !== undefined && deniedErrors.includes(code))
    return new AppError('OIDC_DENIED');
  // The code was used already, or has expired.
  if (error instanceof library.ResponseBodyError && code === 'invalid_grant') return new AppError('OIDC_STATE_INVALID');
  // The issuer may have new keys. Anybody can send a refusal, so it changes nothing.
  if (!(error instanceof library.AuthorizationResponseError)) forgetProvider(core);
  return unavailable(core.logger, error);
}

/**
 * Returns the address at the issuer that ends the session there; undefined if the issuer has none or can't be reached
 * (OpenID Connect RP-Initiated Logout 1.0, section 2).
 */
export async function signOutUrl(core: Core): Promise<string | undefined> {
  if (core.config.oidc.issuer === undefined) return undefined;
  const { clientId, publicUrl } = oidcSettings(core.config);
  try {
    const { library, configuration } = await openProvider(core);
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const parameters = { client_id: clientId, post_logout_redirect_uri: addressesOf(publicUrl).afterSignOut };
    return addressAt(core, () => library.buildEndSessionUrl(configuration, parameters)).href;
  } catch (error) {
    // The session of this service has ended, and the fault is in the log.
    if (error instanceof AppError && error.code === 'OIDC_UNAVAILABLE') return undefined;
    throw error;
  }
}
