import { isAppError } from '../../../errors.js';
import type { Context } from '../../../services/context.js';
import {
  addressesOf,
  clockToleranceSeconds,
  discover,
  oidcSettings,
  type Provider,
  requestSeconds,
} from '../../../services/identities/provider.js';
import { type FaultKind, faultOf, oauthErrorOf } from '../../../services/identities/provider-faults.js';
import { type Finding, failed, ok, warning } from './files.js';

/** Signatures of ID tokens that the service can verify. */
const verifiable = /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519|ML-DSA-(?:44|65|87))$/;

/** Issuers of Microsoft Entra ID support PKCE without saying so. */
const entraId = /^https:\/\/login\.microsoftonline\.(?:com|us)\//;

const remedies: Readonly<Record<FaultKind, string>> = {
  silent: `Check that this machine reaches the issuer: it waited ${requestSeconds} seconds. A firewall may block it.`,
  certificate:
    'If a private authority has signed the certificate, set NODE_EXTRA_CA_CERTS to the file of the authority in the environment of coursectl (not in .env). Otherwise renew the certificate, and check the host name in OIDC_ISSUER.',
  'no TLS': 'Check the port in OIDC_ISSUER: the server there speaks no TLS.',
  unreachable: 'Check the host name and the port in OIDC_ISSUER, and that no firewall blocks this machine.',
  'no issuer':
    'Check OIDC_ISSUER: its address with /.well-known/openid-configuration behind it must open a page of JSON in a browser.',
  'other name': 'Set OIDC_ISSUER to this name, if it is your issuer.',
  client:
    'Copy OIDC_CLIENT_ID and OIDC_CLIENT_SECRET from the issuer again: the secret may have expired, and is not the id of the secret.',
  other: 'Ask the operator of the issuer.',
};

const compareAtIssuer =
  'Compare OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and the redirect URI with the issuer, and permit the authorization code flow there.';

/** Shows the addresses to enter at the issuer. */
export function signInAddresses(context: Context): Finding {
  const { redirect, afterSignOut } = addressesOf(oidcSettings(context.config).publicUrl);
  return ok(`enter at the issuer: redirect URI ${redirect}, post-logout redirect URI ${afterSignOut}`);
}

/** Checks the organisation's sign-in, as far as this is possible without a person. */
export async function signIn(context: Context): Promise<Finding> {
  const { oidc, auth } = context.config;
  if (oidc.issuer === undefined) return ok('off: without OIDC_ISSUER');
  let provider: Provider;
  try {
    provider = await discover(context.config);
  } catch (error) {
    const only = auth.passwordLogin ? '' : '; PASSWORD_LOGIN is off, so nobody but the super admin can sign in';
    // The message names the remedy.
    if (isAppError(error)) return { status: 'failed', detail: `${error.message}${only}` };
    const { kind, text } = faultOf(error);
    return failed(`${text}${only}`, remedies[kind]);
  }
  const findings = [
    ...metadataFindings(context, provider),
    ...(await clientFindings(context, provider)),
    ...(await keyFindings(provider)),
  ];
  if (oidc.domains.length === 0)
    findings.push(
      warning(
        'OIDC_DOMAINS is empty: nobody is found by their email',
        'Set OIDC_DOMAINS, or ask people to link their account in the profile.',
      ),
    );
  return combined(findings, provider);
}

/** Returns several findings as one with the status of the worst. */
function combined(findings: readonly Finding[], { configuration }: Provider): Finding {
  if (findings.length === 0) {
    const { issuer, end_session_endpoint: endSession } = configuration.serverMetadata();
    const note = endSession === undefined ? '; signing out leaves the session at the issuer open' : '';
    return ok(`${issuer} can be used${note}`);
  }
  return {
    status: findings.some(({ status }) => status === 'failed') ? 'failed' : 'warning',
    detail: findings.map(({ detail }) => detail).join('; '),
    remedy: findings.flatMap(({ remedy }) => remedy ?? []).join(' '),
  };
}

function metadataFindings({ config: { oidc } }: Context, { configuration }: Provider): Finding[] {
  const {
    issuer,
    code_challenge_methods_supported: challenges,
    id_token_signing_alg_values_supported: algorithms = ['RS256'],
    scopes_supported: scopes = ['email'],
    claims_supported: claims = ['email'],
  } = configuration.serverMetadata();
  const findings: Finding[] = [];
  if (!algorithms.some((algorithm) => verifiable.test(algorithm)))
    findings.push(
      failed(
        `the issuer signs ID tokens with ${algorithms.join(', ')} only, which coursectl can't verify`,
        'Choose RS256 for this client at the issuer.',
      ),
    );
  if (challenges ? !challenges.includes('S256') : !entraId.test(issuer))
    findings.push(
      warning(
        'the issuer does not offer PKCE with S256',
        'Turn PKCE on at the issuer, or update it: without PKCE, an intercepted code is worth more.',
      ),
    );
  if (oidc.domains.length > 0 && !(scopes.includes('email') && claims.includes('email')))
    findings.push(
      warning(
        'the issuer does not offer emails, by which people are found',
        'Permit the scope and the claim "email" for this client at the issuer.',
      ),
    );
  return findings;
}

/** Redeems a code that the issuer has never given out. Its answer shows whether it knows the client, and its clock. */
async function clientFindings(context: Context, { library, configuration }: Provider): Promise<Finding[]> {
  const answer = new URL(addressesOf(oidcSettings(context.config).publicUrl).redirect);
  answer.search = new URLSearchParams({
    code: 'coursectl-doctor',
    iss: configuration.serverMetadata().issuer,
  }).toString();
  try {
    await library.authorizationCodeGrant(configuration, answer, { pkceCodeVerifier: library.randomPKCECodeVerifier() });
    return [];
  } catch (error) {
    const { kind, text } = faultOf(error);
    const isAnswer =
      error instanceof library.ResponseBodyError || error instanceof library.WWWAuthenticateChallengeError;
    const clock = isAnswer ? clockFindings(context, error.response.headers.get('date')) : [];
    if (kind === 'client')
      return [
        // Some issuers answer any other mistake with another error.
        oauthErrorOf(error) === 'unauthorized_client'
          ? failed(
              `${text}: it does not accept the client id, its secret, the redirect URI or the flow`,
              compareAtIssuer,
            )
          : failed(`${text}: it does not accept the client id and secret`, remedies.client),
        ...clock,
      ];
    // Any other error of OAuth 2.0 refuses the code only.
    return isAnswer
      ? clock
      : [failed(`${text}, at its token endpoint`, remedies[kind === 'no issuer' ? 'other' : kind])];
  }
}

/** Checks that this machine can read the keys for ID tokens. They may be on another host than the issuer. */
async function keyFindings({ configuration }: Provider): Promise<Finding[]> {
  const { jwks_uri: address } = configuration.serverMetadata();
  if (address === undefined) return [failed('the issuer publishes no keys (jwks_uri)', remedies.other)];
  const from = `, at ${address}, where its keys are`;
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(requestSeconds * 1000) });
    return status === 200 ? [] : [failed(`the issuer answered HTTP ${status}${from}`, remedies.other)];
  } catch (error) {
    const { kind, text } = faultOf(error);
    return [failed(`${text}${from}`, remedies[kind])];
  }
}

function clockFindings({ now }: Context, date: string | null): Finding[] {
  const seconds = date === null ? Number.NaN : Math.round((now().getTime() - Date.parse(date)) / 1000);
  if (!(Math.abs(seconds) > clockToleranceSeconds)) return [];
  const difference = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock of the issuer`;
  return [
    warning(
      `the clock of this machine is ${difference}, so its tokens may be refused`,
      'Synchronise the clock of this machine (NTP).',
    ),
  ];
}
